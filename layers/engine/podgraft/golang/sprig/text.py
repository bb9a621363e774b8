"""Functions on words: case, initials, line wrapping, and abbreviation (goutils).

Some functions of goutils treat each byte as a character, which corrupts text outside ASCII. These
functions return the same results as goutils.
"""

from itertools import pairwise

from podgraft.golang.utf8 import (
    decode,
    encode,
    is_lower,
    is_space,
    is_title,
    is_upper,
    to_lower,
    to_runes,
    to_title,
    to_upper,
)

from .failures import check_text_size

_ELLIPSIS = b"..."
_LEAST_WIDTH = 4  # one byte and the ellipsis
_LEAST_WIDTH_WITH_OFFSET = 7  # with an ellipsis at both ends
_BLANK = ord(" ")


def untitle(text: str) -> str:
    """Change the first letter of each word to lower case.

    >>> untitle("First Try")
    'first try'
    """
    out: list[str] = []
    gap = True
    for char in to_runes(text):
        begins = gap and not is_space(char)
        out.append(to_lower(char) if begins else char)
        gap = is_space(char)
    return "".join(out)


def swapcase(text: str) -> str:
    """Swap upper and lower case; lower case becomes title case at the start of a word.

    >>> swapcase("Hello World")
    'hELLO wORLD'
    """
    out: list[str] = []
    gap = True
    for char in to_runes(text):
        if is_upper(char) or is_title(char):
            out.append(to_lower(char))
            gap = False
        elif is_lower(char):
            out.append(to_title(char) if gap else to_upper(char))
            gap = False
        else:
            out.append(char)
            gap = is_space(char)
    return "".join(out)


def _bytes_to_runes(text: str) -> str:
    return encode(text).decode("latin-1")


def initials(text: str) -> str:
    """The first byte of each word.

    >>> initials("First Try")
    'FT'
    """
    pairs = pairwise(" " + _bytes_to_runes(text))
    return "".join(char for before, char in pairs if is_space(before) and not is_space(char))


def nospace(text: str) -> str:
    """Remove white space; if there is any, bytes outside ASCII become runes."""
    characters = _bytes_to_runes(text)
    remaining = "".join(char for char in characters if not is_space(char))
    return text if len(remaining) == len(characters) else remaining


def abbrev(width: int, text: str) -> str:
    """Truncate to ``width`` bytes, including an ellipsis; the minimum width is 4.

    >>> abbrev(5, "hello world")
    'he...'
    """
    return text if width < _LEAST_WIDTH else decode(_abbreviate(encode(text), 0, width))


def abbrevboth(left: int, right: int, text: str) -> str:
    """``abbrev`` at both ends; the result contains the text at byte ``left``.

    >>> abbrevboth(5, 10, "1234 5678 9123")
    '...5678...'
    """
    if right < _LEAST_WIDTH or (left > 0 and right < _LEAST_WIDTH_WITH_OFFSET):
        return text
    return decode(_abbreviate(encode(text), left, right))


def _abbreviate(data: bytes, offset: int, width: int) -> bytes:
    """goutils.AbbreviateFull; ``width`` is at least 4, or 7 with an offset."""
    size, inner = len(data), width - 3
    if size <= width:
        return data
    offset = min(offset, size - inner)
    if offset <= _LEAST_WIDTH:
        return data[:inner] + _ELLIPSIS
    if offset + inner < size:
        return _ELLIPSIS + _abbreviate(data[offset:], 0, inner)
    return _ELLIPSIS + data[size - inner :]


def wrap(width: int, text: str) -> str:
    """Wrap at spaces to lines of at most ``width`` bytes; longer words are not split."""
    return _wrap_bytes(encode(text), width, b"\n", break_long_words=False)


def wrap_with(width: int, separator: str, text: str) -> str:
    """``wrap`` with another line break; words that are too long are split."""
    return _wrap_bytes(encode(text), width, encode(separator) or b"\n", break_long_words=True)


def _wrap_bytes(data: bytes, width: int, separator: bytes, *, break_long_words: bool) -> str:
    """goutils.WrapCustom: a line break replaces one space, and leading spaces are removed."""
    width = max(width, 1)
    check_text_size(len(data) + len(data) // width * len(separator))
    lines: list[bytes] = []
    start = 0
    while len(data) - start > width:
        if data[start] == _BLANK:
            start += 1
            continue
        end = data.rfind(b" ", start, start + width + 1)
        if end < 0 and break_long_words:
            lines.append(data[start : start + width])
            start += width
            continue
        if end < 0:
            end = data.find(b" ", start + width)
        if end < 0:
            break
        lines.append(data[start:end])
        start = end + 1
    lines.append(data[start:])
    return decode(separator.join(lines))
