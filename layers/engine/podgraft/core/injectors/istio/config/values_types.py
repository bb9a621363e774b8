"""Validation of Helm values against the types that istiod decodes them into.

istiod 1.14 and later rejects values of other types when it loads them (webhook.go,
NewValuesConfig); 1.8 to 1.13 fail for every pod (inject.go, RunTemplate). Unknown keys are ignored,
as jsonpb does with AllowUnknownFields.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON, Object
from podgraft.base.tables import read_table
from podgraft.core.injectors.errors import Diagnostic
from podgraft.core.injectors.istio.releases import Profile
from podgraft.golang.strconv.atof import parse_float
from podgraft.golang.strconv.atoi import parse_or_none
from podgraft.kube.patch import pointer

_ROOT = "Values"
# The name of a type in messages, and the remedy.
_TYPE_TEXTS = {
    "bool": ("true or false", "write true or false, without quotes"),
    "string": ("a string", "write a string; put numbers, true, and false in quotes"),
    "struct": ("a mapping", "write a mapping"),
    "int-or-string": ("an integer or a string", "write an integer or a string"),
    "duration": ("a duration", "write it as 5s"),
}
_NUMBER_TEXTS = ("a number", "write a number")
_BOUNDS = {"int32": (-(1 << 31), 1 << 31), "uint32": (0, 1 << 32), "int64": (-(1 << 63), 1 << 63)}


def validate_values(profile: Profile, values: Object) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each value that istiod of this release rejects."""
    fields = _message_fields(profile.minor)
    if fields.get(_ROOT):
        yield from _validate_message(fields, _ROOT, values, "")


@cache
def _message_fields(minor: int) -> Mapping[str, Mapping[str, str]]:
    """The types of the fields of each message in a release.

    A row of ``values.json`` has the name of a field, its type, the first minor release of Istio 1.x
    that has it so, and the one after the last. A type is a scalar, the name of a message, or the
    members of an enum with | between them; after [] it is a list of those, after {} a map.
    """
    messages: Mapping[str, Sequence[str]] = read_table(__file__, "values.json")
    return {message: dict(_parse_fields(rows, minor)) for message, rows in messages.items()}


def _parse_fields(rows: Sequence[str], minor: int) -> Iterator[tuple[str, str]]:
    for row in rows:
        name, type_, since, until = row.split(" ")
        if int(since) <= minor < int(until):
            yield name, type_


def _validate_message(
    fields: Mapping[str, Mapping[str, str]], name: str, value: JSON, path: str
) -> Iterator[Diagnostic]:
    if not isinstance(value, dict):
        yield _make_diagnostic(path, value, *_TYPE_TEXTS["struct"])
        return
    types = fields.get(name, {})
    for key, member in value.items():
        type_ = types.get(key)
        if type_ is not None and member is not None:
            yield from _validate_value(fields, type_, member, f"{path}/{pointer.escape(key)}")


def _validate_value(
    fields: Mapping[str, Mapping[str, str]], type_: str, value: JSON, path: str
) -> Iterator[Diagnostic]:
    """Yield the diagnostics of a value; null is the zero value."""
    if type_.startswith("[]"):
        if not isinstance(value, list):
            yield _make_diagnostic(path, value, "a list", "write a list")
            return
        for index, element in enumerate(value):
            yield from _validate_value(fields, type_[2:], element, f"{path}/{index}")
    elif type_.startswith("{}"):
        if not isinstance(value, dict):
            yield _make_diagnostic(path, value, *_TYPE_TEXTS["struct"])
            return
        for key, member in value.items():
            yield from _validate_value(fields, type_[2:], member, f"{path}/{pointer.escape(key)}")
    elif value is None or type_ == "any":
        return
    elif type_ in _TYPE_TEXTS or type_ in _BOUNDS or type_ == "double" or "|" in type_:
        yield from _validate_scalar(type_, value, path)
    else:  # a message; messages of Kubernetes have no fields in the table
        yield from _validate_message(fields, type_, value, path)


def _validate_scalar(type_: str, value: JSON, path: str) -> Iterator[Diagnostic]:
    match type_:
        case "bool":
            is_valid = isinstance(value, bool)
        case "string" | "duration":
            is_valid = isinstance(value, str)
        case "struct":
            is_valid = isinstance(value, dict)
        case "double":
            is_valid = _parse_number(value) is not None
        case "int-or-string":
            is_valid = isinstance(value, str) or _is_within(value, "int32")
        case _ if type_ in _BOUNDS:
            is_valid = _is_within(value, type_)
        case _:
            yield from _validate_enum(type_.split("|"), value, path)
            return
    if not is_valid:
        yield _make_diagnostic(path, value, *_TYPE_TEXTS.get(type_, _NUMBER_TEXTS))


def _validate_enum(names: list[str], value: JSON, path: str) -> Iterator[Diagnostic]:
    """Check an enum by name, or by number, which can be unknown."""
    if value not in names and not _is_within(value, "int32"):
        allowed = ", ".join(names)
        yield _make_diagnostic(path, value, f"one of {allowed}", f"use one of {allowed}")


def _parse_number(value: JSON) -> float | None:
    """Parse a number, also in quotes: jsonpb accepts both."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return parse_or_none(parse_float, value) if isinstance(value, str) else value


def _is_within(value: JSON, type_: str) -> bool:
    number, (low, high) = _parse_number(value), _BOUNDS[type_]
    return number is not None and number.is_integer() and low <= number < high


def _make_diagnostic(path: str, value: JSON, expected: str, remedy: str) -> Diagnostic:
    # Without the value, which can be a secret in the wrong field.
    problem = f"expected {expected}, got {jsonvalue.describe_type(value)}"
    return Diagnostic(problem, remedy, document="values", pointer=path)
