"""``"%s of %d".format([…])``: cel-go's ext/formatting.go, strings release 2."""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from podgraft.golang.strconv.quote import quote
from podgraft.kube.cel.errors import EvaluationError
from podgraft.kube.cel.values import (
    Duration,
    Timestamp,
    TypeValue,
    Uint,
    Value,
    is_list,
    is_map,
    kind,
    type_name,
)

from .conversions import double_text, text_of_bytes
from .times import text_of_duration, text_of_timestamp

# Kubernetes has no limit; a longer text would only fill the memory.
_MAX_PRECISION = 100
_MAX_DIGITS = 4
_PRECISION = 6
_NO_DIGITS = (
    "error while parsing precision: error while converting precision to integer: "
    'strconv.Atoi: parsing "": invalid syntax'
)
_SUPERSCRIPTS = str.maketrans(
    "+-0123456789", "\u207a\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"
)


# The problem of a value that a clause does not take.
PROBLEMS: Mapping[str, str] = {
    "s": "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, "
    "types, durations, and timestamps",
    "d": "decimal clause can only be used on integers",
    "f": "fixed-point clause can only be used on doubles",
    "e": "scientific clause can only be used on doubles",
    "b": "only integers and bools can be formatted as binary",
    "o": "octal clause can only be used on integers",
    "x": "only integers, byte buffers, and strings can be formatted as hex",
}


class FormatError(EvaluationError):
    """A format that cannot be read, whatever its arguments are."""


class Clause(NamedTuple):
    """A piece of a format: literal text, or with a ``verb`` the place of an argument."""

    text: str
    verb: str = ""
    precision: int = 6


_CLAUSE = re.compile(r"%(?:%|(?:\.(?P<digits>\d*))?(?P<verb>.?))", re.DOTALL | re.ASCII)


def parse_clauses(text: str, count: int) -> Iterator[Clause]:
    """Yield the pieces of a format for ``count`` arguments. Raises ``FormatError``."""
    used = end = 0
    for match in _CLAUSE.finditer(text):
        yield Clause(text[end : match.start()])
        end = match.end()
        if match[0] == "%%":
            yield Clause("%")
            continue
        if match[0] == "%":
            raise FormatError("unexpected end of string")
        if used >= count:
            raise FormatError(f"index {used} out of range")
        used += 1
        yield Clause("", *_parse_clause(match["verb"], match["digits"]))
    yield Clause(text[end:])


def _parse_clause(verb: str, digits: str | None) -> tuple[str, int]:
    if digits is not None and not verb:
        raise _clause_error(
            "error while parsing precision: could not find end of precision specifier"
        )
    if digits == "":
        raise _clause_error(_NO_DIGITS)
    precision = _PRECISION if digits is None else int(digits[:_MAX_DIGITS])
    if precision > _MAX_PRECISION:
        raise _clause_error(f"error while parsing precision: {precision} exceeds {_MAX_PRECISION}")
    if verb not in _VERBS:
        raise _clause_error(f'unrecognized formatting clause "{verb}"')
    return verb, precision


def _clause_error(problem: str) -> FormatError:
    return FormatError(f"could not parse formatting clause: {problem}")


def format_(text: str, arguments: list[Value]) -> str:
    """The text with each clause replaced by its argument; further arguments are ignored."""
    used = 0
    parts: list[str] = []
    for clause in parse_clauses(text, len(arguments)):
        if clause.verb:
            parts.append(_VERBS[clause.verb](arguments[used], clause.precision))
            used += 1
        else:
            parts.append(clause.text)
    return "".join(parts)


def _format_error(verb: str, value: Value) -> EvaluationError:
    problem = f"{PROBLEMS[verb]}, was given {type_name(value)}"
    return EvaluationError(f"error during formatting: {problem}")


_INTEGERS: frozenset[type[object]] = frozenset({int, Uint})
_SPECIAL = {"NaN": "NaN", "Infinity": "\u221e", "-Infinity": "-\u221e"}


def _format_fixed(value: Value, precision: int) -> str:
    """With commas between thousands: cel-go prints by the customs of en-US."""
    number = _parse_double("f", value)
    return number if isinstance(number, str) else f"{number:,.{precision}f}"


def _format_scientific(value: Value, precision: int) -> str:
    """``1.5×10⁰⁴``; cel-go takes the precision for a width, and six digits always."""
    number = _parse_double("e", value)
    if isinstance(number, str):
        return number.rjust(precision)
    mantissa, _, exponent = f"{number:.{_PRECISION}e}".partition("e")
    raised = exponent.removeprefix("+").translate(_SUPERSCRIPTS)
    return f"{mantissa}\u00d710{raised}".rjust(precision)


def _parse_double(verb: str, value: Value) -> float | str:
    """Return the double, or the text of NaN or an infinity."""
    if isinstance(value, str) and value in _SPECIAL:
        return _SPECIAL[value]
    if not isinstance(value, float):
        raise _format_error(verb, value)
    if math.isnan(value):
        return _SPECIAL["NaN"]
    if math.isinf(value):
        return _SPECIAL["Infinity" if value > 0 else "-Infinity"]
    return value + 0.0  # cel-go prints -0 as 0


def _integer_verb(base: str, *others: type[object]) -> Callable[[Value, int], str]:
    """The verb that writes an integer in a base, or a value of another type that can be one."""

    def format_integer(value: Value, _precision: int) -> str:
        if kind(value) not in {*_INTEGERS, *others}:
            raise _format_error(base, value)
        return format(int(value), base)

    return format_integer


_format_hex_integer = _integer_verb("x")


def _format_hex(value: Value, precision: int) -> str:
    if isinstance(value, str):
        return value.encode().hex()
    if isinstance(value, bytes):
        return value.hex()
    return _format_hex_integer(value, precision)


def _format_string(value: Value) -> str:
    if is_list(value):
        return f"[{', '.join(map(_format_element, value))}]"
    if is_map(value):
        entries = sorted(
            (_format_key(key), _format_element(member_value)) for key, member_value in value.items()
        )
        return "{" + ", ".join(f"{key}:{member_value}" for key, member_value in entries) + "}"
    write = _WRITERS.get(kind(value))
    if write is None:
        raise _format_error("s", value)
    return write(value)


def _format_bytes(value: bytes) -> str:
    try:
        return text_of_bytes(value)
    except EvaluationError as error:
        problem = f"could not convert argument {quote(str(error))} to string"
        raise EvaluationError(f"error during formatting: {problem}") from error


_WRITERS: dict[type[object], Callable[[Value], str]] = {
    type(None): lambda _value: "null",
    bool: lambda value: "true" if value else "false",
    int: str,
    Uint: str,
    float: double_text,
    str: str,
    bytes: _format_bytes,
    TypeValue: lambda value: value.name,
    Duration: text_of_duration,
    Timestamp: text_of_timestamp,
}

_KEYS: frozenset[type[object]] = frozenset({bool, int, Uint, str})


def _format_key(key: Value) -> str:
    if kind(key) in _KEYS:
        return _format_element(key)
    problem = f"no formatting function for map key of type {type_name(key)}"
    raise EvaluationError(f"error during formatting: {problem}")


def _format_element(value: Value) -> str:
    """Format a value inside a list or map, with quotes around text."""
    match value:
        case str():
            return quote(value)
        case bytes():
            return f"b{quote(_format_bytes(value))}"
        case float() if not math.isfinite(value):
            return f'"{double_text(value)}"'
        case float():
            return f"{value:.{_PRECISION}f}"
        case Duration():
            return f'duration("{text_of_duration(value)}")'
        case Timestamp():
            return f'timestamp("{text_of_timestamp(value)}")'
        case _:
            return _format_string(value)


_VERBS: dict[str, Callable[[Value, int], str]] = {
    "s": lambda value, _precision: _format_string(value),
    "d": _integer_verb("d"),
    "f": _format_fixed,
    "e": _format_scientific,
    "b": _integer_verb("b", bool),
    "o": _integer_verb("o"),
    "x": _format_hex,
    "X": lambda value, precision: _format_hex(value, precision).upper(),
}
