"""The lexer: from the text of a template to tokens (text/template/parse/lex.go).

The tokens do not contain the white space that trim markers remove. An error is the last token; the
parser adds the context to its message.
"""

import re
from collections.abc import Collection
from enum import Enum
from functools import cache
from typing import NamedTuple

from msgspec import Struct, field

from podgraft.golang.strconv.quote import format_sharp_u, quote

KEYWORDS = frozenset(
    ("block", "break", "continue", "define", "else", "end", "if", "range", "template", "with")
)
_REPLACEABLE = frozenset(("break", "continue"))  # newer than some functions with these names
_SPACES = " \t\r\n"


class TokenKind(Enum):
    """The kind of a token; the values are the names of the groups in the pattern."""

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

    # The hash of Enum is a Python function, and the tables need it for each token.
    __hash__ = object.__hash__


class Token(NamedTuple):
    """A token: its source text (or the message of an error), and its offset."""

    kind: TokenKind
    text: str
    start: int

    @property
    def end(self) -> int:
        """The offset after the token."""
        return self.start + len(self.text)

    def is_keyword(self, keyword: str) -> bool:
        """Whether the token is the keyword ``keyword``."""
        return self.kind is TokenKind.KEYWORD and self.text == keyword

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
    """Split ``text`` into tokens. A function named break or continue replaces the keyword."""
    left, right = delimiters
    keywords = KEYWORDS - _REPLACEABLE.intersection(functions)
    lexer = _Lexer(text, right, _pattern(right), keywords)
    offset = 0
    while (start := text.find(left, offset)) >= 0:
        inside = start + len(left)
        trims = text[inside : inside + 1] == "-" and _is_space(text, inside + 1)
        content = text[offset:start].rstrip(_SPACES) if trims else text[offset:start]
        if content:
            lexer.tokens.append(Token(TokenKind.TEXT, content, offset))
        inside += 2 * trims
        if text.startswith("/*", inside):
            offset = lexer.comment(inside)
        else:
            lexer.tokens.append(Token(TokenKind.LEFT, left, start))
            offset = lexer.action(inside)
        if offset < 0:
            break
    else:
        if offset < len(text):
            lexer.tokens.append(Token(TokenKind.TEXT, text[offset:], offset))
    lexer.tokens.append(Token(TokenKind.END, "", len(text)))
    return lexer.tokens


class _Lexer(Struct, frozen=True):
    """A scanner of actions. A method returns the offset of the following text, or -1 on error."""

    text: str
    right: str
    pattern: re.Pattern[str]
    keywords: frozenset[str]
    tokens: list[Token] = field(default_factory=list[Token])

    def comment(self, offset: int) -> int:
        """Scan ``/* … */`` and the right delimiter, which must follow directly."""
        end = self.text.find("*/", offset + 2)
        if end < 0:
            return self._record_error("unclosed comment", offset)
        delimiter = self.pattern.match(self.text, end + 2)
        if delimiter is None or delimiter.lastgroup != "right":
            return self._record_error("comment ends before closing delimiter", offset)
        return self._position_after(delimiter)

    def action(self, offset: int) -> int:
        """Scan the tokens of an action, including the right delimiter."""
        match, text, depth = self.pattern.match, self.text, 0
        while True:
            common = match(text, offset)
            if common is None:
                token = self._scan_rare_token(offset)
            elif (kind := _KINDS[common.lastgroup]) is TokenKind.RIGHT:
                return self._close_action(common, depth)
            else:
                content = common[0]
                token = Token(
                    self._classify_word(content) if kind is TokenKind.WORD else kind,
                    content,
                    offset,
                )
            if token.kind in _NESTS:
                depth += _NESTS[token.kind]
                if depth < 0:
                    return self._record_error("unexpected right paren", offset)
            self.tokens.append(token)
            if token.kind is TokenKind.ERROR:
                return -1
            offset += len(token.text)

    def _close_action(self, right: re.Match[str], depth: int) -> int:
        """Scan the right delimiter, which must be outside parentheses."""
        if depth:
            return self._record_error("unclosed left paren", right.start())
        self.tokens.append(Token(TokenKind.RIGHT, self.right, right.end() - len(self.right)))
        return self._position_after(right)

    def _record_error(self, reason: str, offset: int) -> int:
        self.tokens.append(Token(TokenKind.ERROR, reason, offset))
        return -1

    def _position_after(self, right: re.Match[str]) -> int:
        """The offset after a right delimiter and, with a trim marker, after the white space."""
        offset = right.end()
        if right.end() - right.start() > len(self.right):
            while _is_space(self.text, offset):
                offset += 1
        return offset

    def _classify_word(self, name: str) -> TokenKind:
        return TokenKind.KEYWORD if name in self.keywords else _CONSTANTS.get(name, TokenKind.WORD)

    def _scan_rare_token(self, offset: int) -> Token:
        """Scan a number, a word outside ASCII, or an error."""
        char = self.text[offset : offset + 1]
        if char in _UNFINISHED:
            return Token(TokenKind.ERROR, _UNFINISHED[char], offset)
        if char == "$" or (char == "." and not _DIGIT_OR_END.match(self.text, offset + 1)):
            return self._scan_name(TokenKind.FIELD if char == "." else TokenKind.VARIABLE, offset)
        if char in ".+-" or "0" <= char <= "9":
            return self._scan_numeric_token(offset)
        if _is_alphanumeric(char):
            return self._scan_name(TokenKind.WORD, offset)
        if " " <= char <= "~":
            return Token(TokenKind.OTHER, char, offset)
        return Token(
            TokenKind.ERROR, f"unrecognized character in action: {format_sharp_u(char)}", offset
        )

    def _scan_name(self, kind: TokenKind, start: int) -> Token:
        """Scan a word, field, or variable: letters and digits before a terminator."""
        end = start + 1
        while end < len(self.text) and _is_alphanumeric(self.text[end]):
            end += 1
        ends = end == len(self.text) or self.text[end] in _TERMINATORS
        if not ends and not self.text.startswith(self.right, end):
            return Token(TokenKind.ERROR, f"bad character {format_sharp_u(self.text[end])}", start)
        name = self.text[start:end]
        return Token(self._classify_word(name) if kind is TokenKind.WORD else kind, name, start)

    def _scan_numeric_token(self, start: int) -> Token:
        """Scan a number, or two with an imaginary second one; the parser checks the number."""
        end, is_valid = self._scan_number(start)
        kind = TokenKind.NUMBER
        if is_valid and self.text[end : end + 1] in ("+", "-"):
            kind = TokenKind.COMPLEX
            end, is_valid = self._scan_number(end)
            is_valid = is_valid and self.text[end - 1] == "i"
        number = self.text[start:end]
        if not is_valid:
            return Token(TokenKind.ERROR, f"bad number syntax: {quote(number)}", start)
        return Token(kind, number, start)

    def _scan_number(self, offset: int) -> tuple[int, bool]:
        """The offset after the number, and whether it is valid; a following letter is invalid."""
        match = _NUMBER.match(self.text, offset)
        end = match.end() if match else offset
        has_letter = end < len(self.text) and _is_alphanumeric(self.text[end])
        return end + has_letter, not has_letter


_KINDS: dict[str | None, TokenKind] = {kind.value: kind for kind in TokenKind}
_NESTS = {TokenKind.OPEN: 1, TokenKind.CLOSE: -1}
_CONSTANTS = {"nil": TokenKind.NIL, "true": TokenKind.BOOL, "false": TokenKind.BOOL}
_TERMINATORS = frozenset(" \t\r\n.,|:)(")
_DIGIT_OR_END = re.compile(r"[0-9]|\Z")
_NUMBER = re.compile(
    r"""[+-]?(?:
        0[xX][0-9a-fA-F_]*(?:\.[0-9a-fA-F_]*)?(?:[pP][+-]?[0-9_]*)?
      | 0[oO][0-7_]*(?:\.[0-7_]*)?
      | 0[bB][01_]*(?:\.[01_]*)?
      | [0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9_]*)?
    )i?""",
    re.VERBOSE,
)
# The errors for characters that start a token that the pattern does not match.
_UNFINISHED = {
    "": "unclosed action",
    ":": "expected :=",
    '"': "unterminated quoted string",
    "`": "unterminated raw quoted string",
    "'": "unterminated character constant",
}


@cache
def _pattern(right: str) -> re.Pattern[str]:
    """The pattern of the frequent tokens inside actions with the delimiter ``right``."""
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


def _is_space(text: str, offset: int) -> bool:
    return offset < len(text) and text[offset] in _SPACES


def _is_alphanumeric(char: str) -> bool:
    """isAlphaNumeric: Go's letters and decimal digits, and the underscore."""
    return char == "_" or char.isalpha() or char.isdecimal()
