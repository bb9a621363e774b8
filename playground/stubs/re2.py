"""Replacement for google-re2 in the browser: Python's ``re`` for patterns that mean the same there.

``compile`` accepts literals, classes, groups, alternation, anchors, and repetitions, and translates
the classes that differ. It raises ``UnsupportedError`` for any other pattern, including an invalid
one: it never returns another result than RE2. Python's ``re`` needs exponential time for some of
these patterns; the page has a stop button.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from podgraft_playground.unsupported import UnsupportedError

_SPACE = r"\t\n\f\r "  # RE2's \s has no \v
_CLASSES = {"d": "0-9", "w": "0-9A-Za-z_", "s": _SPACE}
_MAX_REPEAT = 1000  # RE2's limit
_MAX_PATTERN = 2_000
_LITERAL = re.compile(r"""[A-Za-z0-9 _/:;,@%#!"'=<>&~`-]|[^\x00-\x7f]""")
_PUNCTUATION = frozenset(r"\.+*?()|[]{}^$/-:_@%#!,=<>&~ ")
_PLAIN_IN_CLASS = re.compile(r"""[A-Za-z0-9 _/:;,@%#!"'=<>.+*?()|{}$-]|[^\x00-\x7f]""")
_COUNT = re.compile(r"\{(\d{1,4})(?:(,)(\d{1,4})?)?\}")
_GROUP_NAME = re.compile(r"\?P<([A-Za-z_][A-Za-z0-9_]*)>")


class error(Exception):  # noqa: N801, N818 - the original's name
    """The original's error for an invalid pattern; this module raises ``UnsupportedError``."""


class Options:
    """The options of a pattern; podgraft sets ``log_errors`` only."""

    log_errors = True


def compile(pattern: str, options: Options | None = None) -> "Pattern":  # noqa: A001
    """Return the pattern; raises ``UnsupportedError``."""
    del options
    piece = _Translator(pattern).translate()
    try:
        return Pattern(re.compile(piece.text), pattern, can_be_empty=piece.is_empty)
    except (re.error, OverflowError, RecursionError) as reason:
        raise UnsupportedError("regular expression", pattern) from reason


class Pattern:
    """A compiled pattern under its original text."""

    def __init__(self, compiled: re.Pattern[str], pattern: str, *, can_be_empty: bool) -> None:
        self.pattern = pattern
        self.groups = compiled.groups
        self.groupindex = dict(compiled.groupindex)
        self.search = compiled.search
        self._finditer = compiled.finditer
        self._can_be_empty = can_be_empty

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """All matches; raises ``UnsupportedError`` for a pattern that can match nothing.

        The two libraries disagree about what follows an empty match.
        """
        if self._can_be_empty:
            raise UnsupportedError("regular expression", self.pattern)
        return self._finditer(text)


@dataclass(slots=True)
class _Piece:
    """A translated part of a pattern, and whether it can match the empty string."""

    text: str
    is_empty: bool


class _Translator:
    """Reads one pattern by a small grammar."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.index = 0
        self.depth = 0

    def translate(self) -> _Piece:
        """The same pattern for ``re``."""
        if len(self.pattern) > _MAX_PATTERN:
            self._fail()
        piece = self._alternation()
        if self.index < len(self.pattern):
            self._fail()
        return piece

    def _fail(self) -> None:
        raise UnsupportedError("regular expression", self.pattern)

    def _peek(self) -> str:
        return self.pattern[self.index : self.index + 1]

    def _next(self) -> str:
        char = self._peek()
        if not char:
            self._fail()
        self.index += 1
        return char

    def _alternation(self) -> _Piece:
        pieces = [self._sequence()]
        while self._peek() == "|":
            self.index += 1
            pieces.append(self._sequence())
        text = "|".join(piece.text for piece in pieces)
        return _Piece(text, any(piece.is_empty for piece in pieces))

    def _sequence(self) -> _Piece:
        pieces: list[_Piece] = []
        while self._peek() not in {"", "|", ")"}:
            pieces.append(self._repetition())
        text = "".join(piece.text for piece in pieces)
        return _Piece(text, all(piece.is_empty for piece in pieces))

    def _repetition(self) -> _Piece:
        piece = self._atom()
        suffix, can_skip = self._quantifier()
        if not suffix:
            return piece
        # The engines differ in captures of empty repetitions.
        if piece.is_empty:
            self._fail()
        if self._peek() == "?":
            self.index += 1
            suffix += "?"
        if self._peek() in {"*", "+", "?"} or _COUNT.match(self.pattern, self.index):
            self._fail()  # RE2 has neither possessive nor repeated quantifiers
        return _Piece(piece.text + suffix, can_skip)

    def _quantifier(self) -> tuple[str, bool]:
        char = self._peek()
        if char and char in "*+?":
            self.index += 1
            return char, char != "+"
        if char != "{":
            return "", False
        match = _COUNT.match(self.pattern, self.index)
        if match is None:
            self._fail()
            return "", False
        low, comma, high = int(match[1]), match[2], match[3]
        top = int(high) if high else low
        if low > top or top > _MAX_REPEAT or top == 0:
            self._fail()
        self.index = match.end()
        return f"{{{low}{comma or ''}{high or ''}}}", low == 0

    def _atom(self) -> _Piece:
        char = self._next()
        match char:
            case "(":
                return self._group()
            case "[":
                return _Piece(self._class(), is_empty=False)
            case ".":
                return _Piece(".", is_empty=False)
            case "^":
                return _Piece(r"\A", is_empty=True)
            case "$":
                return _Piece(r"\Z", is_empty=True)
            case "\\":
                return self._escape()
        if not _LITERAL.fullmatch(char):
            self._fail()
        return _Piece(re.escape(char), is_empty=False)

    def _group(self) -> _Piece:
        self.depth += 1
        if self.depth > 50:  # noqa: PLR2004 - far below Python's limit
            self._fail()
        prefix = "("
        if self.pattern.startswith("?:", self.index):
            self.index += 2
            prefix = "(?:"
        elif match := _GROUP_NAME.match(self.pattern, self.index):
            self.index = match.end()
            prefix = f"(?P<{match[1]}>"
        elif self._peek() == "?":
            self._fail()
        piece = self._alternation()
        if self._next() != ")":
            self._fail()
        self.depth -= 1
        return _Piece(f"{prefix}{piece.text})", piece.is_empty)

    def _escape(self) -> _Piece:
        char = self._next()
        if char in _CLASSES:
            return _Piece(f"[{_CLASSES[char]}]", is_empty=False)
        if char.lower() in _CLASSES:
            return _Piece(f"[^{_CLASSES[char.lower()]}]", is_empty=False)
        if char == "b":
            return _Piece(r"(?a:\b)", is_empty=True)
        if char in {"A", "z"}:
            return _Piece({"A": r"\A", "z": r"\Z"}[char], is_empty=True)
        return _Piece(self._escaped_character(char), is_empty=False)

    def _escaped_character(self, char: str) -> str:
        if char in "nrtf":
            return f"\\{char}"
        if char not in _PUNCTUATION or char in {" ", "_"}:
            self._fail()
        return re.escape(char)

    def _class(self) -> str:
        text = "["
        if self._peek() == "^":
            self.index += 1
            text += "^"
        first = True
        while first or self._peek() != "]":
            text += self._class_item(is_first=first)
            first = False
        self.index += 1
        return f"{text}]"

    def _class_item(self, *, is_first: bool) -> str:
        """One character, range, or class."""
        char = self._next()
        if char == "\\" and self._peek() in _CLASSES:
            return _CLASSES[self._next()]
        low = self._class_character(char, is_first=is_first)
        if self._peek() != "-" or self.pattern[self.index + 1 : self.index + 2] == "]":
            return re.escape(low)
        self.index += 1
        high = self._class_character(self._next(), is_first=False)
        if low > high or "-" in {low, high}:
            self._fail()
        return f"{re.escape(low)}-{re.escape(high)}"

    def _class_character(self, char: str, *, is_first: bool) -> str:
        if char == "\\":
            char = self._next()
            if char in "nrtf":
                return {"n": "\n", "r": "\r", "t": "\t", "f": "\f"}[char]
            if char not in _PUNCTUATION or char in {" ", "_"}:
                self._fail()
            return char
        if not _PLAIN_IN_CLASS.fullmatch(char):
            self._fail()
        if char == "-" and not is_first and self._peek() != "]":
            self._fail()
        return char
