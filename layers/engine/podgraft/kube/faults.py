"""Values that do not decode, said as Go says it (encoding/json/decode.go, Go 1.26)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from podgraft.govalue import GoType, Kind
from podgraft.jsonvalue import JSON
from podgraft.records import dataclass

from .errors import KubeError
from .literals import json_number

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
class Fault:
    """A value of a wrong type, or one that its type's own UnmarshalJSON refused.

    ``met`` is Go's word for the value (``number 1.5``), ``wanted`` the Go type; a refusal has its
    text in ``refusal`` instead. ``path`` is Go's: the names of embedded fields and the JSON names
    of all others, without list indices and map keys; ``pointer`` has exactly those, as the steps of
    a JSON Pointer. ``final`` faults ended Go's decoding.
    """

    met: str = ""
    wanted: str = ""
    refusal: str = ""
    final: bool = False
    struct: str = ""
    path: tuple[str, ...] = ()
    pointer: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.refusal:
            return self.refusal
        place = f"struct field {self.struct}.{'.'.join(self.path)}" if self.struct else "value"
        return f"json: cannot unmarshal {self.met} into Go {place} of type {self.wanted}"

    def in_field(self, struct: str, path: tuple[str, ...]) -> Fault:
        """The fault seen from the struct that holds it, under ``path`` (embedded names first)."""
        return replace(
            self,
            struct=self.struct or struct,
            path=path + self.path,
            pointer=(path[-1], *self.pointer),
        )

    def in_element(self, step: str) -> Fault:
        """The fault seen from the list or map that holds it."""
        return replace(self, pointer=(step, *self.pointer))


class DecodeError(KubeError):
    """The object does not decode into its Go type.

    ``faults`` are all that is wrong, in the document's order. The text is the one error that Go
    would give: the first final fault, else the first.
    """

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__(str(next((f for f in self.faults if f.final), self.faults[0])))


def mismatch(raw: JSON, wanted: GoType, *, final: bool = False) -> DecodeError:
    """The error of a value whose JSON type cannot become ``wanted``."""
    met = word(raw)
    if met == "number" and wanted.kind in _INTEGERS and isinstance(raw, int | float):
        met = f"number {json_number(raw)}"
    return DecodeError([Fault(met=met, wanted=wanted.name, final=final)])


def word(raw: JSON) -> str:
    """Go's word for a JSON type."""
    return _WORDS[type(raw)]


def refusal(error: ValueError) -> DecodeError:
    """The error of a value that its type's own UnmarshalJSON refused."""
    return DecodeError([Fault(refusal=str(error), final=True)])
