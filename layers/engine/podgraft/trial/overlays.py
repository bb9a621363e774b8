"""The trial of overlays: each for objects that it can match, of every kind that it is for.

Where the conditions hold, the overlay does what it does in a review. If they hold for no probe,
its template is rendered regardless, so that a template that never works is found as well.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import replace

from podgraft import kube
from podgraft.bundle import Bundle, Diagnostic, Manifest, OverlayMutator
from podgraft.injectors import OperatorError
from podgraft.injectors.overlay.data import data_type
from podgraft.injectors.overlay.overlay import Overlay
from podgraft.jsonvalue import Object
from podgraft.lazy_dataclass import dataclass
from podgraft.review_context import ReviewContext
from podgraft.texttemplate.field_check import FieldProblem

from .ambiguous_text import REMEDY, find_unquoted
from .candidates import Candidate, candidates
from .outcome import Failure, Outcome, attempts
from .probes import Probe
from .report import Report, field_fault

_TEMPLATE = "/spec/template"
_CONDITIONS = "/spec/matchConditions"


def steps(bundle: Bundle, report: Report) -> Iterator[None]:
    """Try every overlay of the bundle; each step is about one rendering."""
    holders = {manifest.name: manifest for manifest in bundle.manifests.of_kind("Overlay")}
    for graft in bundle.object_mutators:
        if isinstance(graft, OverlayMutator):
            for overlay in graft.overlays.overlays:
                trial = _Trial(overlay, holders[overlay.name], graft.overlays.namespaces, report)
                yield from trial.steps()


@dataclass(frozen=True, slots=True)
class _Trial:
    """One overlay, and where it was read."""

    overlay: Overlay
    holder: Manifest
    namespaces: Mapping[str, Object]
    report: Report

    def steps(self) -> Iterator[None]:
        by_kind = candidates(self.overlay.constraints, self.holder)
        self._check_fields([each for listed in by_kind.values() for each in listed])
        yield
        for kind, listed in by_kind.items():
            yield from self._try(kind, listed)

    def _check_fields(self, listed: Sequence[Candidate]) -> None:
        """Fields that no kind of object has that the overlay is for."""
        overlay = self.overlay
        known = {} if overlay.mutates_data else {"Values": overlay.values}
        types = dict.fromkeys(data_type(kube.object_type(each.probe.object)) for each in listed)
        found = [overlay.template.check_fields(type_, known) for type_ in types]
        first, *others = found or [()]
        for problem in first:
            if all(_key(problem) in map(_key, problems) for problems in others):
                self.report.error(field_fault(self.holder, _TEMPLATE, problem))

    def _try(self, kind: str, listed: Sequence[Candidate]) -> Iterator[None]:
        """Try the objects of one kind: those that match, or all of them if none does."""
        matching = [candidate for candidate in listed if self._applies(candidate)]
        tried = matching or listed
        outcome = yield from attempts(self._over, [candidate.probe for candidate in tried])
        if matching:
            works = not outcome.fails_everywhere
            unquoted = works and (yield from self._try_ambiguous(tried[-1].probe))
            self._judge(kind, outcome, is_explained=unquoted)
        elif outcome.fails_everywhere:
            self._note_failure(f"every probe {kind}, whatever its conditions", outcome.errors[0])
        else:
            self._note_common_flaws(outcome)

    def _try_ambiguous(self, probe: Probe) -> Generator[None, None, bool]:
        """Warn of text that is written where YAML does not read it as text; return whether it is.

        It is warned of once, not for each kind of object.
        """
        place = self.holder.path + _TEMPLATE
        if any((found.pointer, found.remedy) == (place, REMEDY) for found in self.report.warnings):
            return True
        found = yield from find_unquoted(self._over, probe)
        if found is not None:
            what, failure = found
            problem = f"fails for {probe.name} with {what}: {self.report.describe_failure(failure)}"
            self.report.warning(self.holder.make_diagnostic(_TEMPLATE, problem, REMEDY))
        return found is not None

    def _applies(self, candidate: Candidate) -> bool:
        try:
            return self.overlay.applies(candidate.request, self.namespaces)
        except OperatorError as error:
            if candidate.is_plain:
                problem = f"fails for {candidate.probe.name}: {self.report.describe(error)}"
                remedy = "test with has() for fields that an object can lack"
                self.report.error(self.holder.make_diagnostic(_CONDITIONS, problem, remedy))
            return False

    def _over(self, before: Object, context: ReviewContext) -> Object:
        return self.overlay.apply(before, context.namespace, context.limits)

    def _judge(self, kind: str, outcome: Outcome, *, is_explained: bool) -> None:
        if outcome.fails_everywhere:
            self._note_failure(f"every probe {kind}", outcome.errors[-1 if outcome.is_final else 0])
        for failure in outcome.first_flaws:
            self._note_flaw(failure)
        if outcome.errors and not outcome.fails_everywhere and not is_explained:
            failure = outcome.errors[0]
            problem = f"fails for {failure.probe.name}: {self.report.describe_failure(failure)}"
            self.report.warning(self._fault(problem, failure))

    def _note_common_flaws(self, outcome: Outcome) -> None:
        """Flaws of each rendering: they do not depend on what the conditions ask for."""
        rendered = outcome.count - len(outcome.errors)
        problems = [
            failure.flaw.problem for failure in outcome.failures if failure.flaw is not None
        ]
        for failure in outcome.first_flaws:
            if failure.flaw is not None and problems.count(failure.flaw.problem) >= rendered:
                self._note_flaw(failure)

    def _note_flaw(self, failure: Failure) -> None:
        flaw = failure.flaw
        if flaw is not None:
            problem = f"for {failure.probe.name}, {flaw.problem}"
            self.report.error(self.holder.make_diagnostic(_TEMPLATE, problem, flaw.remedy))

    def _note_failure(self, subject: str, failure: Failure) -> None:
        problem = f"fails for {subject}: {self.report.describe_failure(failure)}"
        self.report.error(self._fault(problem, failure))

    def _fault(self, problem: str, failure: Failure) -> Diagnostic:
        remedy = failure.remedy_in(self.overlay.template.source.text)
        fault = self.holder.make_diagnostic(_TEMPLATE, problem, remedy)
        return replace(fault, excerpt=failure.drawing)


def _key(problem: FieldProblem) -> tuple[int, str]:
    return problem.span.start, problem.path
