"""The conversion of arguments to the types of parameters (text/template/exec.go: evalArg).

A parameter accepts a value of an assignable type, after at most one indirection; a constant of its
kind; and nil if its type can be nil.
"""

from types import NoneType
from typing import assert_never

from podgraft.golang.fmt.print import SIGNED, UNSIGNED
from podgraft.golang.reflect import (
    ANY,
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
from podgraft.golang.texttemplate.errors import ExecutionError
from podgraft.golang.texttemplate.functions import REFLECT_VALUE
from podgraft.golang.texttemplate.parse import nodes

_VIEWS = frozenset({Map, Pointer, Slice, Struct})
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
    value: Value, expected: GoType, container: Value = None, key: str | None = None
) -> Value:
    """Convert ``value`` to an argument of the type ``expected`` (validateType).

    The value comes from ``container`` under ``key``; see ``static_interface``.
    """
    class_ = value.__class__
    if expected is (STRING if class_ is str else ANY) and class_ is not NoneType:
        return value  # most arguments, without a call
    type_ = value.type if class_ in _VIEWS else type_of(value)
    if type_ is expected:
        return value
    if type_ is None:
        return _convert_nil(expected, static_interface(container, key))
    if expected.kind is Kind.INTERFACE and is_assignable(type_, expected):
        return value
    if is_assignable(type_, expected):  # the same underlying type with another name
        return expected.convert(getattr(value, "raw", value))
    if type_.kind is Kind.POINTER and type_.elem and is_assignable(type_.elem, expected):
        if value.target is None:
            raise ExecutionError(f"dereference of nil pointer of type {expected}")
        return value.target
    if value.__class__ is Struct and value.addressable:
        pointer = pointer_to(type_)
        if is_assignable(pointer, expected):
            return Pointer(pointer, value)
    raise ExecutionError(f"wrong type for value; expected {expected}; got {type_}")


def _convert_nil(expected: GoType, interface: GoType | None) -> Value:
    if interface is not None:
        if interface is expected or expected is REFLECT_VALUE or _is_any(expected):
            return None
        raise ExecutionError(f"wrong type for value; expected {expected}; got {interface}")
    if can_be_nil(expected):
        return zero_value(expected)
    raise ExecutionError(f"invalid value; expected {expected}")


def static_interface(container: Value, key: str | None) -> GoType | None:
    """The static type of a value in its container, if it is an interface type.

    ``container`` contains the value as a field (under ``key``) or as an element, or it is the
    result type of the function that returned the value. It is ``None`` for a value without a
    container. A key that is missing in a map has no value, not even nil.
    """
    while container.__class__ is Pointer:
        container = container.target
    static = container if isinstance(container, GoType) else _elem_type(container, key)
    return static if static is not None and static.kind is Kind.INTERFACE else None


def _elem_type(container: Value, key: str | None) -> GoType | None:
    if key is not None and container.__class__ not in (list, Slice):
        bound = bind_method(container, key)
        if bound is not None:
            return bound.method.result
    match container:
        case Struct():
            path = container.type.field_path(key or "")
            return path[-1].type if path else None
        case dict() | Map() if key is not None and key not in container:
            return None
        case _:
            type_ = type_of(container)
            return type_.elem if type_ else None


def is_assignable(value_type: GoType, expected: GoType) -> bool:
    """reflect.Type.AssignableTo."""
    if value_type is expected or expected is REFLECT_VALUE:
        return True
    if expected.kind is Kind.INTERFACE:
        return all(_has_method(value_type, name) for name in expected.methods)
    return (
        (value_type.literal or expected.literal)
        and value_type.kind is expected.kind
        and value_type.elem is expected.elem
        and value_type.key is expected.key
        and value_type.length == expected.length
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


def convert_constant(node: nodes.Constant, expected: GoType) -> Value:
    """Convert a constant to an argument of the type ``expected`` (evalArg)."""
    if isinstance(node, nodes.Nil):
        if can_be_nil(expected):
            return zero_value(expected)
        raise ExecutionError(f"cannot assign nil to {expected}")
    if _is_any(expected) or expected is REFLECT_VALUE:
        return ideal_constant(node)
    term, value = _constant_as_kind(node, expected.kind)
    if not term:
        raise ExecutionError(f"can't handle {node} for arg of type {expected}")
    if value is None:
        raise ExecutionError(f"expected {term}; found {node}")
    return expected.convert(value)


def _constant_as_kind(node: nodes.Constant, kind: Kind) -> tuple[str, Value]:
    """Go's term for the expected kind, and the constant of this kind, or ``None``."""
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
    """The value of a constant without an expected type (idealConstant)."""
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
    """Whether the text has a point or an exponent; ignores letters in hexadecimal digits."""
    if text.startswith("'") or (text.startswith(("0x", "0X")) and "p" not in text.lower()):
        return False
    return any(char in ".eEpP" for char in text)


def wrap_integer(value: int, kind: Kind) -> int:
    """Wrap ``value`` to the bits of an integer kind, as Go's conversions do."""
    bits = _BITS.get(kind, 64)
    value &= (1 << bits) - 1
    return value - (1 << bits) if kind in SIGNED and value >> (bits - 1) else value
