"""Whether a rendered text has the structure of its masked text.

The masked text never contains text of the object's author, so its structure is the template
author's. The real text must have the same maps, lists, keys, tags, and anchors; scalars without
text of the object must be equal. A scalar with text of the object stays a scalar, is not null, and
is the text that was written, unless a function has escaped it in another way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from podgraft.go.reflect.taint import PlaceholderRegistry
from podgraft.jsonvalue import equal
from podgraft.yaml.composer import Alias, Mapping, Node, Scalar
from podgraft.yaml.composer import Sequence as List

DIRECTIVES = ("$patch", "$retainKeys", "$setElementOrder", "$deleteFromPrimitiveList")
_MERGE = "<<"


class Comparison:
    """Compares texts of one rendering with its masked text.

    ``keeps`` says of a scalar's text whether it is what a twin replaces.
    """

    def __init__(self, slots: PlaceholderRegistry, keeps: Callable[[str, str], bool]) -> None:
        self._slots = slots
        self._keeps = keeps

    def agree(self, real: Sequence[Node], masked: Sequence[Node]) -> bool:
        """Whether all documents have the same structure."""
        return len(real) == len(masked) and all(map(self._same, real, masked))

    def _same(self, real: Node, masked: Node) -> bool:
        match real, masked:
            case Scalar(), Scalar():
                return self._same_scalar(real, masked)
            case Mapping(), Mapping():
                return self._same_properties(real, masked) and self._same_pairs(real, masked)
            case List(), List():
                return (
                    self._same_properties(real, masked)
                    and len(real.elements) == len(masked.elements)
                    and all(map(self._same, real.elements, masked.elements))
                )
            case Alias(), Alias():
                return real.anchor == masked.anchor and not self._slots.placeholder_ids(real.anchor)
            case _:
                return False

    def _same_properties(
        self, real: Scalar | Mapping | List, masked: Scalar | Mapping | List
    ) -> bool:
        return real.anchor == masked.anchor and real.tag == masked.tag

    def _same_scalar(self, real: Scalar, masked: Scalar) -> bool:
        if not self._same_properties(real, masked):
            return False
        if not self._slots.placeholder_ids(masked.text):
            return equal(real.value, masked.value) and (real.text == _MERGE) == (
                masked.text == _MERGE
            )
        if real.value is None:
            return False
        return masked.block or self._keeps(real.text, masked.text)

    def _same_pairs(self, real: Mapping, masked: Mapping) -> bool:
        """Keys are compared as a set: what sorts them sees the text of the pod or its twin."""
        if len(real.pairs) != len(masked.pairs) or _distinct(real) != _distinct(masked):
            return False
        rest = [*real.pairs]
        for key, value in sorted(masked.pairs, key=self._is_loose):
            at = next((at for at, pair in enumerate(rest) if self._same_key(pair[0], key)), None)
            if at is None or not self._same(rest[at][1], value):
                return False
            del rest[at]
        return True

    def _is_loose(self, pair: tuple[Node, Node]) -> bool:
        """Whether a masked key can replace more than one text; such keys have to wait."""
        key = pair[0]
        return not isinstance(key, Scalar) or self._slots.unmask(key.text) is None

    def _same_key(self, real: Node, masked: Node) -> bool:
        if not self._same(real, masked):
            return False
        if not isinstance(real, Scalar) or not isinstance(masked, Scalar):
            return True
        if not self._slots.placeholder_ids(masked.text):
            return True
        return not real.text.startswith(DIRECTIVES) and real.text != _MERGE


def _distinct(mapping: Mapping) -> int:
    """The number of different keys, as the reader of the text converts them to strings."""
    keys = (key for key, _ in mapping.pairs)
    return len({_key(key) for key in keys})


def _key(key: Node) -> object:
    if not isinstance(key, Scalar):
        return id(key)
    value = key.value
    if isinstance(value, bool):
        return "true" if value else "false"
    return key.text if value is None or isinstance(value, float) else str(value)
