"""Constructors of Go types: sized and named scalars, and composite types."""

import math
import struct as binary
from collections.abc import Callable, Mapping
from functools import cache

from .taint import TAINTED
from .tainted_values import convert_tainted
from .types import GoType, Kind, Method, Value
from .values import (
    ANY,
    ANY_MAP,
    ANY_SLICE,
    STRING,
    Bool,
    Complex,
    Float,
    Int,
    Map,
    Slice,
    Text,
    set_pointer_conversion,
    set_view_conversion,
    struct_converter,
)


def scalar_type(name: str, kind: Kind, methods: Mapping[str, Method] | None = None) -> GoType:
    """A sized number, or a named number, string, or bool; ``convert`` creates its values."""
    base, round_value = _BASES.get(kind, (Int, None))
    slots: dict[str, Value] = {"__slots__": ()} if base is Text or base is Bool else {}
    class_: type[Value] = type(name, (base,), slots)
    zero = class_()

    def convert(raw: Value) -> Value:
        if raw is None:
            return zero
        if type(raw) is class_:
            return raw
        if raw.__class__ in TAINTED:
            return raw if raw.type is class_.type else convert_tainted(raw, class_.type)
        return class_(round_value(raw) if round_value else raw)

    class_.type = GoType(name, kind, convert, methods=methods or {})
    return class_.type


def struct_type(name: str, methods: Mapping[str, Method] | None = None) -> GoType:
    """A struct type without fields; assign the tuple ``fields`` afterwards."""
    go_type = GoType(name, Kind.STRUCT, methods=methods or {})
    go_type.convert = struct_converter(go_type)
    return go_type


def named_type(name: str, kind_of: GoType, methods: Mapping[str, Method] | None = None) -> GoType:
    """A named map or slice type with the elements of an unnamed one."""
    go_type = GoType(name, kind_of.kind, elem=kind_of.elem, key=kind_of.key, methods=methods or {})
    return set_view_conversion(go_type, Map if go_type.kind is Kind.MAP else Slice)


@cache
def slice_of(elem: GoType) -> GoType:
    """The type ``[]elem``; always the same object. Values are ``Slice`` (``list`` for ANY)."""
    if elem is ANY:
        return ANY_SLICE
    return set_view_conversion(GoType(f"[]{elem.name}", Kind.SLICE, elem=elem, literal=True), Slice)


@cache
def map_of(key: GoType, elem: GoType) -> GoType:
    """The type ``map[key]elem``; always the same object. Values: ``Map`` (``dict`` for ANY)."""
    if key is STRING and elem is ANY:
        return ANY_MAP
    name = f"map[{key.name}]{elem.name}"
    return set_view_conversion(GoType(name, Kind.MAP, elem=elem, key=key, literal=True), Map)


@cache
def pointer_to(target: GoType) -> GoType:
    """The type ``*target``; always the same object. Values are ``Pointer``."""
    go_type = GoType(f"*{target.name}", Kind.POINTER, elem=target, literal=True)
    return set_pointer_conversion(go_type, target)


def round_to_float32(value: float) -> float:
    """Round ``value`` to a float32; infinite if it overflows."""
    try:
        return binary.unpack("f", binary.pack("f", value))[0]
    except OverflowError:  # since Python 3.14; earlier ones pack an infinite number
        return math.copysign(math.inf, value)


def _round_complex(value: complex) -> complex:
    return complex(round_to_float32(value.real), round_to_float32(value.imag))


_BASES: Mapping[Kind, tuple[type[Value], Callable[[Value], Value] | None]] = {
    Kind.FLOAT32: (Float, round_to_float32),
    Kind.FLOAT64: (Float, None),
    Kind.COMPLEX64: (Complex, _round_complex),
    Kind.COMPLEX128: (Complex, None),
    Kind.STRING: (Text, None),
    Kind.BOOL: (Bool, None),
}


INT8 = scalar_type("int8", Kind.INT8)
INT16 = scalar_type("int16", Kind.INT16)
INT32 = scalar_type("int32", Kind.INT32)
INT64 = scalar_type("int64", Kind.INT64)
UINT = scalar_type("uint", Kind.UINT)
UINT8 = scalar_type("uint8", Kind.UINT8)
UINT16 = scalar_type("uint16", Kind.UINT16)
UINT32 = scalar_type("uint32", Kind.UINT32)
UINT64 = scalar_type("uint64", Kind.UINT64)
UINTPTR = scalar_type("uintptr", Kind.UINTPTR)
FLOAT32 = scalar_type("float32", Kind.FLOAT32)
COMPLEX64 = scalar_type("complex64", Kind.COMPLEX64)
STRINGS = slice_of(STRING)
STRING_MAP = map_of(STRING, STRING)
