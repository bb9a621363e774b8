"""The conversion of single tokens to operands (text/template/parse: term)."""

from collections.abc import Callable

from podgraft.golang.strconv.quote import unquote

from . import constants, nodes
from .lexer import Token, TokenKind


def variable_node(token: Token) -> nodes.Variable:
    """A variable without fields."""
    return nodes.Variable(token.text, fields_start=token.start, start=token.start, end=token.end)


def _string_node(token: Token) -> nodes.String:
    return nodes.String(token.text, unquote(token.text), start=token.start, end=token.end)


OPERAND_FACTORIES: dict[TokenKind, Callable[[Token], nodes.Operand]] = {
    TokenKind.BOOL: lambda t: nodes.Bool(t.text == "true", start=t.start, end=t.end),
    TokenKind.CHARACTER: lambda t: constants.parse_character(t.text, t.start),
    TokenKind.COMPLEX: lambda t: constants.parse_complex(t.text, t.start),
    TokenKind.DOT: lambda t: nodes.Dot(start=t.start, end=t.end),
    TokenKind.FIELD: lambda t: nodes.Field((t.text[1:],), t.start, start=t.start, end=t.end),
    TokenKind.NIL: lambda t: nodes.Nil(start=t.start, end=t.end),
    TokenKind.NUMBER: lambda t: constants.parse_number(t.text, t.start),
    TokenKind.RAW_STRING: _string_node,
    TokenKind.STRING: _string_node,
    TokenKind.VARIABLE: variable_node,
    TokenKind.WORD: lambda t: nodes.Identifier(t.text, start=t.start, end=t.end),
}
