"""Candidates in reviews: whatever is wrong with one, the response is that of stable."""

import copy
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeAlias

import pytest
from msgspec.structs import replace

from podgraft.base.deadline import Deadline
from podgraft.base.jsonvalue import JSON, Object, object_at
from podgraft.core import review
from podgraft.core.bundle import Mutation
from podgraft.core.injectors.errors import UserError
from podgraft.core.policy.rollout import ANNOTATION, compute_bucket
from podgraft.core.review.results import (
    CandidateRecord,
    ReviewFailure,
    ReviewResponse,
    ReviewResult,
)
from podgraft.core.review_context import ReviewContext
from podgraft.core.versions.brake import MAX_FAILURES
from podgraft.core.versions.errors import NotLoadedError, UnavailableError
from podgraft.core.versions.snapshot import Snapshot
from podgraft.kube import admission, patch, yaml
from podgraft.service.store.aws.client import RetryBudget
from support.effort import scaled
from support.memory_store import MemoryStore, cached_store, labelled_bundle
from support.mutating_policies import label, make_bundle
from support.store_fixture import BUNDLE, CONFIG

SEED = 20261122
ID = "2026-11-22-probes"
NAME = "{{ .DeploymentMeta.Name }}"
REVIEWS = scaled(1000, by=10)
Mutator: TypeAlias = Any  # a function, of which no test asks what it reads


class Clock:
    """Time that stands still, unless a test moves it."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


class FaultyStore(MemoryStore):
    """A store in which single bundles are damaged or out of reach."""

    def __init__(self) -> None:
        super().__init__()
        self.problems: dict[str, Exception] = {}

    def files(
        self, injector: str, digest: str | None, patience: RetryBudget
    ) -> Mapping[str, bytes]:
        if digest in self.problems:
            raise self.problems[digest]
        return super().files(injector, digest, patience)


@dataclass
class World:
    """A store with a rollout, the clock of its reviews, and a change of its compiled candidate."""

    memory: FaultyStore = field(default_factory=FaultyStore)
    clock: Clock = field(default_factory=Clock)
    deferred: bool = False
    mutator: Mutator | None = None

    def __post_init__(self) -> None:
        self.stable = self.memory.upload(BUNDLE)
        self._store = cached_store(self.memory, 30, self.clock, deferred=self.deferred)

    def put(self, mode: str, candidate: Object, share: float = 100, **keys: JSON) -> None:
        rollout: Object = {"id": ID, "mode": mode, "share": share, "candidate": candidate, **keys}
        self.memory.put("default", yaml.dump({"bundle": self.stable, "rollout": rollout}))
        self._store.expire()

    def upload(self, *changes: tuple[str, str], **files: bytes) -> str:
        """Upload a bundle with other templates."""
        config = CONFIG
        for old, new in changes:
            assert old in config
            config = config.replace(old, new)
        return self.memory.upload({**BUNDLE, "injector.yaml": config.encode(), **files})

    def snapshot(
        self,
        injector: str,
        cluster: str | None,
        deadline: Deadline | None = None,
        groups: tuple[str, ...] = (),
    ) -> Snapshot:
        snapshot = self._store.snapshot(injector, cluster, deadline, groups)
        candidate = snapshot.candidate
        if self.mutator is None or candidate is None or candidate.snapshot is None:
            return snapshot
        bundle = replace(candidate.snapshot.bundle, pod_mutators=(self.mutator,))
        changed = replace(candidate, snapshot=replace(candidate.snapshot, bundle=bundle))
        return replace(snapshot, candidate=changed)

    def injectors(self, deadline: Deadline | None = None) -> tuple[str, ...]:
        return self._store.injectors(deadline)

    def inject(self, pod: Object, *, timeout: float = 10.0, cluster: str = "prod") -> ReviewResult:
        return review.inject(make_context(pod, self.clock, timeout, cluster), self)


def make_context(
    pod: Object, clock: Clock, timeout: float = 10.0, cluster: str = "prod"
) -> ReviewContext:
    body: JSON = {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {
            "uid": "u",
            "kind": {"group": "", "version": "v1", "kind": "Pod"},
            "namespace": "shop",
            "operation": "CREATE",
            "object": pod,
        },
    }
    request = admission.decode(json.dumps(body).encode())
    deadline = Deadline.from_timeout(timeout, clock)
    caller = ReviewContext(injector="default", cluster=cluster, deadline=deadline)
    return caller.with_request(request)


def make_pod(number: int = 0, annotations: Mapping[str, JSON] | None = None) -> Object:
    owner: Object = {"kind": "ReplicaSet", "name": f"web-{number}-f00", "controller": True}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "generateName": f"web-{number}-f00-",
            "labels": {"pod-template-hash": "f00"},
            "annotations": dict(annotations or {}),
            "ownerReferences": [{"apiVersion": "apps/v1", "uid": "1", **owner}],
        },
        "spec": {"containers": [{"name": "app", "image": "app:1"}]},
    }


def make_pods(count: int) -> Iterator[Object]:
    """Pods that are injected, skipped, denied, and ordinary, with several containers."""
    random = Random(SEED)  # noqa: S311 — reproducible
    for number in range(count):
        pod: Any = make_pod(number % 50, {"note": random.choice(["a", "b: c\n- d", "", "ü"])})
        labels = pod["metadata"]["labels"]
        labels.update(random.choice([{}, {"app": "x"}, {"sidecar.istio.io/inject": "false"}]))
        for name in range(random.randrange(3)):
            environment = [{"name": f"E{name}", "value": "secret-value"}]
            pod["spec"]["containers"].append({"name": f"c{name}", "env": environment})
        if random.random() < 0.1:
            pod["spec"]["volumes"] = [{"name": "v", "emptyDir": {}}]
        if random.random() < 0.05:
            pod["spec"]["containers"] = "none"
        yield pod


def raising(error: Exception) -> Mutator:
    def mutate(before: Object, context: ReviewContext) -> Mutation:
        del before, context
        raise error

    return mutate


def undecodable(before: Object, context: ReviewContext) -> Mutation:
    del context
    spec: Any = {**before["spec"], "terminationGracePeriodSeconds": "30"}  # type: ignore[dict-item]
    return Mutation.from_objects(before, {**before, "spec": spec})


def missing(_: World) -> Object:
    return {"bundle": "sha256:" + "0" * 64}


def unreadable(world: World) -> Object:
    digest = world.upload((NAME, "x"))
    world.memory.problems[digest] = UnavailableError("S3 is out of reach on purpose")
    return {"bundle": digest}


def damaged(world: World) -> Object:
    digest = world.upload((NAME, "x"))
    world.memory.problems[digest] = NotLoadedError(f"bundle {digest} is damaged in S3")
    return {"bundle": digest}


def template(text: str) -> Callable[[World], Object]:
    return lambda world: {"bundle": world.upload((NAME, text))}


def mutating(mutator: Mutator) -> Callable[[World], Object]:
    def make(world: World) -> Object:
        world.mutator = mutator
        return {"bundle": world.upload((NAME, "x"))}

    return make


def huge(world: World) -> Object:
    return {"bundle": world.upload((NAME, "x"), **{"big.yaml": b"#" * (5 * 1024 * 1024)})}


LOOP = "{{ range until 1000 }}{{ range until 1000 }}{{ end }}{{ end }}"
# What is wrong with a candidate, and the reasons in the log: of a disabled candidate, or of
# a fallback.
DEFECTS: Mapping[str, tuple[Callable[[World], Object], set[str]]] = {
    "a missing bundle": (missing, {"refused"}),
    "an unreadable bundle": (unreadable, {"unavailable"}),
    "a wrong digest": (damaged, {"refused"}),
    "a template that does not parse": (template("{{ .X "), {"refused"}),
    "an endless loop": (template(LOOP), {"limit", "fuse"}),
    "a type error": (template("{{ index .Spec.Containers 99 }}"), {"configuration", "fuse"}),
    "invalid YAML": (template('"{{ "}:" }}'), {"configuration", "fuse"}),
    "a patch that does not decode": (mutating(undecodable), {"decode", "fuse"}),
    "a denial": (mutating(raising(UserError("denied on purpose"))), {"denied", "fuse"}),
    "an internal error": (mutating(raising(RuntimeError("a bug"))), {"internal", "fuse"}),
    "too deep": (mutating(raising(RecursionError())), {"internal", "fuse"}),
    "a bundle of 5 MiB": (huge, {"refused"}),
    "an unknown release": (lambda _: {"istioRelease": "0.3"}, {"refused"}),
    "an invalid rollout": (lambda _: {"polcy": "enabled"}, {"refused"}),
}


def encode(result: ReviewResult) -> bytes:
    if isinstance(result, ReviewFailure):
        return str(result.error).encode()
    return admission.encode(result.response)


def with_track_of(result: ReviewResult, expected: ReviewResult) -> ReviewResult:
    """The result with the audit annotations of the other track."""
    assert isinstance(result, ReviewResponse)
    assert isinstance(expected, ReviewResponse)
    names = {name: expected.response.audit[name] for name in ("track", "bundle")}
    audit = {**result.response.audit, **names}
    return replace(result, response=replace(result.response, audit=audit))


def record_of(result: ReviewResult) -> CandidateRecord:
    assert result.record.candidate is not None
    return result.record.candidate


@pytest.mark.parametrize("mode", ["shadow", "share"])
@pytest.mark.parametrize("defect", DEFECTS)
@pytest.mark.parametrize("deferred", [False, True], ids=["running", "cold"])
def test_an_invalid_candidate_never_reaches_a_user(defect: str, mode: str, deferred: bool) -> None:
    make, reasons = DEFECTS[defect]
    world, outside = World(deferred=deferred), World()
    candidate = make(world)
    world.put(mode, candidate)
    outside.put(mode, {"policy": "enabled"} if "polcy" not in candidate else candidate, share=0)
    found: Counter[str] = Counter()
    for pod in make_pods(REVIEWS if not deferred else REVIEWS // 5):
        before = copy.deepcopy(pod)
        result, expected = world.inject(pod), outside.inject(pod)
        if record_of(result).track == "candidate":  # both skip the pod before anything can fail
            assert (record_of(result).candidate, result.record.decision) == ("same", "skip")
            result = with_track_of(result, expected)
        assert encode(result) == encode(expected)
        assert pod == before
        found[record_of(result).candidate_reason] += 1
    assert found[""] < REVIEWS
    del found[""]  # a denied pod shows nothing about the candidate
    if deferred and "not parse" in defect:
        reasons = {"configuration", "fuse"}  # a cold start parses a template for the first pod
    assert set(found) == reasons
    for reason in reasons - {"refused", "unavailable", "fuse"}:
        assert found[reason] == MAX_FAILURES


def test_each_failure_is_counted_once_and_the_fuse_opens() -> None:
    world = World()
    world.put("share", template("{{ index .Spec.Containers 99 }}")(world))
    found = [record_of(world.inject(make_pod(number))) for number in range(7)]
    assert [(each.candidate, each.candidate_reason) for each in found] == [
        *[("fallback", "configuration")] * MAX_FAILURES,
        *[("disabled", "fuse")] * 2,
    ]


def inject_pod(world: World, pod: Object, **options: Any) -> tuple[Object, CandidateRecord]:
    """The pod after a review, and the record about the candidate."""
    result = world.inject(pod, **options)
    assert isinstance(result, ReviewResponse)
    operations = json.loads(result.response.patch or b"[]")
    after = patch.apply(copy.deepcopy(pod), operations)
    assert isinstance(after, dict)
    return after, record_of(result)


def image_of(pod: Any) -> str:
    images = [each["image"] for each in pod["spec"]["containers"] if each["name"] == "istio-proxy"]
    return images[0] if images else ""


def annotation_of(pod: Any) -> str | None:
    return pod["metadata"].get("annotations", {}).get(ANNOTATION)


def start(world: World, mode: str = "share", share: float = 100, **keys: JSON) -> None:
    digest = world.memory.upload(labelled_bundle("2.0"))
    world.put(mode, {"bundle": digest}, share, **keys)


def test_in_mode_share_the_candidate_responds() -> None:
    world = World()
    start(world)
    after, record = inject_pod(world, make_pod())
    assert image_of(after).endswith("proxy:2.0")
    assert annotation_of(after) == f"{ID}/candidate"
    bucket = compute_bucket(ID, "prod", "shop", "Deployment/web-0")
    assert (record.rollout, record.rollout_mode, record.bucket) == (ID, "share", bucket)
    assert (record.candidate, record.track) == ("changed", "candidate")
    assert record.candidate_paths == "replace spec.containers[istio-proxy].image"
    assert len(record.candidate_kind) == 12


def test_audit_annotations_and_the_record_name_the_bundle_of_the_track() -> None:
    world = World()
    start(world, share=50)
    found: set[tuple[str, str]] = set()
    for number in range(20):
        result = world.inject(make_pod(number))
        assert isinstance(result, ReviewResponse)
        audit = result.response.audit
        assert audit["rollout"] == ID
        assert audit["bundle"] == result.record.bundle
        found.add((audit["track"], audit["bundle"]))
    assert found == {
        ("stable", world.stable),
        ("candidate", world.memory.upload(labelled_bundle("2.0"))),
    }


def test_in_mode_shadow_stable_responds_and_the_log_has_the_change() -> None:
    world = World()
    start(world, "shadow")
    after, record = inject_pod(world, make_pod())
    assert image_of(after).endswith("proxy:1.30.0")
    assert annotation_of(after) is None
    assert (record.candidate, record.track) == ("changed", "stable")
    assert record.candidate_paths == "replace spec.containers[istio-proxy].image"


def test_a_candidate_with_the_same_result_is_the_same() -> None:
    for mode in ("shadow", "share"):
        world = World()
        world.put(mode, {"revision": "default"})
        _, record = inject_pod(world, make_pod())
        assert (record.candidate, record.candidate_paths, record.candidate_kind) == ("same", "", "")


def test_pods_outside_the_share_get_stable() -> None:
    world = World()
    start(world, share=0, clusters={"dev": 100})
    after, record = inject_pod(world, make_pod())
    assert (image_of(after)[-6:], annotation_of(after)) == ("1.30.0", f"{ID}/stable")
    assert (record.candidate, record.candidate_milliseconds) == ("outside", None)
    after, record = inject_pod(world, make_pod(), cluster="dev")
    assert (image_of(after)[-3:], record.candidate) == ("2.0", "changed")


def test_a_candidate_can_repair_a_stable_configuration_that_fails() -> None:
    world = World()
    good = world.stable
    # It works for every probe pod: the store would reject a version that does not.
    failing = '{{ if eq (index .Spec.Containers 0).Name "app" }}{{ fail "on purpose" }}{{ end }}'
    world.stable = world.upload((NAME, failing))
    world.put("share", {"bundle": good})
    after, record = inject_pod(world, make_pod())
    assert image_of(after).endswith("1.30.0")
    assert (record.candidate, record.track) == ("changed", "candidate")
    assert record.candidate_paths.startswith("add metadata.annotations[example.com/workload]")
    assert "decision fail inject" in record.candidate_paths


def test_a_candidate_can_skip_what_stable_injects_and_the_other_way_round() -> None:
    world = World()
    world.put("share", {"policy": "disabled"})
    after, record = inject_pod(world, make_pod())
    assert after == make_pod()
    assert record.candidate_paths.startswith("decision inject skip")


# Second passes


@pytest.mark.parametrize("first", [0, 100])
@pytest.mark.parametrize("second", [0.01, 100])
def test_a_second_pass_has_the_track_of_the_first(first: float, second: float) -> None:
    """Two environments can have different percentages at the same time."""
    for pod in [make_pod(number) for number in range(5)]:
        once, twice = World(), World()
        start(once, share=first, clusters={"other": 1})
        start(twice, share=second)
        after, record = inject_pod(once, pod)
        again, repeated = inject_pod(twice, after)
        assert repeated.track == record.track
        assert again == inject_pod(once if first else twice, after)[0]
        assert image_of(again) == image_of(after)
        assert annotation_of(again) == annotation_of(after)


def test_a_paused_rollout_gives_no_further_pods_the_candidate() -> None:
    world = World()
    start(world, "paused")
    after, record = inject_pod(world, make_pod())
    assert (record.candidate, annotation_of(after)) == ("outside", None)
    _, record = inject_pod(world, make_pod(0, {ANNOTATION: f"{ID}/candidate"}))
    assert record.track == "candidate"


@pytest.mark.parametrize("value", ["x/candidate", f"{ID}/other", f"{ID}/candidate ", ""])
def test_another_annotation_is_ignored_and_replaced(value: str) -> None:
    world = World()
    start(world, share=0, clusters={"dev": 100})
    after, record = inject_pod(world, make_pod(0, {ANNOTATION: value}))
    assert (record.track, annotation_of(after)) == ("stable", f"{ID}/stable")


def test_a_brake_wins_over_the_annotation() -> None:
    world = World()
    start(world)
    world.memory.brakes = (f"id: {ID}",)
    world.clock.seconds = 31
    after, record = inject_pod(world, make_pod(0, {ANNOTATION: f"{ID}/candidate"}))
    assert (record.candidate, record.candidate_reason) == ("disabled", "brake")
    assert image_of(after).endswith("1.30.0")


# Time


@pytest.mark.parametrize(
    ("mode", "timeout", "duration", "reason"),
    [
        ("share", 10.0, 0.001, ""),
        ("share", 1.002, 0.001, ""),
        ("share", 0.9, 0.0, "time"),
        ("share", 3.0, 0.5, "time"),
        ("shadow", 10.0, 0.001, ""),
        ("shadow", 10.0, 1.0, "time"),
        ("shadow", 2.0, 0.5, "time"),
    ],
)
def test_a_candidate_needs_time(mode: str, timeout: float, duration: float, reason: str) -> None:
    world = World()
    start(world, mode)
    inject_pod(world, make_pod())
    context = make_context(make_pod(), world.clock, timeout)
    ticks = iter([0.0, duration])
    clock = Ticking(world.clock, ticks)
    assert context.deadline is not None
    context = replace(context, deadline=replace(context.deadline, clock=clock))
    found = record_of(review.inject(context, world))
    assert found.candidate_reason == reason
    assert found.candidate == ("disabled" if reason else "changed")


@dataclass
class Ticking:
    """A clock on which stable takes a given time."""

    clock: Clock
    ticks: Iterator[float]

    def __call__(self) -> float:
        self.clock.seconds += next(self.ticks, 0.0)
        return self.clock.seconds


EXPENSIVE = (
    "lists.range(1000).all(x, lists.range(1000).all(y, x + y >= 0)) ? Object{} : "
    "Object{metadata: Object.metadata{labels: {'a': 'b'}}}"
)


def start_policies(
    world: World, mode: str, stable: Mapping[str, bytes], candidate: Mapping[str, bytes]
) -> None:
    world.stable = world.memory.upload({**BUNDLE, **stable})
    world.put(mode, {"bundle": world.memory.upload({**BUNDLE, **candidate})})


@pytest.mark.parametrize(("mode", "value"), [("share", "new"), ("shadow", "old")])
def test_a_candidate_has_its_own_mutating_policies(mode: str, value: str) -> None:
    world = World()
    stable, candidate = (make_bundle(label("a", f"'{text}'")) for text in ("old", "new"))
    start_policies(world, mode, stable, candidate)
    after, record = inject_pod(world, make_pod())
    assert object_at(after, "metadata", "labels")["a"] == value
    assert (record.candidate, record.candidate_paths) == ("changed", "replace metadata.labels.a")


@pytest.mark.parametrize("failure_policy", ["Fail", "Ignore"])
@pytest.mark.parametrize("expression", [EXPENSIVE, label("a", "object.spec.nope")])
def test_a_mutating_policy_of_a_candidate_never_denies_or_delays_a_pod(
    expression: str, failure_policy: str
) -> None:
    """A candidate has a tenth of the cost of CEL, so that it leaves time for the response."""
    world = World()
    candidate = make_bundle(expression, failurePolicy=failure_policy)
    start_policies(world, "share", make_bundle(label("a", "'old'")), candidate)
    after, record = inject_pod(world, make_pod())
    is_ignored = failure_policy == "Ignore" and expression != EXPENSIVE
    assert (record.candidate, record.candidate_reason) == (
        ("changed", "") if is_ignored else ("fallback", "denied")
    )
    assert ("a" in object_at(after, "metadata", "labels")) is not is_ignored
