"""The outcome of renderings for several probes."""

from collections.abc import Callable, Generator, Iterable

from msgspec import Struct, field

from podgraft import kube
from podgraft.base.jsonvalue import Object
from podgraft.core.injectors.errors import InjectionError
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
    """A rendering that failed."""

    probe: Probe
    error: Exception

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


class FlawOfProbe(Struct, frozen=True):
    """A flaw of the result for a probe."""

    probe: Probe
    flaw: Flaw

    @property
    def problem(self) -> str:
        """The problem, with the probe."""
        return f"for {self.probe.name}, {self.flaw.problem}"


class Outcome(Struct):
    """The renderings for *count* probes: those that failed, and the flaws of the others."""

    count: int = 0
    errors: list[Failure] = field(default_factory=list[Failure])
    flaws: list[FlawOfProbe] = field(default_factory=list[FlawOfProbe])

    def add(self, change: Mutate, probe: Probe) -> None:
        """Mutate a probe as a review does."""
        self.count += 1
        result = try_probe(change, probe)
        if isinstance(result, Failure):
            self.errors.append(result)
        else:
            self.flaws.extend(FlawOfProbe(probe, flaw) for flaw in result)

    @property
    def first_flaws(self) -> list[FlawOfProbe]:
        """The flaws of the first rendering that has any."""
        return [each for each in self.flaws if each.probe is self.flaws[0].probe]

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
        return self.fails_everywhere or bool(self.flaws)


def try_probes(change: Mutate, probes: Iterable[Probe]) -> Generator[None, None, Outcome]:
    """Mutate each probe as a review does; each step is one probe."""
    outcome = Outcome()
    for probe in probes:
        outcome.add(change, probe)
        yield
        if outcome.is_final:
            break
    return outcome


def try_probe(change: Mutate, probe: Probe) -> Failure | list[Flaw]:
    """Return the failure for one probe, or the flaws of the result."""
    after = mutate_probe(change, probe)
    return after if isinstance(after, Failure) else [*find_flaws(probe.object, after)]


def mutate_probe(change: Mutate, probe: Probe) -> Failure | Object:
    """Return the failure for one probe, or the result."""
    context = ReviewContext(namespace=probe.namespace, limits=LIMITS)
    try:
        after = change(probe.object, context)
        if after.get("kind") == "Pod":
            kube.check(kube.POD, after)
    except (InjectionError, kube.DecodeError) as error:
        return Failure(probe=probe, error=error)
    return after
