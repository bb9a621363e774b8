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


def parse_character(literal: str, start: int) -> nodes.Number:
    """Parse ``'x'``: a number of any kind except complex."""
    code = unquote_char(literal)
    end = start + len(literal)
    return nodes.Number(literal, code, code, float(code), None, start=start, end=end)


def parse_complex(text: str, start: int) -> nodes.Number:
    """Parse ``1+2i``."""
    match = _PAIR.fullmatch(text)
    if match is None:
        raise NumberError("syntax error scanning complex number")
    return _complex_node(text, complex(_scan_float(match[1]), _scan_float(match[2])), start)


def parse_number(text: str, start: int) -> nodes.Number:
    """Parse any other number, including imaginary numbers."""
    if text.endswith("i"):
        imaginary = parse_or_none(parse_float, text[:-1])
        if imaginary is not None:
            return _complex_node(text, complex(0, imaginary), start)
    integer = parse_or_none(parse_int, text, 0)
    unsigned = parse_or_none(parse_uint, text, 0)
    if integer == 0:
        unsigned = 0  # -0 too
    if integer is not None or unsigned is not None:
        value = unsigned if integer is None else integer
        return _number_node(text, integer, unsigned, float(value or 0), start)
    real = parse_or_none(parse_float, text)
    if real is None:
        raise NumberError(f"illegal number syntax: {quote(text)}")
    if not any(char in ".eEpP" for char in text):
        raise NumberError(f"integer overflow: {quote(text)}")
    return _number_node(text, _exact_int(real), _exact_uint(real), real, start)


def _number_node(
    text: str, integer: int | None, unsigned: int | None, real: float, start: int
) -> nodes.Number:
    return nodes.Number(text, integer, unsigned, real, None, start=start, end=start + len(text))


def _complex_node(text: str, value: complex, start: int) -> nodes.Number:
    """A complex constant; also a real number if its imaginary part is 0 (simplifyComplex)."""
    end = start + len(text)
    if value.imag:
        return nodes.Number(text, None, None, None, value, start=start, end=end)
    real = value.real
    return nodes.Number(
        text, _exact_int(real), _exact_uint(real), real, value, start=start, end=end
    )


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


def _string_node(token: Token) -> nodes.String:
    return nodes.String(token.text, unquote(token.text), start=token.start, end=token.end)


OPERAND_FACTORIES: dict[TokenKind, Callable[[Token], nodes.Operand]] = {
    TokenKind.BOOL: lambda t: nodes.Bool(t.text == "true", start=t.start, end=t.end),
    TokenKind.CHARACTER: lambda t: parse_character(t.text, t.start),
    TokenKind.COMPLEX: lambda t: parse_complex(t.text, t.start),
    TokenKind.DOT: lambda t: nodes.Dot(start=t.start, end=t.end),
    TokenKind.FIELD: lambda t: nodes.Field((t.text[1:],), t.start, start=t.start, end=t.end),
    TokenKind.NIL: lambda t: nodes.Nil(start=t.start, end=t.end),
    TokenKind.NUMBER: lambda t: parse_number(t.text, t.start),
    TokenKind.RAW_STRING: _string_node,
    TokenKind.STRING: _string_node,
    TokenKind.VARIABLE: variable_node,
    TokenKind.WORD: lambda t: nodes.Identifier(t.text, start=t.start, end=t.end),
}
