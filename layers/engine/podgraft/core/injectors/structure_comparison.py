"""Comparison of the structure of a rendered text with that of its masked text.

The masked text contains no text of the object's author. Its structure therefore comes from the
template author alone. The real text must have the same maps, lists, keys, tags, and anchors.
Scalars without text of the object must be equal. A scalar with text of the object must stay a
scalar, must not be null, and must have the text that the template wrote, as YAML folds it
(``scalar_text.py``), unless a function escaped it.

Hazard: equal node types are not enough. Text of an object could turn into a merge key (``<<``), a
directive of strategic merge (``$patch``), an alias of an anchor of the template, or a key that
replaces a key of the template. Each of these changes the merged pod without any new node. The
checks of keys, anchors, and aliases below exist for these cases.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from itertools import chain, islice

from msgspec import Struct

from podgraft.base.jsonvalue import equal
from podgraft.golang.reflect.taint import PlaceholderRegistry
from podgraft.kube.yaml.composer import MERGE_KEY, Alias, Mapping, Node, Scalar
from podgraft.kube.yaml.composer import Sequence as List

from .scalar_text import fold

DIRECTIVES = ("$patch", "$retainKeys", "$setElementOrder", "$deleteFromPrimitiveList")
_MAX_OTHER_KEYS = 64


class StructureComparison(Struct, frozen=True):
    """Compares texts of one rendering with its masked text.

    ``matches_mask`` states whether a scalar has the text that its masked text replaces.
    ``find_keys`` returns the texts of keys that a masked text replaces. ``selectors`` are keys with
    a value that only the template can write, because it selects other elements of a list.
    """

    slots: PlaceholderRegistry
    matches_mask: Callable[[Scalar, str], bool]
    find_keys: Callable[[str], Iterable[str]]
    selectors: Collection[tuple[str, str]] = ()

    def is_equal(self, real: Sequence[Node], masked: Sequence[Node]) -> bool:
        """Whether all documents have the same structure."""
        return len(real) == len(masked) and all(map(self._is_equal_node, real, masked))

    def _is_equal_node(self, real: Node, masked: Node) -> bool:
        match real, masked:
            case Scalar(), Scalar():
                return self._is_equal_scalar(real, masked)
            case Mapping(), Mapping():
                return self._has_equal_properties(real, masked) and self._has_equal_pairs(
                    real, masked
                )
            case List(), List():
                return (
                    self._has_equal_properties(real, masked)
                    and len(real.elements) == len(masked.elements)
                    and all(map(self._is_equal_node, real.elements, masked.elements))
                )
            case Alias(), Alias():
                return real.anchor == masked.anchor and not self.slots.placeholder_ids(real.anchor)
            case _:
                return False

    def _has_equal_properties(
        self, real: Scalar | Mapping | List, masked: Scalar | Mapping | List
    ) -> bool:
        return real.anchor == masked.anchor and real.tag == masked.tag

    def _is_equal_scalar(self, real: Scalar, masked: Scalar) -> bool:
        if not self._has_equal_properties(real, masked):
            return False
        if not self.slots.placeholder_ids(masked.text):
            return equal(real.value, masked.value) and (real.text == MERGE_KEY) == (
                masked.text == MERGE_KEY
            )
        return real.value is not None and self.matches_mask(real, masked.text)

    def _has_equal_pairs(self, real: Mapping, masked: Mapping) -> bool:
        """Compare the pairs as a set, because a template can sort keys by the text of the pod."""
        if len(real.pairs) != len(masked.pairs):
            return False
        if _count_distinct_keys(real) != _count_distinct_keys(
            masked
        ) and not self._replaces_positions(real, masked):
            return False
        remaining = _RemainingPairs(real.pairs)
        for key, value in sorted(masked.pairs, key=self._is_ambiguous):
            texts = self.find_keys(key.text) if isinstance(key, Scalar) else ()
            node = remaining.take(texts, partial(self._is_equal_key, masked=key))
            if node is None or not self._is_equal_node(node, value):
                return False
            if self._has_placeholder(value) and self._is_selector(key, node):
                return False
        return True

    def _is_selector(self, key: Node, value: Node) -> bool:
        return (
            isinstance(key, Scalar)
            and isinstance(value, Scalar)
            and (key.text, value.text) in self.selectors
        )

    def _replaces_positions(self, real: Mapping, masked: Mapping) -> bool:
        """Whether keys of the object replace only positions in a list of the object.

        Istio names the volumes of annotation ``sidecar.istio.io/userVolume`` by ``name: "0"``, and
        the volume in the list has a name, too. A position is the object's own and has no meaning
        for the template, so another text can replace it.
        """
        indexes: dict[object, int] = {}
        for index, (key, value) in enumerate(real.pairs):
            first = indexes.get(_key_identity(key))
            if first is not None and not (
                self._is_position(masked.pairs[first][1])
                and self._has_placeholder(masked.pairs[index][0])
                and isinstance(value, Scalar)
                and isinstance(value.value, str)
            ):
                return False
            indexes[_key_identity(key)] = index
        return _count_distinct_keys(masked) == len(masked.pairs) and not any(
            map(_is_merge, masked.pairs)
        )

    def _is_position(self, node: Node) -> bool:
        return isinstance(node, Scalar) and self.slots.is_position(node.text)

    def _has_placeholder(self, node: Node) -> bool:
        return isinstance(node, Scalar) and bool(self.slots.placeholder_ids(node.text))

    def _is_ambiguous(self, pair: tuple[Node, Node]) -> bool:
        """Whether a masked key can replace more than one text; such keys are compared last."""
        key = pair[0]
        return not isinstance(key, Scalar) or self.slots.unmask(key.text) is None

    def _is_equal_key(self, real: Node, masked: Node) -> bool:
        if not self._is_equal_node(real, masked):
            return False
        if not isinstance(real, Scalar) or not isinstance(masked, Scalar):
            return True
        if not self.slots.placeholder_ids(masked.text):
            return True
        return not real.text.startswith(DIRECTIVES) and real.text != MERGE_KEY


class _RemainingPairs:
    """The pairs of a mapping that are not compared yet, found by the text of their keys."""

    def __init__(self, pairs: Sequence[tuple[Node, Node]]) -> None:
        self._remaining = dict(enumerate(pairs))
        self._positions: dict[str, list[int]] = {}
        for position, (key, _) in enumerate(pairs):
            if isinstance(key, Scalar):
                self._positions.setdefault(fold(key.text), []).append(position)

    def take(self, texts: Iterable[str], is_key: Callable[[Node], bool]) -> Node | None:
        """Remove the first pair with a key, and return its value; ``None`` if there is none.

        Without a key of one of these texts, a few other keys are tried: to try all of them takes
        quadratic time.
        """
        by_text = (position for text in texts for position in self._positions.get(text, ()))
        for position in chain(by_text, [*islice(self._remaining, _MAX_OTHER_KEYS)]):
            pair = self._remaining.get(position)
            if pair is not None and is_key(pair[0]):
                return self._remaining.pop(position)[1]
        return None


def _count_distinct_keys(mapping: Mapping) -> int:
    """Count the different keys after the YAML reader converts them to strings and merges."""
    keys: set[object] = set()
    visited: set[int] = set()
    stack: list[Node] = [mapping]
    while stack:
        node = stack.pop()
        if isinstance(node, Alias):
            node = node.target or node
        if id(node) in visited or not isinstance(node, Mapping | List):
            continue
        visited.add(id(node))
        if isinstance(node, List):
            stack.extend(node.elements)
            continue
        keys.update(_key_identity(pair[0]) for pair in node.pairs if not _is_merge(pair))
        stack.extend(pair[1] for pair in node.pairs if _is_merge(pair))
    return len(keys)


def _is_merge(pair: tuple[Node, Node]) -> bool:
    """Whether a pair merges the keys of other mappings."""
    return isinstance(pair[0], Scalar) and pair[0].text == MERGE_KEY


def _key_identity(key: Node) -> object:
    return key.key if isinstance(key, Scalar) else id(key)
