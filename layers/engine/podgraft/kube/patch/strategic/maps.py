"""Maps: merge each member of the patch into the target, and apply the directives.

Mirrors ``mergeMap`` of strategicpatch/patch.go, but copies the maps.
"""

from podgraft.base.jsonvalue import JSON, Object
from podgraft.golang.reflect import Field, GoType

from . import order
from .errors import (
    GO_LIST,
    MergeError,
    invalid_directive_error,
    unexpected_type_error,
    unknown_directive_error,
)
from .lists import contains_objects, delete_scalars, identity_key, merge_lists
from .schema import PATCH, element_type, field_of, is_directive, strategy_of, strip_directives

_RETAIN_KEYS = "$retainKeys"
_DELETE_FROM = "$deleteFromPrimitiveList"


def merge(target: JSON, patch: JSON, type_: GoType) -> JSON:
    """Merge ``patch`` into ``target``, an object of the struct ``type_``.

    Raises ``MergeError`` if apimachinery fails. Does not change its arguments.
    """
    target = {} if target is None else target
    patch = {} if patch is None else patch
    if not isinstance(target, dict) or not isinstance(patch, dict):
        raise MergeError("target and patch must be objects", "invalid JSON document")
    return _merge_objects(target, patch, type_)


def _merge_objects(original: Object, patch: Object, type_: GoType) -> Object:
    if PATCH in patch:
        return _apply_patch_directive(patch)
    merged = dict(original)
    members = patch
    if "$" in "".join(patch):  # can be a directive
        members = _apply_directives(merged, patch, type_)
    for key, value in members.items():
        if type(value) is str:  # the most frequent type, which replaces any value
            merged[key] = value
            continue
        try:
            _merge_member(merged, key, value, type_)
        except MergeError as error:
            raise error.with_prefix(key) from error
    return merged


def _apply_patch_directive(patch: Object) -> Object:
    match patch[PATCH]:
        case "replace":
            return {key: value for key, value in patch.items() if key != PATCH}
        case "delete":
            return {}
        case directive:
            raise unknown_directive_error(directive, patch)


def _merge_member(merged: Object, key: str, value: JSON, type_: GoType) -> None:
    match merged.get(key), value:
        case _, None:
            merged.pop(key, None)
        case dict() as old, dict():
            field = field_of(type_, key)
            if strategy_of(field) == "replace":
                merged[key] = value
            else:
                merged[key] = _merge_objects(old, value, field.type)
        case list() as old, list():
            merged[key] = _merge_list(old, value, type_, key)
        case _, dict() | list():
            _set_from_patch(merged, key, value)
        case _:
            merged[key] = value


def _merge_list(old: list[JSON], new: list[JSON], type_: GoType, key: str) -> list[JSON]:
    field = field_of(type_, key)
    elements = element_type(type_, field)
    if strategy_of(field) != "merge":
        return new
    return _merge_elements(old, new, field, elements)


def _merge_elements(old: list[JSON], new: list[JSON], field: Field, elements: GoType) -> list[JSON]:
    def merge_pair(live: Object, patch: Object) -> Object:
        return _merge_objects(live, patch, elements)

    return merge_lists(old, new, elements, field.merge_key, merge_pair)


def _set_from_patch(merged: Object, key: str, value: dict[str, JSON] | list[JSON]) -> None:
    """Set a value that the target does not have, or has with another type."""
    if is_directive(value):
        merged.pop(key, None)
    else:
        merged[key] = strip_directives(value)


def _apply_directives(merged: Object, patch: Object, type_: GoType) -> Object:
    """Apply the directives in ``patch`` to ``merged``. Return the rest of the patch."""
    if _RETAIN_KEYS in patch:
        _retain_keys(merged, patch)
    members = {key: value for key, value in patch.items() if key != _RETAIN_KEYS}
    for prefix, carry_out in (
        (order.DIRECTIVE, _apply_element_order),
        (_DELETE_FROM, _delete_primitives),
    ):
        for key in sorted(key for key in members if key.startswith(prefix)):
            try:
                carry_out(merged, members, key, type_)
            except MergeError as error:
                raise error.with_prefix(key) from error
    return members


def _retain_keys(merged: Object, patch: Object) -> None:
    """Delete the keys that ``$retainKeys`` does not list; it must list all keys of the patch."""
    retained = patch[_RETAIN_KEYS]
    if not isinstance(retained, list):
        raise invalid_directive_error(_RETAIN_KEYS, "retainKeys")
    names = {identity_key(name) for name in retained}
    for key, value in patch.items():
        directive = key.startswith((_DELETE_FROM, order.DIRECTIVE)) or key == _RETAIN_KEYS
        if value is not None and not directive and key not in names:
            raise invalid_directive_error(_RETAIN_KEYS, "retainKeys").with_prefix(key)
    for key in [key for key in merged if key not in names]:
        del merged[key]


def _apply_element_order(merged: Object, members: Object, directive: str, type_: GoType) -> None:
    """Apply one ``$setElementOrder/NAME``, which also merges the list NAME."""
    element_order = _list(members.pop(directive))
    name = _list_name(directive, order.DIRECTIVE, "setElementOrder list")
    live = _list(merged[name]) if name in merged else None
    patch = _list(members[name]) if name in members else None
    field = field_of(type_, name)
    elements, merges = element_type(type_, field), strategy_of(field) == "merge"
    ordering = order.ElementOrder(
        order=element_order, live=live, patch=patch, key=field.merge_key, is_merged=merges
    )
    order.validate(ordering)
    if live is None and patch is None:
        return
    if live is None:
        combined = _list(strip_directives(patch, keep_nulls=True))
    elif patch is None:
        combined = live
    else:
        combined = _merge_elements(live, patch, field, elements) if merges else patch
    merged[name] = order.arrange(ordering, combined)
    members.pop(name, None)


def _delete_primitives(merged: Object, members: Object, directive: str, type_: GoType) -> None:
    """Apply one ``$deleteFromPrimitiveList/NAME``.

    As in Go, null deletes the complete list, two lists of objects merge, and other values of one
    type merge as if the directive were the plain name.
    """
    value = members.pop(directive)
    name = _list_name(directive, _DELETE_FROM, "primitive list") or directive
    match merged.get(name), value:
        case list() as live, list():
            field = field_of(type_, name)
            elements, _ = element_type(type_, field), strategy_of(field)
            if (live or value) and not contains_objects(live, value):
                merged[name] = delete_scalars(live, value)
            else:
                merged[name] = _merge_elements(live, value, field, elements)
        case old, _ if value is None or type(old) is type(value):
            _merge_member(merged, name, value, type_)
        case _:
            pass


def _list_name(directive: str, prefix: str, go_name: str) -> str:
    """``NAME`` of ``$directive/NAME``."""
    head, slash, name = directive.partition("/")
    if head != prefix or not slash:
        raise invalid_directive_error(prefix, go_name)
    return name


def _list(value: JSON) -> list[JSON]:
    if not isinstance(value, list):
        raise unexpected_type_error(GO_LIST, value)
    return value
