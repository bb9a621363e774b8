"""Go's types, as far as templates can see them: kind, name, elements, fields and methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

# Any value of any Go type (see values.py). There is no narrower honest Python type for it.
Value: TypeAlias = Any


class Kind(StrEnum):
    """reflect.Kind: the member's value is the word that Go prints for it."""

    BOOL = "bool"
    INT = "int"
    INT8 = "int8"
    INT16 = "int16"
    INT32 = "int32"
    INT64 = "int64"
    UINT = "uint"
    UINT8 = "uint8"
    UINT16 = "uint16"
    UINT32 = "uint32"
    UINT64 = "uint64"
    UINTPTR = "uintptr"
    FLOAT32 = "float32"
    FLOAT64 = "float64"
    COMPLEX64 = "complex64"
    COMPLEX128 = "complex128"
    STRING = "string"
    MAP = "map"
    SLICE = "slice"
    ARRAY = "array"
    STRUCT = "struct"
    POINTER = "ptr"
    INTERFACE = "interface"
    FUNC = "func"


@dataclass(frozen=True, slots=True)
class Field:
    """A struct field; ``json`` is its key in the raw object."""

    name: str
    type: GoType
    json: str
    omitempty: bool = False
    embedded: bool = False
    merge_key: str = ""
    patch_strategy: tuple[str, ...] = ()

    @property
    def inline(self) -> bool:
        """Whether the fields of this embedded struct stand in its parent's JSON object."""
        return self.embedded and not self.json


@dataclass(frozen=True, slots=True)
class Method:
    """A method that templates may call: ``call(receiver, *arguments)``.

    ``pointer`` methods are in the method set of the pointer (and of addressable values) alone.
    """

    call: Callable[..., Value]
    parameters: tuple[GoType, ...] = ()
    variadic: GoType | None = None
    pointer: bool = False


@dataclass(eq=False, slots=True, repr=False)
class GoType:
    """One Go type; compared by identity, so make each once.

    ``convert`` turns raw JSON into a value of this type: absent (``None``) becomes the zero value,
    a value that is of the type already stays what it is.
    ``fields`` may be assigned once after construction, for types that reach themselves.
    """

    name: str
    kind: Kind
    convert: Callable[[Value], Value] = field(default=lambda raw: raw)
    elem: GoType | None = None
    key: GoType | None = None
    fields: tuple[Field, ...] = ()
    methods: Mapping[str, Method] = field(default_factory=dict[str, Method])
    length: int = 0
    _selectors: dict[str, tuple[Field, ...]] | None = None

    def __repr__(self) -> str:
        return self.name

    def selector(self, name: str) -> tuple[Field, ...] | None:
        """The path of fields from this struct to the (perhaps promoted) field ``name``."""
        if self._selectors is None:
            self._selectors = _selectors(self)
        return self._selectors.get(name)


def _selectors(struct: GoType) -> dict[str, tuple[Field, ...]]:
    """Every field that ``struct.name`` may mean; shallower embedded fields hide deeper ones."""
    found: dict[str, tuple[Field, ...]] = {f.name: (f,) for f in struct.fields}
    for outer in struct.fields:
        if outer.embedded:
            inner_type = outer.type if outer.type.kind is Kind.STRUCT else outer.type.elem
            if inner_type is not None:
                for name, path in _selectors(inner_type).items():
                    found.setdefault(name, (outer, *path))
    return found
