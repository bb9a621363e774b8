"""The trial of overlays: each overlay for objects of every kind that it can match.

If the conditions match, the overlay is applied as in a review. If they match no probe, the template
is rendered anyway, to find templates that always fail.
"""

import re
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from podgraft import kube
from podgraft.base.diagnostics import find_similar
from podgraft.base.jsonvalue import Object, dump
from podgraft.core.bundle import Bundle, Diagnostic, Manifest
from podgraft.core.injectors.errors import OperatorError
from podgraft.core.injectors.overlay.data import data_type
from podgraft.core.injectors.overlay.overlay import Overlay
from podgraft.core.injectors.overlay.overlay_set import OverlaySet
from podgraft.core.review_context import ReviewContext
from podgraft.golang.texttemplate.field_check import FieldProblem
from podgraft.kube.unknown_fields import UNKNOWN, drop_indexes, find_unknown_fields

from .ambiguous_text import REMEDY, find_unquoted_text
from .candidates import Candidate, make_candidates
from .outcome import Failure, FlawOfProbe, Outcome, try_probes
from .probes import Probe
from .report import Report, make_field_diagnostic

_TEMPLATE = "/spec/template"
_CONDITIONS = "/spec/matchConditions"
_NAMES_IF_ABSENT = "/spec/setIfAbsent"
_WORD = re.compile(r"[^\s{}\[\]():,\"'`|]+")


def try_overlays(bundle: Bundle, report: Report) -> Iterator[None]:
    """Apply every overlay of the bundle to probes; each step is about one rendering."""
    manifests = {manifest.name: manifest for manifest in bundle.manifests.of_kind("Overlay")}
    for mutator in bundle.object_mutators:
        if isinstance(mutator, OverlaySet):
            for overlay in mutator.overlays:
                manifest = manifests[overlay.name]
                yield from _OverlayTrial(overlay, manifest, mutator.namespaces, report).run()


class _OverlayTrial(Struct, frozen=True):
    """The trial of one overlay."""

    overlay: Overlay
    holder: Manifest
    namespaces: Mapping[str, Object]
    report: Report
    unknown_fields: set[str] = field(default_factory=set[str])

    def run(self) -> Iterator[None]:
        by_kind = make_candidates(self.overlay.constraints, self.holder)
        self._check_fields([candidate for of_kind in by_kind.values() for candidate in of_kind])
        self._check_names()
        yield
        for kind, of_kind in by_kind.items():
            yield from self._try_kind(kind, of_kind)

    def _check_fields(self, candidates: Sequence[Candidate]) -> None:
        """Report fields that no kind of matching object has."""
        overlay = self.overlay
        values = {} if overlay.template.mutates_data else {"Values": overlay.values}
        types = dict.fromkeys(
            data_type(kube.object_type(candidate.probe.object)) for candidate in candidates
        )
        problems_by_type = [overlay.template.check_fields(type_, values) for type_ in types]
        first, *others = problems_by_type or [()]
        for problem in first:
            if all(_problem_key(problem) in map(_problem_key, problems) for problems in others):
                self.report.add_error(make_field_diagnostic(self.holder, _TEMPLATE, problem))

    def _check_names(self) -> None:
        """Warn of names in ``setIfAbsent`` that are in neither the template nor its values."""
        words = _WORD.findall(self.overlay.source.text + dump(self.overlay.values))
        for number, name in enumerate(self.overlay.if_absent):
            if name not in words:
                problem = f"the template does not contain the name {name}"
                remedy = "correct or remove it, unless the template composes it"
                pointer = f"{_NAMES_IF_ABSENT}/{number}"
                self.report.add_warning(self.holder.make_diagnostic(pointer, problem, remedy))

    def _try_kind(self, kind: str, candidates: Sequence[Candidate]) -> Iterator[None]:
        """Try the objects of one kind: those that match, or all of them if none does."""
        matching = [candidate for candidate in candidates if self._applies(candidate)]
        tried_candidates = matching or candidates
        apply = self.report.observe(self._apply_and_check, self.holder, _TEMPLATE)
        outcome = yield from try_probes(apply, [each.probe for each in tried_candidates])
        if matching:
            works = not outcome.fails_everywhere
            unquoted = works and (yield from self._try_ambiguous_text(tried_candidates[-1].probe))
            self._report_outcome(kind, outcome, is_explained=unquoted)
        elif outcome.fails_everywhere:
            self._report_failure(
                f"every probe {kind}, regardless of its conditions", outcome.errors[0]
            )
        else:
            self._report_common_flaws(outcome)

    def _try_ambiguous_text(self, probe: Probe) -> Generator[None, None, bool]:
        """Warn of unquoted text that YAML does not read as a string; return whether there is any.

        The report contains the warning once, not for each kind of object.
        """
        path = self.holder.path + _TEMPLATE
        if any(
            (unquoted.pointer, unquoted.remedy) == (path, REMEDY)
            for unquoted in self.report.warnings
        ):
            return True
        problem = yield from find_unquoted_text(self._apply, probe, self.report.describe)
        if problem:
            self.report.add_warning(self.holder.make_diagnostic(_TEMPLATE, problem, REMEDY))
        return bool(problem)

    def _applies(self, candidate: Candidate) -> bool:
        try:
            return self.overlay.mismatch(candidate.request, self.namespaces) is None
        except OperatorError as error:
            if candidate.is_plain:
                problem = f"fails for {candidate.probe.name}: {self.report.describe(error)}"
                remedy = "test optional fields with has()"
                self.report.add_error(self.holder.make_diagnostic(_CONDITIONS, problem, remedy))
            return False

    def _apply(self, before: Object, context: ReviewContext) -> Object:
        return self.overlay.apply(before, context.namespace, self.namespaces, context.limits)

    def _apply_and_check(self, before: Object, context: ReviewContext) -> Object:
        """Apply the overlay, and warn once of each field that kube-apiserver drops."""
        after = self._apply(before, context)
        for unknown in find_unknown_fields(after):
            form = drop_indexes(unknown.path)
            if form not in self.unknown_fields:
                self.unknown_fields.add(form)
                name = find_similar(unknown.name, unknown.available)
                problem = f"sets the unknown field {unknown.path}"
                remedy = f"rename it to {name}" if name else f"remove it; {UNKNOWN}"
                self.report.add_warning(self.holder.make_diagnostic(_TEMPLATE, problem, remedy))
        return after

    def _report_outcome(self, kind: str, outcome: Outcome, *, is_explained: bool) -> None:
        if outcome.fails_everywhere:
            self._report_failure(
                f"every probe {kind}", outcome.errors[-1 if outcome.is_final else 0]
            )
        self._report_flaws(outcome.first_flaws)
        if outcome.errors and not outcome.fails_everywhere and not is_explained:
            failure = outcome.errors[0]
            problem = f"fails for {failure.probe.name}: {self.report.describe(failure.error)}"
            self.report.add_warning(self._make_diagnostic(problem, failure))

    def _report_common_flaws(self, outcome: Outcome) -> None:
        """Report the flaws of all renderings: they do not depend on the conditions."""
        rendered_count = outcome.count - len(outcome.errors)
        counts = Counter(each.flaw.problem for each in outcome.flaws)
        self._report_flaws(
            each for each in outcome.first_flaws if counts[each.flaw.problem] >= rendered_count
        )

    def _report_flaws(self, flaws: Iterable[FlawOfProbe]) -> None:
        for each in flaws:
            self.report.add_error(
                self.holder.make_diagnostic(_TEMPLATE, each.problem, each.flaw.remedy)
            )

    def _report_failure(self, subject: str, failure: Failure) -> None:
        problem = f"fails for {subject}: {self.report.describe(failure.error)}"
        self.report.add_error(self._make_diagnostic(problem, failure))

    def _make_diagnostic(self, problem: str, failure: Failure) -> Diagnostic:
        remedy = failure.remedy_in(self.overlay.template.source.text)
        diagnostic = self.holder.make_diagnostic(_TEMPLATE, problem, remedy)
        return replace(diagnostic, excerpt=failure.excerpt)


def _problem_key(problem: FieldProblem) -> tuple[int, str]:
    return problem.span.start, problem.path
