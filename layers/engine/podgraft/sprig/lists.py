"""Lists: sprig's functions over any slice or array. None of them changes its argument.

Capacity is no part of a value here: where Go lets ``slice`` reach past the length of a list that
``append`` made, into spare room, this fails as for any other list.
"""

from podgraft.go.reflect import ANY_SLICE, STRINGS, Kind, Slice, Value, slice_of, type_of
from podgraft.go.utf8 import encode
from podgraft.texttemplate.errors import FunctionError

from .cast import to_int
from .conversion import strslice, strval
from .deepcopy import SeenValues, deep_equal
from .defaults import empty
from .go_panics import LENGTH_OUT_OF_RANGE, SLICE_OUT_OF_BOUNDS, UNADDRESSABLE_ARRAY, kind_of
from .limits import check_element_count

_NIL_LIST = Slice(ANY_SLICE, None)
_LISTS = slice_of(ANY_SLICE)


def _elements(values: Value, complaint: str) -> list[Value]:
    """The elements of a slice or array; ``complaint`` goes before the kind of anything else."""
    if values.__class__ is list:
        return values
    kind = kind_of(values)
    if kind not in (Kind.SLICE, Kind.ARRAY):
        raise FunctionError(f"{complaint} {kind}")
    return [*values]


def list_(*values: Value) -> list[Value]:
    """The arguments as []interface {}."""
    return [*values]


def append(values: Value, value: Value) -> list[Value]:
    """A new list with one more element at its end."""
    return [*_elements(values, "Cannot push on type"), value]


def prepend(values: Value, value: Value) -> list[Value]:
    """A new list with one more element before the first."""
    return [value, *_elements(values, "Cannot prepend on type")]


def concat(*lists: Value) -> Value:
    """One list of all lists' elements; a nil one when there are none."""
    joined = [one for each in lists for one in _to_list(each)]
    check_element_count(len(joined))
    return joined or _NIL_LIST


def _to_list(values: Value) -> list[Value]:
    if kind_of(values) not in (Kind.SLICE, Kind.ARRAY):
        raise FunctionError(f"Cannot concat type {kind_of(values)} as list")
    return [*values]


def first(values: Value) -> Value:
    """The first element, nil of an empty list."""
    return next(iter(_elements(values, "Cannot find first on type")), None)


def last(values: Value) -> Value:
    """The last element, nil of an empty list."""
    found = _elements(values, "Cannot find last on type")
    return found[-1] if found else None


def rest(values: Value) -> Value:
    """All but the first; a nil list of an empty one."""
    found = _elements(values, "Cannot find rest on type")
    return found[1:] if found else _NIL_LIST


def initial(values: Value) -> Value:
    """All but the last; a nil list of an empty one."""
    found = _elements(values, "Cannot find initial on type")
    return found[:-1] if found else _NIL_LIST


def reverse(values: Value) -> list[Value]:
    """The elements from last to first."""
    return _elements(values, "Cannot find reverse on type")[::-1]


def compact(values: Value) -> list[Value]:
    """The elements that are not empty."""
    return [one for one in _elements(values, "Cannot compact on type") if not empty(one)]


def uniq(values: Value) -> list[Value]:
    """The elements without repetitions, by reflect.DeepEqual."""
    seen = SeenValues()
    return [one for one in _elements(values, "Cannot find uniq on type") if seen.add(one)]


def without(values: Value, *unwanted: Value) -> list[Value]:
    """The elements that equal none of the arguments."""
    dropped = SeenValues(unwanted)
    found = _elements(values, "Cannot find without on type")
    return [one for one in found if one not in dropped]


def has(needle: Value, values: Value) -> bool:
    """Whether an element equals ``needle``; nil has none."""
    if values is None:
        return False
    found = _elements(values, "Cannot find has on type")
    return any(deep_equal(needle, one) for one in found)


def slice_(values: Value, *indices: Value) -> Value:
    """``values[start:end]`` of the same type; nil of an empty list whatever the indices."""
    size = len(_elements(values, "list should be type of slice or array but"))
    if not size:
        return None
    if kind_of(values) is Kind.ARRAY:
        raise FunctionError(UNADDRESSABLE_ARRAY)
    start = to_int(indices[0]) if indices else 0
    end = to_int(indices[1]) if len(indices) > 1 else size
    if not 0 <= start <= end <= size:
        raise FunctionError(SLICE_OUT_OF_BOUNDS)
    if isinstance(values, Slice):
        return Slice(values.type, (values.raw or [])[start:end])
    return values[start:end]


def chunk(size: int, values: Value) -> Slice:
    """[][]interface {} of lists of ``size`` elements, the last perhaps shorter.

    Sizes below 1 fail as the Go arithmetic does, which for some is not at all.
    """
    found = _elements(values, "Cannot chunk type")
    chunks = (len(found) - 1) // size + 1 if size else -1
    if chunks < 0 or (size < 0 < chunks and len(found) % size == 0):
        raise FunctionError(LENGTH_OUT_OF_RANGE)
    width = max(size, 1)
    return Slice(_LISTS, [found[at * width : (at + 1) * width] for at in range(chunks)])


def sort_alpha(values: Value) -> Slice:
    """The elements as text, sorted by their bytes; anything else as a list of its text.

    A []string itself is sorted, as in Go; what it is a view of is not.
    """
    type_ = type_of(values)
    texts = sorted(strslice(values) if type_ else [strval(values)], key=encode)
    if type_ is not STRINGS:
        return Slice(STRINGS, texts)
    if values:
        values.raw = texts
    return values
