"""The delay of a review by the census: with a storage that never responds, and with a fast one."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Event
from time import perf_counter

from podgraft.core.review.results import ReviewRecord
from podgraft.core.review_context import ReviewContext
from podgraft.core.versions.snapshot import Snapshot
from podgraft.kube import admission
from podgraft.service.store.census import CAP_SECONDS, CensusWriter, RecordOutcome
from podgraft.service.store.folder import FolderStore

from . import pods
from .bench_input import BenchmarkInput
from .table import Row
from .timing import Timings

_CAP = "the cap of a write"
# The scheduler can resume a thread some milliseconds late.
_TARGET = 1.2
_RESULT = ReviewRecord(
    uid="", injector="default", cluster="", namespace="", owner="", decision="inject"
)


class _Storage:
    """A storage that responds at once, until it hangs: then each put waits for an event."""

    def __init__(self, released: Event) -> None:
        self._released = released
        self.hangs = False

    def read_key(self, injector: str, seconds: float) -> bytes | None:
        """Return a key."""
        del injector, seconds
        return bytes(32)

    def put_record(self, path: str, content: bytes, seconds: float) -> bool:
        """Store nothing."""
        del path, content, seconds
        return not self.hangs or self._released.wait()


def measure_census(inputs: BenchmarkInput, folder: Path, repetitions: int) -> Iterable[Row]:
    """Measure the delay of reviews of pods that were never recorded, against the cap."""
    store = inputs.write_store(folder / "census")
    policy = store / "default" / "policy.yaml"
    document = policy.read_text() if policy.exists() else ""
    policy.write_text(f"{document}\ncensus: {{}}\n")
    snapshot = FolderStore(store).snapshot("default", None)
    released = Event()
    try:
        for name, hangs in (
            ("census write, the storage never responds", True),
            ("census write, the storage responds at once", False),
        ):
            timings = _time_records(
                inputs, snapshot, _Storage(released), min(repetitions, 20), hangs=hangs
            )
            yield Row(
                part="warm",
                name=name,
                median=timings.median,
                p99=timings.p99,
                repetitions=len(timings.seconds),
                baseline=_CAP,
                baseline_median=CAP_SECONDS,
                target=_TARGET,
            )
    finally:
        released.set()


def _time_records(
    inputs: BenchmarkInput, snapshot: Snapshot, storage: _Storage, repetitions: int, *, hangs: bool
) -> Timings:
    seconds: list[float] = []
    for number in range(1, repetitions + 1):
        storage.hangs = False
        # A new writer: after a failure, the reviews of a writer do not wait.
        writer = CensusWriter(storage)
        # The first reviews of an environment analyze the bundle, and record nothing.
        while _make_record(writer, inputs, snapshot, 0)() is not RecordOutcome.STORED:
            pass
        storage.hangs = hangs
        record = _make_record(writer, inputs, snapshot, number)
        started = perf_counter()
        outcome = record()
        seconds.append(perf_counter() - started)
        _check_outcome(outcome, hangs=hangs)
    return Timings(tuple(seconds))


def _check_outcome(outcome: object, *, hangs: bool) -> None:
    """Fail if the write did not happen: its time would be that of something else.

    A busy machine can drop a record although the storage responds.
    """
    if hangs and outcome is not RecordOutcome.DROPPED:
        raise RuntimeError(f"a record was {outcome}, although the storage hangs")
    if not hangs and outcome not in {RecordOutcome.STORED, RecordOutcome.DROPPED}:
        raise RuntimeError(f"a record was {outcome}, although the storage responds")


def _make_record(
    writer: CensusWriter, inputs: BenchmarkInput, snapshot: Snapshot, number: int
) -> Callable[[], object]:
    body = json.loads(pods.unseen_pod(inputs, number)["body"])
    labels = body["request"]["object"]["metadata"]["labels"]
    labels["pod-template-hash"] = f"{number:010x}"  # another revision, which is not known yet
    request = admission.decode(json.dumps(body).encode())
    context = ReviewContext(injector="default", namespace=request.namespace, request=request)
    return lambda: writer.record(context, snapshot, "inject", _RESULT)
