"""Go's types as templates can read them: kind, name, elements, fields, and methods."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from functools import cache
from typing import Any, TypeAlias

from msgspec import Struct, field

# A value of any Go type (see values.py). No narrower Python type is correct.
Value: TypeAlias = Any


class Kind(StrEnum):
    """reflect.Kind; the value of a member is the text that Go prints."""

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


class Field(Struct, frozen=True):
    """A struct field; ``json`` is its key in the raw object.

    Kubernetes' method String prints the fields sorted by ``print_order``.
    """

    name: str
    type: GoType
    json: str
    omitempty: bool = False
    omitzero: bool = False
    embedded: bool = False
    merge_key: str = ""
    patch_strategy: tuple[str, ...] = ()
    print_order: int = 0

    @property
    def inline(self) -> bool:
        """Whether the fields of this embedded struct are in the JSON object of its parent."""
        return self.embedded and not self.json


class Method(Struct, frozen=True):
    """A method that templates can call: ``call(receiver, *arguments)``.

    ``pointer`` methods are only in the method set of the pointer (and of addressable values). Their
    receiver is the target of the pointer, ``None`` for a nil pointer. They raise the errors of
    template functions.
    """

    call: Callable[..., Value]
    parameters: tuple[GoType, ...] = ()
    variadic: GoType | None = None
    pointer: bool = False
    result: GoType | None = None


class GoType(Struct, eq=False):
    """One Go type. Types compare by identity, so create each type once.

    ``convert`` converts raw JSON to a value of this type. An absent value (``None``) becomes the
    zero value; a value that already has the type does not change.
    ``fields`` can be assigned once after construction, for recursive types.
    ``literal`` types are composite type literals (``[]string``); all other types have a name.
    ``paths`` are those that ``field_path`` found.
    """

    name: str
    kind: Kind
    convert: Callable[[Value], Value] = lambda raw: raw
    elem: GoType | None = None
    key: GoType | None = None
    fields: tuple[Field, ...] = ()
    methods: Mapping[str, Method] = field(default_factory=dict[str, "Method"])
    length: int = 0
    literal: bool = False
    _members: dict[str, Member | None] | None = None
    paths: dict[str, tuple[Field, ...]] = field(default_factory=dict[str, "tuple[Field, ...]"])

    def __repr__(self) -> str:
        return self.name

    def member(self, name: str) -> Member | None:
        """The field or method ``value.name``, including promoted ones."""
        if self._members is None:
            self._members = _members(self)
        return self._members.get(name)

    def field_path(self, name: str) -> tuple[Field, ...] | None:
        """The path of fields from this struct to the field ``name``, including promoted fields."""
        path = self.paths.get(name)
        if path is not None:
            return path
        member = self.member(name)
        if member is None or isinstance(member.target, Method):
            return None
        path = self.paths[name] = (*member.path, member.target)
        return path


class Member(Struct, frozen=True):
    """A field or method, and its path of embedded fields."""

    path: tuple[Field, ...]
    target: Field | Method


def _members(type_: GoType) -> dict[str, Member | None]:
    """All fields and methods of a type, including promoted ones.

    Shallower members hide deeper ones. Of two at the same depth, neither is reachable (the Go
    specification, "Selectors").
    """
    members: dict[str, Member | None] = {}
    visited: set[GoType] = set()
    level: list[tuple[tuple[Field, ...], GoType]] = [((), type_)]
    while level:
        depth: dict[str, Member | None] = {}
        for path, outer in level:
            for name, member in _declared_members(outer):
                depth[name] = None if name in depth else Member(path, member)
        members = depth | members
        visited.update(outer for _, outer in level)
        level = [
            ((*path, step), inner)
            for path, outer in level
            for step, inner in _embedded_fields(outer)
            if inner not in visited
        ]
    return members


def _declared_members(type_: GoType) -> Iterator[tuple[str, Field | Method]]:
    yield from ((f.name, f) for f in type_.fields)
    yield from type_.methods.items()


def _embedded_fields(struct: GoType) -> Iterator[tuple[Field, GoType]]:
    """The embedded fields, each with the type of the members that it promotes."""
    for step in struct.fields:
        if step.embedded:
            inner = step.type.elem if step.type.kind is Kind.POINTER else step.type
            if inner is not None:
                yield step, inner


@cache
def fields_by_key(struct: GoType) -> Mapping[str, Field]:
    """Return the fields by JSON name; the fields of the struct precede those of embedded ones."""
    fields = {each.json: each for each in struct.fields if not each.inline}
    for each in struct.fields:
        if each.inline:
            type_ = each.type
            embedded = type_.elem if type_.kind is Kind.POINTER and type_.elem else type_
            fields = {**fields_by_key(embedded), **fields}
    return fields
