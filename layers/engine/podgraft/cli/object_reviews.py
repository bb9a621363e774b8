"""The reviews of one object: the calls of webhooks, and the objects that result from them."""

import json

from msgspec import Struct

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON, Object, object_at, objects_at, string_at
from podgraft.cli.explain.decision_trace import PRECEDENCE, DecisionTrace, Review, Stage, Verdict
from podgraft.cli.explain.flow import Cluster
from podgraft.cli.explain.pod_source import ExplainedPod
from podgraft.core.review.results import ReviewReason
from podgraft.kube import admission
from podgraft.kube.validation.rules import MISMATCH, NO_PARAMETERS, RULE

# Audit annotations that change with every edit of the bundle or the policy.
_VERSIONS = frozenset({"bundle", "policy-version"})
# The audit annotations of the review itself, and that of failed validations.
_OWN_AUDIT = frozenset({*_VERSIONS, "decision", "reason"})
_AUDIT_FAILURES = "validation_failure"


class ReviewedObject(Struct, frozen=True):
    """One object with its calls; ``name`` is for messages, and ``before`` is the object."""

    name: str
    before: ExplainedPod
    stages: tuple[Stage, ...] = ()

    @property
    def calls(self) -> list[Review]:
        """The calls for the object."""
        return [stage.review for stage in self.stages if stage.review]

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
            audit |= call.response.audit if call.response else {}
        return {key: audit[key] for key in audit if key not in {*_OWN_AUDIT, _AUDIT_FAILURES}}

    @property
    def audit_failures(self) -> list[str]:
        """The messages of failed validations whose binding sets ``Audit``."""
        return [
            string_at(failure, "message")
            for call in self.calls
            if call.response
            for failure in objects_at(
                {"items": jsonvalue.load(call.response.audit.get(_AUDIT_FAILURES, "[]"))}, "items"
            )
        ]

    @property
    def after(self) -> Object:
        """The object after all calls."""
        return self.calls[-1].object if self.calls else self.before.object

    @property
    def verdict(self) -> Verdict:
        """The verdict of all calls."""
        verdicts = {stage.verdict for stage in self.stages}
        return next((each for each in PRECEDENCE if each in verdicts), Verdict.NOT_REVIEWED)

    @property
    def operations(self) -> list[JSON]:
        """The operations of all patches."""
        return [operation for call in self.calls for operation in call.operations]

    @property
    def reasons(self) -> list[str]:
        """The reasons of all reviews."""
        return [reason for call in self.calls for reason in call.reason.split(",")]

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
        unique = dict.fromkeys(self.reasons)
        if self.verdict in {Verdict.INJECTED, Verdict.CHANGED}:
            unique.pop(ReviewReason.NOTHING_MATCHES, None)  # of another call
        details = "; ".join(self.messages) or ", ".join(unique)
        return f"{self.name}: {self.verdict}" + (f" ({details})" if details else "")


class ObjectReviews(Struct, frozen=True):
    """All calls for one object and for the pod of its workload."""

    subject: ExplainedPod
    trace: DecisionTrace

    @property
    def all(self) -> ReviewedObject:
        """The calls for both as those of one object."""
        return ReviewedObject(self.subject.name, self.subject, self.trace.stages)

    @property
    def own(self) -> ReviewedObject:
        """The object itself."""
        return ReviewedObject(self.subject.name, self.subject, self._find_stages(is_own=True))

    @property
    def pod(self) -> ReviewedObject | None:
        """The pod, which the object is or which its controller creates; None without a review."""
        if self.subject.is_pod:
            return self.own
        called = self._find_stages(is_own=False)
        first = called[0].review if called else None
        return first and ReviewedObject(f"the pod of {self.subject.name}", first.before, called)

    @property
    def objects(self) -> tuple[ReviewedObject, ...]:
        """The object itself, and the pod of its workload if a webhook reviews it."""
        pod = None if self.subject.is_pod else self.pod
        return (self.own,) if pod is None else (self.own, pod)

    def _find_stages(self, *, is_own: bool) -> tuple[Stage, ...]:
        """The calls for the object itself, or those for the pod of a workload."""
        is_pod = self.subject.is_pod is is_own
        found = ((stage, stage.review) for stage in self.trace.stages)
        return tuple(stage for stage, call in found if call and call.before.is_pod is is_pod)

    @property
    def responses(self) -> Object:
        """The responses for the object itself, by route, without versions."""
        return {call.webhook.route: _encode_response(call) for call in self.own.calls}


def run_reviews(cluster: Cluster, subject: ExplainedPod) -> ObjectReviews:
    """Review an object as the webhook does."""
    return ObjectReviews(subject, cluster.explain(subject))


def _encode_response(call: Review) -> Object:
    """The visible part of a response: allowed, audit annotations, status, warnings, and patch."""
    if call.response is None:
        return {"error": call.message}
    response: Object = object_at(json.loads(admission.encode(call.response)), "response")
    audit = object_at(response, "auditAnnotations")
    encoded: Object = {
        "allowed": response["allowed"],
        "audit": {key: value for key, value in audit.items() if key not in _VERSIONS},
    }
    encoded |= {key: response[key] for key in ("status", "warnings") if key in response}
    operations = call.operations
    return {**encoded, "patch": operations} if operations else encoded
