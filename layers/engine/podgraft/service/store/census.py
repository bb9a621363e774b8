"""The recording of workloads: after a review, within a bounded time, each distinct one once.

Lambda freezes a process after its response, so a record is written before the response. A review
waits at most ``CAP_SECONDS`` for everything here. Whatever fails drops the record, and never the
review. Only a process with ``PODGRAFT_CENSUS`` needs this module.
"""

from collections.abc import Callable, Iterator
from datetime import date
from enum import StrEnum
from functools import partial
from typing import Protocol

from msgspec import Struct

from podgraft.base import system
from podgraft.base.field_reads import find_metadata_keys
from podgraft.base.jsonvalue import JSON, Object, object_at, objects_at, string_at
from podgraft.base.lru import LRUCache
from podgraft.core.bundle import Bundle
from podgraft.core.bundle.reads import ENGINE_KEYS, iterate_reads
from podgraft.core.census.record import Record, compute_digest, encode_record, make_path
from podgraft.core.census.redaction import KeyFilter, ObjectTooLargeError, Redactor
from podgraft.core.policy.census import Census
from podgraft.core.policy.rollout import ANNOTATION
from podgraft.core.review.results import ReviewRecord
from podgraft.core.review_context import ReviewContext
from podgraft.core.versions.snapshot import Snapshot
from podgraft.kube.admission import AdmissionRequest, Operation
from podgraft.kube.workload_owner import root_workload

from .timeouts import run_with_timeout

# The longest time that a record delays a review.
CAP_SECONDS = 0.05
# Less time than this is not enough for a request.
_MIN_SECONDS = 0.01
# A review that is nearly late is not delayed.
_MIN_REVIEW_SECONDS = 1.0
_MAX_PER_SECOND = 5
# After a failure, no review waits for the storage during this time.
_PAUSE_SECONDS = 30.0
# A deleted key stops the recording within this time.
_KEY_SECONDS = 300.0
_CACHED = 4096
_RECORDED_OPERATIONS = frozenset({Operation.CREATE, Operation.UPDATE})
_INJECTED = "sidecar.istio.io/status"
# The variables of the URL that identify a cluster. All others become tokens.
_PLAIN_VARIABLES = frozenset({"ISTIO_META_CLUSTER_ID", "ISTIO_META_NETWORK"})
_REVISION_LABELS = ("pod-template-hash", "rollouts-pod-template-hash", "controller-revision-hash")


class RecordOutcome(StrEnum):
    """What became of a workload: stored, recorded before, or dropped."""

    STORED = "stored"
    KNOWN = "known"
    DROPPED = "dropped"

    @property
    def is_logged(self) -> bool:
        """Whether the request log names the outcome; most workloads are known."""
        return self is not RecordOutcome.KNOWN


class CensusStorage(Protocol):
    """Where records and keys are stored; the methods raise any exception if they fail."""

    def read_key(self, injector: str, seconds: float) -> bytes | None:
        """Return the key of an injector; None if it has none."""
        ...

    def put_record(self, path: str, content: bytes, seconds: float) -> bool:
        """Store a record; return False if it exists already."""
        ...


class _CachedKey(Struct, frozen=True):
    key: bytes | None
    expires_at: float


class _BundleKeys:
    """The keys of labels and annotations that a bundle reads by name, found in steps."""

    def __init__(self, bundle: Bundle) -> None:
        self.bundle = bundle
        self.names: frozenset[str] | None = None
        self._found: set[str] = set()
        self._steps = iterate_reads(bundle)

    def advance(self, is_over: Callable[[], bool]) -> bool:
        """Continue the analysis by at least one document; return whether it is complete."""
        while self.names is None:
            reads = next(self._steps, None)
            if reads is None:
                self.names = frozenset(self._found)
                break
            self._found |= find_metadata_keys(reads)
            if is_over():
                return False
        return True


class CensusWriter:
    """Records the workloads of reviews. Threads can share it."""

    def __init__(
        self,
        storage: CensusStorage,
        clock: Callable[[], float] = system.age_clock,
        today: Callable[[], date] = lambda: system.now().date(),
        cap_seconds: float = CAP_SECONDS,
    ) -> None:
        self._storage = storage
        self._clock = clock
        self._today = today
        self._cap = cap_seconds
        self._keys: dict[str, _CachedKey] = {}
        self._bundles: LRUCache[int, _BundleKeys] = LRUCache(limit=64)
        self._revisions: LRUCache[tuple[str, ...], bool] = LRUCache(limit=_CACHED)
        self._stored: LRUCache[str, bool] = LRUCache(limit=_CACHED)
        self._paused_until = float("-inf")
        self._window = (float("-inf"), 0)

    def record(
        self, context: ReviewContext, snapshot: Snapshot, route: str, result: ReviewRecord
    ) -> RecordOutcome | None:
        """Record the workload of a review; None if it is not part of the census."""
        policy, request = snapshot.policy.census, context.request
        if policy is None or request is None:
            return None
        subject = _find_subject(request, route)
        if subject is None:
            return None
        workload = root_workload(
            request.kind.kind or "Pod", _with_name(object_at(subject, "metadata"), request.name)
        )
        if not policy.selects(context.cluster, context.namespace, workload):
            return None
        today = self._today()
        week = f"{today:%G-W%V}"
        revision = _find_revision(context, subject, (route, week, result.bundle))
        if revision is not None and self._revisions.get(revision):
            return RecordOutcome.KNOWN
        facts = {"route": route, "workload": workload, "date": today.isoformat()}
        make_record = partial(_make_record, context, snapshot.bundle, subject, result, **facts)
        try:
            outcome = self._write(context, snapshot.bundle, policy, make_record, week)
        except Exception:  # noqa: BLE001 — nothing in a record stops a review
            self._paused_until = self._clock() + _PAUSE_SECONDS
            return RecordOutcome.DROPPED
        if revision is not None and outcome is not RecordOutcome.DROPPED:
            self._revisions[revision] = True
        return outcome

    def _write(
        self,
        context: ReviewContext,
        bundle: Bundle,
        policy: Census,
        make_record: Callable[[Redactor], Record],
        week: str,
    ) -> RecordOutcome | None:
        ends = self._clock() + self._cap
        deadline = context.deadline
        is_late = deadline is not None and deadline.review_seconds < _MIN_REVIEW_SECONDS
        if self._clock() < self._paused_until or is_late:
            return RecordOutcome.DROPPED
        key = self._read_key(context.injector, ends)
        if key is None:
            return None
        names = self._find_names(bundle, ends)
        if names is None:
            return RecordOutcome.DROPPED
        keys = KeyFilter(names, (*ENGINE_KEYS, *policy.plain), policy.secret)
        try:
            istio = bundle.istio
            record = make_record(Redactor(key, keys, istio and istio.redact_proxy_config))
        except ObjectTooLargeError:
            return RecordOutcome.DROPPED
        path = make_path(record, compute_digest(record), week)
        if path is None:
            return RecordOutcome.DROPPED
        if self._stored.get(path):
            return RecordOutcome.KNOWN
        seconds = ends - self._clock()
        if seconds < _MIN_SECONDS or not self._count():
            return RecordOutcome.DROPPED
        content = encode_record(record)
        is_new = run_with_timeout(seconds, lambda: self._storage.put_record(path, content, seconds))
        self._stored[path] = True
        return RecordOutcome.STORED if is_new else RecordOutcome.KNOWN

    def _count(self) -> bool:
        """Count a request; False if this second has enough of them."""
        now = self._clock()
        started, count = self._window
        if not started <= now < started + 1:
            started, count = now, 0
        if count >= _MAX_PER_SECOND:
            return False
        self._window = (started, count + 1)
        return True

    def _read_key(self, injector: str, ends: float) -> bytes | None:
        now = self._clock()
        cached = self._keys.get(injector)
        if cached is None or now >= cached.expires_at:
            seconds = ends - now
            key = run_with_timeout(seconds, lambda: self._storage.read_key(injector, seconds))
            cached = self._keys[injector] = _CachedKey(key, now + _KEY_SECONDS)
        return cached.key

    def _find_names(self, bundle: Bundle, ends: float) -> frozenset[str] | None:
        """Return the keys that the bundle reads by name; None if that takes more reviews."""
        analysis = self._bundles.get(id(bundle))
        if analysis is None or analysis.bundle is not bundle:
            analysis = self._bundles[id(bundle)] = _BundleKeys(bundle)
        # A document needs some milliseconds, and the request needs most of the time.
        limit = ends - self._cap * 0.75
        analysis.advance(lambda: self._clock() >= limit)
        return analysis.names


def _find_subject(request: AdmissionRequest, route: str) -> Object | None:
    """Return the object to record; None for a dry run, and for what a preview cannot review.

    A pod that podgraft or Istio injected already is a second pass of the same workload.
    """
    subject = request.object
    if (
        request.dry_run
        or request.operation not in _RECORDED_OPERATIONS
        or request.sub_resource
        or not isinstance(subject, dict)
    ):
        return None
    if route != "inject":
        return subject
    is_pod = (request.kind.kind or subject.get("kind") or "Pod") == "Pod"
    annotations = object_at(subject, "metadata", "annotations")
    return subject if is_pod and not {_INJECTED, ANNOTATION} & annotations.keys() else None


def _with_name(metadata: Object, name: str) -> Object:
    return {**metadata, "name": name} if name and not metadata.get("name") else metadata


def _find_revision(
    context: ReviewContext, subject: Object, review: tuple[str, ...]
) -> tuple[str, ...] | None:
    """Return what all pods of one revision of a workload have in common; None if unknown.

    So the second pod of a ReplicaSet costs nothing.
    """
    labels = object_at(subject, "metadata", "labels")
    revision = next((string_at(labels, key) for key in _REVISION_LABELS if labels.get(key)), "")
    controllers = [
        f"{string_at(owner, 'kind')}/{string_at(owner, 'name')}/{string_at(owner, 'uid')}"
        for owner in objects_at(subject, "metadata", "ownerReferences")
        if owner.get("controller") is True
    ]
    if not revision or not controllers:
        return None
    return (
        *(context.injector, context.cluster or "", context.namespace),
        *(revision, controllers[0], context.url_path, *review),
    )


def _make_record(  # noqa: PLR0913 — one parameter a fact
    context: ReviewContext,
    bundle: Bundle,
    subject: Object,
    result: ReviewRecord,
    redactor: Redactor,
    *,
    route: str,
    workload: str,
    date: str,
) -> Record:
    environment = bundle.parse_environment(context).environment
    return Record(
        injector=context.injector,
        cluster=context.cluster or "",
        namespace=context.namespace,
        workload=redactor.redact_name(workload),
        route=route,
        request=dict(_request_fields(context.request, redactor)),
        environment={
            name: redactor.redact_name(value)
            if name in _PLAIN_VARIABLES
            else redactor.redact_text(value)
            for name, value in sorted(environment.items())
        },
        object=redactor.redact(subject),
        decision=result.decision,
        reason=result.reason,
        policy=result.policy_version,
        bundle=result.bundle,
        date=date,
    )


def _request_fields(
    request: AdmissionRequest | None, redactor: Redactor
) -> Iterator[tuple[str, JSON]]:
    if request is None:
        return
    yield "operation", str(request.operation)
    for key, names in (
        ("kind", ("group", "version", "kind")),
        ("resource", ("group", "version", "resource")),
        ("requestKind", ("group", "version", "kind")),
        ("requestResource", ("group", "version", "resource")),
    ):
        fields = object_at(request.raw, key)
        if fields:
            yield key, {name: redactor.redact_name(string_at(fields, name)) for name in names}
