"""snakecase, kebabcase, and camelcase (xstrings)."""

from collections.abc import Callable
from enum import Enum, auto

from podgraft.golang.strconv.quote import REPLACEMENT
from podgraft.golang.utf8 import (
    is_letter,
    is_number,
    is_punct,
    is_space,
    is_upper,
    to_lower,
    to_runes,
    to_upper,
)

# The blocks of caseless characters that xstrings does not treat as an alphabet.
_IDEOGRAPHS = ((0x3400, 0x4D85), (0x4E00, 0x9FCC), (0x20000, 0x2B81D))


class _Kind(Enum):
    """The kind of the characters in a word."""

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


# The first match of the first character of a word determines its kind.
_CLASSES: tuple[tuple[_Kind, Callable[[str], bool], Callable[[str], bool]], ...] = (
    (_Kind.CONNECTOR, _is_connector, _is_connector),
    (_Kind.PUNCT, is_punct, is_punct),
    (_Kind.UPPER, is_upper, is_upper),
    (_Kind.ALPHABET, _is_alphabet, _is_lower_alphabet),
    (_Kind.NUMBER, is_number, is_number),
    (_Kind.OTHER, lambda _: True, _is_other),
)


class _WordSplitter:
    """A splitter of a text into words, with the output.

    Invalid UTF-8 (and U+FFFD) belongs to the word around it.
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
        """Whether the word is the last one."""
        return self._end == len(self._text)

    def advance(self) -> None:
        """Go to the next word; its kind is ``NONE`` at the end."""
        start = self._end
        self.kind = _Kind.NONE
        first, size = _next_valid_rune(self._text, start, REPLACEMENT)
        self._end += size
        if first != REPLACEMENT:
            self.kind, self._end = _classify_word(self._text, self._end, first)
        self.word = self._text[start : self._end]

    def write(self, kind: _Kind, word: str) -> None:
        """Write a word in lower case, and replace its connectors."""
        if kind in (_Kind.UPPER, _Kind.CONNECTOR):
            word = "".join(map(self._lower_character, to_runes(word)))
        self.out.append(word)

    def _lower_character(self, char: str) -> str:
        if _is_connector(char):
            return self.connector
        return to_lower(char) if is_upper(char) else char

    def leading_connector(self) -> str:
        """The connector, unless the word is a connector or punctuation."""
        return "" if self.kind in (_Kind.CONNECTOR, _Kind.PUNCT) else self.connector

    def read_word(self) -> str:
        """Return the word, and go to the next word."""
        word = self.word
        self.advance()
        return word

    def advance_past_number(self) -> None:
        """Write a number: it starts a run before an alphabet, else it ends the previous word."""
        number = self.read_word()
        if self.kind is _Kind.ALPHABET:
            self.out += self.connector, number
            self.write_run()
        else:
            self.out += number, self.leading_connector()

    def write_run(self) -> None:
        """Write the following words without a connector: alternating alphabets and numbers."""
        while self.kind in (_Kind.ALPHABET, _Kind.NUMBER):
            self.out.append(self.read_word())
        if self.kind is not _Kind.NONE:
            self.out.append(self.leading_connector())


def _next_valid_rune(text: str, offset: int, default: str) -> tuple[str, int]:
    """The first valid rune from ``offset``, and the length up to its end."""
    for end in range(offset, len(text)):
        rune = to_runes(text[end])
        if rune != REPLACEMENT:
            return rune, end + 1 - offset
    return default, len(text) - offset


def _scan_run(
    text: str, offset: int, rune: str, belongs: Callable[[str], bool]
) -> tuple[int, int, str]:
    """The end of a run of matching runes, the offset of its last rune, and the next rune."""
    last = offset
    while offset < len(text):
        rune, size = _next_valid_rune(text, offset, rune)
        if not belongs(rune):
            break
        last, offset = offset, offset + size
    return offset, last, rune


def _classify_word(text: str, offset: int, first: str) -> tuple[_Kind, int]:
    """The kind and the end of the word that starts with ``first``, which ends at ``offset``."""
    kind, belongs = next((k, b) for k, begins, b in _CLASSES if begins(first))
    end, last, rune = _scan_run(text, offset, first, belongs)
    if kind is _Kind.UPPER and end < len(text) and _is_alphabet(rune):
        if end > offset:
            return kind, last  # HTTPStatus: the S belongs to Status
        end, _, _ = _scan_run(text, offset, first, _is_lower_alphabet)
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
    """Write the connector, unless a number follows: Bld4Floor is bld4_floor, HTTP2xx http_2xx."""
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
    """xstrings.ToPascalCase: remove connectors, and change the letter after each to upper case.

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
