"""The expectations of a test, as its document sets them."""

from dataclasses import dataclass

from podgraft.base.jsonvalue import JSON
from podgraft.core import policy
from podgraft.core.review import ReviewReason

# The reasons of reviews, as audit annotations and logs have them.
REASONS: tuple[str, ...] = (*map(str, policy.Reason), *map(str, ReviewReason))
# The outcomes that a test can expect: those of explain, and each that kube-apiserver allows.
ALLOWED = "allowed"
OUTCOMES = ("injected", "changed", "skipped", ALLOWED, "denied", "failed", "not reviewed")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedValue:
    """A value of the document, or the ``file`` that contains it."""

    pointer: str
    file: str = ""
    value: JSON = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PodExpectation:
    """The expectations for the pod that the controller of a workload creates."""

    contains: ExpectedValue | None = None
    result: ExpectedValue | None = None
    patch: ExpectedValue | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """The expectations of one test; those that are not set are not checked.

    ``message`` is a part of the message of a denial or a failure. ``warnings`` are parts of all
    warnings; an empty tuple expects none.
    """

    outcome: str = ""
    reason: str = ""
    message: str = ""
    warnings: tuple[str, ...] | None = None
    contains: ExpectedValue | None = None
    result: ExpectedValue | None = None
    patch: ExpectedValue | None = None
    responses: ExpectedValue | None = None
    pod: PodExpectation | None = None
