"""The types of plain scalars: the rules of go-yaml v2's ``resolve.go``.

The rules are YAML 1.1's with exceptions: no sexagesimal numbers, octal numbers also as ``0o17``,
floats also without a point, and ``089`` is a float because it is not octal.
"""

import binascii
import math
import re

from podgraft.base.jsonvalue import JSON
from podgraft.golang.reflect import round_to_float32
from podgraft.golang.strconv.atof import parse_float
from podgraft.golang.strconv.atoi import parse_int, parse_or_none, parse_uint
from podgraft.golang.strconv.ftoa import format_float
from podgraft.golang.time import matches_layout

TAG_PREFIX = "tag:yaml.org,2002:"


class ScalarError(ValueError):
    """The scalar does not have the type of its tag, or JSON cannot represent it."""


def resolve(text: str) -> JSON:
    """The value of an untagged plain scalar; infinities and NaN as floats.

    A timestamp stays a string.
    """
    if not text:
        return None
    first = text[0]
    if first in _NUMERIC:
        return _parse_number(text)
    return _WORDS.get(text, text) if first in _WORDY else text


def may_be_special(text: str) -> bool:
    """Whether ``resolve`` can return a type other than string; a fast check of the start."""
    return not text or text[0] in _HINTING


def resolve_tagged(tag: str, text: str) -> JSON:
    """The value of a scalar with an explicit tag, quoted or not."""
    match tag.removeprefix(TAG_PREFIX):
        case "binary":
            return _decode_binary(text)
        case "bool" | "int" | "float" | "null" | "timestamp" as name if tag != name:
            return _resolve_typed(name, text)
        case _:
            return text


def is_plain_string(text: str) -> bool:
    """Whether the plain text is a string for go-yaml and for all YAML 1.1 parsers."""
    if not may_be_special(text):
        return True
    return isinstance(resolve(text), str) and not is_timestamp(text) and not _BASE60.match(text)


def is_timestamp(text: str) -> bool:
    """Whether Go's time.Parse accepts the text in one of go-yaml's four formats."""
    if not _YEAR.match(text):
        return False
    return any(matches_layout(layout, text) for layout in _TIMESTAMP_LAYOUTS)


def float_to_json(number: float) -> int | float:
    """Convert a float as a round trip through encoding/json: ``1.0`` becomes ``1``."""
    if number.is_integer() and abs(number) < _JSON_EXPONENT_FROM:
        return int(format_float(number, "f"))
    return number


def format_key(value: JSON) -> str | None:
    """The text of a scalar as a key, as sigs.k8s.io/yaml has it; ``None`` if it can be none."""
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case int() if value < _INT64_END:
            return str(value)
        case float():
            return _format_float_key(value)
        case _:
            return None


def _format_float_key(number: float) -> str:
    """Format a float key; sigs.k8s.io/yaml uses the precision of 32 bits."""
    if math.isnan(number):
        return ".nan"
    single = round_to_float32(number)
    if math.isinf(single):
        return ".inf" if single > 0 else "-.inf"
    return format_float(single, "g", bits=32)


def _parse_number(text: str) -> JSON:
    """Parse a scalar that starts like a number; returns the text if it is not a number."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] == ".":
        return _parse_float(text, text)
    digits = text.replace("_", "")
    integer = _parse_integer(digits)
    if integer is not None:
        return integer
    if digits.startswith("0b"):  # Go parses a sign after the prefix
        integer = parse_or_none(parse_int, digits[2:], 2)
        return text if integer is None else integer
    return _parse_float(text, digits) if _FLOAT.fullmatch(digits) else text


def _parse_integer(digits: str) -> int | None:
    integer = parse_or_none(parse_int, digits, 0)
    return parse_or_none(parse_uint, digits, 0) if integer is None else integer


def _parse_float(text: str, digits: str) -> JSON:
    """Parse a float; returns the text if the float overflows 64 bits."""
    number = parse_or_none(parse_float, digits)
    return text if number is None else number


def _resolve_typed(name: str, text: str) -> JSON:
    """Resolve a scalar with a tag that restricts its text."""
    value = resolve(text)
    if type(value) is _TYPES.get(name):
        return value
    if name == "float" and type(value) is int and value in _INT64:
        return float(value)
    if name == "timestamp" and is_timestamp(text):
        return text
    raise ScalarError(f"invalid {name} for the tag !!{name}")


def _decode_binary(text: str) -> str:
    """Decode base64 to text; U+FFFD for each invalid UTF-8 byte."""
    packed = text.replace("\r", "").replace("\n", "")
    if not _BASE64.fullmatch(packed):
        raise ScalarError("!!binary value contains invalid base64 data")
    decoded = binascii.a2b_base64(packed).decode("utf-8", "surrogateescape")
    return _ESCAPED_BYTE.sub("\ufffd", decoded)


_JSON_EXPONENT_FROM = 1e21
_INT64_END = 2**63
_INT64 = range(-_INT64_END, _INT64_END)
_NUMERIC = frozenset("+-.0123456789")
_WORDY = frozenset("yYnNtTfFoO~")
_HINTING = _NUMERIC | _WORDY
_WORDS: dict[str, JSON] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "on", "On", "ON"), True),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "off", "Off", "OFF"), False),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("~", "null", "Null", "NULL"), None),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
}
_TYPES = {"null": type(None), "bool": bool, "int": int, "float": float}
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_BASE60 = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?\Z")
_YEAR = re.compile("[0-9]{4}-")
_TIMESTAMP_LAYOUTS = (
    "2006-1-2T15:4:5.999999999Z07:00",
    "2006-1-2t15:4:5.999999999Z07:00",
    "2006-1-2 15:4:5.999999999",
    "2006-1-2",
)
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_ESCAPED_BYTE = re.compile("[\udc80-\udcff]")
