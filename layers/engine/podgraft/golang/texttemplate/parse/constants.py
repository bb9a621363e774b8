"""Number constants: the text and its value in each kind of Go number (parse.newNumber).

The use of a constant determines its type: ``1`` can become an int8 or a float32, ``1e3`` an int.
"""

import re
from collections.abc import Callable

from podgraft.golang.strconv.atof import parse_float
from podgraft.golang.strconv.atoi import NumError, parse_int, parse_or_none, parse_uint
from podgraft.golang.strconv.quote import quote, unquote, unquote_char

from . import nodes
from .lexer import Token, TokenKind

# The text that fmt.Sscan reads as a floating point number without its sign, valid or not.
_SCANNED = (
    r"(?:0[xX][0-9a-fA-F_]*(?:\.[0-9a-fA-F_]*)?(?:[pP][+-]?[0-9_]*)?"
    r"|[0-9_]*(?:\.[0-9_]*)?(?:[eEpP][+-]?[0-9_]*)?)"
)
# An i directly after the sign is the start of Inf.
_PAIR = re.compile(rf"([+-]?{_SCANNED})([+-](?!i){_SCANNED})i")


class NumberError(ValueError):
    """The text is not a number, or the number is too large; the message is Go's."""


def _parse_character(token: Token) -> nodes.Number:
    """Parse ``'x'``: a number of any kind except complex."""
    code = unquote_char(token.text)
    return _number_node(token, code, code, float(code))


def _parse_complex(token: Token) -> nodes.Number:
    """Parse ``1+2i``."""
    match = _PAIR.fullmatch(token.text)
    if match is None:
        raise NumberError("syntax error scanning complex number")
    return _complex_node(token, complex(_scan_float(match[1]), _scan_float(match[2])))


def _parse_number(token: Token) -> nodes.Number:
    """Parse any other number, including imaginary numbers."""
    text = token.text
    if text.endswith("i"):
        imaginary = parse_or_none(parse_float, text[:-1])
        if imaginary is not None:
            return _complex_node(token, complex(0, imaginary))
    integer = parse_or_none(parse_int, text, 0)
    unsigned = parse_or_none(parse_uint, text, 0)
    if integer == 0:
        unsigned = 0  # -0 too
    if integer is not None or unsigned is not None:
        value = unsigned if integer is None else integer
        return _number_node(token, integer, unsigned, float(value or 0))
    real = parse_or_none(parse_float, text)
    if real is None:
        raise NumberError(f"illegal number syntax: {quote(text)}")
    if not any(char in ".eEpP" for char in text):
        raise NumberError(f"integer overflow: {quote(text)}")
    return _number_node(token, _exact_int(real), _exact_uint(real), real)


def _number_node(
    token: Token,
    integer: int | None,
    unsigned: int | None,
    real: float | None,
    complex_: complex | None = None,
) -> nodes.Number:
    number = (token.text, integer, unsigned, real, complex_)
    return nodes.Number(*number, start=token.start, end=token.end)


def _complex_node(token: Token, value: complex) -> nodes.Number:
    """A complex constant; also a real number if its imaginary part is 0 (simplifyComplex)."""
    if value.imag:
        return _number_node(token, None, None, None, value)
    real = value.real
    return _number_node(token, _exact_int(real), _exact_uint(real), real, value)


def _scan_float(text: str) -> float:
    try:
        return parse_float(text)
    except NumError as error:
        raise NumberError(str(error)) from error


def _exact_int(value: float) -> int | None:
    return int(value) if value.is_integer() and -(2**63) <= value < 2**63 else None


def _exact_uint(value: float) -> int | None:
    return int(value) if value.is_integer() and 0 <= value < 2**64 else None


def variable_node(token: Token) -> nodes.Variable:
    """A variable without fields."""
    return nodes.Variable(token.text, fields_start=token.start, start=token.start, end=token.end)


def _field_node(token: Token) -> nodes.Field:
    names = (token.text[1:],)
    return nodes.Field(names, fields_start=token.start, start=token.start, end=token.end)


def _string_node(token: Token) -> nodes.String:
    return nodes.String(token.text, unquote(token.text), start=token.start, end=token.end)


OPERAND_FACTORIES: dict[TokenKind, Callable[[Token], nodes.Operand]] = {
    TokenKind.BOOL: lambda t: nodes.Bool(t.text == "true", start=t.start, end=t.end),
    TokenKind.CHARACTER: _parse_character,
    TokenKind.COMPLEX: _parse_complex,
    TokenKind.DOT: lambda t: nodes.Dot(start=t.start, end=t.end),
    TokenKind.FIELD: _field_node,
    TokenKind.NIL: lambda t: nodes.Nil(start=t.start, end=t.end),
    TokenKind.NUMBER: _parse_number,
    TokenKind.RAW_STRING: _string_node,
    TokenKind.STRING: _string_node,
    TokenKind.VARIABLE: variable_node,
    TokenKind.WORD: lambda t: nodes.Identifier(t.text, start=t.start, end=t.end),
}
