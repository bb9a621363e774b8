"""The load of ``make soak``: its mechanism, and no assertion about the speed of this machine."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import soak
from bench.bench_input import sample_input
from endurance import fronts, generator, host_watch, lambda_service, phases, request_cost
from endurance.host_watch import HostWatch
from endurance.http_messages import Message
from endurance.phases import PhaseResult
from endurance.request_cost import RequestCost
from page_sections import replace_section
from support.effort import IS_LONG

RESULT = PhaseResult(
    front="serve",
    phase="capacity",
    seconds=10.0,
    rate=100.0,
    requests=1000,
    errors=0,
    p50=0.004,
    p99=0.008,
    memory_before=100e6,
    memory_after=101e6,
    ratio_of_all=2.5,
    disturbed=0.3,
    stolen=0.02,
)
MIXED = replace(RESULT, phase=phases.HOSTILE_CAPACITY, rate=90.0)
STEADY = replace(RESULT, phase=phases.STEADY, rate=63.0)
HOSTILE = replace(RESULT, phase=phases.HOSTILE, rate=63.0, p99=0.009)
CAPACITIES = (RESULT, MIXED)
FINE = (*CAPACITIES, STEADY, HOSTILE)

FRONT = fronts.Front("serve", "127.0.0.1", (1,), "", 1, (), 1, (0,))
HOST = {"seconds": 2.0, "sent": 1.0, "parts": 10, "disturbed": 1}
PROBLEMS = (
    ((*CAPACITIES, replace(STEADY, errors=2), HOSTILE), f"serve, {phases.STEADY}: 2 errors"),
    ((RESULT, replace(MIXED, errors=1), STEADY, HOSTILE), "10 % hostile requests: 1 errors"),
    ((*CAPACITIES, replace(STEADY, sent=0.9), HOSTILE), "90% of the planned requests"),
    ((*CAPACITIES, replace(STEADY, p50=0.002), HOSTILE), "serve: p99/p50 is 4.0, above 3"),
    ((*CAPACITIES, replace(STEADY, memory_after=110e6), HOSTILE), "memory grew by 10%"),
    ((*CAPACITIES, replace(STEADY, disturbed=0.95), HOSTILE), "95% of the time is disturbed"),
    ((*CAPACITIES, STEADY, replace(HOSTILE, p99=0.012)), "move the p99 of the others by 50%"),
)


def test_a_run_within_its_limits_has_no_problem() -> None:
    assert phases.find_problems(FINE) == []


@pytest.mark.parametrize(("results", "expected"), PROBLEMS, ids=[text for _, text in PROBLEMS])
def test_each_requirement_that_is_not_met_is_named(
    results: tuple[PhaseResult, ...], expected: str
) -> None:
    (problem,) = phases.find_problems(results)
    assert expected in problem


def test_the_table_has_a_row_for_each_phase_and_replaces_only_its_section() -> None:
    table = soak.render_table(FINE, 10, "2026-11-22", "samples/istio")
    page = replace_section(f"a\n{soak.BEGIN}\nold\n{soak.END}\nb\n", soak.BEGIN, soak.END, table)
    assert page.startswith(f"a\n{soak.BEGIN}\n\nLast run: 2026-11-22, 10 s for each phase")
    assert (
        "| serve | capacity | 100 | 1,000 | 0 | 4.0 ms | 8.0 ms | 2.0 | 2.5 | 100 → 101 MB | 30% | "
        "2.0% |" in page
    )
    assert page.endswith(f"did not meet: none.\n\n{soak.END}\nb\n")


def test_quiet_times_omit_the_disturbed_parts() -> None:
    samples = generator.Samples()
    for number in range(100):  # ten requests in each part of 0.2 s
        samples.add(number * 0.02 + 0.001, 0.5 if 30 <= number < 40 else 0.01)
    whole, quiet = samples.describe(set()), samples.describe({3})
    assert (len(whole["all"]), whole["quiet"]) == (100, whole["all"])
    assert quiet == {"all": whole["all"], "quiet": [0.01] * 90}
    delayed = generator.Samples()
    delayed.add(0.45, 0.5)  # it ends in a disturbed part
    delayed.add(0.45, 0.01)
    assert delayed.describe({0, 4})["quiet"] == [0.01]
    assert delayed.describe({0, 1, 2, 4})["quiet"] == []


def test_quiet_times_omit_the_waits_for_a_shared_processor() -> None:
    samples = generator.Samples()
    samples.add(0.1, 0.01, waited=0.004)
    assert samples.describe(set()) == {"all": [0.01], "quiet": [0.006]}


def test_a_phase_has_the_figures_of_all_its_slices() -> None:
    normal = {"all": [0.009] * 60, "quiet": [0.002] * 50}
    first = {
        **HOST,
        "errors": {"a": 1},
        "kinds": {"normal": normal, "hostile": {"all": [1.0] * 20, "quiet": [1.0] * 20}},
    }
    second = {
        **HOST,
        "seconds": 3.0,
        "sent": 0.9,
        "disturbed": 4,
        "errors": {"b": 2},
        "kinds": {"normal": {"all": [0.003] * 20, "quiet": [0.003] * 20}},
    }
    slices = (phases.Slice(first, [5, 6], 1, 100), phases.Slice(second, [7, 8], 2, 200))
    assert phases.summarize("serve", "70 %", slices) == PhaseResult(
        front="serve",
        phase="70 %",
        seconds=5.0,
        rate=20.0,
        requests=100,
        errors=3,
        p50=0.002,
        p99=0.003,
        memory_before=6,
        memory_after=8,
        ratio_of_all=1.0,
        disturbed=0.25,
        stolen=0.01,
        sent=0.95,
    )
    nothing = {**first, "kinds": {}, "errors": {}}
    empty = phases.summarize("serve", "70 %", [phases.Slice(nothing, [], 0, 0)])
    assert (empty.p99, empty.ratio_of_all, empty.memory_after, empty.stolen) == (0, 0, 0, 0)


def test_phases_with_load_take_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plans: list[tuple[str, float, float]] = []
    costs = iter((0.002, 0.003, 0.004, 0.005, 0.006, 0.007))

    def run_slice(_front: object, _folder: Path, phase: phases.Phase) -> phases.Slice:
        plans.append((phase.name, phase.seconds, phase.cost))
        result: dict[str, Any] = {**HOST, "errors": {}, "kinds": {}, "cost": next(costs)}
        return phases.Slice(result, [], 0, 0)

    monkeypatch.setattr(phases, "run_slice", run_slice)
    both = [phases.Phase(name, 0.7, 60, (), 0.001) for name in ("a", "b")]
    results = phases.run_in_turns(FRONT, tmp_path, both)
    assert [(each.phase, each.seconds) for each in results] == [("a", 4), ("b", 4)]
    assert plans == [
        *(("a", 5, 0.001), ("b", 5, 0.001)),  # not in the results
        *(("a", 30, 0.002), ("b", 30, 0.003)),
        *(("a", 30, 0.004), ("b", 30, 0.005)),
    ]


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="Linux counts no waits")
def test_a_process_waits_while_another_one_has_its_processor() -> None:
    processor = {min(os.sched_getaffinity(0))}
    busy = [sys.executable, "-c", "while True: pass"]
    with ExitStack() as stack:
        pids: list[int] = []
        for _ in range(2):
            process = stack.enter_context(subprocess.Popen(busy))
            stack.callback(process.kill)
            os.sched_setaffinity(process.pid, processor)
            pids.append(process.pid)
        before = request_cost.read_waited_seconds(pids[0])
        while request_cost.read_waited_seconds(pids[0]) < before + 0.01:
            pass
    assert request_cost.read_waited_seconds(pids[0]) == 0


def test_the_response_of_an_environment_has_its_wait() -> None:
    posted = {"statusCode": 200, "headers": {"Content-Type": "x"}, "body": "{}"}
    for path, status in (("/1/response", b"200 OK"), ("/1/error", b"502 Bad Gateway")):
        message = Message(f"POST {path} HTTP/1.1", {}, json.dumps(posted).encode())
        head, _, body = lambda_service.make_response(message, 0.25).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 " + status)
        assert b"x-waited-seconds: 0.25" in head
        assert body == (b"{}" if b"200" in status else b"")


def test_the_parts_after_a_disturbed_one_count_until_a_connection_was_free() -> None:
    assert generator.extend_disturbed({2}, {0, 1, 2, 3, 4, 5, 6}, 7) == {2, 3}
    assert generator.extend_disturbed({2}, {0, 1, 2, 5, 6}, 7) == {2, 3, 4, 5}
    assert generator.extend_disturbed(frozenset[int](), frozenset[int](), 7) == set()
    assert generator.extend_disturbed({9}, frozenset[int](), 7) == set()


def test_the_times_of_the_processors_grow() -> None:
    before = host_watch.read_processor_times()
    assert 0 <= before.stolen <= before.total
    assert host_watch.read_processor_times().total >= before.total


def test_a_stop_disturbs_its_part() -> None:
    watch = HostWatch(10.0, [])
    for time in (9.9, 10.1, 10.5):
        watch.add_stop(time)
    assert watch.disturbed == {0, 2}


def test_the_cost_of_a_request_is_the_processor_time_of_all_processes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    used = {1: 5.0, 2: 7.0}
    monkeypatch.setattr(request_cost, "read_processor_seconds", used.__getitem__)
    cost = RequestCost([1, 2])
    used.update({1: 5.5, 2: 7.5})
    cost.measure(100)
    assert cost.seconds == pytest.approx(0.01)
    cost.measure(100)  # no request since
    assert cost.seconds == pytest.approx(0.01)
    used[1] = 6.5
    cost.measure(150)
    assert cost.seconds == pytest.approx(0.0112)  # 12 % of the way from 0.01 to 0.02


def test_the_processor_time_is_that_of_the_process() -> None:
    before = request_cost.read_processor_seconds(os.getpid())
    while request_cost.read_processor_seconds(os.getpid()) <= before:
        pass
    assert before > 0
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        pass
    assert request_cost.read_processor_seconds(process.pid) == 0


def test_the_intervals_of_requests_follow_their_cost() -> None:
    plan = {"authority": "", "requests": (), "pids": (), "load": 0.5, "cost": 0.001, "seconds": 10}
    one = generator.Generator(plan)
    one.next_arrival = one.start - 1
    for seconds, expected in ((0.001, 0.002), (0.004, 0.008)):
        before = one.next_arrival
        one.cost.seconds = seconds
        asyncio.run(one.await_arrival())
        assert one.next_arrival - before == pytest.approx(expected)
    assert one.compute_sent_share() < 0  # the next request was due before the start


def test_each_valid_review_is_of_another_workload(tmp_path: Path) -> None:
    (request,) = phases.write_normal(sample_input(), tmp_path)
    text = Path(request.path).read_bytes()
    assert text.count(request.mark.encode()) >= 2
    one, other = (generator.renumber(text, request.mark, number) for number in (7, 8))
    assert len(one) == len(other) == len(text)
    assert one != other
    head, _, body = one.partition(b"\r\n\r\n")
    assert b"Content-Length: %d" % len(body) in head
    assert json.loads(body)["request"]["object"]["metadata"]["labels"]["app"] == "app-000000007"


def test_every_tenth_request_is_hostile(tmp_path: Path) -> None:
    normal = tuple(phases.write_normal(sample_input(), tmp_path))
    hostile = tuple(phases.write_hostile(sample_input(), tmp_path))
    mixed = list(phases.mix(normal, hostile))
    assert [each.kind for each in mixed] == ([*["normal"] * 9, "hostile"]) * len(hostile)
    assert set(hostile) <= set(mixed)


def test_an_http_request_becomes_an_event() -> None:
    event = lambda_service.make_event(
        "/k/t/inject?timeout=10s", {"Content-Type": "x"}, b"{}", "192.0.2.1"
    )
    assert (event["rawPath"], event["rawQueryString"]) == ("/k/t/inject", "timeout=10s")
    assert event["headers"] == {"content-type": "x"}
    assert event["requestContext"]["http"]["sourceIp"] == "192.0.2.1"
    assert event["body"] == "{}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "front",
    [
        "serve",
        pytest.param("lambda", marks=pytest.mark.skipif(not IS_LONG, reason="make test-long")),
    ],
)
def test_a_short_run_measures_all_phases(
    front: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PODGRAFT_CORPUS", raising=False)
    monkeypatch.setattr(phases, "_MIN_CAPACITY_SECONDS", 1.0)
    monkeypatch.setattr(phases, "_FIRST_SECONDS", 1.0)
    soak.main(["--seconds", "2", "--front", front])
    lines = [line for line in capsys.readouterr().out.splitlines() if " requests, " in line]
    assert [line.partition(", ")[2].partition(":")[0] for line in lines] == [
        phases.CAPACITY,
        phases.HOSTILE_CAPACITY,
        phases.STEADY,
        phases.HOSTILE,
    ]
    for line in lines:
        assert ", 0 errors, " in line, lines
        assert "memory 0 to" not in line


def test_an_impossible_option_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        soak.main(["--write-docs", "--front", "serve"])
    assert "the table has both fronts" in capsys.readouterr().err
