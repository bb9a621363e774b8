"""Decode errors with Go's error texts (encoding/json/decode.go, Go 1.26)."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from podgraft.base.jsonvalue import JSON
from podgraft.golang.json.plain import format_number
from podgraft.golang.reflect import GoType, Kind

from .errors import KubeError

_WORDS = {
    bool: "bool",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
    type(None): "null",
}
_DESCRIPTIONS = {"array": "a list", "object": "a map", "bool": "true or false", "null": "null"}
_INTEGERS = frozenset({Kind.INT, Kind.INT32, Kind.INT64, Kind.UINT8})


class FieldError(Struct, frozen=True, kw_only=True):
    """A value of an unexpected type, or a value that UnmarshalJSON of its type rejected.

    ``got`` is Go's term for the value (``number 1.5``), and ``expected`` is the Go type. For a
    rejected value, ``refusal`` is the error text. ``path`` is Go's path: the names of embedded
    fields and the JSON names of others, without list indices and map keys. ``pointer`` has all
    steps of the JSON Pointer. A ``final`` error stops Go's decoder.
    """

    got: str = ""
    expected: str = ""
    refusal: str = ""
    final: bool = False
    struct: str = ""
    path: tuple[str, ...] = ()
    pointer: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.refusal:
            return self.refusal
        target = f"struct field {self.struct}.{'.'.join(self.path)}" if self.struct else "value"
        return f"json: cannot unmarshal {self.got} into Go {target} of type {self.expected}"

    @property
    def location_problem(self) -> str:
        """The JSON Pointer and the problem; empty for a value that its type rejected."""
        if self.refusal or not self.pointer:
            return ""
        return f"/{'/'.join(self.pointer)}: {self.problem}"

    @property
    def problem(self) -> str:
        """Both types in words, or why the type rejected the value."""
        if self.refusal:
            return self.refusal
        got = self.got.partition(" ")[0]
        words = _DESCRIPTIONS.get(got, f"a {got}")
        return f"expected {_describe_type(self.expected)}, got {words}"

    def with_field(self, struct: str, path: tuple[str, ...]) -> FieldError:
        """Return the error with the path from the enclosing struct (embedded names first)."""
        return replace(
            self,
            struct=self.struct or struct,
            path=path + self.path,
            pointer=(path[-1], *self.pointer),
        )

    def with_element(self, step: str) -> FieldError:
        """Return the error with the path from the enclosing list or map."""
        return replace(self, pointer=(step, *self.pointer))


class DecodeError(KubeError):
    """The object does not decode into its Go type.

    ``errors`` are all errors, in the order of the document. The text is the error that Go returns:
    the first final error, or else the first error.
    """

    def __init__(self, errors: Iterable[FieldError]) -> None:
        self.errors = tuple(errors)
        first = next((f for f in self.errors if f.final), self.errors[0])
        super().__init__(str(first))
        self.location_problem = first.location_problem


def _describe_type(name: str) -> str:
    """A Go type in words."""
    name = name.lstrip("*")
    if name.startswith("[]"):
        return "a list"
    if name in {"string", "bool"}:
        return "a string" if name == "string" else "true or false"
    return "an integer" if name.startswith(("int", "uint")) else "a map"


def mismatch_error(raw: JSON, expected: GoType, *, final: bool = False) -> DecodeError:
    """The error for a value with a JSON type that does not convert to ``expected``."""
    got = json_type_name(raw)
    if got == "number" and expected.kind in _INTEGERS and isinstance(raw, int | float):
        got = f"number {format_number(raw)}"
    return DecodeError([FieldError(got=got, expected=expected.name, final=final)])


def json_type_name(raw: JSON) -> str:
    """Go's term for a JSON type."""
    return _WORDS[type(raw)]


def unmarshal_error(error: ValueError) -> DecodeError:
    """The error for a value that UnmarshalJSON of its type rejected."""
    return DecodeError([FieldError(refusal=str(error), final=True)])
