"""index, slice and len (text/template/funcs.go)."""

from podgraft.golang.errors import FunctionError
from podgraft.golang.fmt.print import INTEGERS
from podgraft.golang.reflect import (
    INT,
    STRING,
    UINT8,
    GoType,
    Kind,
    Map,
    PanicError,
    Pointer,
    Slice,
    Value,
    slice_of,
    type_of,
)

from .arguments import can_be_nil, is_assignable, wrap_integer

_LISTS = (Kind.ARRAY, Kind.SLICE, Kind.STRING)
_MAX_INDEXES = 3  # as in x[i:j:k]


def index(item: Value, *indexes: Value) -> Value:
    """``index x 1 "a"`` is x[1]["a"]; a missing key of a map returns the zero value."""
    if item is None:
        raise FunctionError("index of untyped nil")
    for key in indexes:
        if item.__class__ is Map and item.type.key is STRING and key.__class__ is str:
            item = _string_element(item, key)
        else:
            item = _element(_dereference(item, "index of nil pointer"), key)
    return item


def _string_element(item: Map, key: str) -> Value:
    """The element of a map with string keys; most are strings, and need no conversion."""
    raw = item.raw.get(key) if item.raw else None
    return raw if raw.__class__ is str and item.type.elem is STRING else item.get(key)


def slice_(item: Value, *indexes: Value, interfaces: tuple[bool, ...]) -> Value:
    """``slice x 1 2`` is x[1:2]; strings are sliced in bytes. A slice cannot be extended."""
    if item is None:
        raise FunctionError("slice of untyped nil")
    argument, item = item, _dereference(item, "slice of nil pointer")
    if len(indexes) > _MAX_INDEXES:
        raise FunctionError(f"too many slice indexes: {len(indexes)}")
    kind = _type(item).kind
    if kind is Kind.STRING and len(indexes) == _MAX_INDEXES:
        raise FunctionError("cannot 3-index slice a string")
    if kind not in _LISTS:
        raise FunctionError(f"can't slice item of type {type_of(item)}")
    content = _countable_content(item)
    low, high = _bounds(indexes, interfaces[1:], len(content))
    if kind is Kind.ARRAY and argument is item:
        three = "3" if len(indexes) == _MAX_INDEXES else ""
        raise PanicError(f"reflect.Value.Slice{three}: slice of unaddressable array")
    return _slice_value(item, low, high)


def length(item: Value, *, interfaces: tuple[bool, ...]) -> int:
    """The number of elements, or the number of bytes of a string."""
    if item is None and not interfaces[0]:
        raise PanicError("reflect: call of reflect.Value.Type on zero Value")
    item = _dereference(item, "len of nil pointer")
    if _type(item).kind in _LISTS:
        return len(_countable_content(item))
    if _type(item).kind is Kind.MAP:
        return len(item)
    raise FunctionError(f"len of type {type_of(item)}")


def _dereference(item: Value, otherwise: str) -> Value:
    """The target of a chain of pointers; nil is an error."""
    while item.__class__ is Pointer:
        item = item.target
    if item is None:
        raise FunctionError(otherwise)
    return item


def _element(item: Value, key: Value) -> Value:
    type_ = _type(item)
    if type_.kind is Kind.MAP:
        map_key = _convert_key(key, type_.key or STRING)
        return item.get(map_key)
    if type_.kind not in _LISTS:
        raise FunctionError(f"can't index item of type {type_}")
    content = _countable_content(item)
    position = _check_index(key, len(content))
    if position == len(content):  # Go's check allows this index
        kind = "string" if type_.kind is Kind.STRING else type_.kind
        raise PanicError(f"reflect: {kind} index out of range")
    return UINT8.convert(content[position]) if type_.kind is Kind.STRING else item[position]


def _convert_key(key: Value, expected: GoType) -> Value:
    """prepareArg: convert ``key`` to the type ``expected``."""
    type_ = type_of(key)
    if type_ is None:
        if not can_be_nil(expected):
            raise FunctionError(f"value is nil; should be of type {expected}")
        return None
    if is_assignable(type_, expected):
        return key
    if type_.kind in INTEGERS and expected.kind in INTEGERS:
        return expected.convert(wrap_integer(int(key), expected.kind))
    raise FunctionError(f"value has type {type_}; should be {expected}")


def _check_index(index: Value, count: int) -> int:
    """indexArg: check that ``index`` is at most ``count``."""
    type_ = type_of(index)
    if type_ is None:
        raise FunctionError("cannot index slice/array with nil")
    if type_.kind not in INTEGERS:
        raise FunctionError(f"cannot index slice/array with type {type_}")
    offset = wrap_integer(int(index), Kind.INT64)
    if not 0 <= offset <= count:
        raise FunctionError(f"index out of range: {offset}")
    return offset


def _bounds(
    indexes: tuple[Value, ...], interfaces: tuple[bool, ...], count: int
) -> tuple[int, int]:
    bounds = [0, count, count]
    for bound, (index, is_interface) in enumerate(zip(indexes, interfaces, strict=True)):
        if is_interface:
            raise FunctionError("cannot index slice/array with type interface {}")
        bounds[bound] = _check_index(index, count)
    low, high, limit = bounds
    for left, right in ((low, high), (high, limit)):
        if left > right:
            raise FunctionError(f"invalid slice index: {left} > {right}")
    return low, high


def _countable_content(item: Value) -> Value:
    """The elements, or the bytes of a string."""
    if not isinstance(item, str):
        return item
    return item.encode("utf-8", "surrogateescape")


def _slice_value(item: Value, low: int, high: int) -> Value:
    type_ = _type(item)
    if isinstance(item, str):
        return type_.convert(_countable_content(item)[low:high].decode("utf-8", "surrogateescape"))
    if item.__class__ is list:
        return item[low:high]
    raw = None if item.raw is None else item.raw[low:high]
    return Slice(slice_of(type_.elem or INT) if type_.kind is Kind.ARRAY else type_, raw)


def _type(item: Value) -> GoType:
    """The type of a value that is not nil."""
    type_ = type_of(item)
    if type_ is None:
        raise TypeError("nil has no type")
    return type_
