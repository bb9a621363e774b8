"""From templates and a pod to overlays, and whose fault it is where that fails.

A failure is put down to the pod's author only if it goes away with what the author wrote: first
with everything masked that could be YAML syntax (masks.py), then without annotations and labels.
The author is told which of them it was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from podgraft.gotemplate import ExecError, LimitError, Program
from podgraft.govalue import GoType
from podgraft.injection.errors import InjectionError, OperatorError, UserError
from podgraft.jsonvalue import JSON, Object

from . import functions, overlay, proxyconfig
from .draft import annotations_of, labels_of, object_at
from .masks import Masking, Place, mark_for, same_structure, steps
from .overlay import Overlay, OverlayError
from .subject import Facts, Subject, data

K = TypeVar("K")
V = TypeVar("V")

_REMEMBERED = 64  # texts: few workloads of a cluster are created at any one time
_FAILED = "failed to run injection template"


@dataclass(frozen=True, slots=True)
class Template:
    """A template to render."""

    name: str
    program: Program


@dataclass(frozen=True, slots=True)
class Read:
    """A rendered text: as YAML reads it, and as the overlay it is."""

    raw: JSON
    overlay: Overlay


class Memory:
    """What the latest texts mean, and which of them are known to be free of foreign structure.

    A text is trusted together with the suspicious strings of the pod it was rendered for.
    """

    def __init__(self, pod_type: GoType) -> None:
        self.pod_type = pod_type
        self._read: dict[str, Read] = {}
        self._trusted: dict[tuple[str, ...], None] = {}

    def read(self, text: str) -> Read:
        """The text's meaning; raises ``OverlayError``."""
        found = self._read.get(text)
        if found is None:
            raw = overlay.parse(text)
            found = Read(raw, overlay.read(self.pod_type, raw))
            _remember(self._read, text, found)
        return found

    def trusts(self, key: tuple[str, ...]) -> bool:
        """Whether ``trust`` was told so."""
        return key in self._trusted

    def trust(self, key: tuple[str, ...]) -> None:
        """Remember that a text has no foreign structure."""
        _remember(self._trusted, key, None)


@dataclass(frozen=True, slots=True)
class Rendering:
    """One pod on its way through the templates."""

    memory: Memory
    facts: Facts
    subject: Subject

    def overlay(self, template: Template) -> Overlay:
        """The overlay that the template gives for the pod.

        Raises ``UserError`` where the pod's author bends or breaks the template, ``OperatorError``
        where it fails by itself.
        """
        try:
            text = self._text(template, self.subject)
            read = self.memory.read(text)
        except _FAILURES as error:
            raise self._blamed(template, error) from error
        self._verify(template, text, read.raw)
        return read.overlay

    def _text(self, template: Template, subject: Subject) -> str:
        dot = data(self.facts, subject)
        token = functions.DATA.set(dot)
        try:
            return template.program.render(dot)
        finally:
            functions.DATA.reset(token)

    def _raw(self, template: Template, subject: Subject) -> JSON:
        """What the text means to YAML; raises one of ``_FAILURES``."""
        return overlay.parse(self._text(template, subject))

    def _works(self, template: Template, subject: Subject) -> bool:
        try:
            overlay.read(self.memory.pod_type, self._raw(template, subject))
        except _FAILURES:
            return False
        return True

    def _verify(self, template: Template, text: str, raw: JSON) -> None:
        """Raise ``UserError`` if the text has structure that the pod's author brought in."""
        mark = mark_for(text)
        if mark is None:
            raise UserError(f'{_FAILED} "{template.name}": the pod holds every mark there is')
        masking = Masking(mark)
        masked = self.subject.masked(masking)
        if masked is self.subject:
            return
        key = (text, *(suspect for suspect, _ in masking.found))
        if self.memory.trusts(key):
            return
        try:
            rehearsed = self._text(template, masked)
            sound = rehearsed == text or same_structure(raw, overlay.parse(rehearsed), mark)
        except _FAILURES:
            sound = False
        if not sound:
            raise self._bent(template, masking)
        self.memory.trust(key)

    def _bent(self, template: Template, masking: Masking) -> InjectionError:
        """The refusal of a pod that would change the template's structure."""

        def holds(spared: int) -> bool:
            try:
                tried = self._raw(template, self._spared(masking.mark, spared))
                return same_structure(tried, straight, masking.mark)
            except _FAILURES:
                return False

        try:
            straight = self._raw(template, self._spared(masking.mark, 0))
            place = masking.found[_first_failing(len(masking.found), holds)][1]
        except _FAILURES:
            place = masking.found[0][1]
        return UserError(
            f'{_name(place)}: its text would change the structure that template "{template.name}" '
            "gives the pod; leave out line breaks, quotes, brackets and other YAML syntax"
        )

    def _blamed(self, template: Template, error: Exception) -> InjectionError:
        """Whose fault it is that the template fails."""
        culprit = self._breaking_text(template) or self._breaking_key(template)
        if culprit is None:
            return OperatorError(f'{_FAILED} "{template.name}": {error}')
        return UserError(f'{culprit}: {_FAILED} "{template.name}" with it: {error}')

    def _breaking_text(self, template: Template) -> str | None:
        """The string of the pod whose YAML syntax makes the template fail."""
        masking = Masking(mark_for() or "")
        masked = self.subject.masked(masking)
        if masked is self.subject or not self._works(template, masked):
            return None

        def holds(spared: int) -> bool:
            return self._works(template, self._spared(masking.mark, spared))

        return _name(masking.found[_first_failing(len(masking.found), holds)][1])

    def _breaking_key(self, template: Template) -> str | None:
        """The annotation or label without which the template works."""
        kept = [("annotations", key) for key in annotations_of(self.subject.pod)]
        kept += [("labels", key) for key in labels_of(self.subject.pod)]

        def holds(count: int) -> bool:
            return self._works(template, _with_keys(self.subject, kept[:count]))

        if not kept or not holds(0) or holds(len(kept)):
            return None
        kind, key = kept[_first_failing(len(kept), holds)]
        return f"{kind.removesuffix('s')} {key}"

    def _spared(self, mark: str, spared: int) -> Subject:
        return self.subject.masked(Masking(mark, spared))


_FAILURES = (ExecError, LimitError, OverlayError)


def _remember(memory: dict[K, V], key: K, value: V) -> None:
    memory[key] = value
    if len(memory) > _REMEMBERED:
        memory.pop(next(iter(memory)), None)


def _first_failing(count: int, holds: Callable[[int], bool]) -> int:
    """The index of the element with which it stops to hold: it does for none, not for ``count``."""
    low, high = 0, count
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


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
