"""Unified diffs that ``patch``, ``git apply``, and delta can read."""

from difflib import unified_diff
from io import StringIO

_NO_NEWLINE = "\\ No newline at end of file\n"


def format_diff(before: str | None, after: str | None, path: str) -> str:
    """Return the diff of a file, empty without a difference; ``None`` is a missing file."""
    if before == after:
        return ""
    # Split at line feeds only: other line breaks are part of a line for ``patch``.
    old, new = ([*StringIO(each)] for each in (before or "", after or ""))
    body = [*unified_diff(old, new)][2:]
    header = (
        f"--- {_format_path('a', path, before)}\n",
        f"+++ {_format_path('b', path, after)}\n",
    )
    return "".join((*header, *map(_end_line, body)))


def _format_path(side: str, path: str, content: str | None) -> str:
    """Return a path of a header; a tab ends a path with spaces, as GNU diff writes it."""
    if content is None:
        return "/dev/null"
    return f"{side}/{path}\t" if " " in path else f"{side}/{path}"


def _end_line(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n{_NO_NEWLINE}"
