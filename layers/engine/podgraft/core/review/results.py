"""The values of a review: what it carries from step to step, and what it returns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct, field

from podgraft.base.jsonvalue import Object
from podgraft.core.injectors.errors import OperatorError
from podgraft.core.policy.rollout import Track
from podgraft.core.review_context import ReviewContext, Staleness
from podgraft.core.versions.errors import StoreError
from podgraft.kube.admission import AdmissionRequest, AdmissionResponse


class ReviewOutcome(StrEnum):
    """The outcome of a review in metrics, audit annotations, and logs."""

    INJECT = "inject"
    SKIP = "skip"
    MUTATE = "mutate"
    ALLOW = "allow"
    DENY = "deny"
    FAIL = "fail"


class ReviewReason(StrEnum):
    """The reasons in addition to those of ``policy.Reason``."""

    OVERLAYS = "overlays"
    POLICIES = "policies"
    NOTHING_MATCHES = "nothing-matches"
    RULES = "rules"
    USER = "user"
    OPERATOR = "operator"
    STORE = "store"


class CandidateOutcome(StrEnum):
    """What the candidate did in a review."""

    OUTSIDE = "outside"
    SAME = "same"
    CHANGED = "changed"
    FALLBACK = "fallback"
    FAILED = "failed"
    DISABLED = "disabled"


class CandidateRecord(Struct, frozen=True, kw_only=True):
    """The fields of the request log about the candidate: names and reasons, never a value.

    Empty fields are left out. ``bucket`` is None if the rollout is invalid.
    """

    rollout: str = ""
    rollout_mode: str = ""
    track: str = Track.STABLE
    bucket: int | None = None
    candidate: str
    candidate_reason: str = ""
    candidate_problem: str = ""
    candidate_kind: str = ""
    candidate_paths: str = ""
    candidate_milliseconds: float | None = None

    @property
    def fields(self) -> Object:
        """The fields that are not empty."""
        values = {name: getattr(self, name) for name in self.__struct_fields__}
        return {name: value for name, value in values.items() if value not in {"", None}}


class ReviewRecord(Struct, frozen=True, kw_only=True):
    """The fields of a review in the request log: names and reasons, never a value of the object.

    ``candidate`` is set if the policy has a rollout. ``groups`` are those of the cluster, in the
    order in which they apply.
    """

    uid: str
    injector: str
    cluster: str
    namespace: str
    owner: str
    decision: str = ""
    reason: str = ""
    policy_version: str = ""
    bundle: str = ""
    patch_bytes: int = 0
    stale: str = ""
    refused: bool = False
    age_seconds: int = 0
    candidate: CandidateRecord | None = None
    groups: tuple[str, ...] = ()


class ReviewResponse(Struct, frozen=True):
    """A review with a response for kube-apiserver; ``object`` is the one that the patch changes.

    Without a change, ``object`` is None.
    """

    response: AdmissionResponse
    record: ReviewRecord
    object: Object | None = None


class ReviewFailure(Struct, frozen=True):
    """A review that failed with a configuration error or a dependency error."""

    error: OperatorError | StoreError
    record: ReviewRecord


ReviewResult: TypeAlias = ReviewResponse | ReviewFailure


class Review(Struct, frozen=True, kw_only=True):
    """One review with the version that it uses: empty strings if the store returns none.

    ``rollout`` and ``track`` are set if the policy has a rollout. ``annotation`` is the value that
    a patched pod gets in mode share. ``audit`` are the audit annotations of rules.
    """

    context: ReviewContext
    request: AdmissionRequest
    owner: str
    staleness: tuple[Staleness, ...]
    policy_version: str = ""
    bundle: str = ""
    rollout: str = ""
    track: str = ""
    annotation: str = ""
    audit: Mapping[str, str] = field(default_factory=dict[str, str])

    def make_record(
        self, outcome: ReviewOutcome, reason: str, patch_bytes: int = 0
    ) -> ReviewRecord:
        """The record of the review for the request log."""
        return ReviewRecord(
            uid=self.request.uid,
            injector=self.context.injector,
            cluster=self.context.cluster or "",
            namespace=self.context.namespace,
            owner=self.owner,
            decision=outcome,
            reason=reason,
            policy_version=self.policy_version,
            bundle=self.bundle,
            patch_bytes=patch_bytes,
            stale=self.stale_reasons,
            refused=any(staleness.is_invalid for staleness in self.staleness),
            age_seconds=max((staleness.age_seconds for staleness in self.staleness), default=0),
            groups=self.context.groups,
        )

    def audit_annotations(self, outcome: ReviewOutcome, reason: str) -> Mapping[str, str]:
        """The same as audit annotations."""
        annotations = {
            **self.audit,
            "decision": outcome,
            "reason": reason,
            "policy-version": self.policy_version,
            "bundle": self.bundle,
        }
        if self.rollout:
            annotations = {**annotations, "rollout": self.rollout, "track": self.track}
        return {**annotations, "stale": self.stale_reasons} if self.staleness else annotations

    @property
    def stale_reasons(self) -> str:
        """Why the policy or the caller list can be older than the stored one; empty if not."""
        return "; ".join(staleness.reason for staleness in self.staleness)

    def warnings(self, *more: str) -> Iterable[str]:
        """The warnings of the response: of a stale configuration first."""
        for staleness in self.staleness:
            yield f"podgraft used an older configuration: {staleness.reason}"
        yield from more
