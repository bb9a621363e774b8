"""Whether text of an object's author changes what a template's author wrote, and which text.

``foreign`` decides by the structure of the rendered text; the other functions find the text with
which a template or its result fails.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from podgraft import yaml
from podgraft.go.reflect.taint import Address, PlaceholderRegistry
from podgraft.lru import LRUCache
from podgraft.texttemplate import ExecError, LimitError

from .masking import Masker
from .plain_text import is_harmless

if TYPE_CHECKING:
    from podgraft.texttemplate.run.tracing import Trace
    from podgraft.yaml.composer import Node

    from .structure_comparison import Comparison

S = TypeVar("S")
K = TypeVar("K")

# What may take the place of a text in a field of any type; none is the twin of the text.
_FILLS = (None, "1", "true", "")
_MOST_TRIALS = 64

# Many objects give one masked text, which holds nothing of them.
_MASKED: LRUCache[str, Sequence[Node]] = LRUCache(limit=64)
_LARGEST = 32_768


def foreign(trace: Trace) -> Address:
    """The place of a text that changes the structure of the rendered text; none if there is none.

    The rendered text must be YAML.
    """
    from .structure_comparison import Comparison  # most pods need no comparison

    text, masked = trace.text, trace.masked_text
    if text == masked:
        return None
    try:
        structure = _structure(masked)
    except yaml.NotYAMLError:  # a template for syntax of the object's author
        return _place(trace, _suspect(trace))
    slots = trace.registry
    if _agrees(text, structure, Comparison(slots, lambda real, twin: _keeps(slots, real, twin))):
        return None
    loose = Comparison(slots, lambda real, twin: _keeps_some(slots, real, twin))
    emission = bisect_failure(
        len(trace.emissions), lambda count: _agrees(trace.mix(count), structure, loose)
    )
    return _place(trace, emission)


def failing(trace: Trace, works: Callable[[str], bool]) -> Address:
    """The place of a text with which the rendered text does not work; none if it is none, or not
    alone.
    """
    count = len(trace.emissions)
    for fill in _FILLS if count else ():
        if works(trace.mix(0, fill)):
            if works(trace.text):
                return None
            return _place(trace, bisect_failure(count, _mixing(trace, fill, works)))
    for emission in range(min(count, _MOST_TRIALS)):
        if any(works(trace.without(emission, fill)) for fill in _FILLS):
            return _place(trace, emission)
    return None


def breaking(subject: S, masked: Callable[[S, Masker], S], works: Callable[[S], bool]) -> Address:
    """The place of a string whose syntax keeps the template from working; ``None`` if it is none,
    or not alone.
    """
    masking = Masker()
    tried = masked(subject, masking)
    if tried is subject or not works(tried):
        return None
    count = bisect_failure(
        len(masking.masked_strings), lambda spared: works(masked(subject, Masker(spared)))
    )
    return masking.masked_strings[count][1]


def breaking_key(keys: Sequence[K], works: Callable[[Sequence[K]], bool]) -> K | None:
    """The key without which the template works; ``works`` says whether it does with these keys."""
    if not keys or not works(()) or works(keys):
        return None
    return keys[bisect_failure(len(keys), lambda count: works(keys[:count]))]


def _mixing(trace: Trace, fill: str | None, works: Callable[[str], bool]) -> Callable[[int], bool]:
    return lambda first: works(trace.mix(first, fill))


def source(slots: PlaceholderRegistry, sources: Sequence[int]) -> Address:
    """The place of the first of these texts, one that could be syntax before others."""
    roots = [slots.roots[each] for each in sources]
    return next(
        (place for text, place in roots if not is_harmless(text)), roots[0][1] if roots else None
    )


def failing_source(slots: PlaceholderRegistry, error: ExecError | LimitError) -> Address:
    """The place of the text with which a function failed, or made nothing of which it could."""
    if isinstance(error, ExecError) and not error.is_by_author:
        return source(slots, error.sources or slots.last_empty_sources)
    return source(slots, error.sources)


def bisect_failure(count: int, predicate: Callable[[int], bool]) -> int:
    """The index of the element with which it stops to hold: it does for none, not for ``count``.

    >>> bisect_failure(9, lambda taken: taken <= 4)
    4
    """
    low, high = 0, count
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if predicate(middle) else (low, middle)
    return low


def _structure(masked: str) -> Sequence[Node]:
    from podgraft.yaml.composer import compose

    structure = _MASKED.get(masked)
    if structure is None:
        structure = compose(masked)
        if len(masked) <= _LARGEST:
            _MASKED[masked] = structure
    return structure


def _agrees(text: str, structure: Sequence[Node], comparison: Comparison) -> bool:
    from podgraft.yaml.composer import compose

    try:
        return comparison.agree(compose(text), structure)
    except yaml.NotYAMLError:
        return False


def _keeps(slots: PlaceholderRegistry, real: str, twin: str) -> bool:
    """Whether a scalar is the text that its twin replaces, if that is known."""
    filled = slots.unmask(twin)
    return filled is None or filled == real


def _keeps_some(slots: PlaceholderRegistry, real: str, twin: str) -> bool:
    """The same if some twins may have stayed."""
    filled = slots.unmask(twin)
    return filled is None or real in (filled, twin) or bool(slots.placeholder_ids(real))


def _suspect(trace: Trace) -> int:
    """The first emission that could be syntax."""
    texts = [trace.registry.emissions[emission][0] for emission in trace.emissions]
    return next((at for at, text in enumerate(texts) if not is_harmless(text)), 0)


def _place(trace: Trace, emission: int) -> Address:
    slots = trace.registry
    emitted = trace.emissions
    twin = slots.emissions[emitted[emission]][1] if emitted else ""
    return source(slots, slots.sources_of(twin))
