"""The YAML styles of strings: plain, quoted, or a literal block.

Mirrors ``yaml_emitter_analyze_scalar``, ``yaml_emitter_select_scalar_style`` and the writers of the
four styles in go-yaml v2's emitterc.go.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from .scalars import is_plain_string

_WIDTH = 80  # a space after this column becomes a line break


class EmitPosition(Struct, frozen=True):
    """The position of a scalar: its column, and the column of its other lines."""

    column: int
    indent: int
    folds: bool = True


def emit_string(text: str, position: EmitPosition) -> str:
    """Emit the string at ``position``.

    Only a literal block of a string with a final line break ends with a line break.
    """
    if "\n" in text:
        if not _NO_LITERAL.search(text):
            return _emit_literal(text, position)
    elif is_plain_string(text):
        if not _NO_PLAIN.search(text):
            return _fold_lines(text, text, position)
        if not _NO_SINGLE.search(text):
            return _emit_single_quoted(text, position)
    return _emit_double_quoted(text, position)


def has_line_break(text: str) -> bool:
    """Whether the text contains one of YAML's line breaks."""
    return _BREAK.search(text) is not None


def _emit_literal(text: str, position: EmitPosition) -> str:
    """Emit ``|``, hints, and the lines with indentation; empty lines stay empty."""
    indent_hint = "2" if text[0] == " " or text[0] in _BREAKS else ""
    if text[-1] not in _BREAKS:
        chomp_hint = "-"
    else:
        chomp_hint = "+" if len(text) == 1 or text[-2] in _BREAKS else ""
    return f"|{indent_hint}{chomp_hint}\n{_LINE_START.sub(' ' * position.indent, text)}"


def _emit_single_quoted(text: str, position: EmitPosition) -> str:
    quoted = text.replace("'", "''")
    return _AFTER_BREAKS.sub(" " * position.indent, _fold_lines(text, f"'{quoted}'", position))


def _emit_double_quoted(text: str, position: EmitPosition) -> str:
    """Emit ``"``, escapes, ``"``; a line break inside a run of spaces escapes the next space."""
    if text.startswith(_BYTE_ORDER_MARK):  # go-yaml tests the first character for every character
        return f'"{_ANY.sub(_escape, text)}"'
    return _fold_lines(text, f'"{_ESCAPED.sub(_escape, text)}"', position, escaped=True)


def _fold_lines(
    text: str, escaped_text: str, position: EmitPosition, *, escaped: bool = False
) -> str:
    """Replace spaces after the maximum width by line breaks."""
    if not position.folds or position.column + len(escaped_text) <= _WIDTH:
        return escaped_text
    return "".join(_split_words(text, escaped_text, position, escaped=escaped))


def _split_words(
    text: str, escaped_text: str, position: EmitPosition, *, escaped: bool
) -> Iterator[str]:
    """Split into words and the runs of spaces between them."""
    column = position.column
    pieces = _BLANKS.split(escaped_text)
    for index, piece in enumerate(pieces):
        leading = index == 1 and text[0] == " "
        trailing = index == len(pieces) - 2 and text[-1] == " "
        single = len(piece) == 1 and not trailing
        breaks = single or (escaped and len(piece) > 1)
        if index % 2 and column > _WIDTH and breaks and not leading:
            rest = ("\\" if len(piece) > 1 else "") + piece[1:]
            column = position.indent + len(rest)
            yield f"\n{' ' * position.indent}{rest}"
        else:
            column = _column_after(piece, column, position.indent)
            yield piece


def _column_after(piece: str, column: int, indent: int) -> int:
    *_, rest = _BREAK.split(piece)
    return column + len(piece) if rest == piece else indent + len(rest)


def _escape(match: re.Match[str]) -> str:
    """Escape a character in double quotes, as go-yaml does."""
    character = match[0]
    code = ord(character)
    if character in _SHORT_ESCAPES:
        return f"\\{_SHORT_ESCAPES[character]}"
    if code <= 0xFF:  # noqa: PLR2004 - the widths that YAML's three numeric escapes can hold
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"  # noqa: PLR2004 - as above


_BYTE_ORDER_MARK = "\ufeff"
_BREAKS = "\n\r\x85\u2028\u2029"
_SHORT_ESCAPES = {
    "\0": "0",
    "\a": "a",
    "\b": "b",
    "\t": "t",
    "\n": "n",
    "\v": "v",
    "\f": "f",
    "\r": "r",
    "\x1b": "e",
    '"': '"',
    "\\": "\\",
    "\x85": "N",
    "\xa0": "_",
    "\u2028": "L",
    "\u2029": "P",
}
# The characters that go-yaml treats as unprintable: control characters, surrogates, the byte order
# mark, and all characters outside the basic plane. One negated class would compile in 3 ms.
_SPECIAL = "[\\x00-\\x09\\x0b-\\x1f\\x7f-\\x9f]|[\\ud800-\\udfff\\ufeff]|[\\ufffe-\\U0010ffff]"
_ANY = re.compile(".", re.DOTALL)
_BLANKS = re.compile("( +)")
_BREAK = re.compile(f"[{_BREAKS}]")
_AFTER_BREAKS = re.compile("(?<=[\u2028\u2029])(?=[^\u2028\u2029])(?!'\\Z)")
_LINE_START = re.compile("(?:\\A|(?<=[\n\u2028\u2029]))(?=[^\n\u2028\u2029])")
_ESCAPED = re.compile(f'{_SPECIAL}|[{_BREAKS}"\\\\]')
_NO_LITERAL = re.compile(f"{_SPECIAL}| [{_BREAKS}]| \\Z")
_NO_SINGLE = re.compile(f"{_SPECIAL}| [{_BREAKS}]|[{_BREAKS}] ")
_NO_PLAIN = re.compile(
    rf"^(?:---|\.\.\.|[ #,\[\]{{}}&*!|>'\"%@`]|[-?:](?: |\Z))"
    rf"|:(?: |\Z)| #| \Z|[{_BREAKS}]|{_SPECIAL}"
)
