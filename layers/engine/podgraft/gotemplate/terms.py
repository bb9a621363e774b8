"""Tokens that are operands by themselves (text/template/parse: term)."""

from collections.abc import Callable

from . import constants, nodes
from .lexer import Kind, Token
from .quoting import unquote


def variable(token: Token) -> nodes.Variable:
    """A variable of its own, without fields."""
    return nodes.Variable(token.text, at=token.start, start=token.start, end=token.end)


def _string(token: Token) -> nodes.String:
    return nodes.String(token.text, unquote(token.text), start=token.start, end=token.end)


TERMS: dict[Kind, Callable[[Token], nodes.Operand]] = {
    Kind.BOOL: lambda t: nodes.Bool(t.text == "true", start=t.start, end=t.end),
    Kind.CHARACTER: lambda t: constants.character(t.text, t.start),
    Kind.COMPLEX: lambda t: constants.pair(t.text, t.start),
    Kind.DOT: lambda t: nodes.Dot(start=t.start, end=t.end),
    Kind.FIELD: lambda t: nodes.Field((t.text[1:],), t.start, start=t.start, end=t.end),
    Kind.NIL: lambda t: nodes.Nil(start=t.start, end=t.end),
    Kind.NUMBER: lambda t: constants.number(t.text, t.start),
    Kind.RAW_STRING: _string,
    Kind.STRING: _string,
    Kind.VARIABLE: variable,
    Kind.WORD: lambda t: nodes.Identifier(t.text, start=t.start, end=t.end),
}
