"""Go values as Python objects.

=====================================  ==========================================================
Go                                     Python
=====================================  ==========================================================
nil of no type                         ``None``
bool, int, float64, complex128         ``bool``, ``int``, ``float``, ``complex``
string (any bytes)                     ``str``, invalid UTF-8 as surrogate escapes
map[string]interface {}                ``dict[str, Value]``
[]interface {}                         ``list[Value]``
other numbers, named scalars           instances of a subclass of ``Int``, ``Text``, or similar
struct, pointer, other maps, slices    ``Struct``, ``Pointer``, ``Map``, ``Slice``
nil maps and slices of any type        ``Map`` and ``Slice`` without a raw value
=====================================  ==========================================================

``Struct``, ``Map``, and ``Slice`` are views. They contain raw JSON or Go values, and convert a
member on access. The raw value must not change.

The truth value of an object in Python is the truth value in text/template (``template.IsTrue``):
zero numbers, empty strings and collections, and nil are false; all structs are true.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from threading import RLock
from typing import Any, ClassVar

from .types import Field, GoType, Kind, Method, Value


class Struct:
    """A struct; ``raw`` maps the JSON names of its fields to raw JSON or Go values.

    An ``addressable`` struct (the target of a pointer, an element of a slice, or a field of these)
    also has the methods of its pointer, as in Go.
    """

    __slots__ = ("addressable", "cached_fields", "raw", "type")

    def __init__(self, type_: GoType, raw: dict[str, Value], *, addressable: bool = False) -> None:
        self.type = type_
        self.raw = raw
        self.addressable = addressable
        self.cached_fields: dict[str, Value] = {}  # exported fields that were read

    def field(self, name: str) -> Value:
        """Return the field ``name``, including promoted fields; ``KeyError`` if it is missing."""
        if name in self.cached_fields:
            return self.cached_fields[name]
        path = self.type.field_path(name)
        if path is None:
            raise KeyError(name)
        value = self.walk(path)
        if name[0].isupper():
            self.cached_fields[name] = value
        return value

    def find_field(self, name: str, default: Value) -> Value:
        """The exported field ``name``, or the default if the type has none."""
        if name in self.cached_fields:
            return self.cached_fields[name]
        path = self.type.paths.get(name) or self.type.field_path(name)
        if path is None or not name[0].isupper():
            return default
        value = self.get(path[0]) if len(path) == 1 else self.walk(path)
        self.cached_fields[name] = value
        return value

    def walk(self, path: tuple[Field, ...]) -> Value:
        """Return the field at the end of ``path``; ``PanicError`` at a nil embedded pointer."""
        value: Value = self
        for step in path:
            if value.__class__ is Pointer:
                if value.target is None:
                    name = value.type.name.removeprefix("*").rpartition(".")[2]
                    raise PanicError(
                        f"reflect: indirection through nil pointer to embedded struct field {name}"
                    )
                value = value.target
            value = value.get(step)
        return value

    def get(self, field: Field) -> Value:
        """Return the value of a field that the type declares."""
        # The members of an inline field are in this object. Its property would take longer.
        raw = self.raw.get(field.json) if field.json or not field.embedded else self.raw
        if self.addressable:
            return _convert_addressable(field.type, raw)
        return field.type.convert(raw)


class PanicError(Exception):
    """A panic of Go."""


class Pointer:
    """A typed pointer; ``target`` is ``None`` for nil."""

    __slots__ = ("target", "type")

    def __init__(self, type_: GoType, target: Value) -> None:
        self.type = type_
        self.target = make_addressable(target)

    def __bool__(self) -> bool:
        return self.target is not None


class Map:
    """A map that is not map[string]interface {}; ``raw`` is ``None`` for nil."""

    __slots__ = ("raw", "type")

    def __init__(self, type_: GoType, raw: Mapping[Any, Value] | None) -> None:
        self.type = type_
        self.raw = raw

    def __len__(self) -> int:
        return len(self.raw or ())

    def __contains__(self, key: object) -> bool:
        return self.raw is not None and key in self.raw

    def __iter__(self) -> Iterator[Value]:
        return iter(self.raw or ())

    def get(self, key: Value) -> Value:
        """Return the element under ``key``, or the zero value of the element type."""
        return _elem(self.type).convert(self.raw.get(key) if self.raw else None)

    def items(self) -> Iterator[tuple[Value, Value]]:
        """The keys and elements, in the order of the raw value."""
        convert = _elem(self.type).convert
        return ((key, convert(raw)) for key, raw in (self.raw or {}).items())


class Slice:
    """A slice or array that is not []interface {}; ``raw`` is ``None`` for a nil slice."""

    __slots__ = ("raw", "type")

    def __init__(self, type_: GoType, raw: Sequence[Value] | None) -> None:
        self.type = type_
        self.raw = raw

    def __len__(self) -> int:
        return len(self.raw or ())

    def __bool__(self) -> bool:
        return bool(self.raw)

    def __getitem__(self, index: int) -> Value:
        return _convert_addressable(_elem(self.type), (self.raw or ())[index])

    def __iter__(self) -> Iterator[Value]:
        elem = _elem(self.type)
        return (_convert_addressable(elem, raw) for raw in self.raw or ())


class Int(int):
    """An integer of a kind other than int; a subclass defines the type."""

    type: ClassVar[GoType]


class Float(float):
    """A floating point number of a kind other than float64."""

    type: ClassVar[GoType]


class Complex(complex):
    """A complex number of a kind other than complex128."""

    type: ClassVar[GoType]


class Text(str):
    """A string of a named type, such as v1.Protocol."""

    __slots__ = ()
    type: ClassVar[GoType]


class Bool:
    """A bool of a named type."""

    __slots__ = ("value",)
    type: ClassVar[GoType]

    def __init__(self, value: Value = False) -> None:
        self.value = bool(value)

    def __bool__(self) -> bool:
        return self.value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (bool, Bool)) and self.value is bool(other)

    def __hash__(self) -> int:
        return hash(self.value)


def struct_converter(type_: GoType) -> Callable[[Value], Value]:
    """The function ``convert`` of a struct type."""

    def convert(raw: Value) -> Value:
        return raw if raw.__class__ is Struct else Struct(type_, raw or {})

    return convert


# Types compare by identity, so two threads must not create the same type twice.
TYPES_LOCK = RLock()


class LazyStruct(GoType, eq=False, kw_only=True):
    """A struct type; ``make_members`` makes its fields and its methods on first use.

    There are hundreds of types, and a template uses a few of them.
    """

    kind: Kind = Kind.STRUCT
    make_members: Callable[[GoType], tuple[tuple[Field, ...], Mapping[str, Method]]]

    def __post_init__(self) -> None:
        """Leave the members to ``__getattr__``."""
        self.convert = struct_converter(self)
        del self.fields, self.methods

    def __getattr__(self, name: str) -> Any:
        """Make ``fields`` and ``methods``. Python calls this only for a missing attribute."""
        if name not in {"fields", "methods"}:
            raise AttributeError(name)
        with TYPES_LOCK:
            self.fields, self.methods = self.make_members(self)
        return getattr(self, name)


def set_view_conversion(go_type: GoType, view: type[Map | Slice]) -> GoType:
    """Set the conversion of a type: from raw values to instances of ``view``."""
    nil = view(go_type, None)

    def convert(raw: Value) -> Value:
        if raw is None:
            return nil
        return raw if type(raw) is view else view(go_type, raw)

    go_type.convert = convert
    return go_type


def set_pointer_conversion(go_type: GoType, target: GoType) -> GoType:
    """Set the conversion of a pointer type: from values of its target to ``Pointer``."""
    nil = Pointer(go_type, None)

    def convert(raw: Value) -> Value:
        if raw is None:
            return nil
        return raw if type(raw) is Pointer else Pointer(go_type, _convert_addressable(target, raw))

    go_type.convert = convert
    return go_type


def make_addressable(value: Value) -> Value:
    """Return an addressable copy of a struct; any other value unchanged."""
    if value.__class__ is Struct and not value.addressable:
        return Struct(value.type, value.raw, addressable=True)
    return value


def _convert_addressable(type_: GoType, raw: Value) -> Value:
    value = type_.convert(raw)
    if value.__class__ is Struct and value is not raw:
        value.addressable = True  # nothing else has this struct
        return value
    return make_addressable(value)


def copy_value(value: Value) -> Value:
    """Return ``value`` as functions receive and return it: a copy that is not addressable."""
    if value.__class__ is Struct and value.addressable:
        return Struct(value.type, value.raw)
    return value


def type_of(value: Value) -> GoType | None:
    """The dynamic type of a value; ``None`` for untyped nil."""
    native = _NATIVE.get(value.__class__)
    if native is not None:
        return native
    return None if value is None else value.type


def is_nil(value: Value) -> bool:
    """Whether ``value`` is nil, typed or not."""
    match value:
        case None:
            return True
        case Map() | Slice():
            return value.raw is None
        case Pointer():
            return value.target is None
        case _:
            return False


def dereference(value: Value) -> Value:
    """The target of a chain of pointers, or the nil pointer at its end."""
    while value.__class__ is Pointer and value.target is not None:
        value = value.target
    return value


def _elem(type_: GoType) -> GoType:
    if type_.elem is None:
        raise TypeError(f"{type_} has no elements")
    return type_.elem


def _zero_default(zero: Value) -> Callable[[Value], Value]:
    return lambda raw: zero if raw is None else raw


def _nil_default(make: Callable[[GoType, None], Value], type_: GoType) -> GoType:
    nil = make(type_, None)
    type_.convert = lambda raw: nil if raw is None else raw
    return type_


ANY = GoType("interface {}", Kind.INTERFACE)
BOOL = GoType("bool", Kind.BOOL, _zero_default(False))
INT = GoType("int", Kind.INT, _zero_default(0))
FLOAT64 = GoType("float64", Kind.FLOAT64, lambda raw: 0.0 if raw is None else float(raw))
COMPLEX128 = GoType("complex128", Kind.COMPLEX128, _zero_default(0j))
STRING = GoType("string", Kind.STRING, _zero_default(""))
ANY_MAP = _nil_default(
    Map, GoType("map[string]interface {}", Kind.MAP, elem=ANY, key=STRING, literal=True)
)
ANY_SLICE = _nil_default(Slice, GoType("[]interface {}", Kind.SLICE, elem=ANY, literal=True))

_NATIVE: dict[type, GoType] = {
    bool: BOOL,
    int: INT,
    float: FLOAT64,
    complex: COMPLEX128,
    str: STRING,
    dict: ANY_MAP,
    list: ANY_SLICE,
}
