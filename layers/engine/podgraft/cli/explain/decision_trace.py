"""What explain reports of one document: each step of each review, and the verdict.

kube-apiserver evaluates the registration first (rules, namespaceSelector, objectSelector,
matchConditions) and calls podgraft only for requests that pass. podgraft's own steps follow, as the
review records them. Nothing here evaluates anything.
"""

from collections.abc import Iterable
from enum import StrEnum

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON, Object
from podgraft.base.trace import Additions, TraceStep
from podgraft.cli import documents
from podgraft.cli.live.registrations import Webhook
from podgraft.cli.offline import is_patched, read_message
from podgraft.core.review.results import ReviewResponse, ReviewResult
from podgraft.kube.admission import AdmissionResponse

from .pod_source import ExplainedPod

RESULT_STEP = "result"  # the last step of a review: its decision and reason in the log


class Verdict(StrEnum):
    """The result for a document or for one review."""

    INJECTED = "injected"
    CHANGED = "changed"
    SKIPPED = "skipped"
    DENIED = "denied"
    FAILED = "failed"
    NOT_REVIEWED = "not reviewed"


# By verdict: the exit status. The verdict of a document is the first that one of its reviews has.
STATUSES = {
    Verdict.FAILED: 1,
    Verdict.DENIED: 4,
    Verdict.INJECTED: 0,
    Verdict.CHANGED: 0,
    Verdict.SKIPPED: 3,
}
PRECEDENCE = tuple(STATUSES)
# Among equal verdicts, a call of /inject decides, then any call, then the first stage.
_ROUTE_RANKS = {"inject": 0, "": 2}


class Review(Struct, frozen=True):
    """One call of a webhook: the object before, the result, and the object after it.

    ``after`` is ``None`` if the call ends the request.
    """

    before: ExplainedPod
    webhook: Webhook
    result: ReviewResult
    after: ExplainedPod | None

    @property
    def object(self) -> Object:
        """The object after the call; before it, if the call ends the request."""
        return (self.after or self.before).object

    @property
    def response(self) -> AdmissionResponse | None:
        """The response, as the webhook sends it; None if the review fails."""
        return self.result.response if isinstance(self.result, ReviewResponse) else None

    @property
    def operations(self) -> list[JSON]:
        """The operations of the patch."""
        changes = self.response.patch if self.response else b""
        operations = jsonvalue.load(changes) if changes else []
        return operations if isinstance(operations, list) else []

    @property
    def reason(self) -> str:
        """The reasons of the decision, separated by commas."""
        return self.result.record.reason

    @property
    def message(self) -> str:
        """The message of a denial or of a failure; empty for other results."""
        return read_message(self.result)

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings of the response."""
        return self.response.warnings if self.response else ()

    def to_json(self) -> Object:
        """Encode the response; ``allowed`` is null if the review fails."""
        status = self.response.status if self.response else None
        return {
            "object": documents.object_name(self.before.object),
            "route": self.webhook.route,
            "decision": self.result.record.decision,
            "reason": self.reason,
            "allowed": self.response.allowed if self.response else None,
            "changed": is_patched(self.result),
            "code": status.code if status else None,
            "message": self.message,
            "warnings": [*self.warnings],
        }


class Stage(Struct, frozen=True, kw_only=True):
    """The steps of kube-apiserver or of one route of podgraft for one request.

    ``route`` is empty for kube-apiserver. ``verdict`` is ``None`` for a stage without effect.
    """

    name: str
    steps: tuple[TraceStep, ...]
    object: str = ""
    route: str = ""
    verdict: Verdict | None = None
    review: Review | None = None


class DecisionTrace(Struct, frozen=True, kw_only=True):
    """All stages of one document; ``sidecars`` is set if its pod is injected."""

    subject: str
    stages: tuple[Stage, ...]
    verdict: Verdict = Verdict.NOT_REVIEWED
    sidecars: Additions | None = None
    warnings: tuple[str, ...] = ()

    @property
    def is_injected(self) -> bool:
        """Whether the pod receives sidecars."""
        return self.verdict is Verdict.INJECTED

    @property
    def sidecar_rows(self) -> list[tuple[str, str]]:
        """What is added, as pairs of a heading and names; empty lists are left out."""
        added = self.sidecars or Additions()
        rows = (
            ("templates", added.templates),
            ("image", (added.image,)),
            ("init containers", added.init_containers),
            ("containers", added.containers),
            ("volumes", added.volumes),
        )
        return [(name, ", ".join(filter(None, values))) for name, values in rows if any(values)]

    @property
    def deciding_step(self) -> TraceStep | None:
        """The step that decided."""
        return next((s for stage in self.stages for s in stage.steps if s.is_deciding), None)


def make_trace(subject: str, stages: Iterable[Stage], sidecars: Additions | None) -> DecisionTrace:
    """Make the trace of a document, with the one step that decides its verdict."""
    all_stages = list(stages)
    ranks = [
        (PRECEDENCE.index(stage.verdict), _ROUTE_RANKS.get(stage.route, 1), index)
        for index, stage in enumerate(all_stages)
        if stage.verdict is not None
    ]
    rank, _, deciding = min(ranks, default=(None, 0, None))
    verdict = Verdict.NOT_REVIEWED if rank is None else PRECEDENCE[rank]
    return DecisionTrace(
        subject=subject,
        stages=tuple(
            stage if each == deciding else _without_deciding_step(stage)
            for each, stage in enumerate(all_stages)
        ),
        verdict=verdict,
        sidecars=sidecars if verdict is Verdict.INJECTED else None,
        warnings=tuple(
            dict.fromkeys(
                warning for stage in all_stages if stage.review for warning in stage.review.warnings
            )
        ),
    )


def _without_deciding_step(stage: Stage) -> Stage:
    steps = tuple(replace(step, is_deciding=False) for step in stage.steps)
    return replace(stage, steps=steps)


def exit_status(journeys: Iterable[DecisionTrace]) -> int:
    """The exit status for several documents: the worst of 1, 4, 3 and 0, in this order.

    Documents that no webhook reviews do not count, unless there are no others.
    """
    verdicts = {trace.verdict for trace in journeys} - {Verdict.NOT_REVIEWED}
    statuses = {STATUSES[verdict] for verdict in verdicts or {Verdict.SKIPPED}}
    return next(status for status in (1, 4, 3, 0) if status in statuses)


def describe_conclusion(trace: DecisionTrace) -> str:
    """The verdict in one sentence."""
    word = _describe_verdict(trace)
    step = trace.deciding_step
    if step is None:
        return word
    reason = f": {step.reason}" if step.reason else ""
    decider = "" if step.name == RESULT_STEP else f", decided by {step.name}"
    return f"{word}{decider}{reason}"


def _describe_verdict(trace: DecisionTrace) -> str:
    match trace.verdict:
        case Verdict.NOT_REVIEWED:
            return "not reviewed: no webhook of this configuration is for the object"
        case Verdict.SKIPPED if any(stage.route in {"inject", ""} for stage in trace.stages):
            return "not injected"
        case Verdict.SKIPPED:
            return "unchanged"
        case verdict:
            return str(verdict)


def to_json(trace: DecisionTrace) -> Object:
    """Encode the trace as JSON with stable keys."""
    sidecars = trace.sidecars
    stages: list[JSON] = [
        {
            "name": stage.name,
            "object": stage.object,
            "route": stage.route,
            "steps": [_encode_record(step) for step in stage.steps],
        }
        for stage in trace.stages
    ]
    reviews: list[JSON] = [each.review.to_json() for each in trace.stages if each.review]
    return {
        "subject": trace.subject,
        "injected": trace.is_injected,
        "verdict": str(trace.verdict),
        "conclusion": describe_conclusion(trace),
        "stages": stages,
        "reviews": reviews,
        "sidecars": None if sidecars is None else _encode_record(sidecars),
        "warnings": list(trace.warnings),
    }


def _encode_record(record: TraceStep | Additions) -> Object:
    """Encode a record with the names of its fields in camel case."""
    # Not to_builtins, which keeps tuples: the YAML writer of the playground has none.
    return msgspec.json.decode(msgspec.json.encode(record))
