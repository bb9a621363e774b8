"""From a template's text to tokens (text/template/parse/lex.go).

White space that trim markers remove is gone from the tokens; the parser never hears of it. A
fault is the last token: what it means depends on where the parser stands.
"""

import re
from collections.abc import Collection
from dataclasses import field
from enum import Enum
from functools import cache
from typing import NamedTuple

from podgraft.go.strconv.quote import format_sharp_u, quote
from podgraft.lazy_dataclass import dataclass
from podgraft.lazy_re import lazy_compile

KEYWORDS = frozenset(
    ("block", "break", "continue", "define", "else", "end", "if", "range", "template", "with")
)
_REPLACEABLE = frozenset(("break", "continue"))  # younger than some functions of that name
_SPACES = " \t\r\n"


class TokenKind(Enum):
    """What a token is; the values are the names of the pattern's groups."""

    TEXT = "text"
    LEFT = "left"  # the delimiter that opens an action
    RIGHT = "right"  # the delimiter that closes it
    SPACE = "space"  # between operands
    WORD = "word"  # the name of a function
    KEYWORD = "keyword"
    NIL = "nil"
    BOOL = "bool"
    DOT = "dot"
    FIELD = "field"  # with its dot
    VARIABLE = "variable"  # with its dollar
    STRING = "string"
    RAW_STRING = "raw"
    CHARACTER = "character"
    NUMBER = "number"
    COMPLEX = "complex"  # 1+2i; an imaginary number alone is a number
    ASSIGN = "assign"
    DECLARE = "declare"
    PIPE = "pipe"
    OPEN = "open"
    CLOSE = "close"
    OTHER = "other"  # any other printable ASCII character
    ERROR = "error"
    END = "end"

    # Enum's own is a function in Python, and the tables ask it for each token.
    __hash__ = object.__hash__


class Token(NamedTuple):
    """A token: its text as written (an error's message), and the offset at which it begins."""

    kind: TokenKind
    text: str
    start: int

    @property
    def end(self) -> int:
        """The offset after the token."""
        return self.start + len(self.text)

    def is_keyword(self, word: str) -> bool:
        """Whether the token is the keyword ``word``."""
        return self.kind is TokenKind.KEYWORD and self.text == word

    def __str__(self) -> str:
        match self.kind:
            case TokenKind.ERROR:
                return self.text
            case TokenKind.KEYWORD | TokenKind.NIL | TokenKind.DOT:
                return f"<{self.text}>"
            case _ if len(self.text.encode("utf-8", "surrogateescape")) > _LONG_BYTES:
                return f"{quote(self.text[:_LONG_BYTES])}..."
            case _:
                return quote(self.text)


_LONG_BYTES = 10  # Go shortens longer tokens in its messages


def tokens(text: str, delimiters: tuple[str, str], functions: Collection[str] = ()) -> list[Token]:
    """The tokens of ``text``. A function named break or continue takes that keyword's place."""
    left, right = delimiters
    keywords = KEYWORDS - _REPLACEABLE.intersection(functions)
    lexer = _Lexer(text, right, _pattern(right), keywords)
    at = 0
    while (found := text.find(left, at)) >= 0:
        inside = found + len(left)
        trims = text[inside : inside + 1] == "-" and _is_space(text, inside + 1)
        kept = text[at:found].rstrip(_SPACES) if trims else text[at:found]
        if kept:
            lexer.tokens.append(Token(TokenKind.TEXT, kept, at))
        inside += 2 * trims
        if text.startswith("/*", inside):
            at = lexer.comment(inside)
        else:
            lexer.tokens.append(Token(TokenKind.LEFT, left, found))
            at = lexer.action(inside)
        if at < 0:
            break
    else:
        if at < len(text):
            lexer.tokens.append(Token(TokenKind.TEXT, text[at:], at))
    lexer.tokens.append(Token(TokenKind.END, "", len(text)))
    return lexer.tokens


@dataclass(frozen=True, slots=True)
class _Lexer:
    """Scans the inside of delimiters; each method returns where text goes on, or -1 for a fault."""

    text: str
    right: str
    pattern: re.Pattern[str]
    keywords: frozenset[str]
    tokens: list[Token] = field(default_factory=list[Token])

    def comment(self, at: int) -> int:
        """``/* … */`` and the right delimiter, which must follow at once."""
        closed = self.text.find("*/", at + 2)
        if closed < 0:
            return self._record_error("unclosed comment", at)
        delimiter = self.pattern.match(self.text, closed + 2)
        if delimiter is None or delimiter.lastgroup != "right":
            return self._record_error("comment ends before closing delimiter", at)
        return self._position_after(delimiter)

    def action(self, at: int) -> int:
        """Operands and what stands between them, up to and with the right delimiter."""
        match, text, depth = self.pattern.match, self.text, 0
        while True:
            common = match(text, at)
            if common is None:
                token = self._scan_rare_token(at)
            elif (kind := _KINDS[common.lastgroup]) is TokenKind.RIGHT:
                return self._close_action(common, depth)
            else:
                word = common[0]
                token = Token(self._kind_of(word) if kind is TokenKind.WORD else kind, word, at)
            if token.kind in _NESTS:
                depth += _NESTS[token.kind]
                if depth < 0:
                    return self._record_error("unexpected right paren", at)
            self.tokens.append(token)
            if token.kind is TokenKind.ERROR:
                return -1
            at += len(token.text)

    def _close_action(self, right: re.Match[str], depth: int) -> int:
        """The right delimiter, which must not stand in ``depth`` parentheses."""
        if depth:
            return self._record_error("unclosed left paren", right.start())
        self.tokens.append(Token(TokenKind.RIGHT, self.right, right.end() - len(self.right)))
        return self._position_after(right)

    def _record_error(self, reason: str, at: int) -> int:
        self.tokens.append(Token(TokenKind.ERROR, reason, at))
        return -1

    def _position_after(self, right: re.Match[str]) -> int:
        """Where text goes on after a right delimiter: past white space, if it trims."""
        at = right.end()
        if right.end() - right.start() > len(self.right):
            while _is_space(self.text, at):
                at += 1
        return at

    def _kind_of(self, word: str) -> TokenKind:
        return TokenKind.KEYWORD if word in self.keywords else _CONSTANTS.get(word, TokenKind.WORD)

    def _scan_rare_token(self, at: int) -> Token:
        """Numbers, words that are not ASCII, and every fault."""
        char = self.text[at : at + 1]
        if char in _UNFINISHED:
            return Token(TokenKind.ERROR, _UNFINISHED[char], at)
        if char == "$" or (char == "." and not _DIGIT_OR_END.match(self.text, at + 1)):
            return self._scan_name(TokenKind.FIELD if char == "." else TokenKind.VARIABLE, at)
        if char in ".+-" or "0" <= char <= "9":
            return self._number(at)
        if _is_alphanumeric(char):
            return self._scan_name(TokenKind.WORD, at)
        if " " <= char <= "~":
            return Token(TokenKind.OTHER, char, at)
        return Token(
            TokenKind.ERROR, f"unrecognized character in action: {format_sharp_u(char)}", at
        )

    def _scan_name(self, kind: TokenKind, start: int) -> Token:
        """A word, field or variable: as far as letters and digits go, before a terminator."""
        end = start + 1
        while end < len(self.text) and _is_alphanumeric(self.text[end]):
            end += 1
        ends = end == len(self.text) or self.text[end] in _TERMINATORS
        if not ends and not self.text.startswith(self.right, end):
            return Token(TokenKind.ERROR, f"bad character {format_sharp_u(self.text[end])}", start)
        word = self.text[start:end]
        return Token(self._kind_of(word) if kind is TokenKind.WORD else kind, word, start)

    def _number(self, start: int) -> Token:
        """A number, or two of which the second is imaginary; strconv has the last word on it."""
        end, good = self._scan_number(start)
        kind = TokenKind.NUMBER
        if good and self.text[end : end + 1] in ("+", "-"):
            kind = TokenKind.COMPLEX
            end, good = self._scan_number(end)
            good = good and self.text[end - 1] == "i"
        word = self.text[start:end]
        return (
            Token(kind, word, start)
            if good
            else Token(TokenKind.ERROR, f"bad number syntax: {quote(word)}", start)
        )

    def _scan_number(self, at: int) -> tuple[int, bool]:
        """Where the number ends; not good if a letter follows, which then counts as part."""
        found = _NUMBER.match(self.text, at)
        end = found.end() if found else at
        bad = end < len(self.text) and _is_alphanumeric(self.text[end])
        return end + bad, not bad


_KINDS: dict[str | None, TokenKind] = {kind.value: kind for kind in TokenKind}
_NESTS = {TokenKind.OPEN: 1, TokenKind.CLOSE: -1}
_CONSTANTS = {"nil": TokenKind.NIL, "true": TokenKind.BOOL, "false": TokenKind.BOOL}
_TERMINATORS = frozenset(" \t\r\n.,|:)(")
_DIGIT_OR_END = lazy_compile(r"[0-9]|\Z")
_NUMBER = lazy_compile(
    r"""[+-]?(?:
        0[xX][0-9a-fA-F_]*(?:\.[0-9a-fA-F_]*)?(?:[pP][+-]?[0-9_]*)?
      | 0[oO][0-7_]*(?:\.[0-7_]*)?
      | 0[bB][01_]*(?:\.[01_]*)?
      | [0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9_]*)?
    )i?""",
    re.VERBOSE,
)
# What a character means that begins a token, but not one the pattern knows.
_UNFINISHED = {
    "": "unclosed action",
    ":": "expected :=",
    '"': "unterminated quoted string",
    "`": "unterminated raw quoted string",
    "'": "unterminated character constant",
}


@cache
def _pattern(right: str) -> re.Pattern[str]:
    """The tokens that are common inside actions which ``right`` closes."""
    close = re.escape(right)
    trim = rf"[ \t\r\n]-{close}"
    stop = rf"(?=[ \t\r\n.,|:)(]|{close}|\Z)"
    return re.compile(
        rf"""(?P<right>{trim}|{close})
        |(?P<space>[ \t\r\n]+(?={trim})|[ \t\r\n]+)
        |(?P<field>\.[A-Za-z_][A-Za-z0-9_]*+{stop})
        |(?P<word>[A-Za-z_][A-Za-z0-9_]*+{stop})
        |(?P<variable>\$[A-Za-z0-9_]*+{stop})
        |(?P<string>"(?:[^"\\\n]|\\[^\n])*+")
        |(?P<raw>`[^`]*+`)
        |(?P<character>'(?:[^'\\\n]|\\[^\n])*+')
        |(?P<dot>\.(?=[ \t\r\n.,|:)(]|{close}))
        |(?P<pipe>\|)|(?P<open>\()|(?P<close>\))|(?P<declare>:=)|(?P<assign>=)""",
        re.VERBOSE,
    )


def _is_space(text: str, at: int) -> bool:
    return at < len(text) and text[at] in _SPACES


def _is_alphanumeric(char: str) -> bool:
    """isAlphaNumeric: Go's letters and decimal digits, and the underscore."""
    return char == "_" or char.isalpha() or char.isdecimal()
