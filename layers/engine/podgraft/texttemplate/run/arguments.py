"""Handing values and constants to typed parameters (text/template/exec.go: evalArg, validateType).

What a parameter of a type takes: values whose type is assignable to it, after one indirection at
most; constants of its kind; nil if it can be nil.
"""

from typing import assert_never

from podgraft.go.fmt.print import SIGNED, UNSIGNED
from podgraft.go.reflect import (
    STRING,
    Field,
    GoType,
    Kind,
    Map,
    Pointer,
    Slice,
    Struct,
    Value,
    bind_method,
    pointer_to,
    type_of,
)
from podgraft.texttemplate.errors import ExecutionError
from podgraft.texttemplate.functions import REFLECT_VALUE
from podgraft.texttemplate.parse import nodes

_NILABLE = (Kind.MAP, Kind.SLICE, Kind.POINTER, Kind.INTERFACE, Kind.FUNC)
_FLOATS = (Kind.FLOAT32, Kind.FLOAT64)
_COMPLEXES = (Kind.COMPLEX64, Kind.COMPLEX128)
_BITS = {
    Kind.INT8: 8,
    Kind.INT16: 16,
    Kind.INT32: 32,
    Kind.UINT8: 8,
    Kind.UINT16: 16,
    Kind.UINT32: 32,
}


def convert_argument(
    value: Value, wanted: GoType, container: Value = None, key: str | None = None
) -> Value:
    """``value`` as an argument of the type ``wanted`` (validateType).

    It came out of ``holder`` under ``key``; see ``interface_of``.
    """
    if wanted is STRING and value.__class__ is str:  # most arguments, without a call
        return value
    type_ = type_of(value)
    if type_ is wanted:
        return value
    if type_ is None:
        return _convert_nil(wanted, static_interface(container, key))
    if wanted.kind is Kind.INTERFACE and is_assignable(type_, wanted):
        return value
    if is_assignable(type_, wanted):  # of the same make under another name, which it now gets
        return wanted.convert(getattr(value, "raw", value))
    if type_.kind is Kind.POINTER and type_.elem and is_assignable(type_.elem, wanted):
        if value.target is None:
            raise ExecutionError(f"dereference of nil pointer of type {wanted}")
        return value.target
    if value.__class__ is Struct and value.addressable:
        pointer = pointer_to(type_)
        if is_assignable(pointer, wanted):
            return Pointer(pointer, value)
    raise ExecutionError(f"wrong type for value; expected {wanted}; got {type_}")


def _convert_nil(wanted: GoType, interface: GoType | None) -> Value:
    if interface is not None:
        if interface is wanted or wanted is REFLECT_VALUE or _is_any(wanted):
            return None
        raise ExecutionError(f"wrong type for value; expected {wanted}; got {interface}")
    if can_be_nil(wanted):
        return zero_value(wanted)
    raise ExecutionError(f"invalid value; expected {wanted}")


def static_interface(holder: Value, key: str | None) -> GoType | None:
    """The interface type that a value has where it came from, if it came as one.

    ``holder`` is what the value is a field of, under ``key``, or else an element of; or it is the
    type of the function that gave it; ``None``, where the value stands for itself. A key that a
    map lacks gives no value at all, not even a nil one.
    """
    while holder.__class__ is Pointer:
        holder = holder.target
    static = holder if isinstance(holder, GoType) else _elem_type(holder, key)
    return static if static is not None and static.kind is Kind.INTERFACE else None


def _elem_type(holder: Value, key: str | None) -> GoType | None:
    if key is not None and holder.__class__ not in (list, Slice):
        bound = bind_method(holder, key)
        if bound is not None:
            return bound.method.result
    match holder:
        case Struct():
            path = holder.type.field_path(key or "")
            return path[-1].type if path else None
        case dict() | Map() if key is not None and key not in holder:
            return None
        case _:
            type_ = type_of(holder)
            return type_.elem if type_ else None


def is_assignable(value_type: GoType, wanted: GoType) -> bool:
    """reflect.Type.AssignableTo."""
    if value_type is wanted or wanted is REFLECT_VALUE:
        return True
    if wanted.kind is Kind.INTERFACE:
        return all(_has_method(value_type, name) for name in wanted.methods)
    return (
        (value_type.literal or wanted.literal)
        and value_type.kind is wanted.kind
        and value_type.elem is wanted.elem
        and value_type.key is wanted.key
        and value_type.length == wanted.length
    )


def _has_method(type_: GoType, name: str) -> bool:
    pointer = type_.kind is Kind.POINTER
    base = type_.elem if pointer and type_.elem else type_
    member = base.member(name)
    if member is None or isinstance(member.target, Field):
        return False
    through_pointer = pointer or any(step.type.kind is Kind.POINTER for step in member.path[-1:])
    return through_pointer or not member.target.pointer


def can_be_nil(type_: GoType) -> bool:
    """Whether an untyped nil can become a value of the type."""
    return type_.kind in _NILABLE or type_ is REFLECT_VALUE


def zero_value(type_: GoType) -> Value:
    """The zero value of the type."""
    return None if type_.kind is Kind.INTERFACE or type_ is REFLECT_VALUE else type_.convert(None)


def _is_any(type_: GoType) -> bool:
    return type_.kind is Kind.INTERFACE and not type_.methods


def convert_constant(node: nodes.Constant, wanted: GoType) -> Value:
    """A constant as an argument of the type ``wanted`` (evalArg)."""
    if isinstance(node, nodes.Nil):
        if can_be_nil(wanted):
            return zero_value(wanted)
        raise ExecutionError(f"cannot assign nil to {wanted}")
    if _is_any(wanted) or wanted is REFLECT_VALUE:
        return ideal_constant(node)
    word, value = _constant_as_kind(node, wanted.kind)
    if not word:
        raise ExecutionError(f"can't handle {node} for arg of type {wanted}")
    if value is None:
        raise ExecutionError(f"expected {word}; found {node}")
    return wanted.convert(value)


def _constant_as_kind(node: nodes.Constant, kind: Kind) -> tuple[str, Value]:
    """Go's word for what a parameter of the kind expects, and the constant as such, if it is."""
    number = node if isinstance(node, nodes.Number) else None
    if kind is Kind.BOOL:
        return "bool", node.value if isinstance(node, nodes.Bool) else None
    if kind is Kind.STRING:
        return "string", node.text if isinstance(node, nodes.String) else None
    if kind in SIGNED:
        integer = number and number.integer
        return "integer", None if integer is None else wrap_integer(integer, kind)
    if kind in UNSIGNED:
        unsigned = number and number.unsigned
        return "unsigned integer", None if unsigned is None else wrap_integer(unsigned, kind)
    if kind in _FLOATS:
        return "float", number and number.real
    if kind in _COMPLEXES:
        return "complex", number and number.complex
    return "", None


def ideal_constant(node: nodes.Bool | nodes.Number | nodes.String) -> Value:
    """A constant of which nothing says what type it should have (idealConstant)."""
    match node:
        case nodes.Bool():
            return node.value
        case nodes.String():
            return node.text
        case nodes.Number():
            return _ideal_number(node)
        case _:
            assert_never(node)


def _ideal_number(node: nodes.Number) -> Value:
    if node.complex is not None:
        return node.complex
    if node.real is not None and _looks_real(node.text):
        return node.real
    if node.integer is None:
        raise ExecutionError(f"{node.text} overflows int")
    return node.integer


def _looks_real(text: str) -> bool:
    """Whether there is a point or exponent; letters in characters and hexadecimals are none."""
    if text.startswith("'") or (text.startswith(("0x", "0X")) and "p" not in text.lower()):
        return False
    return any(char in ".eEpP" for char in text)


def wrap_integer(value: int, kind: Kind) -> int:
    """``value`` cut to the bits of an integer kind, as Go's conversions do."""
    bits = _BITS.get(kind, 64)
    value &= (1 << bits) - 1
    return value - (1 << bits) if kind in SIGNED and value >> (bits - 1) else value
