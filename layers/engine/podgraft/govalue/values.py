"""Go values as Python objects.

=====================================  ==========================================================
Go                                     Python
=====================================  ==========================================================
nil of no type                         ``None``
bool, int, float64, complex128         ``bool``, ``int``, ``float``, ``complex``
string (any bytes)                     ``str``, invalid UTF-8 as surrogate escapes
map[string]interface {}                ``dict[str, Value]``
[]interface {}                         ``list[Value]``
other numbers, named scalars           instances of the class that ``number`` or ``text`` made
struct, pointer, other maps, slices    ``Struct``, ``Pointer``, ``Map``, ``Slice``
=====================================  ==========================================================

``Struct``, ``Map`` and ``Slice`` are views: they hold raw JSON (or Go values) and convert what is
asked for, when it is asked for. Nobody may change the raw value under them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import ClassVar

from .types import Field, GoType, Kind, Method, Value


class Struct:
    """A struct; ``raw`` maps the JSON names of its fields to raw JSON or Go values."""

    __slots__ = ("raw", "type")

    def __init__(self, type_: GoType, raw: dict[str, Value]) -> None:
        self.type = type_
        self.raw = raw

    def field(self, name: str) -> Value:
        """The field ``name``, promoted fields included; ``KeyError`` where the type has none."""
        path = self.type.selector(name)
        if path is None:
            raise KeyError(name)
        value: Value = self
        for step in path:
            value = value.get(step)
        return value

    def get(self, field: Field) -> Value:
        """The value of one of the type's own fields."""
        if field.inline:
            return field.type.convert(self.raw)
        return field.type.convert(self.raw.get(field.json))


class Pointer:
    """A typed pointer; ``target`` is ``None`` for nil."""

    __slots__ = ("target", "type")

    def __init__(self, type_: GoType, target: Value) -> None:
        self.type = type_
        self.target = target


class Map:
    """A map that is not map[string]interface {}; ``raw`` is ``None`` for nil."""

    __slots__ = ("raw", "type")

    def __init__(self, type_: GoType, raw: Mapping[str, Value] | None) -> None:
        self.type = type_
        self.raw = raw

    def __len__(self) -> int:
        return len(self.raw or ())

    def __contains__(self, key: object) -> bool:
        return self.raw is not None and key in self.raw

    def get(self, key: Value) -> Value:
        """The element under ``key``, else the element type's zero value."""
        return _elem(self.type).convert(self.raw.get(key) if self.raw else None)

    def items(self) -> Iterator[tuple[Value, Value]]:
        """Key and element, in the raw value's order."""
        convert = _elem(self.type).convert
        return ((key, convert(raw)) for key, raw in (self.raw or {}).items())


class Slice:
    """A slice or array that is not []interface {}; ``raw`` is ``None`` for a nil slice."""

    __slots__ = ("raw", "type")

    def __init__(self, type_: GoType, raw: list[Value] | None) -> None:
        self.type = type_
        self.raw = raw

    def __len__(self) -> int:
        return len(self.raw or ())

    def __getitem__(self, index: int) -> Value:
        return _elem(self.type).convert((self.raw or [])[index])

    def __iter__(self) -> Iterator[Value]:
        return map(_elem(self.type).convert, self.raw or ())


class Int(int):
    """An integer of another kind than plain int; subclasses name theirs."""

    type: ClassVar[GoType]


class Float(float):
    """A floating point number of another kind than plain float64."""

    type: ClassVar[GoType]


class Complex(complex):
    """A complex number of another kind than plain complex128."""

    type: ClassVar[GoType]


class Text(str):
    """A string of a named type, such as v1.Protocol."""

    __slots__ = ()
    type: ClassVar[GoType]


class Bool:
    """A bool of a named type."""

    __slots__ = ("value",)
    type: ClassVar[GoType]

    def __init__(self, value: bool = False) -> None:
        self.value = value

    def __bool__(self) -> bool:
        return self.value


def _elem(type_: GoType) -> GoType:
    if type_.elem is None:
        raise TypeError(f"{type_} has no elements")
    return type_.elem


def _scalar(
    base: type[Value], name: str, kind: Kind, methods: Mapping[str, Method] | None
) -> GoType:
    made: type[Value] = type(
        name, (base,), {} if base is Int or base is Float else {"__slots__": ()}
    )
    zero = made()

    def convert(raw: Value) -> Value:
        if raw is None:
            return zero
        return raw if type(raw) is made else made(raw)

    made.type = GoType(name, kind, convert, methods=methods or {})
    return made.type


def number(name: str, kind: Kind, methods: Mapping[str, Method] | None = None) -> GoType:
    """A sized or named numeric type; its ``convert`` makes its values."""
    match kind:
        case Kind.FLOAT32 | Kind.FLOAT64:
            return _scalar(Float, name, kind, methods)
        case Kind.COMPLEX64 | Kind.COMPLEX128:
            return _scalar(Complex, name, kind, methods)
        case _:
            return _scalar(Int, name, kind, methods)


def text(name: str, methods: Mapping[str, Method] | None = None) -> GoType:
    """A named string type."""
    return _scalar(Text, name, Kind.STRING, methods)


def boolean(name: str, methods: Mapping[str, Method] | None = None) -> GoType:
    """A named bool type."""
    return _scalar(Bool, name, Kind.BOOL, methods)


def _zero_default(zero: Value) -> Callable[[Value], Value]:
    return lambda raw: zero if raw is None else raw


ANY = GoType("interface {}", Kind.INTERFACE)
BOOL = GoType("bool", Kind.BOOL, _zero_default(False))
INT = GoType("int", Kind.INT, _zero_default(0))
FLOAT64 = GoType("float64", Kind.FLOAT64, _zero_default(0.0))
COMPLEX128 = GoType("complex128", Kind.COMPLEX128, _zero_default(0j))
STRING = GoType("string", Kind.STRING, _zero_default(""))
INT8 = number("int8", Kind.INT8)
INT16 = number("int16", Kind.INT16)
INT32 = number("int32", Kind.INT32)
INT64 = number("int64", Kind.INT64)
UINT = number("uint", Kind.UINT)
UINT8 = number("uint8", Kind.UINT8)
UINT16 = number("uint16", Kind.UINT16)
UINT32 = number("uint32", Kind.UINT32)
UINT64 = number("uint64", Kind.UINT64)
FLOAT32 = number("float32", Kind.FLOAT32)
ANY_MAP = GoType("map[string]interface {}", Kind.MAP, elem=ANY, key=STRING)
ANY_SLICE = GoType("[]interface {}", Kind.SLICE, elem=ANY)

_slices: dict[GoType, GoType] = {ANY: ANY_SLICE}
_maps: dict[tuple[GoType, GoType], GoType] = {(STRING, ANY): ANY_MAP}
_pointers: dict[GoType, GoType] = {}


def slice_of(elem: GoType) -> GoType:
    """The type ``[]elem``; the same object each time. Values are ``Slice`` (``list`` for ANY)."""
    if elem not in _slices:
        made = GoType(f"[]{elem.name}", Kind.SLICE, elem=elem)
        made.convert = lambda raw: raw if type(raw) is Slice else Slice(made, raw)
        _slices[elem] = made
    return _slices[elem]


def map_of(key: GoType, elem: GoType) -> GoType:
    """The type ``map[key]elem``, the same object each time. Values: ``Map`` (``dict`` for ANY)."""
    if (key, elem) not in _maps:
        made = GoType(f"map[{key.name}]{elem.name}", Kind.MAP, elem=elem, key=key)
        made.convert = lambda raw: raw if type(raw) is Map else Map(made, raw)
        _maps[key, elem] = made
    return _maps[key, elem]


def pointer_to(target: GoType) -> GoType:
    """The type ``*target``; the same object each time. Values are ``Pointer``."""
    if target not in _pointers:
        made = GoType(f"*{target.name}", Kind.POINTER, elem=target, methods=target.methods)
        nil = Pointer(made, None)

        def convert(raw: Value) -> Value:
            if raw is None:
                return nil
            return raw if type(raw) is Pointer else Pointer(made, target.convert(raw))

        made.convert = convert
        _pointers[target] = made
    return _pointers[target]


def struct(name: str, methods: Mapping[str, Method] | None = None) -> GoType:
    """A struct type without fields yet: assign ``fields`` (a tuple) once they are known."""
    made = GoType(name, Kind.STRUCT, methods=methods or {})
    made.convert = lambda raw: raw if type(raw) is Struct else Struct(made, raw or {})
    return made


STRINGS = slice_of(STRING)
STRING_MAP = map_of(STRING, STRING)


def type_of(value: Value) -> GoType | None:
    """The dynamic type of a value; ``None`` for untyped nil."""
    native = _NATIVE.get(value.__class__)
    if native is not None:
        return native
    return None if value is None else value.type


_NATIVE: dict[type, GoType] = {
    bool: BOOL,
    int: INT,
    float: FLOAT64,
    complex: COMPLEX128,
    str: STRING,
    dict: ANY_MAP,
    list: ANY_SLICE,
}
