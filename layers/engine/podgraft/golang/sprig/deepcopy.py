"""Deep equality and deep copies, as reflect.DeepEqual and copystructure."""

from collections.abc import Iterable
from functools import cache

from podgraft.golang.errors import FunctionError
from podgraft.golang.reflect import (
    Bool,
    GoType,
    Map,
    Pointer,
    Slice,
    Struct,
    Value,
    is_nil,
    type_of,
)
from podgraft.golang.time import TIME


def deep_equal(left: Value, right: Value) -> bool:
    """reflect.DeepEqual: the same type and the same content; nil and empty differ."""
    if type_of(left) is not type_of(right):
        return False
    match left, right:
        case (dict() | Map(), dict() | Map()):
            return left is right or _equal_maps(left, right)
        case (list() | Slice(), list() | Slice()):
            return left is right or _equal_lists(left, right)
        case Struct(), Struct():
            return _equal_structs(left, right)
        case Pointer(), Pointer():
            return left.target is right.target or deep_equal(left.target, right.target)
        case Bool(), Bool():
            return left.value == right.value
        case _:
            return left == right


def _equal_maps(left: Value, right: Value) -> bool:
    if is_nil(left) != is_nil(right) or len(left) != len(right):
        return False
    return all(
        key in right and deep_equal(element, right.get(key)) for key, element in left.items()
    )


def _equal_lists(left: Value, right: Value) -> bool:
    if is_nil(left) != is_nil(right) or len(left) != len(right):
        return False
    return all(map(deep_equal, left, right))


def _equal_structs(left: Struct, right: Struct) -> bool:
    """Compare the fields of the type; types without visible fields (time.Time) by their content."""
    if not left.type.fields:
        return left.raw == right.raw
    return all(deep_equal(left.get(field), right.get(field)) for field in left.type.fields)


class SeenValues:
    """A set of values by reflect.DeepEqual; scalars need no search."""

    def __init__(self, values: Iterable[Value] = ()) -> None:
        self._scalars: set[tuple[GoType | None, Value]] = set()
        self._others: list[Value] = []
        for value in values:
            self.add(value)

    def __contains__(self, value: Value) -> bool:
        if _is_scalar(value):
            return value == value and (type_of(value), value) in self._scalars  # noqa: PLR0124
        return any(deep_equal(value, other) for other in self._others)

    def add(self, value: Value) -> bool:
        """Add a value. Return whether it is new."""
        if value in self:
            return False
        if _is_scalar(value):
            self._scalars.add((type_of(value), value))
        else:
            self._others.append(value)
        return True


def _is_scalar(value: Value) -> bool:
    return isinstance(value, str | int | float | complex)


def copy(value: Value) -> Value:
    """copystructure.Copy, which fails for nil."""
    if value is None:
        raise FunctionError("reflect: call of reflect.Value.Type on zero Value")
    return deep_copy(value)


def deep_copy(value: Value) -> Value:
    """Return a copy that shares no map or list with the original.

    Private fields keep their zero value, so the copy of a version is 0.0.0, and that of a quantity
    is 0; only time.Time has a special copier.
    """
    if value.__class__ is dict:
        return {key: deep_copy(element) for key, element in value.items()}
    if value.__class__ is list:
        return [*map(deep_copy, value)]
    match value:
        case Map() if value.raw and value.type.elem and _has_private_fields(value.type.elem):
            return Map(value.type, {key: deep_copy(element) for key, element in value.items()})
        case Slice() if value.raw and value.type.elem and _has_private_fields(value.type.elem):
            return Slice(value.type, [*map(deep_copy, value)])
        case Map() | Slice():
            return value.__class__(value.type, deep_copy(value.raw))
        case Struct() if not value.type.fields and value.type is not TIME:
            return value.type.convert(None)
        case Struct() if _has_private_fields(value.type):
            return Struct(value.type, _copy_fields(value), addressable=value.addressable)
        case Struct():
            return Struct(value.type, deep_copy(value.raw), addressable=value.addressable)
        case Pointer():
            return Pointer(value.type, deep_copy(value.target))
        case _:
            return value


def _copy_fields(value: Struct) -> dict[str, Value]:
    """The raw value of a copied struct, with the exported fields only."""
    raw: dict[str, Value] = {}
    for field in value.type.fields:
        if field.inline:
            raw |= deep_copy(value.get(field)).raw
        elif field.name[:1].isupper() and value.raw.get(field.json) is not None:
            raw[field.json] = deep_copy(value.get(field))
    return raw


@cache
def _has_private_fields(type_: GoType) -> bool:
    """Whether values of the type can contain a struct with private fields other than time.Time."""
    visited = {TIME}
    remaining: list[GoType | None] = [type_]
    while remaining:
        each = remaining.pop()
        if each is None or each in visited:
            continue
        visited.add(each)
        if any(field.name[:1].islower() for field in each.fields):
            return True
        remaining += [each.elem, *(field.type for field in each.fields)]
    return False
