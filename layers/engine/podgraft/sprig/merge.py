"""merge and mergeOverwrite: mergo 1.0.1 on maps, as sprig calls it.

The target changes in place, nested maps too, and takes over the source's values without a copy, as
in Go. Two exceptions keep the data under views from changing: a map of another type than sprig's
dicts gets new content instead of changed content, and what a pointer points to stays as it is.
"""

from typing import TypeAlias

from podgraft.go.reflect import (
    ANY,
    ANY_MAP,
    GoType,
    Kind,
    Map,
    Pointer,
    Slice,
    Struct,
    Value,
    type_of,
)
from podgraft.texttemplate.errors import FunctionError

from .go_panics import kind_of

# A dict or a Map.
_AnyMap: TypeAlias = Value

_NILABLE = (Kind.INTERFACE, Kind.MAP, Kind.SLICE)
_DIFFERENT_TYPES = "src and dst must be of same type"


class _DifferentTypesError(FunctionError):
    """mergo.ErrDifferentArgumentsTypes, the one error that merge swallows."""


def must_merge(target: Value, *sources: Value) -> Value:
    """The target with what it lacks, or has empty, taken from each source in turn."""
    return _merge_sources(target, sources, overwrite=False)


def merge(target: Value, *sources: Value) -> Value:
    """``mustMerge``, but the empty string for types that differ; the target is half merged then."""
    try:
        return _merge_sources(target, sources, overwrite=False)
    except _DifferentTypesError:
        return ""


def merge_overwrite(target: Value, *sources: Value) -> Value:
    """The target with everything taken that each source in turn has."""
    return _merge_sources(target, sources, overwrite=True)


def _merge_sources(target: Value, sources: tuple[Value, ...], *, overwrite: bool) -> Value:
    for source in sources:
        if source.__class__ is dict:
            if target.__class__ is not dict:
                target = dict[str, Value]()
            _fill(target, source, overwrite=overwrite)
    return target


def _is_map(value: Value) -> bool:
    return value.__class__ in (dict, Map)


def _type(value: _AnyMap) -> GoType:
    return ANY_MAP if value.__class__ is dict else value.type


def _fill(target: _AnyMap, source: Value, *, overwrite: bool) -> None:
    """DeepMerge of mergo into a map; a nil one, and what is no map, is left alone."""
    if kind_of(source) is not Kind.MAP or (target.__class__ is Map and target.raw is None):
        return
    wanted, given = _type(target).key, _type(source).key
    if wanted is not given and source:
        raise _not_assignable("MapIndex", given, wanted)
    element = _type(source).elem or ANY
    for key, item in [*source.items()]:
        if element.kind in _NILABLE and _is_nil(item, element):
            if overwrite:
                _store(target, key, item, element)
        else:
            _fill_entry(target, key, item, element, overwrite=overwrite)


def _fill_entry(
    target: _AnyMap, key: Value, item: Value, element: GoType, *, overwrite: bool
) -> None:
    """One entry that is not nil; ``element`` is the type of the source's elements.

    >>> target = {"a": "", "b": [1], "c": {"x": 1}}
    >>> merge(target, {"a": 1, "b": [2], "c": {"x": 2, "y": 2}})
    {'a': 1, 'b': [1], 'c': {'x': 1, 'y': 2}}
    """
    kind = kind_of(item)
    known = key in target
    present = target.get(key)
    if kind is Kind.SLICE:
        _check_nilable(target, known=known)
        if overwrite:
            _store(target, key, item, type_of(item))
    elif kind in (Kind.MAP, Kind.STRUCT, Kind.POINTER) and known:
        _fill_value(present, item, overwrite=overwrite)
    merged = kind is Kind.SLICE or (kind is Kind.MAP and _is_map(present))
    replaces = overwrite and not merged and element.kind is not Kind.POINTER
    if not known or replaces or _is_empty(present):
        _store(target, key, item, element)


def _fill_value(present: Value, item: Value, *, overwrite: bool) -> None:
    """Merge into a value that is there; what cannot change in place stays."""
    if _is_map(present):
        _fill(present, item, overwrite=overwrite)
    match present:
        case Pointer():
            if not isinstance(item, Pointer) and present and not overwrite:
                raise _DifferentTypesError(_DIFFERENT_TYPES)
        case Struct():
            if not isinstance(item, Struct) and present.type.fields:
                raise FunctionError(
                    f"reflect: call of reflect.Value.Field on {kind_of(item)} Value"
                )
        case _:
            pass


def _store(target: _AnyMap, key: Value, item: Value, given: GoType | None) -> None:
    """Set an entry; a map that is a view gets new raw content."""
    if target.__class__ is dict:
        target[key] = item
        return
    wanted = target.type.elem
    if wanted is not given and wanted is not ANY:
        raise _not_assignable("SetMapIndex", given, wanted)
    target.raw = {**(target.raw or {}), key: item}


def _check_nilable(target: _AnyMap, *, known: bool) -> None:
    """Fail where mergo asks whether an element is nil whose kind has no nil."""
    element = _type(target).elem or ANY
    if known and element.kind not in (*_NILABLE, Kind.POINTER):
        raise FunctionError(f"reflect: call of reflect.Value.IsNil on {element.kind} Value")


def _not_assignable(method: str, given: GoType | None, wanted: GoType | None) -> FunctionError:
    return FunctionError(
        f"reflect.Value.{method}: value of type {given} is not assignable to type {wanted}"
    )


def _is_nil(value: Value, static: GoType) -> bool:
    """Whether an element is nil; a nil slice in an interface {} is none."""
    if static.kind is Kind.INTERFACE:
        return value is None
    return isinstance(value, Map | Slice) and value.raw is None


def _is_empty(value: Value) -> bool:
    """As mergo's isEmptyValue: pointers by what they point to, complex numbers never."""
    while isinstance(value, Pointer) and value.target is not None:
        value = value.target
    return not value and not isinstance(value, complex)
