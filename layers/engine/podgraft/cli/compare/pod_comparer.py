"""The comparison of one live pod with the pod that podgraft makes."""

from collections.abc import Iterator
from enum import StrEnum
from functools import partial

from msgspec import Struct, field

from podgraft import kube
from podgraft.base.jsonvalue import Object, names_at, objects_at, string_at
from podgraft.base.lru import LRUCache
from podgraft.cli import offline
from podgraft.cli.live.cluster import LiveCluster
from podgraft.core.injectors.istio import recover
from podgraft.core.injectors.istio.status import DEFAULT_REVISION
from podgraft.core.review_context import ReviewContext
from podgraft.core.versions.snapshot import Snapshot

from .comparison import Difference, compare_pods
from .original_pods import OriginalPod, make_request_pod, restore_originals

_CONTROLLERS = 1000


class PodState(StrEnum):
    """The result for a pod."""

    IDENTICAL = "identical"
    DIFFERENT = "different"
    NOT_INJECTED = "not injected"
    OTHER_REVISION = "other revision"


class PodComparison(Struct, frozen=True, kw_only=True):
    """A pod, its state, and its differences; ``revision`` is that of its injection."""

    namespace: str
    name: str
    state: PodState
    revision: str = ""
    differences: tuple[Difference, ...] = ()


class PodComparer(Struct):
    """Compares pods with one configuration."""

    cluster: LiveCluster
    snapshot: Snapshot
    caller: ReviewContext
    _controllers: LRUCache[str, tuple[Object | None]] = field(
        default_factory=lambda: LRUCache(limit=_CONTROLLERS)
    )

    def compare(self, live: Object) -> PodComparison:
        """Compare a live pod; raises ``ApiError`` if its controller cannot be read."""
        namespace = string_at(live, "metadata", "namespace")
        revision = find_revision(live)
        conclude = partial(describe_pod, live)

        if self.snapshot.bundle.istio is not None:
            if revision is None:
                return conclude(PodState.NOT_INJECTED)
            if revision and revision != (self.snapshot.policy.revision or DEFAULT_REVISION):
                return conclude(PodState.OTHER_REVISION)
        best: list[Difference] | None = None
        for original in self._originals(live):
            differences = self._compare(original, namespace)
            if differences is None:
                continue
            if not differences:
                return conclude(PodState.IDENTICAL)
            if best is None or len(differences) < len(best):
                best = differences
        if best is None:
            return conclude(PodState.NOT_INJECTED)
        return conclude(PodState.DIFFERENT, *best)

    def _originals(self, live: Object) -> Iterator[OriginalPod]:
        bundle = self.snapshot.bundle
        is_istio_only = bundle.istio is not None and len(bundle.pod_mutators) == 1
        return restore_originals(live, self._find_controller, template_first=not is_istio_only)

    def _compare(self, original: OriginalPod, namespace: str) -> list[Difference] | None:
        """Return the differences; None if the pod runs without what podgraft adds."""
        try:
            outcome = offline.review_pod(original.pod, namespace, self.snapshot, self.caller)
        except kube.DecodeError as error:
            return [Difference("review", "injected", f"fails: {error}")]
        has_status = self.snapshot.bundle.istio is not None
        if not offline.is_patched(outcome):
            missing = Difference("review", "injected", offline.describe_outcome(outcome))
            return [missing] if has_status else None
        expected = offline.apply_response(original.pod, outcome)
        if not has_status and _lacks_containers(original, expected):
            return None
        return compare_pods(original, expected, has_status=has_status)

    def _find_controller(self, live: Object) -> Object | None:
        owners = objects_at(live, "metadata", "ownerReferences")
        uid = next((string_at(each, "uid") for each in owners if each.get("controller")), "")
        if not uid:
            return None
        cached = self._controllers.get(uid)
        if cached is None:
            cached = (self.cluster.find_controller(live),)
            self._controllers[uid] = cached
        return cached[0]


def describe_pod(live: Object, state: PodState, *differences: Difference) -> PodComparison:
    """Return the result for a live pod."""
    return PodComparison(
        namespace=string_at(live, "metadata", "namespace"),
        name=string_at(live, "metadata", "name"),
        state=state,
        revision=find_revision(live) or "",
        differences=differences,
    )


def find_revision(live: Object) -> str | None:
    """Return the revision of Istio's injection: empty if it records none, None without one."""
    record = recover.recover_injection(make_request_pod(live))
    return None if record is None else record.revision


def _lacks_containers(original: OriginalPod, expected: Object) -> bool:
    """Whether the live pod has none of the containers that injection adds."""
    added = _container_names(expected) - _container_names(original.pod)
    return bool(added) and added.isdisjoint(_container_names(original.live))


def _container_names(pod: Object) -> set[str]:
    return {*names_at(pod, "spec", "initContainers"), *names_at(pod, "spec", "containers")}
