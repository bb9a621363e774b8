"""merge and mergeOverwrite: mergo 1.0.1 on maps, as in sprig.

As in Go, the target and its nested maps change in place, and the target shares the values of the
sources. Two exceptions protect the data below views: a map of a type other than sprig's dict gets
new content, and the target of a pointer does not change.
"""

from typing import TypeAlias

from podgraft.golang.errors import FunctionError
from podgraft.golang.reflect import (
    ANY,
    ANY_MAP,
    GoType,
    Kind,
    Map,
    Pointer,
    Struct,
    Value,
    dereference,
    is_nil,
    type_of,
)

from .failures import kind_of

# A dict or a Map.
_AnyMap: TypeAlias = Value

_NILABLE = (Kind.INTERFACE, Kind.MAP, Kind.SLICE)


class _DifferentTypesError(FunctionError):
    """mergo.ErrDifferentArgumentsTypes, the only error that merge ignores."""


def must_merge(target: Value, *sources: Value) -> Value:
    """Fill missing and empty entries of the target from each source, in order."""
    return _merge_sources(target, sources, overwrite=False)


def merge(target: Value, *sources: Value) -> Value:
    """``mustMerge``, or an empty string if the types differ; the target is then partly merged."""
    try:
        return _merge_sources(target, sources, overwrite=False)
    except _DifferentTypesError:
        return ""


def merge_overwrite(target: Value, *sources: Value) -> Value:
    """Overwrite the entries of the target from each source, in order."""
    return _merge_sources(target, sources, overwrite=True)


def _merge_sources(target: Value, sources: tuple[Value, ...], *, overwrite: bool) -> Value:
    for source in sources:
        if source.__class__ is dict:
            if target.__class__ is not dict:
                target = dict[str, Value]()
            _fill(target, source, overwrite=overwrite)
    return target


def _type(value: _AnyMap) -> GoType:
    return ANY_MAP if value.__class__ is dict else value.type


def _fill(target: _AnyMap, source: Value, *, overwrite: bool) -> None:
    """Merge into a map (deepMerge of mergo); a nil map does not change."""
    if kind_of(source) is not Kind.MAP or (target.__class__ is Map and target.raw is None):
        return
    target_type, source_type = _type(target).key, _type(source).key
    if target_type is not source_type and source:
        raise _not_assignable("MapIndex", source_type, target_type)
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
    """Merge one entry that is not nil; ``element`` is the type of the source's elements.

    >>> target = {"a": "", "b": [1], "c": {"x": 1}}
    >>> merge(target, {"a": 1, "b": [2], "c": {"x": 2, "y": 2}})
    {'a': 1, 'b': [1], 'c': {'x': 1, 'y': 2}}
    """
    kind = kind_of(item)
    is_present = key in target
    present = target.get(key)
    if kind is Kind.SLICE:
        _check_nilable(target, is_present=is_present)
        if overwrite:
            _store(target, key, item, type_of(item))
    elif kind in (Kind.MAP, Kind.STRUCT, Kind.POINTER) and is_present:
        _fill_value(present, item, overwrite=overwrite)
    merged = kind is Kind.SLICE or (kind is Kind.MAP and isinstance(present, dict | Map))
    replaces = overwrite and not merged and element.kind is not Kind.POINTER
    if not is_present or replaces or _is_empty(present):
        _store(target, key, item, element)


def _fill_value(present: Value, item: Value, *, overwrite: bool) -> None:
    """Merge into an existing value, if the value can change in place."""
    match present:
        case dict() | Map():
            _fill(present, item, overwrite=overwrite)
        case Pointer():
            if not isinstance(item, Pointer) and present and not overwrite:
                raise _DifferentTypesError("src and dst must be of same type")
        case Struct():
            if not isinstance(item, Struct) and present.type.fields:
                raise FunctionError(
                    f"reflect: call of reflect.Value.Field on {kind_of(item)} Value"
                )
        case _:
            pass


def _store(target: _AnyMap, key: Value, item: Value, source_type: GoType | None) -> None:
    """Set an entry; a view gets new raw content."""
    if target.__class__ is dict:
        target[key] = item
        return
    target_type = target.type.elem
    if target_type is not source_type and target_type is not ANY:
        raise _not_assignable("SetMapIndex", source_type, target_type)
    target.raw = {**(target.raw or {}), key: item}


def _check_nilable(target: _AnyMap, *, is_present: bool) -> None:
    """Fail if mergo calls IsNil on an element of a kind without nil."""
    element = _type(target).elem or ANY
    if is_present and element.kind not in (*_NILABLE, Kind.POINTER):
        raise FunctionError(f"reflect: call of reflect.Value.IsNil on {element.kind} Value")


def _not_assignable(
    method: str, source_type: GoType | None, target_type: GoType | None
) -> FunctionError:
    return FunctionError(
        f"reflect.Value.{method}: value of type {source_type} "
        f"is not assignable to type {target_type}"
    )


def _is_nil(value: Value, static: GoType) -> bool:
    """Whether an element is nil; a nil slice in an interface {} is not."""
    if static.kind is Kind.INTERFACE:
        return value is None
    return is_nil(value)


def _is_empty(value: Value) -> bool:
    """Whether a value is empty (isEmptyValue of mergo); a complex number is never empty."""
    value = dereference(value)
    return not value and not isinstance(value, complex)
