"""The time of reviews: Istio's injector and podgraft's handler, in interleaved rounds.

Both get the same AdmissionReview, and the time ends with the complete response. Istio's time is
measured in its own process, around the HTTP handler of istiod. podgraft's is that of the Lambda
handler, from the event to the response.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from random import Random
from statistics import median, quantiles
from time import perf_counter
from typing import Any

from bench import load, pods, throughput, warm
from bench.bench_input import CLUSTER, BenchmarkInput, sample_input

from .program import Istio, apply_patch

CONTAINERS = (1, 10, 500)
PATH = f"/inject/cluster/{CLUSTER}"
# The goals: the maximum ratio of the medians, by kind of pod and number of containers.
GOALS: Mapping[tuple[str, int], float] = {
    ("known", 1): 0.20,
    ("unseen", 1): 0.36,
    ("known", 10): 0.20,
    ("unseen", 10): 0.38,
    ("unseen", 500): 0.50,
}
# The reviews in a row, of each kind of pod on each side: fewer of the pods that take long.
REVIEWS: Mapping[str, int] = {"known": 500, "unseen": 100}
REVIEWS_OF_LARGE_PODS, LARGE = 10, 100  # containers
SPREAD_GOAL = 2.5  # of p99 to the median, and below Istio's
RATE_GOAL = 3.0
CONNECTIONS = 16
WORKERS = "2 workers"
LOAD_CONTAINERS = (1, 10)
LOAD_REQUESTS = 2000
# The calculation takes about 0.1 ms.
_ADDITIONS = 2500

_KINDS: Mapping[str, Callable[[BenchmarkInput, int], dict[str, Any]]] = {
    "known": pods.similar_pod,
    "unseen": pods.unseen_pod,
}


@dataclass(frozen=True, slots=True)
class LatencyRow:
    """One kind of pod, with the seconds of all reviews of both sides."""

    kind: str
    containers: int
    istio: Sequence[float]
    podgraft: Sequence[float]

    @property
    def ratio(self) -> float:
        """The ratio of the medians."""
        return median(self.podgraft) / median(self.istio)

    @property
    def goal(self) -> float | None:
        """The maximum ratio, if there is a goal."""
        return GOALS.get((self.kind, self.containers))


@dataclass(frozen=True, slots=True)
class Latencies:
    """The rows of all kinds of pods, and the seconds of a fixed calculation beside them.

    Interrupts of the machine take as long as a part of a review of a known pod, so they determine
    its p99, and that of any other calculation.
    """

    rows: Sequence[LatencyRow]
    calculation: Sequence[float]


@dataclass(frozen=True, slots=True)
class LoadRow:
    """One kind of pod over TLS, with one value for each round of both sides."""

    name: str
    istio: Sequence[load.Load]
    podgraft: Sequence[load.Load]

    @property
    def ratio(self) -> float:
        """The ratio of the median rates."""
        return median(each.rate for each in self.podgraft) / median(
            each.rate for each in self.istio
        )

    def describe_goal(self) -> str:
        """Whether the goal of p99/p50 is met, which applies to pods of one kind."""
        istio, podgraft = (
            median(each.p99 for each in loads) / median(each.p50 for each in loads)
            for loads in (self.istio, self.podgraft)
        )
        is_met = podgraft <= SPREAD_GOAL and podgraft < istio
        return _format_goal(is_met, f"≤ {SPREAD_GOAL:g}, below Istio's")


def read_input(folder: Path) -> tuple[BenchmarkInput, Mapping[str, Any]]:
    """podgraft's bundle and Istio's settings from the files of a release, for the same pod."""
    texts = {
        name: (folder / name).read_text(encoding="utf-8")
        for name in ("config.yaml", "values.json", "mesh.yaml")
    }
    injector = {"config": texts["config.yaml"], "values": texts["values.json"]}
    files = {
        "injector.yaml": _make_config_map("istio-sidecar-injector", injector),
        "mesh.yaml": _make_config_map("istio", {"mesh": texts["mesh.yaml"]}),
    }
    settings: dict[str, Any] = {
        **injector,
        "mesh": texts["mesh.yaml"],
        "revision": "",
        "proxyConfigs": [],
    }
    return BenchmarkInput("Istio's own templates", files, sample_input().pod), settings


def _make_config_map(name: str, data: Mapping[str, str]) -> bytes:
    metadata = {"name": name, "namespace": "istio-system"}
    return json.dumps(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}
    ).encode()


def measure_latencies(istio: Istio, inputs: BenchmarkInput, folder: Path, rounds: int) -> Latencies:
    """Measure all kinds of pods in rounds, each in a new order.

    In a round, each kind of pod has many reviews in a row on each side, as under load: the
    processor's caches then contain that work. After a review with 500 containers, they do not.
    """
    cases = [(kind, containers) for containers in CONTAINERS for kind in _KINDS]
    sized = {containers: _with_containers(inputs, containers) for containers in CONTAINERS}
    seconds: dict[tuple[str, int, bool], list[float]] = {
        (*case, is_ours): [] for case in cases for is_ours in (False, True)
    }
    calculations: list[float] = []
    with warm.make_handler(inputs.write_store(folder)) as handle:
        for kind, containers in cases:
            check_equal(istio, handle, _KINDS[kind](sized[containers], 0))
        warmup = max(1, rounds // 10)
        for number in range(1, warmup + rounds + 1):
            order = [*seconds]
            Random(number).shuffle(order)  # noqa: S311 - an order, and no secret
            for kind, containers, is_ours in order:
                reviews = REVIEWS_OF_LARGE_PODS if containers > LARGE else REVIEWS[kind]
                for review in range(number * reviews, (number + 1) * reviews):
                    event = _KINDS[kind](sized[containers], review)
                    taken = _time_handler(handle, event) if is_ours else _time_istio(istio, event)
                    if number > warmup:
                        seconds[kind, containers, is_ours].append(taken)
                    if number > warmup and (kind, containers, is_ours) == ("known", 1, True):
                        calculations.append(_time_calculation())
    rows = [
        LatencyRow(*case, istio=seconds[(*case, False)], podgraft=seconds[(*case, True)])
        for case in cases
    ]
    return Latencies(rows, calculations)


def _with_containers(inputs: BenchmarkInput, count: int) -> BenchmarkInput:
    spec = inputs.pod["spec"]
    first = spec["containers"][0]
    containers = [{**first, "name": f"c{index}"} for index in range(count)]
    return replace(inputs, pod={**inputs.pod, "spec": {**spec, "containers": containers}})


def _time_handler(handle: warm.Handler, event: Mapping[str, Any]) -> float:
    started = perf_counter()
    handle(event, None)
    return perf_counter() - started


def _time_calculation() -> float:
    started = perf_counter()
    total = 0
    for number in range(_ADDITIONS):
        total += number * number
    return perf_counter() - started


def _time_istio(istio: Istio, event: Mapping[str, Any]) -> float:
    return istio.time_review(json.loads(event["body"]), PATH)[0]


def check_equal(istio: Istio, handle: warm.Handler, event: Mapping[str, Any]) -> None:
    """Raise ``ValueError`` unless both sides return the same pod."""
    review = json.loads(event["body"])
    results = [
        istio.time_review(review, PATH)[1],
        json.loads(handle(event, None)["body"]),
    ]
    patched: list[Any] = []
    for result in results:
        response = result["response"]
        if "patch" not in response:
            raise ValueError(f"the response is not an injection: {json.dumps(response)[:400]}")
        operations = json.loads(base64.b64decode(response["patch"]))
        patched.append(apply_patch(review["request"]["object"], operations))
    first, second = istio.normalize(patched)
    if first != second:
        raise ValueError("Istio and podgraft inject the pod differently; run make oracle-istio")


def measure_load(
    istio: Istio, inputs: BenchmarkInput, folder: Path, seconds: float, rounds: int
) -> list[LoadRow]:
    """Measure both servers on this machine in turns; they have the same certificate.

    The first row is a mix of known and unseen pods, as in ``make bench``.
    """
    folder.mkdir(parents=True)
    requests = {"mix": tuple(throughput.review_files(inputs, folder))}
    for containers in LOAD_CONTAINERS:
        sized = _with_containers(inputs, containers)
        for kind in _KINDS:
            name = _describe_pods(kind, containers)
            requests[name] = tuple(_write_requests(sized, kind, folder / name))
    istio_requests = {
        name: tuple(_write_istio_requests(paths, folder / f"istio, {name}"))
        for name, paths in requests.items()
    }
    results: dict[tuple[str, bool], list[load.Load]] = {
        (name, is_ours): [] for name in requests for is_ours in (True, False)
    }
    with throughput.start_server(inputs, folder) as server:
        certificates = folder / "certificates"
        port = istio.listen(certificates / "server.pem", certificates / "server.key")
        for number in range(rounds):
            for name, is_ours in product(requests, (True, False) if number % 2 else (False, True)):
                plan = load.Plan(
                    host="127.0.0.1",
                    port=server.port if is_ours else port,
                    authority=str(server.authority),
                    requests=(requests if is_ours else istio_requests)[name],
                    connections=CONNECTIONS,
                    seconds=seconds,
                )
                results[name, is_ours].append(load.run_load(plan, folder))
    return [
        LoadRow(name, istio=results[name, False], podgraft=results[name, True]) for name in requests
    ]


def _write_requests(inputs: BenchmarkInput, kind: str, folder: Path) -> Iterator[str]:
    """More unseen pods than podgraft caches rendered templates, so they remain unseen."""
    folder.mkdir()
    for number in range(LOAD_REQUESTS):
        yield throughput.write_review(folder / f"review-{number}", _KINDS[kind](inputs, number))


def _describe_pods(kind: str, containers: int) -> str:
    return f"{kind}, {containers} container{'' if containers == 1 else 's'}"


def _write_istio_requests(paths: Sequence[str], folder: Path) -> Iterator[str]:
    """The same requests for istiod's path."""
    folder.mkdir()
    for path in map(Path, paths):
        line, _, rest = path.read_bytes().partition(b"\r\n")
        method, _, version = line.split(b" ")
        target = folder / path.name
        target.write_bytes(b" ".join((method, PATH.encode(), version)) + b"\r\n" + rest)
        yield str(target)


_HEADER = (
    *("row", "Istio p50", "Istio p99", "podgraft p50", "podgraft p99", "ratio of p50", "goal"),
    *("podgraft p99/p50", "Istio p99/p50"),
)


def format_table(latencies: Latencies, loads: Sequence[LoadRow]) -> str:
    """The Markdown table of all rows."""
    lines = [
        f"| {' | '.join(_HEADER)} |",
        f"|{'---|' * len(_HEADER)}",
    ]
    for row in latencies.rows:
        sides = [(median(each), _p99(each)) for each in (row.istio, row.podgraft)]
        times = " | ".join(f"{1e3 * value:.3f} ms" for side in sides for value in side)
        spreads = " | ".join(f"{p99 / p50:.2f}" for p50, p99 in reversed(sides))
        name = _describe_pods(row.kind, row.containers)
        goal = "" if row.goal is None else _format_goal(row.ratio <= row.goal, f"≤ {row.goal:g}")
        lines.append(f"| {name} | {times} | {row.ratio:.3f} | {goal} | {spreads} |")
    text = "\n".join(lines) + f"\n\n{_format_calculation(latencies.calculation)}\n"
    return f"{text}\n{_format_loads(loads)}" if loads else text


def _format_calculation(seconds: Sequence[float]) -> str:
    p50, p99 = median(seconds), _p99(seconds)
    return (
        f"A fixed calculation, after each review of a known pod: p50 {1e3 * p50:.3f} ms, "
        f"p99 {1e3 * p99:.3f} ms, p99/p50 {p99 / p50:.2f}."
    )


def _format_loads(rows: Sequence[LoadRow]) -> str:
    mix = rows[0]
    goal = _format_goal(mix.ratio >= RATE_GOAL, f"≥ {RATE_GOAL:g}")
    title = f"TLS, {CONNECTIONS} connections, mix: {mix.ratio:.2f} times Istio's reviews/s"
    lines = [
        f"{title}; goal {goal}",
        "",
        f"| {' | '.join(_LOAD_HEADER)} |",
        f"|{'---|' * len(_LOAD_HEADER)}",
    ]
    for row in rows:
        goal = "" if row is mix else row.describe_goal()
        lines.append(_format_load(row.name, "Istio", row.istio, ""))
        lines.append(_format_load(row.name, f"podgraft serve, {WORKERS}", row.podgraft, goal))
    return "\n".join(lines) + "\n"


def _format_load(name: str, server: str, loads: Sequence[load.Load], goal: str) -> str:
    rates = ", ".join(f"{each.rate:.0f}" for each in loads)
    p50, p99 = (median(getattr(each, key) for each in loads) for key in ("p50", "p99"))
    times = f"{1e3 * p50:.1f} ms | {1e3 * p99:.1f} ms | {p99 / p50:.1f}"
    errors = sum(each.errors for each in loads)
    return f"| {name} | {server} | {rates} | {times} | {goal} | {errors} |"


_LOAD_HEADER = (
    *("pods", "server", "reviews/s, each round", "p50", "p99", "p99/p50", "goal", "errors"),
)


def _format_goal(is_met: bool, goal: str) -> str:
    return f"{goal} {'met' if is_met else 'MISSED'}"


def _p99(seconds: Sequence[float]) -> float:
    return max(seconds) if len(seconds) < 100 else quantiles(seconds, n=100)[-1]
