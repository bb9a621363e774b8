"""From templates and a pod to overlays, and whose fault it is where that fails.

A failure is put down to the pod's author only if it goes away with what the author wrote: first
with everything masked that could be YAML syntax (guard.py), then without annotations and labels;
or if the function that fails got text of the pod. The message names the text.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

from podgraft.go.reflect.taint import Address, PlaceholderRegistry
from podgraft.injectors.errors import InjectionError, OperatorError, UserError
from podgraft.injectors.istio.config import proxyconfig
from podgraft.injectors.istio.config.protojson import Message
from podgraft.injectors.istio.data import images
from podgraft.injectors.istio.data.template_data import (
    InjectorContext,
    TemplateData,
    dot_fields,
    dot_type,
    is_harmless,
    make_dot,
    mask_fields,
    opaque_types,
    shared_values,
    tainted,
)
from podgraft.injectors.istio.pod_builder import pod_annotations, pod_labels
from podgraft.injectors.istio.releases import Profile
from podgraft.injectors.plain_text import steps
from podgraft.injectors.structure_guard import (
    breaking,
    breaking_key,
    failing,
    failing_source,
    foreign,
)
from podgraft.jsonvalue import JSON, Object, object_at
from podgraft.lazy_dataclass import dataclass
from podgraft.lru import LRUCache
from podgraft.texttemplate import ExecError, LimitError, Projection
from podgraft.yaml import IncrementalLoader

from . import functions, pod_overlay
from .pod_overlay import OverlayError
from .templates import InjectionTemplate

if TYPE_CHECKING:
    from podgraft.texttemplate.run.tracing import Trace

T = TypeVar("T")

# The length of what a template saw, and of what it wrote, up to which either is remembered: the
# annotations of a pod can be a quarter of a megabyte.
_MAX_CACHED_LENGTH = 32_768
_FAILURE_PREFIX = "failed to run injection template"


@dataclass(frozen=True, slots=True)
class ParsedText(Generic[T]):
    """A rendered text: as YAML reads it, and what is made of that."""

    raw: JSON
    made: T


class TemplateCache(Generic[T]):
    """What templates lately made of what they saw, and what the latest texts mean.

    ``make`` turns YAML into what templates are for, or raises ``OverlayError``. That a text is
    free of foreign structure is not remembered: of another pod, the same text may not be.
    """

    def __init__(self, make: Callable[[JSON], T]) -> None:
        self.make = make
        self._footprints: dict[str, Projection] = {}
        self._made: LRUCache[bytes, T] = LRUCache(limit=256)
        self._similar = IncrementalLoader()
        self._read: LRUCache[str, ParsedText[T]] = LRUCache(limit=64)

    def projection(self, template: InjectionTemplate, profile: Profile) -> Projection:
        """What the template can read of its data."""
        found = self._footprints.get(template.name)
        if found is None:
            found = template.program.projection(dot_type(profile), opaque_types(profile))
            self._footprints[template.name] = found
        return found

    def lookup(self, seen: bytes) -> T | None:
        """What a template made of what it saw; none, if that is not known."""
        return self._made.get(seen)

    def store(self, seen: bytes, made: T) -> None:
        """Keep what a template made, unless the key is too large."""
        if len(seen) <= _MAX_CACHED_LENGTH:
            self._made[seen] = made

    def parse(self, text: str) -> ParsedText[T]:
        """The text's meaning; raises ``OverlayError``."""
        if len(text) > _MAX_CACHED_LENGTH:
            return self._convert(pod_overlay.parse(text))
        found = self._read.get(text)
        if found is None:
            found = self._read[text] = self._convert(pod_overlay.parse(text, self._similar))
        return found

    def _convert(self, raw: JSON) -> ParsedText[T]:
        return ParsedText(raw, self.make(raw))


@dataclass(frozen=True, slots=True)
class PodRenderer(Generic[T]):
    """One pod on its way through the templates.

    A template sees of the pod what it can read, and no more: what it makes is remembered by that.
    """

    memory: TemplateCache[T]
    facts: InjectorContext
    subject: TemplateData

    def render(self, template: InjectionTemplate) -> T:
        """What the template gives for the pod.

        Raises ``UserError`` where the pod's author bends or breaks the template, ``OperatorError``
        where it fails by itself.
        """
        seen = self._projected_fields(template, self.subject)
        key = self._cache_key(template, seen)
        made = self.memory.lookup(key)
        if made is None:
            made = self._render_and_verify(template, seen)
            self.memory.store(key, made)
        return made

    def _render_and_verify(self, template: InjectionTemplate, seen: Message) -> T:
        if not template.program.can_create_syntax and is_harmless(self.subject, seen):
            return self._plain(template, seen)
        try:
            trace = self._traced(template, seen)
            read = self.memory.parse(trace.text)
        except _FAILURES as error:
            raise self._classify_error(template, seen, error) from error
        self._verify_structure(trace, template.name)
        return read.made

    def _plain(self, template: InjectionTemplate, seen: Message) -> T:
        """What a template gives that can write no structure of the pod's author."""
        try:
            return self.memory.parse(self._render_text(template, seen)).made
        except _FAILURES as error:
            raise self._classify_error(template, seen, error) from error

    def _projected_fields(self, template: InjectionTemplate, subject: TemplateData) -> Message:
        """The data, without what the template cannot read of it."""
        footprint = self.memory.projection(template, self.facts.profile)
        return footprint(dot_fields(self.facts, subject))

    def _cache_key(self, template: InjectionTemplate, seen: Message) -> bytes:
        """All that the template's text depends on, but for what is the same for all pods.

        Version 0 of the format writes equal values of equal types as equal bytes.
        """
        same = shared_values(self.facts)  # held as long as they are known by their ids
        known = set(map(id, same))
        own = [None if id(value) in known else value for value in seen.values()]
        return marshal.dumps((template.name, own), 0)

    def _render_text(self, template: InjectionTemplate, seen: Message) -> str:
        dot = make_dot(self.facts, seen, changing=template.mutates_data)
        token = functions.DATA.set(dot)
        try:
            return template.program.render(dot)
        finally:
            functions.DATA.reset(token)

    def _traced(
        self, template: InjectionTemplate, seen: Message, slots: PlaceholderRegistry | None = None
    ) -> Trace:
        """The same text, and what of the pod it is made of."""
        slots = slots or PlaceholderRegistry()
        known = tainted(self.facts, self.subject, seen, slots)
        dot = make_dot(self.facts, known, changing=template.mutates_data)
        tokens = functions.DATA.set(dot), functions.SLOTS.set(slots)
        try:
            return template.program.trace(dot, slots)
        finally:
            functions.DATA.reset(tokens[0])
            functions.SLOTS.reset(tokens[1])

    def _verify_structure(self, trace: Trace, name: str) -> None:
        """Raise ``UserError`` if the text has structure that the pod's author brought in."""
        place = foreign(trace)
        if place is not None:
            raise UserError(
                f"{_describe_path(place)}: its text would change the structure that template "
                f'"{name}" gives the pod; leave out line breaks, quotes, brackets and '
                "other YAML syntax"
            )

    def _classify_error(
        self, template: InjectionTemplate, seen: Message, error: Exception
    ) -> InjectionError:
        """Whose fault it is that the template fails."""
        place = breaking(
            seen,
            partial(mask_fields, self.facts, self.subject),
            lambda tried: self._can_render(template, tried),
        )
        if place is None:
            place = self._breaking_text(template, seen)
        if place is not None:
            return UserError(
                f'{_describe_path(place)}: {_FAILURE_PREFIX} "{template.name}" with it: {error}'
            )
        key = self._find_breaking_key(template)
        if key is not None:
            # Another value can be in the reason: this one only decides that it is read.
            return UserError(
                f'{key}: {_FAILURE_PREFIX} "{template.name}" with it: {_unquoted(error)}'
            )
        return OperatorError(f'{_FAILURE_PREFIX} "{template.name}": {error}')

    def _breaking_text(self, template: InjectionTemplate, seen: Message) -> Address:
        """The text with which a function fails, or with which what was written is no pod."""
        slots = PlaceholderRegistry()
        try:
            trace = self._traced(template, seen, slots)
        except (ExecError, LimitError) as error:
            return failing_source(slots, error)
        return failing(trace, self._reads)

    def _find_breaking_key(self, template: InjectionTemplate) -> str | None:
        """The annotation or label without which the template works."""
        kept = [("annotations", key) for key in pod_annotations(self.subject.pod)]
        kept += [("labels", key) for key in pod_labels(self.subject.pod)]

        def works(keys: Sequence[tuple[str, str]]) -> bool:
            subject = _restrict_keys(self.subject, keys)
            return self._can_render(template, self._projected_fields(template, subject))

        found = breaking_key(kept, works)
        return None if found is None else f"{found[0].removesuffix('s')} {found[1]}"

    def _can_render(self, template: InjectionTemplate, seen: Message) -> bool:
        try:
            return self._reads(self._render_text(template, seen))
        except (ExecError, LimitError):
            return False

    def _reads(self, text: str) -> bool:
        try:
            self.memory.make(pod_overlay.parse(text))
        except OverlayError:
            return False
        return True


def _unquoted(error: Exception) -> str:
    """The error without a reason that can quote a value of the pod."""
    text = str(error)
    if isinstance(error, ExecError) and error.may_quote_data:
        return text.removesuffix(f": {error.reason}")
    return text


_FAILURES = (ExecError, LimitError, OverlayError)


def _restrict_keys(subject: TemplateData, kept: Sequence[tuple[str, str]]) -> TemplateData:
    """The subject with these of its annotations and labels alone."""
    metadata = object_at(subject.pod, "metadata")
    maps: Object = {
        kind: {key: metadata_map[key] for which, key in kept if which == kind}
        for kind in ("annotations", "labels")
        if (metadata_map := object_at(metadata, kind))
    }
    layer = subject.pod_config if ("annotations", proxyconfig.ANNOTATION) in kept else {}
    return replace(subject, pod=subject.pod | {"metadata": metadata | maps}, pod_config=layer)


def _describe_path(place: Address) -> str:
    """How the pod's author knows the place."""
    match steps(place):
        case ("ProxyConfig", *_):
            return f"annotation {proxyconfig.ANNOTATION}"
        case ("ProxyImage" | "ProxyInitImage", *_):
            return f"annotation {images.TYPE_ANNOTATION}"
        case ("ObjectMeta" | "DeploymentMeta", "annotations" | "labels" as kind, key, *_):
            return f"{kind.removesuffix('s')} {key}"
        case ("ObjectMeta" | "Spec" as part, *path):
            return "/".join(("", _PARTS[part], *map(str, path)))
        case _:
            return "the name or kind of the pod's owner"


_PARTS = {"ObjectMeta": "metadata", "Spec": "spec"}
