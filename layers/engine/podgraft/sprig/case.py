"""snakecase, kebabcase and camelcase (xstrings): where words begin in a name."""

from collections.abc import Callable
from enum import Enum, auto

from podgraft.go.strconv.quote import REPLACEMENT
from podgraft.go.utf8 import (
    is_letter,
    is_number,
    is_punct,
    is_space,
    is_upper,
    to_lower,
    to_runes,
    to_upper,
)

# The blocks of characters without case that xstrings does not call an alphabet.
_IDEOGRAPHS = ((0x3400, 0x4D85), (0x4E00, 0x9FCC), (0x20000, 0x2B81D))


class _Kind(Enum):
    """What a word is made of."""

    NONE = auto()
    NUMBER = auto()
    UPPER = auto()
    ALPHABET = auto()
    CONNECTOR = auto()
    PUNCT = auto()
    OTHER = auto()


def _is_connector(char: str) -> bool:
    return char in "-_" or is_space(char)


def _is_alphabet(char: str) -> bool:
    return is_letter(char) and not any(low <= ord(char) <= high for low, high in _IDEOGRAPHS)


def _is_lower_alphabet(char: str) -> bool:
    return _is_alphabet(char) and not is_upper(char)


def _is_other(char: str) -> bool:
    return not (_is_connector(char) or _is_alphabet(char) or is_number(char) or is_punct(char))


# The first that holds for a word's first character names the word; upper case is apart.
_CLASSES: tuple[tuple[_Kind, Callable[[str], bool], Callable[[str], bool]], ...] = (
    (_Kind.CONNECTOR, _is_connector, _is_connector),
    (_Kind.PUNCT, is_punct, is_punct),
    (_Kind.UPPER, is_upper, is_upper),
    (_Kind.ALPHABET, _is_alphabet, _is_lower_alphabet),
    (_Kind.NUMBER, is_number, is_number),
    (_Kind.OTHER, lambda _: True, _is_other),
)


class _WordSplitter:
    """The words of a text, one at a time, and what is written of them.

    Invalid UTF-8 (and U+FFFD) belongs to whatever surrounds it.
    """

    def __init__(self, text: str, connector: str) -> None:
        self._text = text
        self._end = 0
        self.connector = connector
        self.kind = _Kind.NONE
        self.word = ""
        self.out: list[str] = []
        self.advance()

    @property
    def is_last(self) -> bool:
        """Whether nothing follows the word."""
        return self._end == len(self._text)

    def advance(self) -> None:
        """Take the next word; of kind ``NONE`` at the end."""
        start = self._end
        self.kind = _Kind.NONE
        first, size = _next_valid_rune(self._text, start, REPLACEMENT)
        self._end += size
        if first != REPLACEMENT:
            self.kind, self._end = _classify_word(self._text, self._end, first)
        self.word = self._text[start : self._end]

    def write(self, kind: _Kind, word: str) -> None:
        """Write a word in lower case, its connectors replaced."""
        if kind in (_Kind.UPPER, _Kind.CONNECTOR):
            word = "".join(map(self._lower_character, to_runes(word)))
        self.out.append(word)

    def _lower_character(self, char: str) -> str:
        if _is_connector(char):
            return self.connector
        return to_lower(char) if is_upper(char) else char

    def leading_connector(self) -> str:
        """The connector, unless the word is one, or punctuation."""
        return "" if self.kind in (_Kind.CONNECTOR, _Kind.PUNCT) else self.connector

    def take(self) -> str:
        """The word, and on to the next."""
        word = self.word
        self.advance()
        return word

    def advance_past_number(self) -> None:
        """Write a number: before an alphabet it begins a run, else it ends the word before it."""
        number = self.take()
        if self.kind is _Kind.ALPHABET:
            self.out += self.connector, number
            self.write_run()
        else:
            self.out += number, self.leading_connector()

    def write_run(self) -> None:
        """Write the words that follow without a connector: alphabets and numbers in turn."""
        while self.kind in (_Kind.ALPHABET, _Kind.NUMBER):
            self.out.append(self.take())
        if self.kind is not _Kind.NONE:
            self.out.append(self.leading_connector())


def _next_valid_rune(text: str, at: int, default: str) -> tuple[str, int]:
    """The first valid rune from ``at`` on, and the length up to its end."""
    for end in range(at, len(text)):
        rune = to_runes(text[end])
        if rune != REPLACEMENT:
            return rune, end + 1 - at
    return default, len(text) - at


def _take_run(
    text: str, at: int, rune: str, belongs: Callable[[str], bool]
) -> tuple[int, int, str]:
    """Where the run of runes that belong ends, where its last one begins, and the rune met."""
    last = at
    while at < len(text):
        rune, size = _next_valid_rune(text, at, rune)
        if not belongs(rune):
            break
        last, at = at, at + size
    return at, last, rune


def _classify_word(text: str, at: int, first: str) -> tuple[_Kind, int]:
    """The kind and the end of the word that begins with ``first``, which ends at ``at``."""
    kind, belongs = next((k, b) for k, begins, b in _CLASSES if begins(first))
    end, last, rune = _take_run(text, at, first, belongs)
    if kind is _Kind.UPPER and end < len(text) and _is_alphabet(rune):
        if end > at:
            return kind, last  # HTTPStatus: the S belongs to Status
        end, _, _ = _take_run(text, at, first, _is_lower_alphabet)
    return kind, end


def _join_words(text: str, connector: str) -> str:
    words = _WordSplitter(text, connector)
    while not words.is_last:
        kind, word = words.kind, words.word
        if kind is not _Kind.CONNECTOR:
            words.write(kind, word)
        words.advance()
        if kind is _Kind.NUMBER:
            words.write_run()
        elif kind is _Kind.CONNECTOR:
            words.write(kind, word)
        elif kind is not _Kind.PUNCT:
            _write_connector_after_letters(words)
    words.write(words.kind, words.word)
    return "".join(words.out)


def _write_connector_after_letters(words: _WordSplitter) -> None:
    """Whether a number belongs to the word before it: Bld4Floor is bld4_floor, HTTP2xx http_2xx."""
    if words.kind is not _Kind.NUMBER:
        words.out.append(words.leading_connector())
    elif not words.is_last:
        words.advance_past_number()


def snakecase(text: str) -> str:
    """xstrings.ToSnakeCase.

    >>> snakecase("HTTP20xOK")
    'http_20x_ok'
    """
    return _join_words(text, "_")


def kebabcase(text: str) -> str:
    """xstrings.ToKebabCase.

    >>> kebabcase("FirstName")
    'first-name'
    """
    return _join_words(text, "-")


def camelcase(text: str) -> str:
    """xstrings.ToPascalCase: connectors go, the letter after each becomes upper case.

    >>> camelcase("http_server")
    'HttpServer'
    """
    chars = to_runes(text)
    body = next((i for i, char in enumerate(chars) if not _is_connector(char)), len(chars))
    out = [chars[:body]]
    rest = chars[body:]
    if not rest:
        return chars + chars[-1:]  # xstrings writes the last connector twice
    lowers = is_upper(rest[0])
    last = to_upper(rest[0])
    for char in rest[1:]:
        before, last = last, char
        if not _is_connector(before):
            lowers = lowers and is_upper(char)
            last = to_lower(char) if lowers else char
            out.append(before)
        elif _is_connector(char):
            out.append(before)
        else:
            lowers = is_upper(char)
            last = to_upper(char)
    return "".join([*out, last])
