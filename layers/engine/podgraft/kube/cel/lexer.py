"""The tokens of an expression (CEL's grammar, cel-go parser/gen/CEL.g4)."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from .errors import Problem, locate_problem

_ESCAPE = r"\\(?:[abfnrtv\"'\\?`]|[0-3][0-7]{2}|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})"

_TOKEN = re.compile(
    rf"""
      (?P<blank> (?: [\t \r\n\f] | //[^\n]* )+ )
    | (?P<TEXT> [bB]? (?:
          [rR] (?: \"\"\"(?s:.*?)\"\"\" | '''(?s:.*?)''' | "[^"\n\r]*" | '[^'\n\r]*' )
        | \"\"\"(?: {_ESCAPE} | [^\\] )*?\"\"\" | '''(?: {_ESCAPE} | [^\\] )*?'''
        | "(?: {_ESCAPE} | [^\\"\n\r] )*" | '(?: {_ESCAPE} | [^\\'\n\r] )*' ) )
    | (?P<IDENT> [A-Za-z_][A-Za-z0-9_]* )
    | (?P<FLOAT> [0-9]+ \. [0-9]+ (?: [eE] [+-]? [0-9]+ )? | [0-9]+ [eE] [+-]? [0-9]+
        | \. [0-9]+ (?: [eE] [+-]? [0-9]+ )? )
    | (?P<UINT> (?: 0x[0-9a-fA-F]+ | [0-9]+ ) [uU] )
    | (?P<INT> 0x[0-9a-fA-F]+ | [0-9]+ )
    | (?P<SYMBOL> == | != | <= | >= | && | \|\| | [<>?:.,()\[\]{{}}+\-*/%!] )
    | (?P<ESCAPED> `[A-Za-z0-9_.\-/\ ]+` )
    """,
    re.VERBOSE,
)
# Names that no variable or function has.
# fmt: off
RESERVED = frozenset((
    "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop",
    "package", "namespace", "return", "var", "void", "while",
))
# fmt: on
_KEYWORDS = frozenset(("in", "true", "false", "null"))
END = "the end"
INVALID = "invalid"


class Token(NamedTuple):
    """A token; ``kind`` of a symbol or keyword is its text, ``at`` its code point offset."""

    kind: str
    text: str
    at: int


def is_identifier(text: str) -> bool:
    """Whether an expression can use a text as the name of a variable."""
    is_name = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", text) is not None
    return is_name and text not in RESERVED and text not in _KEYWORDS


def tokenize(text: str) -> Iterator[Token]:
    """Yield the tokens, then ``END``; ``INVALID`` in place of the first that is none."""
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            yield Token(INVALID, text[position : position + 1], position)
            return
        kind, found = match.lastgroup or "", match[0]
        if kind == "SYMBOL" or found in _KEYWORDS:
            kind = found
        if kind != "blank":
            yield Token(kind, found, position)
        position = match.end()
    yield Token(END, "", len(text))


class TokenError(Exception):
    """A token that is not allowed at its place; ``bracket`` can close there what is open."""

    def __init__(self, text: str, token: Token, bracket: str = "") -> None:
        message = f"Syntax error: {_describe(token, bracket)}"
        super().__init__(message)
        self.problem: Problem = locate_problem(text, token.at, message)


def _describe(token: Token, bracket: str) -> str:
    if token.kind is END and bracket:
        return f"missing '{bracket}' at '<EOF>'"
    if token.kind is INVALID:
        return f"token recognition error at: '{token.text}'; it starts no value, name or symbol"
    remedy = "write a value, a field, or a function here"
    if token.kind is END:
        return f"the expression ends too early; {remedy}"
    shown = token.text if token.text[:1] in {"'", '"'} else f"'{token.text}'"
    if bracket:
        remedy = f"write an operator, a comma, or '{bracket}' before it"
    return f"unexpected {shown}; {remedy}"
