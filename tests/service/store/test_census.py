"""The writer of the census: what it records, and that no failure of it reaches a review."""

import json
from base64 import b64encode
from collections.abc import Callable
from datetime import date
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from msgspec.structs import replace

from podgraft.base.deadline import Deadline
from podgraft.cli.policy.preview.replay import PreviewOutcome, preview_record
from podgraft.core.census.record import decode_record
from podgraft.core.review.results import ReviewRecord
from podgraft.core.review_context import ReviewContext
from podgraft.core.versions.snapshot import Snapshot
from podgraft.kube import admission
from podgraft.service.store.aws.census import BucketCensus
from podgraft.service.store.aws.client import AwsServiceError
from podgraft.service.store.census import CensusWriter, RecordOutcome
from podgraft.service.store.folder import FolderStore
from podgraft.service.store.folder.census import FolderCensus
from support.mutating_policies import label, make_bundle
from support.store_fixture import write_injector

RESULT = ReviewRecord(
    uid="1",
    injector="default",
    cluster="prod-eu",
    namespace="shop",
    owner="Pod/web",
    decision="inject",
    reason="r",
    policy_version="1",
    bundle="sha256:0",
)
TODAY = date(2026, 11, 22)


class MemoryCensus:
    """A storage in memory; ``before_put`` runs before each put."""

    def __init__(self, before_put: Callable[[], object] = lambda: None) -> None:
        self.records: dict[str, bytes] = {}
        self.puts = 0
        self.key: bytes | None = bytes(32)
        self._before_put = before_put

    def read_key(self, injector: str, seconds: float) -> bytes | None:
        assert injector
        assert seconds > 0
        return self.key

    def put_record(self, path: str, content: bytes, seconds: float) -> bool:
        assert seconds > 0
        self.puts += 1
        self._before_put()
        is_new = path not in self.records
        self.records.setdefault(path, content)
        return is_new


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def snapshot(tmp_path: Path) -> Snapshot:
    return make_snapshot(tmp_path, "census: {}")


def make_snapshot(folder: Path, policy: str) -> Snapshot:
    return FolderStore(write_injector(folder, policy=policy)).snapshot("default", "prod-eu")


def make_context(number: int = 0, **request: Any) -> ReviewContext:
    metadata = {"name": f"web-{number}", "annotations": {"example.com/a": "value"}}
    pod: Any = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": []}}
    body: Any = {
        "kind": "AdmissionReview",
        "apiVersion": "admission.k8s.io/v1",
        "request": {
            "uid": "1",
            "kind": {"group": "", "version": "v1", "kind": "Pod"},
            "namespace": "shop",
            "operation": "CREATE",
            "object": pod,
            **request,
        },
    }
    return ReviewContext(
        injector="default",
        cluster="prod-eu",
        namespace="shop",
        request=admission.decode(json.dumps(body).encode()),
    )


def make_writer(storage: Any, clock: Clock | None = None, **options: Any) -> CensusWriter:
    return CensusWriter(storage, clock or Clock(), lambda: TODAY, **options)


def test_a_workload_is_recorded_once_in_a_week(snapshot: Snapshot) -> None:
    storage, day = MemoryCensus(), [TODAY]
    writer = CensusWriter(storage, Clock(), lambda: day[0])
    outcomes = [writer.record(make_context(), snapshot, "inject", RESULT) for _ in range(3)]
    assert outcomes == [RecordOutcome.STORED, RecordOutcome.KNOWN, RecordOutcome.KNOWN]
    assert storage.puts == 1
    [(path, content)] = storage.records.items()
    assert path.startswith("default/prod-eu/shop/")
    assert path.endswith("/2026-W47.json.gz")
    record = decode_record(content)
    assert (record.workload, record.date) == ("Pod/web-0", "2026-11-22")
    assert "value" not in str(record)
    day[0] = date(2026, 11, 30)
    assert writer.record(make_context(), snapshot, "inject", RESULT) is RecordOutcome.STORED


def test_another_process_does_not_replace_a_record(snapshot: Snapshot) -> None:
    storage = MemoryCensus()
    first, second = make_writer(storage), make_writer(storage)
    assert first.record(make_context(), snapshot, "inject", RESULT) is RecordOutcome.STORED
    assert second.record(make_context(), snapshot, "inject", RESULT) is RecordOutcome.KNOWN


INJECTED = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web", "annotations": {"sidecar.istio.io/status": "{}"}},
}


@pytest.mark.parametrize(
    "request_fields",
    [
        {"dryRun": True},
        {"operation": "DELETE", "object": None},
        {"operation": "CONNECT"},
        {"subResource": "ephemeralcontainers"},
        {"object": None},
        {"object": INJECTED},  # a second pass
        {"kind": {"group": "apps", "version": "v1", "kind": "Deployment"}},
    ],
    ids=["dry run", "delete", "connect", "subresource", "no object", "injected", "no pod"],
)
def test_such_a_review_is_not_recorded(snapshot: Snapshot, request_fields: dict[str, Any]) -> None:
    storage = MemoryCensus()
    context = make_context(**request_fields)
    assert make_writer(storage).record(context, snapshot, "inject", RESULT) is None
    assert storage.puts == 0


@pytest.mark.parametrize(
    ("policy", "is_recorded"),
    [
        ("census: {}", True),
        ("census: {sample: 0}", False),
        ("policy: enabled", False),
        ("census: {}\nclusters: {prod-eu: {census: {sample: 0}}}", False),
        ("clusters: {prod-eu: {census: {}}}", True),
    ],
)
def test_the_policy_switches_it_on(tmp_path: Path, policy: str, is_recorded: bool) -> None:
    storage = MemoryCensus()
    make_writer(storage).record(make_context(), make_snapshot(tmp_path, policy), "inject", RESULT)
    assert bool(storage.records) is is_recorded


def test_without_a_key_nothing_is_recorded(snapshot: Snapshot) -> None:
    storage = MemoryCensus()
    storage.key = None
    clock = Clock()
    writer = make_writer(storage, clock)
    assert writer.record(make_context(), snapshot, "inject", RESULT) is None
    storage.key = bytes(32)
    assert writer.record(make_context(), snapshot, "inject", RESULT) is None  # for five minutes
    clock.now += 301
    assert writer.record(make_context(), snapshot, "inject", RESULT) is RecordOutcome.STORED


def test_a_storage_that_hangs_delays_one_review_by_the_cap(snapshot: Snapshot) -> None:
    """``put`` does not return before the end of the test."""
    released, clock = Event(), Clock()
    storage = MemoryCensus(before_put=lambda: released.wait(60))
    writer = make_writer(storage, clock)
    try:
        assert writer.record(make_context(0), snapshot, "inject", RESULT) is RecordOutcome.DROPPED
        for number in range(1, 9):  # no further review waits
            outcome = writer.record(make_context(number), snapshot, "inject", RESULT)
            assert outcome is RecordOutcome.DROPPED
        assert storage.puts == 1
    finally:
        released.set()


@pytest.mark.parametrize("error", [OSError(), ValueError(), AwsServiceError("SlowDown", 503)])
def test_a_failure_pauses_the_recording(snapshot: Snapshot, error: Exception) -> None:
    fails = [True]

    def fail() -> None:
        if fails[0]:
            raise error

    storage, clock = MemoryCensus(before_put=fail), Clock()
    writer = make_writer(storage, clock)
    assert writer.record(make_context(), snapshot, "inject", RESULT) is RecordOutcome.DROPPED
    fails[0] = False
    assert writer.record(make_context(), snapshot, "inject", RESULT) is RecordOutcome.DROPPED
    clock.now += 31
    assert writer.record(make_context(), snapshot, "inject", RESULT) is RecordOutcome.STORED


def test_a_second_has_at_most_five_records(snapshot: Snapshot) -> None:
    storage, clock = MemoryCensus(), Clock()
    writer = make_writer(storage, clock)
    outcomes = [writer.record(make_context(n), snapshot, "inject", RESULT) for n in range(20)]
    assert outcomes.count(RecordOutcome.STORED) == storage.puts == 5
    clock.now += 1
    assert writer.record(make_context(6), snapshot, "inject", RESULT) is RecordOutcome.STORED


def test_a_review_that_is_nearly_late_is_not_delayed(snapshot: Snapshot) -> None:
    storage, clock = MemoryCensus(), Clock()
    context = replace(make_context(), deadline=Deadline.from_timeout(2, clock))
    clock.now += 1.5
    outcome = make_writer(storage, clock).record(context, snapshot, "inject", RESULT)
    assert outcome is RecordOutcome.DROPPED
    assert storage.puts == 0


def test_the_analysis_of_a_bundle_continues_with_the_next_review(snapshot: Snapshot) -> None:
    """The clock moves with each reading, so each review analyses few documents."""

    class TickingClock(Clock):
        def __call__(self) -> float:
            self.now += 0.004
            return self.now

    storage = MemoryCensus()
    writer = make_writer(storage, TickingClock())
    outcomes = [writer.record(make_context(n), snapshot, "inject", RESULT) for n in range(9)]
    assert outcomes[0] is RecordOutcome.DROPPED
    assert RecordOutcome.STORED in outcomes


@pytest.mark.slow
def test_many_different_workloads_need_bounded_memory(snapshot: Snapshot) -> None:
    storage, clock = MemoryCensus(), Clock()
    writer = make_writer(storage, clock)
    for number in range(5000):
        clock.now += 0.25
        writer.record(make_context(number), snapshot, "inject", RESULT)
    caches = (vars(writer)[name] for name in ("_stored", "_revisions", "_bundles"))
    assert [len(cache) for cache in caches] == [4096, 0, 1]


def test_a_folder_has_each_record_completely_or_not(tmp_path: Path) -> None:
    store = tmp_path / "store"
    (store / "default").mkdir(parents=True)
    census = FolderCensus(tmp_path / "census", store)
    assert census.read_key("default", 1) is None
    (store / "default" / "census.key").write_bytes(b64encode(bytes(32)))
    assert census.read_key("default", 1) == bytes(32)
    assert census.put_record("a/b/c.json.gz", b"1", 1)
    assert not census.put_record("a/b/c.json.gz", b"2", 1)
    [file] = [path for path in (tmp_path / "census").rglob("*") if path.is_file()]
    assert file.read_bytes() == b"1"


class FakeBucket:
    """The objects of a bucket, with the errors of S3."""

    def __init__(self, error: AwsServiceError | None = None) -> None:
        self.objects: dict[str, bytes] = {}
        self.error = error

    def put_object(self, bucket: str, key: str, content: bytes, seconds: float) -> None:
        assert bucket == "census"
        assert seconds == 0.05
        if self.error:
            raise self.error
        self.objects[key] = content


def test_a_bucket_with_the_object_is_not_a_failure() -> None:
    parameters: list[Any] = []

    def ssm(operation: str, arguments: Any, seconds: float) -> Any:
        parameters.append((operation, arguments, seconds))
        return {"Parameters": [{"Value": b64encode(bytes(32)).decode()}]}

    for error, expected in (
        (None, True),
        (AwsServiceError("PreconditionFailed", 412), False),
        (AwsServiceError("", 412), False),
    ):
        census = BucketCensus(ssm, FakeBucket(error), "census", "/podgraft")
        assert census.put_record("a", b"1", 0.05) is expected
    denied = BucketCensus(ssm, FakeBucket(AwsServiceError("AccessDenied", 403)), "census", "/p")
    with pytest.raises(AwsServiceError):
        denied.put_record("a", b"1", 0.05)
    assert denied.read_key("istio", 0.05) == bytes(32)
    names = {"Names": ["/p/istio/census-key"], "WithDecryption": True}
    assert parameters == [("GetParameters", names, 0.05)]


def test_an_object_that_only_mutating_policies_change_is_recorded_and_previewed(
    tmp_path: Path,
) -> None:
    before, after = (
        FolderStore(
            write_injector(
                tmp_path / value,
                policy="policy: enabled\ncensus: {}\n",
                files=make_bundle(label("tier", f"'{value}'"), resources=("configmaps",)),
            )
        ).snapshot("default", "prod-eu")
        for value in ("old", "new")
    )
    config_map: Any = {"apiVersion": "v1", "kind": "ConfigMap", "data": {"key": "secret"}}
    kind: Any = {"group": "", "version": "v1"}
    context = make_context(
        kind={**kind, "kind": "ConfigMap"},
        resource={**kind, "resource": "configmaps"},
        object={**config_map, "metadata": {"name": "settings", "namespace": "shop"}},
    )
    storage = MemoryCensus()
    result = replace(RESULT, decision="mutate")
    assert make_writer(storage).record(context, before, "mutate", result) is RecordOutcome.STORED
    record = decode_record(*storage.records.values())
    assert (record.workload, record.route) == ("ConfigMap/settings", "mutate")
    assert "secret" not in str(record)
    assert preview_record(record, before, before).outcome is PreviewOutcome.SAME
    result = preview_record(record, before, after)
    assert (result.outcome, result.lines) == (
        PreviewOutcome.CHANGED,
        ("replace metadata.labels.tier",),
    )
