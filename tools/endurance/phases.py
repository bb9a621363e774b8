"""The phases of a run: two capacities, a steady load, and the same load with a hostile share.

The load is 70 % of the processors of the server (``request_cost.py``). The capacities show how many
requests four connections for each processor carry without pauses. They are larger: without pauses,
the data of a review remains in the processor's caches.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from threading import Event, Thread
from typing import Any

from bench import pods
from bench.bench_input import TOKEN, BenchmarkInput

from .fronts import Front, run_generator
from .host_watch import read_processor_times

CAPACITY, HOSTILE_CAPACITY = "capacity", "capacity with 10 % hostile requests"
STEADY, HOSTILE = "70 % load", "70 % load with 10 % hostile requests"
LOAD = 0.7
HOSTILE_EVERY = 10  # one request of ten
MIN_SENT = 0.95  # of the planned requests
MAX_RATIO = 3.0  # of p99 to p50
MAX_SHIFT = 0.2  # of the p99 of the others, by the hostile share
MAX_GROWTH = 0.05  # of memory, from the second quarter to the last one
_MARK = 123_456_789
_HOSTILE = 30  # different requests
# As many annotations as Kubernetes accepts: 256 KiB together (TotalAnnotationSizeLimitB in
# k8s.io/apimachinery/pkg/api/validation/objectmeta.go).
_HUGE_BYTES = 255_000
_MIN_UNDISTURBED = 0.1  # of the time of a phase
_SAMPLE_SECONDS = 0.5
# The capacity is that of the median window.
_CAPACITY_WINDOWS = 5
_CAPACITY_SHARE = 0.05  # of the time of a phase, for each window
_SLICE_SECONDS, _FIRST_SECONDS = 30.0, 5.0
_MIN_CAPACITY_SECONDS, _MAX_CAPACITY_SECONDS = 3.0, 10.0
_OK, _UNAUTHORIZED, _THROTTLED, _BAD_REQUEST = 200, 401, 429, 400


@dataclass(frozen=True, slots=True)
class Request:
    """A complete HTTP request in a file, its kind, and the statuses that are no error.

    The generator replaces *mark* by another number of the same length in each request.
    """

    path: str
    kind: str
    codes: tuple[int, ...]
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Phase:
    """A load of *seconds*, as a number of processors; a load of 0 measures the capacity.

    ``cost`` is the expected processor time of a request in seconds, until it is measured.
    """

    name: str
    load: float
    seconds: float
    requests: tuple[Request, ...]
    cost: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What the generator sends where: a phase and a front."""

    host: str
    ports: tuple[int, ...]
    authority: str
    connections: int
    load: float
    seconds: float
    requests: tuple[Request, ...]
    cost: float
    processors: tuple[int, ...]
    pids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of a phase: the result of the generator, and what was measured beside it."""

    result: dict[str, Any]
    memory: Sequence[int]  # samples, in bytes
    stolen: int  # of the processors' time, in ticks
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseResult:
    """The figures of one phase: times in seconds, memory in bytes."""

    front: str
    phase: str
    seconds: float
    rate: float
    requests: int
    errors: int
    p50: float
    p99: float
    memory_before: float
    memory_after: float
    ratio_of_all: float = 0.0  # p99/p50 with disturbed parts and waits; the others are without
    disturbed: float = 0.0  # the share of parts of 0.2 s that the host disturbed
    stolen: float = 0.0  # the share of the processors' time that it gave to others
    sent: float = 1.0  # the share of the planned requests that were sent

    @property
    def ratio(self) -> float:
        """p99 / p50."""
        return self.p99 / self.p50 if self.p50 else 0.0

    @property
    def growth(self) -> float:
        """The growth of memory, as a part of the memory before."""
        return self.memory_after / self.memory_before - 1 if self.memory_before else 0.0


def run_phases(
    front: Front, inputs: BenchmarkInput, folder: Path, seconds: float
) -> Iterator[PhaseResult]:
    """Measure both capacities, and then each phase with load for *seconds*."""
    normal = tuple(write_normal(inputs, folder))
    mixed = tuple(mix(normal, tuple(write_hostile(inputs, folder))))
    window_seconds = min(
        _MAX_CAPACITY_SECONDS, max(_MIN_CAPACITY_SECONDS, seconds * _CAPACITY_SHARE)
    )
    _run_phase(front, folder, Phase("warm-up", 0, 2 * window_seconds, normal))
    capacities: list[PhaseResult] = []
    for name, requests in ((CAPACITY, normal), (HOSTILE_CAPACITY, mixed)):
        window = Phase(name, 0, window_seconds, requests)
        windows = [_run_phase(front, folder, window) for _ in range(_CAPACITY_WINDOWS)]
        capacities.append(sorted(windows, key=_rate)[_CAPACITY_WINDOWS // 2])
        yield capacities[-1]
    load, cost = LOAD * front.processors, front.processors / min(map(_rate, capacities))
    yield from run_in_turns(
        front,
        folder,
        [
            Phase(name, load, seconds, requests, cost)
            for name, requests in ((STEADY, normal), (HOSTILE, mixed))
        ],
    )


def _rate(result: PhaseResult) -> float:
    return result.rate


def run_in_turns(front: Front, folder: Path, phases: Sequence[Phase]) -> Iterator[PhaseResult]:
    """Measure phases in slices, one of each phase after the other.

    The host changes within minutes, and the p99 of one phase is compared with that of another.
    """
    slices: dict[str, list[Slice]] = {phase.name: [] for phase in phases}
    rounds = max(1, round(phases[0].seconds / _SLICE_SECONDS))
    # A first short slice does not count: its load follows from the expected cost.
    costs: dict[str, float] = {}
    for seconds in (_FIRST_SECONDS, *[phases[0].seconds / rounds] * rounds):
        for phase in phases:
            part = replace(phase, seconds=seconds, cost=costs.get(phase.name, phase.cost))
            measured = run_slice(front, folder, part)
            if phase.name in costs:
                slices[phase.name].append(measured)
            costs[phase.name] = measured.result["cost"]
    for name, each in slices.items():
        yield summarize(front.name, name, each)


def _run_phase(front: Front, folder: Path, phase: Phase) -> PhaseResult:
    return summarize(front.name, phase.name, [run_slice(front, folder, phase)])


def run_slice(front: Front, folder: Path, phase: Phase) -> Slice:
    """Run the generator once."""
    plan = Plan(
        host=front.host,
        ports=front.ports,
        authority=front.authority,
        connections=front.connections,
        load=phase.load,
        seconds=phase.seconds,
        requests=phase.requests,
        cost=phase.cost,
        processors=front.generator_processors,
        pids=front.pids(),
    )
    memory = MemorySamples(front)
    memory.start()
    before = read_processor_times()
    try:
        result = run_generator(asdict(plan), folder)
    finally:
        memory.stop()
    after = read_processor_times()
    return Slice(result, memory.samples, after.stolen - before.stolen, after.total - before.total)


def summarize(front: str, phase: str, slices: Sequence[Slice]) -> PhaseResult:
    """The figures of a phase from its slices."""
    results = [each.result for each in slices]
    seconds = sum(each["seconds"] for each in results)
    requests = sum(len(times["all"]) for each in results for times in each["kinds"].values())
    memory = [sample for each in slices for sample in each.memory]
    normal = [each["kinds"]["normal"] for each in results if "normal" in each["kinds"]]
    quiet, whole = (
        sorted(time for each in normal for time in each[name]) for name in ("quiet", "all")
    )
    parts = sum(each["parts"] for each in results)
    return PhaseResult(
        front=front,
        phase=phase,
        seconds=seconds,
        rate=requests / seconds,
        requests=requests,
        errors=sum(sum(each["errors"].values()) for each in results),
        p50=percentile(quiet, 50),
        p99=percentile(quiet, 99),
        memory_before=median_of_quarter(memory, 1),
        memory_after=median_of_quarter(memory, 3),
        ratio_of_all=percentile(whole, 99) / percentile(whole, 50) if whole else 0.0,
        disturbed=sum(each["disturbed"] for each in results) / parts,
        sent=sum(each["sent"] for each in results) / len(results),
        stolen=sum(each.stolen for each in slices) / max(1, sum(each.total for each in slices)),
    )


def percentile(ordered: Sequence[float], percent: float) -> float:
    """The value that *percent* of the ordered values do not exceed; 0 without values."""
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))] if ordered else 0.0


def median_of_quarter(samples: Sequence[int], number: int) -> float:
    """The median of a quarter of the samples, 0 to 3; 0 without samples."""
    size = max(1, len(samples) // 4)
    return median(samples[number * size : (number + 1) * size] or samples[-1:] or [0])


class MemorySamples:
    """The memory of a front, sampled in a thread."""

    def __init__(self, front: Front) -> None:
        self._front = front
        self._stopping = Event()
        self.samples: list[int] = []
        self._thread = Thread(target=self._run, daemon=True)

    def start(self) -> None:
        """Start to sample."""
        self._thread.start()

    def stop(self) -> None:
        """Stop."""
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopping.wait(_SAMPLE_SECONDS):
            self.samples.append(self._front.resident_bytes())


def write_normal(inputs: BenchmarkInput, folder: Path) -> Iterator[Request]:
    """Reviews of workloads that the server has not seen."""
    event = pods.unseen_pod(inputs, _MARK)
    yield _write(folder / "normal", event, "normal", (_OK,), mark=str(_MARK))


def write_hostile(inputs: BenchmarkInput, folder: Path) -> Iterator[Request]:
    """Wrong tokens, broken bodies, and pods of a megabyte, in equal parts."""
    for number in range(_HOSTILE):
        event = pods.unseen_pod(inputs, number)
        match number % 3:
            case 0:
                codes = (_UNAUTHORIZED, _THROTTLED)
                yield _write(
                    folder / f"token-{number}", event, "hostile", codes, token=f"guess-{number}"
                )
            case 1:
                event["body"] = event["body"][: len(event["body"]) // 2]
                yield _write(folder / f"body-{number}", event, "hostile", (_BAD_REQUEST,))
            case _:
                event = pods.annotated_pod(inputs, _HUGE_BYTES, number)
                yield _write(folder / f"huge-{number}", event, "hostile", (_OK,))


def mix(normal: Sequence[Request], hostile: Sequence[Request]) -> Iterator[Request]:
    """The hostile requests in turn, each after nine of the others."""
    for request in hostile:
        yield from islice(cycle(normal), HOSTILE_EVERY - 1)
        yield request


def _write(
    path: Path,
    event: dict[str, Any],
    kind: str,
    codes: tuple[int, ...],
    *,
    token: str = TOKEN,
    mark: str = "",
) -> Request:
    body = event["body"].encode()
    head = [
        f"POST {event['rawPath']}?{event['rawQueryString']} HTTP/1.1",
        "Host: injector.example.com",
        f"Authorization: Bearer {token}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
    ]
    path.write_bytes("\r\n".join(head).encode() + b"\r\n\r\n" + body)
    return Request(str(path), kind, codes, mark)


def find_problems(results: Sequence[PhaseResult]) -> list[str]:
    """The requirements that a run does not meet, each with its figure."""
    problems: list[str] = []
    for front in dict.fromkeys(result.front for result in results):
        own = [result for result in results if result.front == front]
        *_, steady, hostile = own
        problems += [f"{front}, {each.phase}: {each.errors} errors" for each in own if each.errors]
        for each in (steady, hostile):
            prefix = f"{front}, {each.phase}"
            if each.sent < MIN_SENT:  # an overloaded front has a small p99/p50
                problems.append(f"{prefix}: {each.sent:.0%} of the planned requests")
            if each.growth > MAX_GROWTH:
                problems.append(f"{prefix}: memory grew by {each.growth:.0%}")
            if each.disturbed > 1 - _MIN_UNDISTURBED:
                problems.append(f"{prefix}: {each.disturbed:.0%} of the time is disturbed")
        if steady.ratio > MAX_RATIO:
            problems.append(f"{front}: p99/p50 is {steady.ratio:.1f}, above {MAX_RATIO:.0f}")
        shift = hostile.p99 / steady.p99 - 1 if steady.p99 else 0.0
        if shift > MAX_SHIFT:
            problems.append(f"{front}: hostile requests move the p99 of the others by {shift:.0%}")
    return problems
