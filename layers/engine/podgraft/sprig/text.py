"""Words within a text: their letters' case, their initials, wrapping and abbreviation (goutils).

Some of goutils takes every byte for a character, which damages text beyond ASCII; a template that
prints it through Istio prints it damaged, so these functions do the same.
"""

from itertools import pairwise

from podgraft.go.utf8 import (
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

from .limits import check_text_size

_ELLIPSIS = b"..."
_LEAST_WIDTH = 4  # one byte and the ellipsis
_LEAST_WIDTH_WITH_OFFSET = 7  # with an ellipsis at both ends
_BLANK = ord(" ")


def untitle(text: str) -> str:
    """The first letter of each word in lower case.

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
    """Upper case becomes lower, lower becomes upper, or title case where a word begins.

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
    """Each byte taken for a rune."""
    return encode(text).decode("latin-1")


def initials(text: str) -> str:
    """The first byte of each word.

    >>> initials("First Try")
    'FT'
    """
    pairs = pairwise(" " + _bytes_to_runes(text))
    return "".join(char for before, char in pairs if is_space(before) and not is_space(char))


def nospace(text: str) -> str:
    """The text without white space; where there is some, bytes beyond ASCII become runes."""
    characters = _bytes_to_runes(text)
    kept = "".join(char for char in characters if not is_space(char))
    return text if len(kept) == len(characters) else kept


def abbrev(width: int, text: str) -> str:
    """At most ``width`` bytes, the last three of a cut text an ellipsis; 4 is the least width.

    >>> abbrev(5, "hello world")
    'he...'
    """
    return text if width < _LEAST_WIDTH else decode(_abbreviate(encode(text), 0, width))


def abbrevboth(left: int, right: int, text: str) -> str:
    """``abbrev`` at both ends: what stands at byte ``left`` is kept.

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
    """Lines of at most ``width`` bytes, broken at blanks; longer words stay whole."""
    return _wrap_bytes(encode(text), width, b"\n", break_long_words=False)


def wrap_with(width: int, separator: str, text: str) -> str:
    """``wrap`` with another line break, and words that are too long broken."""
    return _wrap_bytes(encode(text), width, encode(separator) or b"\n", break_long_words=True)


def _wrap_bytes(data: bytes, width: int, separator: bytes, *, break_long_words: bool) -> str:
    """goutils.WrapCustom: a line break takes the place of one blank, leading blanks go."""
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
