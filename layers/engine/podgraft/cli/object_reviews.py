"""The reviews of one object: the calls of webhooks, and the objects that result from them."""

import json
from dataclasses import dataclass, replace

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON, Object, object_at, objects_at, string_at
from podgraft.cli import documents
from podgraft.cli.explain.decision_trace import PRECEDENCE, DecisionTrace, Stage, Verdict
from podgraft.cli.explain.flow import Cluster
from podgraft.cli.explain.pod_source import ExplainedPod
from podgraft.cli.explain.stages import VERDICTS
from podgraft.cli.explain.webhooks import Webhook
from podgraft.cli.offline import read_message
from podgraft.core.review import ReviewOutcome, ReviewReason, ReviewResponse, ReviewResult
from podgraft.kube import admission
from podgraft.kube.validation.rules import MISMATCH, NO_PARAMETERS, RULE

# Audit annotations that change with every edit of the bundle or the policy.
_VERSIONS = frozenset({"bundle", "policy-version"})
# The audit annotations of the review itself, and that of failed validations.
_OWN_AUDIT = frozenset({*_VERSIONS, "decision", "reason"})
_AUDIT_FAILURES = "validation_failure"


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a webhook: the object before, the result, and the object after it.

    ``after`` is ``None`` if the call ends the request.
    """

    before: ExplainedPod
    route: str
    result: ReviewResult
    after: ExplainedPod | None

    @property
    def object(self) -> Object:
        """The object after the call; before it, if the call ends the request."""
        return (self.after or self.before).object

    @property
    def operations(self) -> list[JSON]:
        """The operations of the patch."""
        changes = self.result.response.patch if isinstance(self.result, ReviewResponse) else b""
        operations = jsonvalue.load(changes) if changes else []
        return operations if isinstance(operations, list) else []

    @property
    def message(self) -> str:
        """The message of a denial or of a failure; empty for other results."""
        return read_message(self.result)

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings of the response."""
        return self.result.response.warnings if isinstance(self.result, ReviewResponse) else ()

    @property
    def verdict(self) -> Verdict:
        """The verdict of the review."""
        return VERDICTS[ReviewOutcome(self.result.record.decision)]


@dataclass(frozen=True, slots=True)
class ReviewedObject:
    """One object with its calls; ``name`` is for messages, and ``before`` is the object."""

    name: str
    before: ExplainedPod
    calls: tuple[Call, ...]
    stages: tuple[Stage, ...] = ()

    @property
    def evaluated_rules(self) -> list[str]:
        """The ValidatingAdmissionPolicies that apply to the object, with their bindings."""
        steps = (step for stage in self.stages for step in stage.steps)
        rules = (
            step.name.removeprefix(RULE)
            for step in steps
            if step.name.startswith(RULE)
            and not step.observed.startswith((MISMATCH, NO_PARAMETERS))
        )
        return list(dict.fromkeys(rules))

    @property
    def audit(self) -> dict[str, str]:
        """The audit annotations of the policies."""
        audit: dict[str, str] = {}
        for call in self.calls:
            if isinstance(call.result, ReviewResponse):
                audit |= call.result.response.audit
        return {key: audit[key] for key in audit if key not in {*_OWN_AUDIT, _AUDIT_FAILURES}}

    @property
    def audit_failures(self) -> list[str]:
        """The messages of failed validations whose binding sets ``Audit``."""
        return [
            string_at(failure, "message")
            for call in self.calls
            if isinstance(call.result, ReviewResponse)
            for failure in objects_at(
                {"items": jsonvalue.load(call.result.response.audit.get(_AUDIT_FAILURES, "[]"))},
                "items",
            )
        ]

    @property
    def after(self) -> Object:
        """The object after all calls."""
        return self.calls[-1].object if self.calls else self.before.object

    @property
    def verdict(self) -> Verdict:
        """The verdict of all calls."""
        verdicts = {call.verdict for call in self.calls}
        return next((each for each in PRECEDENCE if each in verdicts), Verdict.NOT_REVIEWED)

    @property
    def is_created(self) -> bool:
        """Whether kube-apiserver creates the object."""
        return self.verdict not in {Verdict.DENIED, Verdict.FAILED}

    @property
    def messages(self) -> list[str]:
        """The messages of denials and failures."""
        return [call.message for call in self.calls if call.message]

    @property
    def warnings(self) -> list[str]:
        """The warnings of all responses."""
        return list(dict.fromkeys(warning for call in self.calls for warning in call.warnings))

    def describe(self) -> str:
        """The result in one line: verdict, and reasons or messages."""
        reasons = (each for call in self.calls for each in call.result.record.reason.split(","))
        unique = dict.fromkeys(reasons)
        if self.verdict in {Verdict.INJECTED, Verdict.CHANGED}:
            unique.pop(ReviewReason.NOTHING_MATCHES, None)  # of another call
        details = "; ".join(self.messages) or ", ".join(unique)
        return f"{self.name}: {self.verdict}" + (f" ({details})" if details else "")

    def encode(self, path: str) -> Object:
        """The result as JSON; the result of an object that is not created is null."""
        return {
            "file": path,
            "object": documents.object_name(self.before.object),
            "namespace": self.before.namespace,
            "verdict": str(self.verdict),
            "messages": list(self.messages),
            "warnings": list(self.warnings),
        }


@dataclass(frozen=True, slots=True)
class ObjectReviews:
    """All calls for one object and for the pod of its workload."""

    subject: ExplainedPod
    trace: DecisionTrace
    calls: tuple[Call, ...]

    @property
    def objects(self) -> tuple[ReviewedObject, ...]:
        """The object itself, and the pod of its workload if a webhook reviews it."""
        called = [stage for stage in self.trace.stages if stage.review]
        count = len(self.own_calls)
        own_stages, pod_stages = tuple(called[:count]), tuple(called[count:])
        own = ReviewedObject(self.subject.name, self.subject, tuple(self.own_calls), own_stages)
        calls = self.pod_calls
        if self.subject.is_pod or not calls:
            return (own,)
        name = f"the pod of {self.subject.name}"
        return own, ReviewedObject(name, calls[0].before, tuple(calls), pod_stages)

    @property
    def own_calls(self) -> list[Call]:
        """The calls for the object itself."""
        return [call for call in self.calls if call.before.is_pod == self.subject.is_pod]

    @property
    def pod_calls(self) -> list[Call]:
        """The calls for the pod, which the object is or which its controller creates."""
        return [call for call in self.calls if call.before.is_pod]

    @property
    def object(self) -> Object:
        """The object itself after all calls."""
        calls = self.own_calls
        return calls[-1].object if calls else self.subject.object

    @property
    def pod(self) -> Object | None:
        """The pod after all calls; ``None`` if no webhook reviews one."""
        calls = self.pod_calls
        if calls:
            return calls[-1].object
        return self.subject.object if self.subject.is_pod else None

    @property
    def reasons(self) -> list[str]:
        """The reasons of all reviews."""
        return [reason for call in self.calls for reason in call.result.record.reason.split(",")]

    @property
    def messages(self) -> list[str]:
        """The messages of denials and failures."""
        return [call.message for call in self.calls if call.message]

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings of all responses."""
        warnings = (warning for call in self.calls for warning in call.warnings)
        return tuple(dict.fromkeys(warnings))

    @property
    def responses(self) -> Object:
        """The responses for the object itself, by route, without versions."""
        return {call.route: _encode_response(call) for call in self.own_calls}


def run_reviews(cluster: Cluster, subject: ExplainedPod) -> ObjectReviews:
    """Review an object as the webhook does, and record each call."""
    calls: list[Call] = []

    def record(
        before: ExplainedPod, webhook: Webhook, result: ReviewResult, after: ExplainedPod | None
    ) -> None:
        calls.append(Call(before, webhook.route, result, after))

    trace = replace(cluster, observer=record).explain(subject)
    return ObjectReviews(subject, trace, tuple(calls))


def _encode_response(call: Call) -> Object:
    """The visible part of a response: allowed, audit annotations, status, warnings, and patch."""
    if not isinstance(call.result, ReviewResponse):
        return {"error": call.message}
    response: Object = object_at(json.loads(admission.encode(call.result.response)), "response")
    audit = object_at(response, "auditAnnotations")
    encoded: Object = {
        "allowed": response["allowed"],
        "audit": {key: value for key, value in audit.items() if key not in _VERSIONS},
    }
    encoded |= {key: response[key] for key in ("status", "warnings") if key in response}
    operations = call.operations
    return {**encoded, "patch": operations} if operations else encoded
