"""The three phases of a run: capacity, steady load, and the same load with a hostile share."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from threading import Event, Thread
from typing import Any, NamedTuple

from podgraft.cli.bench import pods
from podgraft.cli.bench.bench_input import TOKEN, BenchmarkInput

from .fronts import Front, run_generator

SHARE_OF_CAPACITY = 0.7
HOSTILE_EVERY = 10  # one request of ten
MIN_RATE = 0.95  # of the planned rate
MAX_RATIO = 3.0  # of p99 to p50
MAX_SHIFT = 0.2  # of the p99 of the others, by the hostile share
MAX_GROWTH = 0.05  # of memory, from the second quarter to the last one
_REVIEWS = 400
_HUGE_BYTES = 1_000_000
_SAMPLE_SECONDS = 0.5
# The capacity is that of the slowest window: on a shared machine, others can take processor time.
_CAPACITY_WINDOWS = 5
_CAPACITY_SHARE = 0.05  # of the time of a phase, for each window
_MIN_CAPACITY_SECONDS = 3.0
_OK, _UNAUTHORIZED, _THROTTLED, _BAD_REQUEST = 200, 401, 429, 400


@dataclass(frozen=True, slots=True)
class Request:
    """A complete HTTP request in a file, its kind, and the statuses that are no error."""

    path: str
    kind: str
    codes: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What the generator sends where; a rate of 0 measures the capacity."""

    host: str
    ports: tuple[int, ...]
    authority: str
    connections: int
    rate: float
    seconds: float
    requests: tuple[Request, ...]


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
    typical_ratio: float = 0.0  # the median of p99/p50 in parts of 10 s
    stolen: float = 0.0  # the share of the processors' time that the host gave to others

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
    """Measure the capacity, and then each phase for *seconds*."""
    normal = tuple(write_normal(inputs, folder))
    mixed = tuple(_mix(normal, tuple(write_hostile(inputs, folder))))
    capacity_seconds = max(_MIN_CAPACITY_SECONDS, seconds * _CAPACITY_SHARE)
    _run_phase(front, folder, "warm-up", 0, 2 * capacity_seconds, normal)
    windows = [
        _run_phase(front, folder, "capacity", 0, capacity_seconds, normal)
        for _ in range(_CAPACITY_WINDOWS)
    ]
    capacity = min(windows, key=lambda window: window.rate)
    yield capacity
    rate = SHARE_OF_CAPACITY * capacity.requests / capacity.seconds
    yield _run_phase(front, folder, "70 % of capacity", rate, seconds, normal)
    yield _run_phase(front, folder, "with 10 % hostile requests", rate, seconds, mixed)


def _run_phase(
    front: Front,
    folder: Path,
    name: str,
    rate: float,
    seconds: float,
    requests: tuple[Request, ...],
) -> PhaseResult:
    plan = Plan(
        host=front.host,
        ports=front.ports,
        authority=front.authority,
        connections=front.connections,
        rate=rate,
        seconds=seconds,
        requests=requests,
    )
    with_memory = MemorySamples(front)
    with_memory.start()
    before = read_processor_times()
    try:
        result = run_generator(asdict(plan), folder)
    finally:
        with_memory.stop()
    after = read_processor_times()
    none = {"requests": 0, "p50": 0, "p99": 0, "typical_ratio": 0}
    normal: dict[str, Any] = result["kinds"].get("normal", none)
    return PhaseResult(
        front=front.name,
        phase=name,
        seconds=result["seconds"],
        rate=sum(each["requests"] for each in result["kinds"].values()) / result["seconds"],
        requests=sum(each["requests"] for each in result["kinds"].values()),
        errors=sum(result["errors"].values()),
        p50=normal["p50"],
        p99=normal["p99"],
        memory_before=with_memory.quarter(1),
        memory_after=with_memory.quarter(3),
        typical_ratio=normal["typical_ratio"],
        stolen=(after.stolen - before.stolen) / max(1, after.total - before.total),
    )


class ProcessorTimes(NamedTuple):
    """Times since the start of the machine, in ticks."""

    stolen: int
    total: int


def read_processor_times() -> ProcessorTimes:
    """The first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal."""
    times = [int(word) for word in Path("/proc/stat").read_text().split(maxsplit=9)[1:9]]
    return ProcessorTimes(times[-1], sum(times))


class MemorySamples:
    """The memory of a front, sampled in a thread."""

    def __init__(self, front: Front) -> None:
        self._front = front
        self._stopping = Event()
        self._samples: list[int] = []
        self._thread = Thread(target=self._run, daemon=True)

    def start(self) -> None:
        """Start to sample."""
        self._thread.start()

    def stop(self) -> None:
        """Stop."""
        self._stopping.set()
        self._thread.join()

    def quarter(self, number: int) -> float:
        """The median of a quarter of the samples, 0 to 3."""
        size = max(1, len(self._samples) // 4)
        return median(
            self._samples[number * size : (number + 1) * size] or self._samples[-1:] or [0]
        )

    def _run(self) -> None:
        while not self._stopping.wait(_SAMPLE_SECONDS):
            self._samples.append(self._front.resident_bytes())


def write_normal(inputs: BenchmarkInput, folder: Path) -> Iterator[Request]:
    """Reviews of different pods, half of them of one ReplicaSet."""
    for number in range(_REVIEWS):
        event = pods.unseen_pod(inputs, number) if number % 2 else pods.similar_pod(inputs, number)
        yield _write(folder / f"normal-{number}", event, "normal", (_OK,))


def write_hostile(inputs: BenchmarkInput, folder: Path) -> Iterator[Request]:
    """Wrong tokens, broken bodies, and pods of a megabyte, in equal parts."""
    for number in range(_REVIEWS // HOSTILE_EVERY):
        event = pods.unseen_pod(inputs, number)
        match number % 3:
            case 0:
                codes = (_UNAUTHORIZED, _THROTTLED)
                yield _write(folder / f"token-{number}", event, "hostile", codes, f"guess-{number}")
            case 1:
                event["body"] = event["body"][: len(event["body"]) // 2]
                yield _write(folder / f"body-{number}", event, "hostile", (_BAD_REQUEST,))
            case _:
                event = pods.annotated_pod(inputs, _HUGE_BYTES, number)
                yield _write(folder / f"huge-{number}", event, "hostile", (_OK,))


def _mix(normal: Sequence[Request], hostile: Sequence[Request]) -> Iterator[Request]:
    for index, request in enumerate(normal):
        is_hostile = index % HOSTILE_EVERY == HOSTILE_EVERY - 1
        yield hostile[index // HOSTILE_EVERY % len(hostile)] if is_hostile else request


def _write(
    path: Path, event: dict[str, Any], kind: str, codes: tuple[int, ...], token: str = TOKEN
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
    return Request(str(path), kind, codes)


def find_problems(results: Sequence[PhaseResult]) -> list[str]:
    """The requirements that a run does not meet, each with its figure."""
    problems: list[str] = []
    for front in dict.fromkeys(result.front for result in results):
        capacity, steady, hostile = (result for result in results if result.front == front)
        problems += [
            f"{front}, {each.phase}: {each.errors} errors"
            for each in (capacity, steady, hostile)
            if each.errors
        ]
        planned = SHARE_OF_CAPACITY * capacity.rate
        problems += [
            f"{front}, {each.phase}: {each.rate:.0f} of {planned:.0f} requests/s"
            for each in (steady, hostile)
            if each.rate < MIN_RATE * planned  # an overloaded front has a small p99/p50
        ]
        if steady.ratio > MAX_RATIO:
            problems.append(f"{front}: p99/p50 is {steady.ratio:.1f}, above {MAX_RATIO:.0f}")
        problems += [
            f"{front}, {each.phase}: memory grew by {each.growth:.0%}"
            for each in (steady, hostile)
            if each.growth > MAX_GROWTH
        ]
        shift = hostile.p99 / steady.p99 - 1 if steady.p99 else 0.0
        if shift > MAX_SHIFT:
            problems.append(f"{front}: hostile requests move the p99 of the others by {shift:.0%}")
    return problems
