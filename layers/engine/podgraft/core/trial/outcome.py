"""The outcome of renderings for several probes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable

from msgspec import Struct, field

from podgraft import kube
from podgraft.base.jsonvalue import Object
from podgraft.core.injectors import InjectionError
from podgraft.core.review_context import ReviewContext
from podgraft.golang import texttemplate
from podgraft.golang.texttemplate import ExecError, LimitError
from podgraft.kube import yaml

from .flaws import Flaw, find_flaws
from .probes import Probe

_MAX_CAUSES = 8

# Mutates an object as a review does; raises ``InjectionError``.
Mutate = Callable[[Object, ReviewContext], Object]

# A tenth of the limits of a review: Istio's largest template needs less than a hundredth, and a
# template that reaches these limits must not delay the review that loads it.
LIMITS = texttemplate.Limits(output_bytes=838_860, steps=100_000)


class Failure(Struct, frozen=True, kw_only=True):
    """A rendering that failed, or one that has a flaw."""

    probe: Probe
    error: Exception | None = None
    flaw: Flaw | None = None

    @property
    def cause(self) -> ExecError | LimitError | yaml.NotYAMLError | None:
        """The error of the template or of its YAML, if it was one of those."""
        error: BaseException | None = self.error
        for _ in range(_MAX_CAUSES):  # an error can be its own cause
            if error is None or isinstance(error, ExecError | LimitError | yaml.NotYAMLError):
                return error
            error = error.__cause__
        return None

    @property
    def remedy(self) -> str:
        """The remedy for the failure."""
        match self.cause:
            case ExecError(line=line):
                return f"correct line {line} of the template, or the values that it reads"
            case LimitError(line=line):
                return f"simplify line {line} of the template"
            case yaml.NotYAMLError(line=line):
                return f"correct the part of the template that renders line {line} of the text"
            case _:
                return "correct the template, or the values that it reads"

    def remedy_in(self, template: str) -> str:
        """Return the remedy; if YAML fails because of a tab, it names the line of the tab."""
        if isinstance(self.cause, yaml.NotYAMLError):
            for number, line in enumerate(template.split("\n"), 1):
                if line.lstrip(" ").startswith("\t"):
                    return f"replace the tab in line {number} of the template with spaces"
        return self.remedy

    @property
    def excerpt(self) -> str:
        """The line of the template that failed, with carets under the expression."""
        cause = self.cause
        return cause.span.excerpt if isinstance(cause, ExecError | LimitError) else ""


class Outcome(Struct):
    """The failures of renderings for *count* probes."""

    count: int = 0
    failures: list[Failure] = field(default_factory=list[Failure])

    @property
    def errors(self) -> list[Failure]:
        """The renderings that failed."""
        return [failure for failure in self.failures if failure.error is not None]

    @property
    def first_flaws(self) -> list[Failure]:
        """The flaws of the first rendering that has any."""
        failures = [failure for failure in self.failures if failure.flaw is not None]
        return [failure for failure in failures if failure.probe is failures[0].probe]

    @property
    def is_final(self) -> bool:
        """Whether a template reached a limit; no other probe is tried then."""
        return any(isinstance(failure.cause, LimitError) for failure in self.errors)

    @property
    def fails_everywhere(self) -> bool:
        """Whether every rendering failed."""
        return bool(self.errors) and (len(self.errors) == self.count or self.is_final)

    @property
    def is_rejected(self) -> bool:
        """Whether a bundle with this outcome must not be activated."""
        return self.fails_everywhere or bool(self.first_flaws)


def try_probes(change: Mutate, probes: Iterable[Probe]) -> Generator[None, None, Outcome]:
    """Mutate each probe as a review does; each step is one probe."""
    outcome = Outcome()
    for probe in probes:
        outcome.count += 1
        outcome.failures.extend(try_probe(change, probe))
        yield
        if outcome.is_final:
            break
    return outcome


def try_probe(change: Mutate, probe: Probe) -> list[Failure]:
    """Return the failures for one probe."""
    context = ReviewContext(namespace=probe.namespace, limits=LIMITS)
    try:
        after = change(probe.object, context)
        check_result(after)
    except (InjectionError, kube.DecodeError) as error:
        return [Failure(probe=probe, error=error)]
    return [Failure(probe=probe, flaw=flaw) for flaw in find_flaws(probe.object, after)]


def check_result(value: Object) -> None:
    """Raise ``DecodeError`` for a pod that kube-apiserver cannot decode."""
    if value.get("kind") == "Pod":
        kube.check(kube.POD, value)
