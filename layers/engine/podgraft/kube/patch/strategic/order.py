"""``$setElementOrder/LIST``: the order of the elements of a merged list.

Mirrors ``mergePatchIntoOriginal`` of strategicpatch/patch.go. Elements in the directive have its
order, and the others have the order of the live list. Both are interleaved as after any merge.
"""

from collections.abc import Hashable, Iterable
from itertools import takewhile

from msgspec import Struct

from podgraft.base.jsonvalue import JSON
from podgraft.golang.fmt.sprintf import format_default

from .errors import GO_MAP, MergeError, missing_merge_key_error, unexpected_type_error
from .lists import contains_objects, first_indexes, identity_key, interleave
from .schema import PATCH, is_directive

DIRECTIVE = "$setElementOrder"


class ElementOrder(Struct, frozen=True, kw_only=True):
    """One directive with its lists; ``live`` and ``patch`` are ``None`` if absent.

    ``is_merged`` means that the strategy of the list is to merge.
    """

    order: list[JSON]
    live: list[JSON] | None
    patch: list[JSON] | None
    key: str
    is_merged: bool


def validate(ordering: ElementOrder) -> None:
    """Check that the elements of the patch are a subsequence of the order.

    Mirrors ``validatePatchWithSetOrderList``.
    """
    patch, element_order, key = ordering.patch, ordering.order, ordering.key
    if not patch or not element_order:
        return
    pending = [element for element in patch if not (key and _is_delete_directive(element))]
    index = position = 0
    while index < len(pending) and position < len(element_order):
        if is_directive(pending[index], nulls=True):
            index += 1
            continue
        if _has_same_key(pending[index], element_order[position], key):
            index += 1
        position += 1
    if index < len(pending) and position >= len(element_order):
        raise MergeError(
            "the order of the list in the patch differs from the order in the directive",
            f"The order in patch list:\n{format_default(patch)}\n"
            f" doesn't match {DIRECTIVE} list:\n{format_default(element_order)}\n",
        )


def arrange(ordering: ElementOrder, merged: list[JSON]) -> list[JSON]:
    """Arrange the list ``merged`` in the given order."""
    keyed = _keyed_elements(ordering, merged)
    if contains_objects(ordering.live or [], ordering.patch or []):
        for element in ordering.order:
            _merge_key_value(element, ordering.key)
    positions = first_indexes(_merge_key_values(ordering.order, ordering.key))
    live_positions = first_indexes(_live_backing_array(ordering))
    patched = sorted(
        (pair for pair in keyed if pair[0] in positions), key=lambda pair: positions[pair[0]]
    )
    rest = [pair for pair in keyed if pair[0] not in positions]
    if all(name in live_positions for name, _ in rest):
        rest.sort(key=lambda pair: live_positions[pair[0]])
    return interleave(rest, patched, live_positions)


def _keyed_elements(ordering: ElementOrder, elements: list[JSON]) -> list[tuple[Hashable, JSON]]:
    """The elements with their merge keys, which Go searches in the directive.

    The search fails at the first element of the directive that is not an object.
    """
    element_order, key = ordering.order, ordering.key
    if not key:
        return [(identity_key(element), element) for element in elements]
    objects = list(takewhile(lambda element: isinstance(element, dict), element_order))
    reachable = set(_merge_key_values(objects, key))
    keyed = [(_merge_key_value(element, key), element) for element in elements]
    if len(objects) < len(element_order) and any(name not in reachable for name, _ in keyed):
        raise MergeError(
            "an element of the directive is not an object",
            f"value for key {len(objects)} is not a map",
        )
    return keyed


def _live_backing_array(ordering: ElementOrder) -> list[Hashable]:
    """The live order in Go: the array of the live list, after the merge in place.

    Deletions have closed the gaps, and additions use the free capacity.
    """
    live, key = _merge_key_values(ordering.live or [], ordering.key), ordering.key
    if not (key and ordering.is_merged):
        return live
    patch = [element for element in ordering.patch or [] if isinstance(element, dict)]
    deleted = set(_merge_key_values([one for one in patch if one.get(PATCH) == "delete"], key))
    replaces = any(one.get(PATCH) == "replace" for one in patch)
    remaining = [name for name in live if name not in deleted]
    additions = (
        [] if replaces else _merge_key_values([one for one in patch if PATCH not in one], key)
    )
    return list(dict.fromkeys([*remaining, *additions]))[: len(live)]


def _is_delete_directive(element: JSON) -> bool:
    if not isinstance(element, dict):
        raise unexpected_type_error(GO_MAP, element)
    return element.get(PATCH) == "delete"


def _has_same_key(left: JSON, right: JSON, key: str) -> bool:
    if not key:
        return type(left) is type(right) and identity_key(left) == identity_key(right)
    for element in (left, right):
        if not isinstance(element, dict):
            raise unexpected_type_error(GO_MAP, element)
    return _merge_key_value(left, key) == _merge_key_value(right, key)


def _merge_key_values(elements: Iterable[JSON], key: str) -> list[Hashable]:
    """The merge keys of the elements that have one."""
    if not key:
        return list(map(identity_key, elements))
    return [
        identity_key(element[key])
        for element in elements
        if isinstance(element, dict) and key in element
    ]


def _merge_key_value(element: JSON, key: str) -> Hashable:
    if not isinstance(element, dict):
        raise unexpected_type_error(GO_MAP, element)
    if key not in element:
        raise missing_merge_key_error(element, key)
    return identity_key(element[key])
