"""Go strings as bytes and as runes, with Go's character classes and simple case mappings.

A Go string is bytes. Here it is a ``str`` with invalid UTF-8 as surrogate escapes
(``golang/reflect/values.py``). To cut at a byte can split a character, and to join can restore it.
Code that counts bytes must use ``encode`` and ``decode``.

The tables are Python's: the class of a character that is newer than the Unicode release of Python
can differ from Go's. All other mappings (1,112,064 code points) were compared with Go 1.26's
package unicode.
"""

import re
from collections.abc import Callable
from unicodedata import category

from podgraft.golang.strconv.quote import REPLACEMENT

_ESCAPED_BYTE = re.compile("[\udc80-\udcff]")

# unicode.White_Space; str.strip() would also remove U+001C to U+001F.
SPACES = (
    "\t\n\v\f\r \x85\xa0\u1680"
    + "".join(map(chr, range(0x2000, 0x200B)))
    + ("\u2028\u2029\u202f\u205f\u3000")
)


def encode(text: str) -> bytes:
    """The bytes of the Go string."""
    return text.encode("utf-8", "surrogateescape")


def decode(data: bytes) -> str:
    """The Go string of the bytes."""
    return data.decode("utf-8", "surrogateescape")


def to_runes(text: str) -> str:
    """``[]rune(text)``: U+FFFD for each invalid UTF-8 byte. The length does not change."""
    return text if text.isascii() else _ESCAPED_BYTE.sub(REPLACEMENT, text)


def is_valid(text: str) -> bool:
    """Whether the string is valid UTF-8 (utf8.ValidString)."""
    return text.isascii() or _ESCAPED_BYTE.search(text) is None


def map_runes(mapping: Callable[[str], str], text: str) -> str:
    """strings.Map: map each rune, and replace invalid UTF-8."""
    return "".join(map(mapping, to_runes(text)))


def to_upper(char: str) -> str:
    """unicode.ToUpper: the simple upper case of one character ("ß" has none)."""
    return _single_character(char.upper()) or _single_character(char.title()) or char


def to_title(char: str) -> str:
    """unicode.ToTitle: the simple title case."""
    return _single_character(char.title()) or char


def to_lower(char: str) -> str:
    """unicode.ToLower: the simple lower case; "İ" is the only one with a longer full mapping."""
    return char.lower()[0]


def _single_character(mapped_char: str) -> str | None:
    return mapped_char if len(mapped_char) == 1 else None


def is_space(char: str) -> bool:
    """unicode.IsSpace."""
    return char in SPACES


def is_upper(char: str) -> bool:
    """unicode.IsUpper: only category Lu, unlike ``str.isupper``."""
    return category(char) == "Lu"


def is_lower(char: str) -> bool:
    """unicode.IsLower: only category Ll."""
    return category(char) == "Ll"


def is_title(char: str) -> bool:
    """unicode.IsTitle: category Lt."""
    return category(char) == "Lt"


def is_letter(char: str) -> bool:
    """unicode.IsLetter: the L categories."""
    return category(char)[0] == "L"


def is_digit(char: str) -> bool:
    """unicode.IsDigit: category Nd."""
    return category(char) == "Nd"


def is_number(char: str) -> bool:
    """unicode.IsNumber: the N categories."""
    return category(char)[0] == "N"


def is_punct(char: str) -> bool:
    """unicode.IsPunct: the P categories."""
    return category(char)[0] == "P"
