"""Tainted values inside other values: find, remove, mask, and add taint."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from .taint import (
    TAINTED,
    Address,
    PlaceholderRegistry,
    Tainted,
    TaintedFloat,
    TaintedInt,
    TaintedText,
)
from .types import GoType, Value
from .values import FLOAT64, INT, STRING, Map, Pointer, Slice, Struct, type_of


def find_tainted(values: Iterable[Value]) -> Iterator[Tainted]:
    """All tainted values in the values, including the keys of maps."""
    return (value for value in _walk(values) if value.__class__ in TAINTED)


def _walk(values: Iterable[Value]) -> Iterator[Value]:
    """All values that are not containers; visits a recursive container once."""
    stack = [*values]
    visited: set[int] = set()
    while stack:
        value = stack.pop()
        members = _CONTAINERS.get(value.__class__)
        if members is None:
            yield value
        elif id(value) not in visited:
            visited.add(id(value))
            stack.extend(members(value))


def find_plain_strings(values: Iterable[Value]) -> set[str]:
    """All strings in the values that are not tainted."""
    leaves = (value for value in _walk(values) if value.__class__ not in TAINTED)
    return {str(value) for value in leaves if isinstance(value, str)}


def to_text(value: Value, show: Callable[[Value], str]) -> str:
    """Return a string unchanged, and ``show`` of any other value with the taint of its content."""
    if type_of(value) is STRING:
        return value
    for tainted in find_tainted((value,)):
        return tainted.registry.make_text(show(remove_taint(value)), tainted.sources)
    return show(value)


def remove_taint(value: Value) -> Value:
    """Return a copy of the value without taint."""
    return _Copy(_unwrap_leaf).copy_value(value)


def mask(value: Value) -> Value:
    """Return a copy of the value with placeholders instead of tainted text."""
    return _Copy(_mask_leaf).copy_value(value)


def mask_differently(value: Value) -> Value:
    """Return a copy of the value with other texts than those of ``mask`` for tainted text."""
    return _Copy(_mask_leaf_differently).copy_value(value)


def unwrap_tainted(value: Value) -> Value:
    """Return a tainted value without its taint, and any other value unchanged."""
    return _unwrap_leaf(value) if value.__class__ in TAINTED else value


def convert_tainted(value: Value, type_: GoType) -> Value:
    """Convert a tainted value to another type."""
    if value.__class__ is TaintedText:
        return value.registry.make_masked_text(str(value), value.masked_value, value.sources, type_)
    return value.registry.make_number(_unwrap_leaf(value), value.sources, type_)


def taint_json(registry: PlaceholderRegistry, value: Value, address: Address = None) -> Value:
    """Return a copy of the pod author's JSON with taint on all strings and numbers.

    The placeholders of keys are in the order of the keys, so masked keys sort in the same order.
    """
    class_ = value.__class__
    if class_ is str:
        return registry.taint_string(value, address)
    if class_ is dict:
        keys = {
            key: registry.taint_string(key, (address, key)) for key in sorted(value, key=_bytes)
        }
        return {keys[key]: taint_json(registry, value[key], (address, key)) for key in value}
    if class_ is list:
        return [taint_json(registry, each, (address, index)) for index, each in enumerate(value)]
    if value is None or class_ is bool:
        return value
    return _taint_leaf(registry, value, registry.add_source(str(value), address))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def propagate_taint(convert: Callable[[Value], Value]) -> Callable[[Value], Value]:
    """Wrap a conversion, so a tainted argument taints the result."""

    def convert_with_taint(raw: Value) -> Value:
        if raw.__class__ in TAINTED or raw.__class__ in (dict, list):
            for tainted in find_tainted((raw,)):
                return taint(tainted.registry, convert(remove_taint(raw)), tainted.sources)
        return convert(raw)

    return convert_with_taint


def taint(registry: PlaceholderRegistry, value: Value, sources: tuple[int, ...]) -> Value:
    """Return a copy of the value with taint on each string and number; booleans carry no taint."""

    def leaf(each: Value) -> Value:
        return _taint_leaf(registry, each, sources)

    return _Copy(leaf, deep=True).copy_value(value)


def _taint_leaf(registry: PlaceholderRegistry, value: Value, sources: tuple[int, ...]) -> Value:
    class_ = value.__class__
    if class_ in TAINTED:
        return value
    if isinstance(value, str):
        type_ = type_of(value) or STRING
        return registry.make_text(str(value), sources, type_) if value else value
    if isinstance(value, int | float) and class_ is not bool:
        return registry.make_number(value, sources, type_of(value) or INT)
    return value


def _unwrap_leaf(value: Value) -> Value:
    convert = _PLAIN.get(value.__class__)
    if convert is None:
        return value
    return convert(value) if value.type in _BASIC else value.type.convert(convert(value))


def _mask_leaf(value: Value) -> Value:
    if value.__class__ not in TAINTED:
        return value
    if value.type in _BASIC or value.__class__ is not TaintedText:
        return value.masked_value
    return value.type.convert(value.masked_value)


def _mask_leaf_differently(value: Value) -> Value:
    masked = _mask_leaf(value)
    if value.__class__ is not TaintedText:
        return masked + 1 if value.__class__ in TAINTED else masked
    changed = value.registry.change_placeholders(value.masked_value)
    return changed if value.type in _BASIC else value.type.convert(changed)


_BASIC = (STRING, INT, FLOAT64)
_PLAIN: dict[type, Callable[[Value], Value]] = {
    TaintedText: str,
    TaintedInt: int,
    TaintedFloat: float,
}


class _Copy:
    """One walk over a value, which copies the containers that change.

    With ``deep``, all containers are copied; otherwise, only containers with tainted values.
    """

    def __init__(self, leaf: Callable[[Value], Value], *, deep: bool = False) -> None:
        self._leaf = leaf
        self._deep = deep
        self._copies: dict[int, Value] = {}

    def copy_value(self, value: Value) -> Value:
        class_ = value.__class__
        if class_ not in _CONTAINERS:
            return self._leaf(value)
        copy = self._copies.get(id(value))
        if copy is not None:
            return copy
        if not self._deep and next(find_tainted((value,)), None) is None:
            return value
        return self._container(value)

    def _container(self, value: Value) -> Value:
        """Copy a container. It is cached before it is filled, because it can contain itself."""
        class_ = value.__class__
        copy: Value
        if class_ is dict:
            copy = self._copies[id(value)] = {}
            copy.update((self._key(key), self.copy_value(member)) for key, member in value.items())
        elif class_ is list:
            copy = self._copies[id(value)] = []
            copy.extend(map(self.copy_value, value))
        elif class_ is Pointer:
            copy = self._copies[id(value)] = Pointer(value.type, None)
            copy.target = self.copy_value(value.target)
        elif class_ in _COPIERS:
            copy = self._copies[id(value)] = _COPIERS[class_](value, self.copy_value)
        else:
            copy = self._copies[id(value)] = class_(value.type, None)
            if class_ is Struct:
                copy.addressable = value.addressable
            copy.raw = self.copy_value([*value.raw] if value.raw.__class__ is tuple else value.raw)
        return copy

    def _key(self, key: Value) -> Value:
        return self._leaf(key) if isinstance(key, str) else key


def register_container(
    class_: type,
    members: Callable[[Any], Sequence[Value]],
    copy: Callable[[Any, Callable[[Value], Value]], Value],
) -> None:
    """Find taint in the members of a class that is no class of reflection.

    Without it, a value of the class is a leaf that carries no taint. ``copy`` returns a copy with
    copied members.
    """
    _CONTAINERS[class_] = members
    _COPIERS[class_] = copy


def _members(value: dict[Value, Value]) -> Sequence[Value]:
    return [*value.keys(), *value.values()]


def _raw(value: Value) -> Sequence[Value]:
    raw = value.raw
    if raw.__class__ in _CONTAINERS or raw.__class__ in TAINTED:
        return (raw,)
    return raw if raw.__class__ is tuple else ()


def _target(value: Pointer) -> Sequence[Value]:
    return (value.target,)


_COPIERS: dict[type, Callable[[Any, Callable[[Value], Value]], Value]] = {}
_CONTAINERS: dict[type, Any] = {
    dict: _members,
    list: list,
    Map: _raw,
    Slice: _raw,
    Struct: _raw,
    Pointer: _target,
}
