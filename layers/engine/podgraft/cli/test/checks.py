"""The comparison of the reviews of a test with its expectation."""

from collections.abc import Callable, Iterator, Sequence
from difflib import unified_diff

from msgspec import Struct

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON
from podgraft.cli.explain.decision_trace import Verdict, describe_conclusion
from podgraft.cli.object_reviews import ObjectReviews
from podgraft.kube import yaml

from .document import ALLOWED, Expectation, ExpectedValue
from .fragment import find_differences

_ALLOWED = (Verdict.INJECTED, Verdict.CHANGED, Verdict.SKIPPED)


class Failure(Struct, frozen=True, kw_only=True):
    """An expectation that is not met; ``details`` are its lines, such as a diff."""

    check: str
    problem: str
    details: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.check}: {self.problem}"


# Returns the expected value of a document or a file, for the actual value.
Resolve = Callable[[ExpectedValue, JSON], JSON]


class Checker(Struct, frozen=True):
    """Compares reviews with an expectation; *resolve* reads expected values of files."""

    reviews: ObjectReviews
    resolve: Resolve

    def find_failures(self, expectation: Expectation) -> Iterator[Failure]:
        """Yield each expectation that is not met, in the order of the keys."""
        yield from self._check_outcome(expectation)
        yield from self._check_texts(expectation)
        own = self.reviews.own
        yield from self._check_contains("contains", expectation.contains, own.after)
        yield from self._check_equal("result", expectation.result, own.after)
        yield from self._check_equal("patch", expectation.patch, own.operations)
        yield from self._check_equal("responses", expectation.responses, self.reviews.responses)
        yield from self._check_pod(expectation)

    def _check_outcome(self, expectation: Expectation) -> Iterator[Failure]:
        trace = self.reviews.trace
        verdict = trace.verdict
        expected = expectation.outcome
        is_met = verdict in _ALLOWED if expected == ALLOWED else expected in ("", str(verdict))
        if not is_met:
            messages = tuple(self.reviews.all.messages)
            # The trace can quote a value of the object; the messages of the webhook do not.
            actual = str(verdict) if messages else describe_conclusion(trace)
            problem = f"expected {expected}, got {actual}"
            yield Failure(check="outcome", problem=problem, details=messages)

    def _check_texts(self, expectation: Expectation) -> Iterator[Failure]:
        reviews = self.reviews.all
        if expectation.reason and expectation.reason not in reviews.reasons:
            actual = ", ".join(dict.fromkeys(reviews.reasons)) or "none"
            problem = f"expected {expectation.reason}, got {actual}"
            yield Failure(check="reason", problem=problem)
        if expectation.message and not _is_part(expectation.message, reviews.messages):
            yield _text_failure("message", expectation.message, reviews.messages)
        if expectation.warnings is None:
            return
        for text in expectation.warnings:
            if not _is_part(text, reviews.warnings):
                yield _text_failure("warnings", text, reviews.warnings)
        for warning in reviews.warnings:
            if not any(text in warning for text in expectation.warnings):
                problem = f"unexpected warning: {warning}"
                yield Failure(check="warnings", problem=problem)

    def _check_pod(self, expectation: Expectation) -> Iterator[Failure]:
        expected = expectation.pod
        if expected is None:
            return
        pod = self.reviews.pod
        if pod is None:
            yield Failure(check="pod", problem="no webhook reviews a pod of the object")
            return
        yield from self._check_contains("pod.contains", expected.contains, pod.after)
        yield from self._check_equal("pod.result", expected.result, pod.after)
        yield from self._check_equal("pod.patch", expected.patch, pod.operations)

    def _check_contains(
        self, check: str, expected: ExpectedValue | None, actual: JSON
    ) -> Iterator[Failure]:
        if expected is None:
            return
        details = tuple(find_differences(self.resolve(expected, actual), actual))
        if details:
            yield Failure(check=check, problem="the object differs", details=details)

    def _check_equal(
        self, check: str, expected: ExpectedValue | None, actual: JSON
    ) -> Iterator[Failure]:
        if expected is None:
            return
        value = self.resolve(expected, actual)
        if not jsonvalue.equal(value, actual):
            name = expected.file or f"the test{expected.pointer}"
            diff = make_diff(value, actual, name)
            yield Failure(check=check, problem=f"differs from {name}", details=diff)


def _is_part(text: str, texts: Sequence[str]) -> bool:
    return any(text in each for each in texts)


def _text_failure(check: str, expected: str, actual: Sequence[str]) -> Failure:
    problem = f'expected "{expected}", got {"none" if not actual else "another text"}'
    return Failure(check=check, problem=problem, details=tuple(actual))


def make_diff(expected: JSON, actual: JSON, name: str) -> tuple[str, ...]:
    """The lines of a unified diff of two values, as YAML."""
    before, after = (yaml.dump(value).splitlines() for value in (expected, actual))
    return tuple(unified_diff(before, after, f"expected ({name})", "actual", lineterm=""))
