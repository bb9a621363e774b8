"""Partial objects: what a template renders, in the terms of strategic merge.

A template can write three things that strategic merge does not have:

- An element with ``"*"`` as its merge key matches each element of the object that the list does
  not name. Its other fields are merged into each of them, and its position sets the order. In
  ``$setElementOrder``, it sets only the order.
- Of the fields in ``setIfAbsent``, what the object has stays: an element by its merge key, a key of
  a map, or else the complete value. Kyverno's ``+(env)`` adds to no container that has a variable,
  so the test is for each element.
- A list that merges and has no elements changes nothing, as ``null`` and as ``[]``.
"""

from collections.abc import Collection, Mapping

from podgraft.base.jsonvalue import JSON, Object
from podgraft.golang.reflect import Field, GoType
from podgraft.kube.patch.strategic import ELEMENT_ORDER, PATCH

from .paths import OTHERS, child_type, json_fields


def resolve_partial(
    partial: Object, live: JSON, type_: GoType | None, if_absent: Collection[str]
) -> Object:
    """Return the patch for ``live``, the part of the object that ``partial`` is merged into.

    ``if_absent`` are the names in ``setIfAbsent``.
    """
    if PATCH in partial:
        return partial
    known = live if isinstance(live, dict) else {}
    fields = json_fields(type_)
    resolved: Object = {}
    for key, value in partial.items():
        field, old = fields.get(key), known.get(key)
        if value is None and old is None:  # strategic merge would write it into a new element
            continue
        if field is not None and _merges_by_key(field) and isinstance(value, list | None):
            resolved |= _resolve_list(key, value or [], old, field, if_absent)
        elif key.startswith(f"{ELEMENT_ORDER}/") and isinstance(value, list):
            name = key.removeprefix(f"{ELEMENT_ORDER}/")
            merge_key = fields[name].merge_key if name in fields else ""
            resolved[key] = _expand_order(value, known.get(name), merge_key)
        elif key in if_absent and old is not None:
            if isinstance(value, dict) and isinstance(old, dict):
                resolved[key] = {name: value[name] for name in value if name not in old}
        elif isinstance(value, dict):
            resolved[key] = resolve_partial(value, old, child_type(field, type_), if_absent)
        else:
            resolved[key] = value
    return resolved


def _merges_by_key(field: Field) -> bool:
    return "merge" in field.patch_strategy and bool(field.merge_key)


def _resolve_list(
    name: str, elements: list[JSON], live: JSON, field: Field, if_absent: Collection[str]
) -> Object:
    """The member ``name``, and its order if an element matches the others."""
    key, known = field.merge_key, _elements_by_key(live, field.merge_key)
    if name in if_absent:
        elements = _find_absent(elements, known, key)
    others = _find_others(elements, known, key)
    resolved: list[JSON] = []
    order: list[JSON] = []
    for element in elements:
        if not isinstance(element, dict) or PATCH in element:
            resolved.append(element)
            continue
        is_any = element.get(key) == OTHERS
        for value in others if is_any else [element.get(key)]:
            named = {**element, key: value}
            patch = resolve_partial(named, _find(named, key, known), field.type.elem, if_absent)
            order.append({key: value})
            if not is_any or len(patch) > 1:
                resolved.append(patch)
    members: Object = {name: resolved} if resolved else {}
    if _has_others(elements, key):
        members[f"{ELEMENT_ORDER}/{name}"] = order
    return members


def _expand_order(order: list[JSON], live: JSON, key: str) -> list[JSON]:
    """The order with the other elements of the object in place of ``"*"``."""
    if not _has_others(order, key):
        return order
    others: list[JSON] = [
        {key: value} for value in _find_others(order, _elements_by_key(live, key), key)
    ]
    index = next(index for index, element in enumerate(order) if _has_others([element], key))
    return [*order[:index], *others, *order[index + 1 :]]


def _has_others(elements: list[JSON], key: str) -> bool:
    """Whether an element matches the elements of the object that the list does not name."""
    return any(isinstance(each, dict) and each.get(key) == OTHERS for each in elements)


def _find_others(
    elements: list[JSON], known: Mapping[str | int, Object], key: str
) -> list[str | int]:
    names = [each.get(key) for each in elements if isinstance(each, dict)]
    return [name for name in known if name not in names]


def _find_absent(elements: list[JSON], known: Mapping[str | int, Object], key: str) -> list[JSON]:
    """The elements that neither the object nor the list before them has."""
    absent: list[JSON] = []
    seen = dict(known)
    for element in elements:
        if _find(element, key, seen) is None:
            absent.append(element)
            seen |= _elements_by_key([element], key)
    return absent


def _find(element: JSON, key: str, known: Mapping[str | int, Object]) -> Object | None:
    """The element of the object with the same merge key."""
    name = element.get(key) if isinstance(element, dict) and PATCH not in element else None
    return known.get(name) if isinstance(name, str | int) else None


def _elements_by_key(live: JSON, key: str) -> dict[str | int, Object]:
    """The elements of a list of the object, by their merge key."""
    elements = live if isinstance(live, list) else []
    return {
        name: each
        for each in elements
        if isinstance(each, dict) and isinstance(name := each.get(key), str | int)
    }
