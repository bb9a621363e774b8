"""Values that do not decode, said as Go says it (encoding/json/decode.go, Go 1.26)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from podgraft.go.reflect import GoType, Kind
from podgraft.jsonvalue import JSON
from podgraft.lazy_dataclass import dataclass

from .errors import KubeError
from .numbers import format_json_number

_WORDS = {
    bool: "bool",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
    type(None): "null",
}
_INTEGERS = frozenset({Kind.INT, Kind.INT32, Kind.INT64, Kind.UINT8})


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldError:
    """A value of a wrong type, or one that its type's own UnmarshalJSON refused.

    ``met`` is Go's word for the value (``number 1.5``), ``wanted`` the Go type; a refusal has its
    text in ``refusal`` instead. ``path`` is Go's: the names of embedded fields and the JSON names
    of all others, without list indices and map keys; ``pointer`` has exactly those, as the steps of
    a JSON Pointer. ``final`` faults ended Go's decoding.
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
        place = f"struct field {self.struct}.{'.'.join(self.path)}" if self.struct else "value"
        return f"json: cannot unmarshal {self.got} into Go {place} of type {self.expected}"

    def with_field(self, struct: str, path: tuple[str, ...]) -> FieldError:
        """The fault seen from the struct that holds it, under ``path`` (embedded names first)."""
        return replace(
            self,
            struct=self.struct or struct,
            path=path + self.path,
            pointer=(path[-1], *self.pointer),
        )

    def with_element(self, step: str) -> FieldError:
        """The fault seen from the list or map that holds it."""
        return replace(self, pointer=(step, *self.pointer))


class DecodeError(KubeError):
    """The object does not decode into its Go type.

    ``faults`` are all that is wrong, in the document's order. The text is the one error that Go
    would give: the first final fault, else the first.
    """

    def __init__(self, faults: Iterable[FieldError]) -> None:
        self.errors = tuple(faults)
        super().__init__(str(next((f for f in self.errors if f.final), self.errors[0])))


def mismatch_error(raw: JSON, wanted: GoType, *, final: bool = False) -> DecodeError:
    """The error of a value whose JSON type cannot become ``wanted``."""
    met = json_type_name(raw)
    if met == "number" and wanted.kind in _INTEGERS and isinstance(raw, int | float):
        met = f"number {format_json_number(raw)}"
    return DecodeError([FieldError(got=met, expected=wanted.name, final=final)])


def json_type_name(raw: JSON) -> str:
    """Go's word for a JSON type."""
    return _WORDS[type(raw)]


def unmarshal_error(error: ValueError) -> DecodeError:
    """The error of a value that its type's own UnmarshalJSON refused."""
    return DecodeError([FieldError(refusal=str(error), final=True)])
