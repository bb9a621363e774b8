"""Values with text of a pod in them: finding it, and copies without it or with its twins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from .taint import TAINTED, Place, Slots, Tainted, TaintedFloat, TaintedInt, TaintedText
from .types import GoType, Value
from .values import FLOAT64, INT, STRING, Map, Pointer, Slice, Struct, type_of


def tainted_in(values: Iterable[Value]) -> Iterator[Tainted]:
    """All tainted values in the values, keys of maps included."""
    return (each for each in _walk(values) if each.__class__ in TAINTED)


def _leaves(values: Iterable[Value]) -> Iterator[Value]:
    return (each for each in _walk(values) if each.__class__ not in TAINTED)


def _walk(values: Iterable[Value]) -> Iterator[Value]:
    """All that is no container; a container that contains itself is walked once."""
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


def texts_in(values: Iterable[Value]) -> set[str]:
    """All strings in the values that are not tainted."""
    return {str(each) for each in _leaves(values) if isinstance(each, str)}


def text_of(value: Value, show: Callable[[Value], str]) -> str:
    """A string as it is; ``show`` of anything else, which is derived from what is in it."""
    if type_of(value) is STRING:
        return value
    for found in tainted_in((value,)):
        return found.slots.text(show(real(value)), found.sources)
    return show(value)


def real(value: Value) -> Value:
    """The value as it is without taint."""
    return _Copy(_real).of(value)


def masked(value: Value) -> Value:
    """The twin of a value."""
    return _Copy(_twin).of(value)


def bare(value: Value) -> Value:
    """A tainted value without its taint; any other as it is."""
    return _real(value) if value.__class__ in TAINTED else value


def retyped(value: Value, type_: GoType) -> Value:
    """A tainted value that becomes one of another type."""
    if value.__class__ is TaintedText:
        return value.slots.with_twin(str(value), value.twin, value.sources, type_)
    return value.slots.number(_real(value), value.sources, type_)


def tainted_json(slots: Slots, value: Value, place: Place = None) -> Value:
    """A copy of JSON that the pod's author wrote, with taint on all its strings and numbers.

    Keys get their tokens in their own order, so that sorted twins are in the order of the keys.
    """
    class_ = value.__class__
    if class_ is str:
        return slots.root(value, place)
    if class_ is dict:
        keys = {key: slots.root(key, (place, key)) for key in sorted(value, key=_bytes)}
        return {keys[key]: tainted_json(slots, value[key], (place, key)) for key in value}
    if class_ is list:
        return [tainted_json(slots, each, (place, at)) for at, each in enumerate(value)]
    if value is None or class_ is bool:
        return value
    return _tainted(slots, value, slots.source(str(value), place))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def carrying(convert: Callable[[Value], Value]) -> Callable[[Value], Value]:
    """A conversion of text, the result of which is derived from the pod if the text is."""

    def converted(raw: Value) -> Value:
        if raw.__class__ is TaintedText or raw.__class__ is dict:
            for found in tainted_in((raw,)):
                return taint(found.slots, convert(real(raw)), found.sources)
        return convert(raw)

    return converted


def taint(slots: Slots, value: Value, sources: tuple[int, ...]) -> Value:
    """The value with a token for each text and number in it that has none; true and false carry
    no text.
    """

    def leaf(each: Value) -> Value:
        return _tainted(slots, each, sources)

    return _Copy(leaf, deep=True).of(value)


def _tainted(slots: Slots, value: Value, sources: tuple[int, ...]) -> Value:
    class_ = value.__class__
    if class_ in TAINTED:
        return value
    if isinstance(value, str):
        type_ = type_of(value) or STRING
        return slots.text(str(value), sources, type_) if value else value
    if isinstance(value, int | float) and class_ is not bool:
        return slots.number(value, sources, type_of(value) or INT)
    return value


def _real(value: Value) -> Value:
    plain = _PLAIN.get(value.__class__)
    if plain is None:
        return value
    return plain(value) if value.type in _BASIC else value.type.convert(plain(value))


def _twin(value: Value) -> Value:
    if value.__class__ not in TAINTED:
        return value
    if value.type in _BASIC or value.__class__ is not TaintedText:
        return value.twin
    return value.type.convert(value.twin)


_BASIC = (STRING, INT, FLOAT64)
_PLAIN: dict[type, Callable[[Value], Value]] = {
    TaintedText: str,
    TaintedInt: int,
    TaintedFloat: float,
}


class _Copy:
    """One walk over a value, which copies the containers that hold something else afterwards.

    With ``deep`` all containers are copied; else those with taint in them.
    """

    def __init__(self, leaf: Callable[[Value], Value], *, deep: bool = False) -> None:
        self._leaf = leaf
        self._deep = deep
        self._copies: dict[int, Value] = {}

    def of(self, value: Value) -> Value:
        class_ = value.__class__
        if class_ not in _CONTAINERS:
            return self._leaf(value)
        copy = self._copies.get(id(value))
        if copy is not None:
            return copy
        if not self._deep and next(tainted_in((value,)), None) is None:
            return value
        return self._container(value)

    def _container(self, value: Value) -> Value:
        """A copy, which is known before it is filled: a container can contain itself."""
        class_ = value.__class__
        copy: Value
        if class_ is dict:
            copy = self._copies[id(value)] = {}
            copy.update((self._key(key), self.of(each)) for key, each in value.items())
        elif class_ is list:
            copy = self._copies[id(value)] = []
            copy.extend(map(self.of, value))
        elif class_ is Pointer:
            copy = self._copies[id(value)] = Pointer(value.type, None)
            copy.target = self.of(value.target)
        else:
            copy = self._copies[id(value)] = class_(value.type, None)
            if class_ is Struct:
                copy.addressable = value.addressable
            copy.raw = self.of([*value.raw] if value.raw.__class__ is tuple else value.raw)
        return copy

    def _key(self, key: Value) -> Value:
        return self._leaf(key) if isinstance(key, str) else key


def _members(value: dict[Value, Value]) -> Sequence[Value]:
    return [*value.keys(), *value.values()]


def _raw(value: Value) -> Sequence[Value]:
    raw = value.raw
    if raw.__class__ in _CONTAINERS or raw.__class__ in TAINTED:
        return (raw,)
    return raw if raw.__class__ is tuple else ()


def _target(value: Pointer) -> Sequence[Value]:
    return (value.target,)


_CONTAINERS: dict[type, Any] = {
    dict: _members,
    list: list,
    Map: _raw,
    Slice: _raw,
    Struct: _raw,
    Pointer: _target,
}
