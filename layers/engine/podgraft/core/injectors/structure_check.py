"""The structure check: text of an object's author must not change the structure of a template.

``render_with_check`` renders a template and proves that. The proof is the structure of the rendered
text, never a list of forbidden inputs. The other functions find the text that makes a template or
its result fail. Nothing here knows an injector, and no function keeps anything of an object.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Generic, TypeVar

from msgspec import Struct

from podgraft.golang.reflect import Value
from podgraft.golang.reflect.taint import Address, PlaceholderRegistry
from podgraft.golang.texttemplate import (
    DEFAULT_LIMITS,
    ExecError,
    LimitError,
    Limits,
    Program,
    SectionReuse,
    notify_observer,
)
from podgraft.golang.texttemplate.run.tracing import Trace
from podgraft.kube import yaml
from podgraft.kube.yaml.composer import Node, Scalar, compose

from .masking import Masker
from .plain_text import is_plain_text
from .scalar_text import ScalarMatcher
from .structure_comparison import DIRECTIVES, StructureComparison

S = TypeVar("S")
K = TypeVar("K")
T = TypeVar("T")

# What can replace a text in a field of any type; ``None`` is its masked text.
_REPLACEMENTS = (None, "1", "true", "")
_MAX_TRIALS = 64


class StructureError(Exception):
    """The text at ``address`` changes the structure of the template."""

    def __init__(self, address: Address) -> None:
        super().__init__("the text of the object changes the structure of the template")
        self.address = address


class CheckedTemplate(Struct, Generic[T], frozen=True):
    """A template and the data of one object, which ``render_with_check`` renders.

    ``name`` is the kind of template and its name, for an observer. ``make_data`` returns the
    template's dot, and ``taint_data`` the same dot with taint on all text of the object's
    author. ``parse`` converts rendered YAML to the result, or raises an error. ``parse_unique``
    returns ``None`` if a mapping has a key more than once. ``sections`` are those of the program
    for the data. ``selectors`` are those of ``StructureComparison``.
    """

    name: str
    program: Program
    make_data: Callable[[], Value]
    taint_data: Callable[[PlaceholderRegistry], Value]
    parse: Callable[[str], T]
    parse_unique: Callable[[str], T | None]
    limits: Limits = DEFAULT_LIMITS
    sections: SectionReuse | None = None
    selectors: Collection[tuple[str, str]] = ()

    def trace(self, slots: PlaceholderRegistry) -> Trace:
        """Render the template, and return the text by origin."""
        return self.program.trace(self.taint_data(slots), slots, limits=self.limits)


def render_with_check(template: CheckedTemplate[T], *, is_harmless: bool) -> T:
    """The result of a template with the structure that its author wrote.

    ``is_harmless``: no text of the object that the template can read is YAML syntax. Raises
    ``StructureError``, the errors of the template, and those of ``parse``.
    """
    notify_observer(
        template.name,
        template.program,
        lambda program: program.render(template.make_data(), limits=template.limits),
    )
    if is_harmless and not template.program.can_create_syntax:
        text = template.program.render(
            template.make_data(), limits=template.limits, sections=template.sections
        )
        unique = template.parse_unique(text)
        # Plain text is no syntax, but as a key, it can replace a key of the template, and after a
        # dollar of the template, it can be a directive.
        if unique is not None and not _has_new_directive(template.program, text):
            return unique
    trace = template.trace(PlaceholderRegistry())
    result = template.parse(trace.text)
    address = find_unexpected_structure(trace, template.selectors)
    if address is not None:
        raise StructureError(address)
    return result


def _has_new_directive(program: Program, text: str) -> bool:
    """Whether a text contains a directive that the template does not write as a whole."""
    return any(each in text and each not in program.source.text for each in DIRECTIVES)


def find_unexpected_structure(trace: Trace, selectors: Collection[tuple[str, str]] = ()) -> Address:
    """Return the address of a text that changes the structure of the rendered YAML."""
    # Most pods need no comparison.
    text, masked = trace.text, trace.masked_text
    if text == masked:
        return None
    try:
        structure = compose(masked)
    except yaml.NotYAMLError:  # the template expects syntax from the object's author
        return _find_address(trace, _find_suspect(trace))
    slots = trace.registry
    matcher = ScalarMatcher(slots)
    exact = StructureComparison(slots, matcher.matches, matcher.find_keys, selectors)
    if _agrees(text, structure, exact):
        return None

    def matches_partly(scalar: Scalar, other: str) -> bool:
        return bool(slots.placeholder_ids(scalar.text)) or matcher.matches(scalar, other)

    mixed = StructureComparison(slots, matches_partly, matcher.find_keys, selectors)
    emission = bisect_failure(
        len(trace.emissions), lambda count: _agrees(trace.mix(count), structure, mixed)
    )
    return _find_address(trace, emission)


def find_failing_text(template: CheckedTemplate[T], works: Callable[[str], bool]) -> Address:
    """Return the address of the text that makes a function or the rendered text fail.

    ``None`` if no text does, or no text alone. ``works`` is whether a rendered text does not fail.
    """
    slots = PlaceholderRegistry()
    try:
        trace = template.trace(slots)
    except (ExecError, LimitError) as error:
        return _find_failure_source(slots, error)
    return _find_failing_emission(trace, works)


def find_breaking_text(mask: Callable[[Masker], S], works: Callable[[S], bool]) -> Address:
    """Return the address of a string with YAML syntax that makes the template fail.

    ``None`` if no string does, or no string alone. ``mask`` returns the data with masks.
    """
    masker = Masker()
    masked = mask(masker)
    if not masker.masked_strings or not works(masked):
        return None
    count = len(masker.masked_strings)
    index = bisect_failure(count, lambda exempt: works(mask(Masker(exempt))))
    return masker.masked_strings[index][1]


def find_breaking_key(keys: Sequence[K], works: Callable[[Sequence[K]], bool]) -> K | None:
    """The key without which the template works; ``works`` is whether it does with given keys."""
    if not keys or not works(()) or works(keys):
        return None
    return keys[bisect_failure(len(keys), lambda count: works(keys[:count]))]


def bisect_failure(count: int, predicate: Callable[[int], bool]) -> int:
    """The largest number below *count* for which the predicate is true: it is for 0, not for
    *count*.

    >>> bisect_failure(9, lambda number: number <= 4)
    4
    """
    low, high = 0, count
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if predicate(middle) else (low, middle)
    return low


def _find_failing_emission(trace: Trace, works: Callable[[str], bool]) -> Address:
    """Return the address of a text with which the rendered text fails."""
    count = len(trace.emissions)
    for replacement in _REPLACEMENTS if count else ():
        if works(trace.mix(0, replacement)):
            if works(trace.text):
                return None
            return _find_address(
                trace, bisect_failure(count, _mixed_works(trace, replacement, works))
            )
    for emission in range(min(count, _MAX_TRIALS)):
        if any(works(trace.without(emission, replacement)) for replacement in _REPLACEMENTS):
            return _find_address(trace, emission)
    return None


def _mixed_works(
    trace: Trace, replacement: str | None, works: Callable[[str], bool]
) -> Callable[[int], bool]:
    return lambda count: works(trace.mix(count, replacement))


def _find_failure_source(slots: PlaceholderRegistry, error: ExecError | LimitError) -> Address:
    """Return the address of the text that made a function fail or return an empty text."""
    if isinstance(error, ExecError) and not error.is_by_author:
        return _find_source(slots, error.sources or slots.last_empty_sources)
    return _find_source(slots, error.sources)


def _find_source(slots: PlaceholderRegistry, sources: Sequence[int]) -> Address:
    """Return the address of the first text that can be syntax, or else of the first text."""
    roots = [slots.roots[source] for source in sources]
    return next(
        (address for text, address in roots if not is_plain_text(text)),
        roots[0][1] if roots else None,
    )


def _agrees(text: str, structure: Sequence[Node], comparison: StructureComparison) -> bool:
    try:
        return comparison.is_equal(compose(text), structure)
    except yaml.NotYAMLError:
        return False


def _find_suspect(trace: Trace) -> int:
    """The first emission that can be syntax."""
    texts = [trace.registry.emissions[emission][0] for emission in trace.emissions]
    return next((index for index, text in enumerate(texts) if not is_plain_text(text)), 0)


def _find_address(trace: Trace, emission: int) -> Address:
    slots = trace.registry
    emitted = trace.emissions
    masked = slots.emissions[emitted[emission]][1] if emitted else ""
    return _find_source(slots, slots.sources_of(masked))
