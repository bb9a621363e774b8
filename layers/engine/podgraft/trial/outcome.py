"""Renderings for several probes, and what they have in common."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import field

from podgraft import kube, texttemplate, yaml
from podgraft.injectors import InjectionError
from podgraft.jsonvalue import Object
from podgraft.lazy_dataclass import dataclass
from podgraft.review_context import ReviewContext
from podgraft.texttemplate import ExecError, LimitError

from .flaws import Flaw, flaws
from .probes import Probe

_MOST_CAUSES = 8

# Does with an object what a review does with it; raises ``InjectionError``.
Change = Callable[[Object, ReviewContext], Object]

# A tenth of what a review allows: Istio's largest template needs less than a hundredth, and a
# template that runs into these limits must not hold up the review that loads it.
LIMITS = texttemplate.Limits(output_bytes=838_860, steps=100_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A rendering that failed, or one that has a flaw."""

    probe: Probe
    error: Exception | None = None
    flaw: Flaw | None = None

    @property
    def cause(self) -> ExecError | LimitError | yaml.NotYAMLError | None:
        """The error of the template or of its YAML, if it was one of those."""
        error: BaseException | None = self.error
        for _ in range(_MOST_CAUSES):  # an error can be its own cause
            if error is None or isinstance(error, ExecError | LimitError | yaml.NotYAMLError):
                return error
            error = error.__cause__
        return None

    @property
    def remedy(self) -> str:
        """What to do about it."""
        match self.cause:
            case ExecError(line=line):
                return f"correct line {line} of the template, or the values that it reads"
            case LimitError(line=line):
                return f"let line {line} of the template do less"
            case yaml.NotYAMLError(line=line):
                return f"correct what becomes line {line} of the rendered text"
            case _:
                return "correct the template, or the values that it reads"

    def remedy_in(self, template: str) -> str:
        """What to do about it, with the line of a tab that YAML does not accept."""
        if isinstance(self.cause, yaml.NotYAMLError):
            for number, line in enumerate(template.split("\n"), 1):
                if line.lstrip(" ").startswith("\t"):
                    return f"replace the tab in line {number} of the template with spaces"
        return self.remedy

    @property
    def drawing(self) -> str:
        """The line of the template that failed, with carets under the expression."""
        cause = self.cause
        return cause.span.excerpt if isinstance(cause, ExecError | LimitError) else ""


@dataclass(slots=True)
class Outcome:
    """What came of renderings for *count* probes."""

    count: int = 0
    failures: list[Failure] = field(default_factory=list[Failure])

    @property
    def errors(self) -> list[Failure]:
        """The renderings that failed."""
        return [failure for failure in self.failures if failure.error is not None]

    @property
    def first_flaws(self) -> list[Failure]:
        """The flaws of the first rendering that has any."""
        flawed = [failure for failure in self.failures if failure.flaw is not None]
        return [failure for failure in flawed if failure.probe is flawed[0].probe]

    @property
    def is_final(self) -> bool:
        """Whether a template asked for too much: then no other probe is tried."""
        return any(isinstance(failure.cause, LimitError) for failure in self.errors)

    @property
    def fails_everywhere(self) -> bool:
        """Whether no rendering works."""
        return bool(self.errors) and (len(self.errors) == self.count or self.is_final)

    @property
    def is_refused(self) -> bool:
        """Whether templates with this outcome must not be in force."""
        return self.fails_everywhere or bool(self.first_flaws)


def attempts(change: Change, listed: Iterable[Probe]) -> Generator[None, None, Outcome]:
    """Do with each probe what a review does with an object; a step each."""
    outcome = Outcome()
    for probe in listed:
        outcome.count += 1
        outcome.failures.extend(attempt(change, probe))
        yield
        if outcome.is_final:
            break
    return outcome


def attempt(change: Change, probe: Probe) -> list[Failure]:
    """Return what is wrong with the result for one probe."""
    context = ReviewContext(namespace=probe.namespace, limits=LIMITS)
    try:
        after = change(probe.object, context)
        check_kind(after)
    except (InjectionError, kube.DecodeError) as error:
        return [Failure(probe=probe, error=error)]
    return [Failure(probe=probe, flaw=flaw) for flaw in flaws(probe.object, after)]


def check_kind(value: Object) -> None:
    """Raise ``DecodeError`` for a pod that kube-apiserver could not decode."""
    if value.get("kind") == "Pod":
        kube.check(kube.POD, value)
