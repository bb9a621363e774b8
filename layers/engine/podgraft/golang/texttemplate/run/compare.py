"""eq, ne, lt, le, gt and ge (text/template/funcs.go)."""

from podgraft.golang.errors import FunctionError
from podgraft.golang.fmt.print import SIGNED, UNSIGNED
from podgraft.golang.fmt.sprintf import sprintf
from podgraft.golang.fmtsort import byte_order_key
from podgraft.golang.reflect import GoType, Kind, Pointer, Struct, Value, is_nil, type_of

# The comparable kinds (basicKind); signed and unsigned integers compare with each other.
_BASIC: dict[Kind, Kind] = {
    Kind.BOOL: Kind.BOOL,
    Kind.COMPLEX64: Kind.COMPLEX128,
    Kind.COMPLEX128: Kind.COMPLEX128,
    Kind.FLOAT32: Kind.FLOAT64,
    Kind.FLOAT64: Kind.FLOAT64,
    Kind.STRING: Kind.STRING,
    **dict.fromkeys(SIGNED, Kind.INT),
    **dict.fromkeys(UNSIGNED, Kind.UINT),
}
_BASIC_CLASSES = {bool: Kind.BOOL, int: Kind.INT, float: Kind.FLOAT64, str: Kind.STRING}
_INTEGERS = (Kind.INT, Kind.UINT)
_INVALID_TYPE = "invalid type for comparison"


def eq(first: Value, *others: Value) -> bool:
    """Whether ``first`` equals one of the others."""
    if not others:
        raise FunctionError("missing argument for comparison")
    return any(_equal(first, other) for other in others)


def ne(first: Value, second: Value) -> bool:
    """Whether the two differ."""
    return not _equal(first, second)


def lt(first: Value, second: Value) -> bool:
    """Whether ``first`` is less."""
    left, right = _basic_kind(first), _basic_kind(second)
    if left is None or right is None:
        raise FunctionError(_INVALID_TYPE)
    if left is not right and not (left in _INTEGERS and right in _INTEGERS):
        raise _incompatible_types_error(first, second)
    if left in (Kind.BOOL, Kind.COMPLEX128):
        raise FunctionError(_INVALID_TYPE)
    if left is Kind.STRING:
        return byte_order_key(first) < byte_order_key(second)
    return first < second


def le(first: Value, second: Value) -> bool:
    """Whether ``first`` is less or equal."""
    return lt(first, second) or _equal(first, second)


def gt(first: Value, second: Value) -> bool:
    """Whether ``first`` is not less or equal, which is also true for NaN."""
    return not le(first, second)


def ge(first: Value, second: Value) -> bool:
    """Whether ``first`` is not less."""
    return not lt(first, second)


def _equal(first: Value, second: Value) -> bool:
    left, right = _basic_kind(first), _basic_kind(second)
    if left is not right and not (left in _INTEGERS and right in _INTEGERS):
        if first is not None and second is not None:
            raise _incompatible_types_error(first, second)
        return False
    if left is None:
        return _equal_composite(first, second)
    return bool(first == second)


def _equal_composite(first: Value, second: Value) -> bool:
    """Compare values of other kinds: nil equals nil, and both need the same comparable kind."""
    left, right = type_of(first), type_of(second)
    if left and right and left.kind is not right.kind:
        # the order of the operands in Go
        arguments = (first, left.name, right.name, second)
        raise FunctionError(sprintf("non-comparable types %s: %v, %s: %v", arguments))
    if is_nil(first) or is_nil(second):
        return is_nil(first) and is_nil(second)
    if right and not _is_comparable(right):
        raise FunctionError(sprintf("non-comparable type %s: %v", (second, right.name)))
    return left is right and are_equal(first, second)


def are_equal(first: Value, second: Value) -> bool:
    """Go's == for two values of one type."""
    match first:
        case Pointer():
            return first.target is second.target
        case Struct():
            return all(_are_equal_dynamic(first.get(f), second.get(f)) for f in first.type.fields)
        case _:
            return bool(first == second)


def _are_equal_dynamic(first: Value, second: Value) -> bool:
    """Go's == for two fields, which can have different types if they are interfaces."""
    type_ = type_of(first)
    if type_ is not type_of(second):
        return False
    if type_ and not _is_comparable(type_):
        raise FunctionError(f"runtime error: comparing uncomparable type {type_.name}")
    return are_equal(first, second)


def _is_comparable(type_: GoType) -> bool:
    """reflect.Type.Comparable."""
    match type_.kind:
        case Kind.MAP | Kind.SLICE | Kind.FUNC:
            return False
        case Kind.ARRAY:
            return type_.elem is not None and _is_comparable(type_.elem)
        case Kind.STRUCT:
            return all(_is_comparable(field.type) for field in type_.fields)
        case _:
            return True


def _basic_kind(value: Value) -> Kind | None:
    basic = _BASIC_CLASSES.get(value.__class__)
    if basic is not None:
        return basic
    type_ = type_of(value)
    return None if type_ is None else _BASIC.get(type_.kind)


def _incompatible_types_error(first: Value, second: Value) -> FunctionError:
    return FunctionError(
        f"incompatible types for comparison: {type_of(first)} and {type_of(second)}"
    )
