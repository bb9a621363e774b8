"""Sprig's functions on slices and arrays. Only ``sort_alpha`` changes its argument.

The capacity of a slice is its length. In Go, ``slice`` can extend the result of ``append`` within
its capacity; here, this is an error as for any other list.
"""

from podgraft.golang.errors import FunctionError
from podgraft.golang.reflect import ANY_SLICE, STRINGS, Kind, Slice, Value, slice_of, type_of
from podgraft.golang.utf8 import encode

from .cast import Cast
from .deepcopy import SeenValues, deep_equal
from .failures import (
    LENGTH_OUT_OF_RANGE,
    SLICE_OUT_OF_BOUNDS,
    UNADDRESSABLE_ARRAY,
    check_element_count,
    kind_of,
)
from .values import empty, strslice, strval

_NIL_LIST = Slice(ANY_SLICE, None)
_LISTS = slice_of(ANY_SLICE)


def _elements(values: Value, problem: str) -> list[Value]:
    """The elements of a slice or array; for another kind, an error that starts with ``problem``."""
    if values.__class__ is list:
        return values
    kind = kind_of(values)
    if kind not in (Kind.SLICE, Kind.ARRAY):
        raise FunctionError(f"{problem} {kind}")
    return [*values]


def list_(*values: Value) -> list[Value]:
    """The arguments as []interface {}."""
    return [*values]


def append(values: Value, value: Value) -> list[Value]:
    """A new list with an additional last element."""
    return [*_elements(values, "Cannot push on type"), value]


def prepend(values: Value, value: Value) -> list[Value]:
    """A new list with an additional first element."""
    return [value, *_elements(values, "Cannot prepend on type")]


def concat(*lists: Value) -> Value:
    """One list of the elements of all lists; nil if it is empty."""
    joined = [element for values in lists for element in _to_list(values)]
    check_element_count(len(joined))
    return joined or _NIL_LIST


def _to_list(values: Value) -> list[Value]:
    if kind_of(values) not in (Kind.SLICE, Kind.ARRAY):
        raise FunctionError(f"Cannot concat type {kind_of(values)} as list")
    return [*values]


def first(values: Value) -> Value:
    """The first element; nil for an empty list."""
    return next(iter(_elements(values, "Cannot find first on type")), None)


def last(values: Value) -> Value:
    """The last element; nil for an empty list."""
    elements = _elements(values, "Cannot find last on type")
    return elements[-1] if elements else None


def rest(values: Value) -> Value:
    """All elements except the first; nil for an empty list."""
    elements = _elements(values, "Cannot find rest on type")
    return elements[1:] if elements else _NIL_LIST


def initial(values: Value) -> Value:
    """All elements except the last; nil for an empty list."""
    elements = _elements(values, "Cannot find initial on type")
    return elements[:-1] if elements else _NIL_LIST


def reverse(values: Value) -> list[Value]:
    """The elements in reverse order."""
    return _elements(values, "Cannot find reverse on type")[::-1]


def compact(values: Value) -> list[Value]:
    """The elements that are not empty."""
    return [
        element for element in _elements(values, "Cannot compact on type") if not empty(element)
    ]


def uniq(values: Value) -> list[Value]:
    """The elements without duplicates, by reflect.DeepEqual."""
    unique = SeenValues()
    return [
        element for element in _elements(values, "Cannot find uniq on type") if unique.add(element)
    ]


def without(values: Value, *unwanted: Value) -> list[Value]:
    """The elements that are not equal to any of the arguments."""
    removed = SeenValues(unwanted)
    elements = _elements(values, "Cannot find without on type")
    return [element for element in elements if element not in removed]


def has(needle: Value, values: Value) -> bool:
    """Whether an element equals ``needle``; nil has no elements."""
    if values is None:
        return False
    elements = _elements(values, "Cannot find has on type")
    return any(deep_equal(needle, element) for element in elements)


def slice_(cast: Cast, values: Value, *indices: Value) -> Value:
    """``values[start:end]`` of the same type; nil for an empty list with any indices."""
    size = len(_elements(values, "list should be type of slice or array but"))
    if not size:
        return None
    if kind_of(values) is Kind.ARRAY:
        raise FunctionError(UNADDRESSABLE_ARRAY)
    start = cast.to_int(indices[0]) if indices else 0
    end = cast.to_int(indices[1]) if len(indices) > 1 else size
    if not 0 <= start <= end <= size:
        raise FunctionError(SLICE_OUT_OF_BOUNDS)
    if isinstance(values, Slice):
        return Slice(values.type, (values.raw or [])[start:end])
    return values[start:end]


def chunk(size: int, values: Value) -> Slice:
    """[][]interface {} of lists of ``size`` elements; the last can be shorter.

    A size below 1 fails only if Go's arithmetic fails.
    """
    elements = _elements(values, "Cannot chunk type")
    chunks = (len(elements) - 1) // size + 1 if size else -1
    if chunks < 0 or (size < 0 < chunks and len(elements) % size == 0):
        raise FunctionError(LENGTH_OUT_OF_RANGE)
    width = max(size, 1)
    return Slice(_LISTS, [elements[index * width : (index + 1) * width] for index in range(chunks)])


def sort_alpha(values: Value) -> Slice:
    """The elements as strings, sorted by their bytes; any other value as a list of its string.

    As in Go, a []string is sorted in place; the data below the view does not change.
    """
    type_ = type_of(values)
    texts = sorted(strslice(values) if type_ else [strval(values)], key=encode)
    if type_ is not STRINGS:
        return Slice(STRINGS, texts)
    if values:
        values.raw = texts
    return values
