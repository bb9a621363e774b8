"""index, slice and len (text/template/funcs.go)."""

from podgraft.go.fmt.print import INTEGERS
from podgraft.go.reflect import (
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
from podgraft.texttemplate.errors import FunctionError

from .arguments import can_be_nil, is_assignable, wrap_integer

_LISTS = (Kind.ARRAY, Kind.SLICE, Kind.STRING)
_MAX_INDEXES = 3  # as in x[i:j:k]


def index(item: Value, *indexes: Value) -> Value:
    """``index x 1 "a"`` is x[1]["a"]; a key that a map lacks gives its element's zero value."""
    if item is None:
        raise FunctionError("index of untyped nil")
    for at in indexes:
        if item.__class__ is Map and item.type.key is STRING and at.__class__ is str:
            item = item.get(at)
        else:
            item = _element(_dereference(item, "index of nil pointer"), at)
    return item


def slice_(item: Value, *indexes: Value, interfaces: tuple[bool, ...]) -> Value:
    """``slice x 1 2`` is x[1:2]; of a string too, in bytes. Slices have no room to grow into."""
    if item is None:
        raise FunctionError("slice of untyped nil")
    given, item = item, _dereference(item, "slice of nil pointer")
    if len(indexes) > _MAX_INDEXES:
        raise FunctionError(f"too many slice indexes: {len(indexes)}")
    kind = _type(item).kind
    if kind is Kind.STRING and len(indexes) == _MAX_INDEXES:
        raise FunctionError("cannot 3-index slice a string")
    if kind not in _LISTS:
        raise FunctionError(f"can't slice item of type {type_of(item)}")
    content = _countable_content(item)
    low, high = _bounds(indexes, interfaces[1:], len(content))
    if kind is Kind.ARRAY and given is item:
        three = "3" if len(indexes) == _MAX_INDEXES else ""
        raise PanicError(f"reflect.Value.Slice{three}: slice of unaddressable array")
    return _slice_value(item, low, high)


def length(item: Value, *, interfaces: tuple[bool, ...]) -> int:
    """The number of elements, or of bytes of a string."""
    if item is None and not interfaces[0]:
        raise PanicError("reflect: call of reflect.Value.Type on zero Value")
    item = _dereference(item, "len of nil pointer")
    if _type(item).kind in _LISTS:
        return len(_countable_content(item))
    if _type(item).kind is Kind.MAP:
        return len(item)
    raise FunctionError(f"len of type {type_of(item)}")


def _dereference(item: Value, otherwise: str) -> Value:
    """What ``item`` points to in the end; nil is an error."""
    while item.__class__ is Pointer:
        item = item.target
    if item is None:
        raise FunctionError(otherwise)
    return item


def _element(item: Value, at: Value) -> Value:
    type_ = _type(item)
    if type_.kind is Kind.MAP:
        key = _convert_key(at, type_.key or STRING)
        return item.get(key)
    if type_.kind not in _LISTS:
        raise FunctionError(f"can't index item of type {type_}")
    content = _countable_content(item)
    place = _check_index(at, len(content))
    if place == len(content):  # Go's own check lets this one through
        kind = "string" if type_.kind is Kind.STRING else type_.kind
        raise PanicError(f"reflect: {kind} index out of range")
    return UINT8.convert(content[place]) if type_.kind is Kind.STRING else item[place]


def _convert_key(at: Value, wanted: GoType) -> Value:
    """prepareArg: ``at`` as a key of the type ``wanted``."""
    type_ = type_of(at)
    if type_ is None:
        if not can_be_nil(wanted):
            raise FunctionError(f"value is nil; should be of type {wanted}")
        return None
    if is_assignable(type_, wanted):
        return at
    if type_.kind in INTEGERS and wanted.kind in INTEGERS:
        return wanted.convert(wrap_integer(int(at), wanted.kind))
    raise FunctionError(f"value has type {type_}; should be {wanted}")


def _check_index(at: Value, count: int) -> int:
    """indexArg: ``at`` as an index, up to and with ``count``."""
    type_ = type_of(at)
    if type_ is None:
        raise FunctionError("cannot index slice/array with nil")
    if type_.kind not in INTEGERS:
        raise FunctionError(f"cannot index slice/array with type {type_}")
    place = wrap_integer(int(at), Kind.INT64)
    if not 0 <= place <= count:
        raise FunctionError(f"index out of range: {place}")
    return place


def _bounds(
    indexes: tuple[Value, ...], interfaces: tuple[bool, ...], count: int
) -> tuple[int, int]:
    bounds = [0, count, count]
    for which, (at, is_interface) in enumerate(zip(indexes, interfaces, strict=True)):
        if is_interface:
            raise FunctionError("cannot index slice/array with type interface {}")
        bounds[which] = _check_index(at, count)
    low, high, limit = bounds
    for left, right in ((low, high), (high, limit)):
        if left > right:
            raise FunctionError(f"invalid slice index: {left} > {right}")
    return low, high


def _countable_content(item: Value) -> Value:
    """What can be counted: elements, or the bytes of a string."""
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
    """The type of what is not nil."""
    type_ = type_of(item)
    if type_ is None:
        raise TypeError("nil has no type")
    return type_
