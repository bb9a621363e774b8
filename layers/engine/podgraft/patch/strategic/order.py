"""``$setElementOrder/LIST``: the order that the elements of a merged list shall have.

Mirrors ``mergePatchIntoOriginal`` of strategicpatch/patch.go. Elements that the directive names
come in its order, the others in that of the live list, interleaved as after any merge.
"""

from collections.abc import Hashable, Iterable
from itertools import takewhile

from podgraft.jsonvalue import JSON
from podgraft.lazy_dataclass import dataclass

from .errors import GO_MAP, MergeError, format_v, missing_merge_key_error, wrong_type_error
from .lists import first_indexes, holds_objects, identity_key, interleave
from .standalone import PATCH, is_directive

DIRECTIVE = "$setElementOrder"


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementOrder:
    """One directive with all it speaks of; ``live`` and ``patch`` are ``None`` where absent.

    ``merges`` says that both are there and that the list is one that merges by ``key``.
    """

    order: list[JSON]
    live: list[JSON] | None
    patch: list[JSON] | None
    key: str
    is_merged: bool


def validate(ordering: ElementOrder) -> None:
    """The patch's elements must stand in the wanted order, as a subsequence of it.

    Mirrors ``validatePatchWithSetOrderList``.
    """
    patch, wanted, key = ordering.patch, ordering.order, ordering.key
    if not patch or not wanted:
        return
    pending = [element for element in patch if not (key and _is_delete_directive(element))]
    index = place = 0
    while index < len(pending) and place < len(wanted):
        if is_directive(pending[index], nulls=True):
            index += 1
            continue
        if _has_same_key(pending[index], wanted[place], key):
            index += 1
        place += 1
    if index < len(pending) and place >= len(wanted):
        raise MergeError(
            "the list in the patch has elements that the directive does not name in that order",
            f"The order in patch list:\n{format_v(patch)}\n"
            f" doesn't match {DIRECTIVE} list:\n{format_v(wanted)}\n",
        )


def arrange(ordering: ElementOrder, merged: list[JSON]) -> list[JSON]:
    """The merged list ``united`` in the wanted order."""
    named = _keyed_elements(ordering, merged)
    if holds_objects(ordering.live or [], ordering.patch or []):
        for element in ordering.order:
            _merge_key_value(element, ordering.key)
    wanted = first_indexes(_merge_key_values(ordering.order, ordering.key))
    known = first_indexes(_live_backing_array(ordering))
    patched = sorted(
        (pair for pair in named if pair[0] in wanted), key=lambda pair: wanted[pair[0]]
    )
    rest = [pair for pair in named if pair[0] not in wanted]
    if all(name in known for name, _ in rest):
        rest.sort(key=lambda pair: known[pair[0]])
    return interleave(rest, patched, known)


def _keyed_elements(ordering: ElementOrder, united: list[JSON]) -> list[tuple[Hashable, JSON]]:
    """The elements with their names, each of which Go looks up in the wanted list.

    It fails on an element of that list that is no object where it meets one on its way.
    """
    wanted, key = ordering.order, ordering.key
    if not key:
        return [(identity_key(element), element) for element in united]
    objects = list(takewhile(lambda element: isinstance(element, dict), wanted))
    reachable = set(_merge_key_values(objects, key))
    named = [(_merge_key_value(element, key), element) for element in united]
    if len(objects) < len(wanted) and any(name not in reachable for name, _ in named):
        raise MergeError(
            "the directive names an element that is no object",
            f"value for key {len(objects)} is not a map",
        )
    return named


def _live_backing_array(ordering: ElementOrder) -> list[Hashable]:
    """What Go takes for the live order: the array under the live list, after the merge in place.

    Deletions have closed the gaps, and additions stand in the room that this left.
    """
    live, key = _merge_key_values(ordering.live or [], ordering.key), ordering.key
    if not (key and ordering.is_merged):
        return live
    patch = [element for element in ordering.patch or [] if isinstance(element, dict)]
    deleted = set(_merge_key_values([one for one in patch if one.get(PATCH) == "delete"], key))
    replaces = any(one.get(PATCH) == "replace" for one in patch)
    kept = [name for name in live if name not in deleted]
    added = [] if replaces else _merge_key_values([one for one in patch if PATCH not in one], key)
    return list(dict.fromkeys([*kept, *added]))[: len(live)]


def _is_delete_directive(element: JSON) -> bool:
    if not isinstance(element, dict):
        raise wrong_type_error(GO_MAP, element)
    return element.get(PATCH) == "delete"


def _has_same_key(left: JSON, right: JSON, key: str) -> bool:
    if not key:
        return type(left) is type(right) and identity_key(left) == identity_key(right)
    for element in (left, right):
        if not isinstance(element, dict):
            raise wrong_type_error(GO_MAP, element)
    return _merge_key_value(left, key) == _merge_key_value(right, key)


def _merge_key_values(elements: Iterable[JSON], key: str) -> list[Hashable]:
    """The names of those elements that have one."""
    if not key:
        return list(map(identity_key, elements))
    return [identity_key(one[key]) for one in elements if isinstance(one, dict) and key in one]


def _merge_key_value(element: JSON, key: str) -> Hashable:
    if not isinstance(element, dict):
        raise wrong_type_error(GO_MAP, element)
    if key not in element:
        raise missing_merge_key_error(element, key)
    return identity_key(element[key])
