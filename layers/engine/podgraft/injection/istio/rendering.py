"""From templates and a pod to overlays, and whose fault it is where that fails.

A failure is put down to the pod's author only if it goes away with what the author wrote: first
with everything masked that could be YAML syntax (guard.py), then without annotations and labels.
The author is told which of them it was.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable
from dataclasses import replace
from typing import Generic, TypeVar

from podgraft.gotemplate import ExecError, Footprint, LimitError
from podgraft.injection.errors import InjectionError, OperatorError, UserError
from podgraft.injection.guard import Guard, first_failing
from podgraft.injection.masks import Place, steps
from podgraft.jsonvalue import JSON, Object
from podgraft.records import dataclass

from . import functions, overlay, proxyconfig
from .draft import annotations_of, labels_of, object_at
from .messages import Message
from .overlay import OverlayError
from .releases import Profile
from .subject import Facts, Subject, data, data_type, opaque, shared, shown
from .templates import Template

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")

_REMEMBERED = 64  # texts: few workloads of a cluster are created at any one time
_RECALLED = 256  # what templates made of what they saw
_LARGEST = 32_768  # bytes of what a template saw: annotations can be a quarter of a megabyte
_FAILED = "failed to run injection template"


@dataclass(frozen=True, slots=True)
class Read(Generic[T]):
    """A rendered text: as YAML reads it, and what is made of that."""

    raw: JSON
    made: T


class Memory(Generic[T]):
    """What templates lately made of what they saw, what the latest texts mean, and which of them
    are known to be free of foreign structure.

    ``make`` turns YAML into what templates are for, or raises ``OverlayError``. A text is trusted
    together with the suspicious strings of the pod it was rendered for.
    """

    def __init__(self, make: Callable[[JSON], T]) -> None:
        self.make = make
        self._footprints: dict[str, Footprint] = {}
        self._made: dict[bytes, T] = {}
        self._read: dict[str, Read[T]] = {}
        self._trusted: dict[tuple[str, ...], None] = {}

    def footprint(self, template: Template, profile: Profile) -> Footprint:
        """What the template can read of its data."""
        found = self._footprints.get(template.name)
        if found is None:
            found = template.program.footprint(data_type(profile), opaque(profile))
            self._footprints[template.name] = found
        return found

    def recall(self, seen: bytes) -> T | None:
        """What a template made of what it saw; none, if that is not known."""
        made = self._made.pop(seen, None)
        if made is not None:
            self._made[seen] = made  # the latest again
        return made

    def remember(self, seen: bytes, made: T) -> None:
        """Keep what a template made, unless the key is too large."""
        if len(seen) <= _LARGEST:
            _remember(self._made, seen, made, _RECALLED)

    def read(self, text: str) -> Read[T]:
        """The text's meaning; raises ``OverlayError``."""
        found = self._read.get(text)
        if found is None:
            raw = overlay.parse(text)
            found = Read(raw, self.make(raw))
            _remember(self._read, text, found, _REMEMBERED)
        return found

    def trusts(self, key: tuple[str, ...]) -> bool:
        """Whether ``trust`` was told so."""
        return key in self._trusted

    def trust(self, key: tuple[str, ...]) -> None:
        """Remember that a text has no foreign structure."""
        _remember(self._trusted, key, None, _REMEMBERED)


@dataclass(frozen=True, slots=True)
class Rendering(Generic[T]):
    """One pod on its way through the templates.

    A template sees of the pod what it can read, and no more: what it makes is remembered by that.
    """

    memory: Memory[T]
    facts: Facts
    subject: Subject

    def made(self, template: Template) -> T:
        """What the template gives for the pod.

        Raises ``UserError`` where the pod's author bends or breaks the template, ``OperatorError``
        where it fails by itself.
        """
        seen = self._seen(template, self.subject)
        key = self._key(template, seen)
        made = self.memory.recall(key)
        if made is None:
            made = self._verified(template, seen)
            self.memory.remember(key, made)
        return made

    def _verified(self, template: Template, seen: Message) -> T:
        try:
            text = self._rendered(template, seen)
            read = self.memory.read(text)
        except _FAILURES as error:
            raise self._blamed(template, error) from error
        self._verify(template, text, read.raw)
        return read.made

    def _seen(self, template: Template, subject: Subject) -> Message:
        """The data, without what the template cannot read of it."""
        footprint = self.memory.footprint(template, self.facts.profile)
        return footprint(data(self.facts, subject))

    def _key(self, template: Template, seen: Message) -> bytes:
        """All that the template's text depends on, but for what is the same for all pods.

        Version 0 of the format writes equal values of equal types as equal bytes.
        """
        same = shared(self.facts)
        own = [None if any(value is each for each in same) else value for value in seen.values()]
        return marshal.dumps((template.name, own), 0)

    def _text(self, template: Template, subject: Subject) -> str:
        return self._rendered(template, self._seen(template, subject))

    def _rendered(self, template: Template, seen: Message) -> str:
        dot = shown(self.facts, seen, changing=template.changes)
        token = functions.DATA.set(dot)
        try:
            return template.program.render(dot)
        finally:
            functions.DATA.reset(token)

    def _guard(self, template: Template) -> Guard[Subject]:
        return Guard(
            subject=self.subject,
            masked=Subject.masked,
            text=lambda subject: self._text(template, subject),
            read=overlay.parse,
            failures=_FAILURES,
            decoded=template.decodes,
        )

    def _verify(self, template: Template, text: str, raw: JSON) -> None:
        """Raise ``UserError`` if the text has structure that the pod's author brought in."""
        guard = self._guard(template)
        suspects = guard.suspects()
        if not suspects or self.memory.trusts((text, *suspects)):
            return
        place = guard.foreign(text, raw)
        if place is not None:
            raise UserError(
                f"{_name(place)}: its text would change the structure that template "
                f'"{template.name}" gives the pod; leave out line breaks, quotes, brackets and '
                "other YAML syntax"
            )
        self.memory.trust((text, *suspects))

    def _blamed(self, template: Template, error: Exception) -> InjectionError:
        """Whose fault it is that the template fails."""
        place = self._guard(template).breaking(lambda tried: self._works(template, tried))
        culprit = self._breaking_key(template) if place is None else _name(place)
        if culprit is None:
            return OperatorError(f'{_FAILED} "{template.name}": {error}')
        return UserError(f'{culprit}: {_FAILED} "{template.name}" with it: {error}')

    def _breaking_key(self, template: Template) -> str | None:
        """The annotation or label without which the template works."""
        kept = [("annotations", key) for key in annotations_of(self.subject.pod)]
        kept += [("labels", key) for key in labels_of(self.subject.pod)]

        def holds(count: int) -> bool:
            return self._works(template, _with_keys(self.subject, kept[:count]))

        if not kept or not holds(0) or holds(len(kept)):
            return None
        kind, key = kept[first_failing(len(kept), holds)]
        return f"{kind.removesuffix('s')} {key}"

    def _works(self, template: Template, subject: Subject) -> bool:
        try:
            self.memory.make(overlay.parse(self._text(template, subject)))
        except _FAILURES:
            return False
        return True


_FAILURES = (ExecError, LimitError, OverlayError)


def _remember(memory: dict[K, V], key: K, value: V, limit: int) -> None:
    memory[key] = value
    if len(memory) > limit:
        memory.pop(next(iter(memory)), None)


def _with_keys(subject: Subject, kept: list[tuple[str, str]]) -> Subject:
    """The subject with these of its annotations and labels alone."""
    metadata = object_at(subject.pod, "metadata")
    maps: Object = {
        kind: {key: metadata_map[key] for which, key in kept if which == kind}
        for kind in ("annotations", "labels")
        if (metadata_map := object_at(metadata, kind))
    }
    layer = subject.layer if ("annotations", proxyconfig.ANNOTATION) in kept else {}
    return replace(subject, pod=subject.pod | {"metadata": metadata | maps}, layer=layer)


def _name(place: Place) -> str:
    """How the pod's author knows the place."""
    match steps(place):
        case ("layer", *_):
            return f"annotation {proxyconfig.ANNOTATION}"
        case ("pod", "metadata", "annotations" | "labels" as kind, key, *_):
            return f"{kind.removesuffix('s')} {key}"
        case ("pod", *path):
            return "/" + "/".join(map(str, path))
        case _:
            return "the name or kind of the pod's owner"
