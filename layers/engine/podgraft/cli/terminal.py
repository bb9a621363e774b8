"""The streams of a command: text of an object cannot control the terminal.

The author of an object can write any character into an annotation. Terminals execute control
characters, and bidirectional controls change the order of the text around them, so an object could
hide what a command prints about it. ``run`` in ``cli/program.py`` puts all that a command writes
through ``EscapingStream``. Styles of podgraft have a mark that no object can know.
"""

import os
import re
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any, TextIO

import click

# Category Cc without line feed and tab, and the characters with the property Bidi_Control.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_MARK = f"\x1b{os.urandom(16).hex()}"  # of a process, in the place of the escape in a style
_STYLE = re.compile(f"{_MARK}(\\[[0-9;]*m)")
_ESCAPE = "\x1b"
_LAST_ASCII_CONTROL = "\x1f"
_DIFF_COLORS = {"+": "green", "-": "red", "@": "cyan"}


def escape_controls(text: str) -> str:
    r"""Return the text with visible escapes; in JSON text, the value does not change.

    >>> print(escape_controls("a\x1b[31m\u202eb\n"), end="")
    a\x1b[31m\u202eb
    """
    return _CONTROLS.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    return f"\\x{ord(char):02x}" if char <= _LAST_ASCII_CONTROL else f"\\u{ord(char):04x}"


def style(text: object, **options: Any) -> str:
    """Return text with a style for ``EscapingStream``; *options* are those of ``click.style``."""
    before, _, after = click.style("\0", **options).partition("\0")
    return f"{before.replace(_ESCAPE, _MARK)}{text}{after.replace(_ESCAPE, _MARK)}"


def style_diff_line(line: str) -> str:
    """Return a line of a unified diff in its color."""
    color = _DIFF_COLORS.get(line[:1])
    return style(line, fg=color) if color else line


def unstyle(text: str) -> str:
    """Return text as ``EscapingStream`` writes it into a file: escaped, and without styles."""
    return escape_controls(_STYLE.sub("", text))


def secho(text: object, *, nl: bool = True, err: bool = False, **options: Any) -> None:
    """Print text with a style, as ``click.secho`` does."""
    click.echo(style(text, **options), nl=nl, err=err)


class EscapingStream:
    """A text stream that escapes all control characters except those of podgraft's styles."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._has_color = stream.isatty() and not os.environ.get("NO_COLOR")

    # Click wraps the bytes of a stream that declares an ASCII encoding.
    encoding = "utf-8"
    errors = "backslashreplace"

    def write(self, text: str) -> int:
        """Write text; returns its length."""
        style_, *rest = _STYLE.split(text)  # text, style, text, ...
        parts = [escape_controls(style_)]
        for code, plain in zip(rest[::2], rest[1::2], strict=True):
            parts += [f"{_ESCAPE}{code}" if self._has_color else "", escape_controls(plain)]
        self._write("".join(parts))
        return len(text)

    def write_document(self, text: str) -> None:
        """Write a document for another program, in UTF-8; only a terminal gets it with escapes."""
        buffer = getattr(self._stream, "buffer", None)  # a stream in memory has none
        if self._stream.isatty():
            self._write(escape_controls(text))
        elif buffer is None:
            self._write(text)
        else:
            self._stream.flush()
            buffer.write(text.encode("utf-8", self.errors))

    def writelines(self, lines: Iterable[str]) -> None:
        """Write lines."""
        for line in lines:
            self.write(line)

    def _write(self, text: str) -> None:
        encoding = getattr(self._stream, "encoding", None) or self.encoding
        self._stream.write(text.encode(encoding, self.errors).decode(encoding))

    def __getattr__(self, name: str) -> Any:
        """The other parts of a stream."""
        return getattr(self._stream, name)


def write_document(text: str) -> None:
    """Write a document to standard output; without a terminal, its bytes are unchanged."""
    stream = sys.stdout
    if isinstance(stream, EscapingStream):
        stream.write_document(text)
    else:
        stream.write(text)


@contextmanager
def escape_output() -> Generator[None]:
    """Escape all that is written to standard output and standard error."""
    output: Any = _wrap(sys.stdout)
    errors: Any = _wrap(sys.stderr)
    with redirect_stdout(output), redirect_stderr(errors):
        yield


def _wrap(stream: TextIO) -> TextIO | EscapingStream:
    return stream if isinstance(stream, EscapingStream) else EscapingStream(stream)
