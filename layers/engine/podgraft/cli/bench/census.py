"""The delay of a review by the census: with a storage that never responds, and with a fast one."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Event
from time import perf_counter

from podgraft import admission
from podgraft.review_context import ReviewContext
from podgraft.store import Snapshot
from podgraft.store.census import CAP_SECONDS, CensusWriter, ReviewedDecision
from podgraft.store.folder import FolderStore

from . import pods
from .bench_input import BenchmarkInput
from .table import Row
from .timing import Timings

_CAP = "the cap of a write"
# The scheduler can resume a thread some milliseconds late.
_TARGET = 1.2
_DECISION = ReviewedDecision(
    route="inject", decision="inject", reason="", policy_version="1", bundle=""
)


class _Storage:
    """A storage in which each put waits for an event."""

    def __init__(self, released: Event) -> None:
        self._released = released

    def read_key(self, injector: str, seconds: float) -> bytes | None:
        del injector, seconds
        return bytes(32)

    def put_record(self, path: str, content: bytes, seconds: float) -> bool:
        del path, content, seconds
        return self._released.wait()


def measure_census(inputs: BenchmarkInput, folder: Path, repetitions: int) -> Iterable[Row]:
    """Measure the delay of reviews of pods that were never recorded, against the cap."""
    store = inputs.write_store(folder / "census")
    policy = store / "default" / "policy.yaml"
    document = policy.read_text() if policy.exists() else ""
    policy.write_text(f"{document}\ncensus: {{}}\n")
    snapshot = FolderStore(store).snapshot("default", None)
    hanging, fast = Event(), Event()
    fast.set()
    try:
        for name, released in (
            ("census write, the storage never responds", hanging),
            ("census write, the storage responds at once", fast),
        ):
            timings = _time_records(inputs, snapshot, released, min(repetitions, 20))
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
        hanging.set()


def _time_records(
    inputs: BenchmarkInput, snapshot: Snapshot, released: Event, repetitions: int
) -> Timings:
    seconds: list[float] = []
    warm_up = CensusWriter(_Storage(released), cap_seconds=CAP_SECONDS)
    _record(warm_up, inputs, snapshot, 0)()
    for number in range(1, repetitions + 1):
        # A new writer: after a failure, the reviews of a writer do not wait.
        writer = CensusWriter(_Storage(released))
        record = _record(writer, inputs, snapshot, number)
        started = perf_counter()
        record()
        seconds.append(perf_counter() - started)
    return Timings(tuple(seconds))


def _record(
    writer: CensusWriter, inputs: BenchmarkInput, snapshot: Snapshot, number: int
) -> Callable[[], object]:
    body = json.loads(pods.unseen_pod(inputs, number)["body"])
    request = admission.decode(json.dumps(body).encode())
    context = ReviewContext(injector="default", namespace=request.namespace, request=request)
    return lambda: writer.record(context, snapshot, _DECISION)
