"""The load of ``make soak``: its mechanism, and no assertion about the speed of this machine."""

from __future__ import annotations

from dataclasses import replace

import pytest

import soak
from endurance import environment, generator, phases
from endurance.phases import PhaseResult
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
    typical_ratio=1.5,
    stolen=0.02,
)
STEADY = replace(RESULT, phase="70 % of capacity")
HOSTILE = replace(RESULT, phase="with 10 % hostile requests", p99=0.009)
FINE = (RESULT, STEADY, HOSTILE)

PROBLEMS = (
    ((RESULT, replace(STEADY, errors=2), HOSTILE), "serve, 70 % of capacity: 2 errors"),
    ((RESULT, replace(STEADY, rate=50.0), HOSTILE), "50 of 70 requests/s"),
    ((RESULT, replace(STEADY, p50=0.002), HOSTILE), "serve: p99/p50 is 4.0, above 3"),
    ((RESULT, replace(STEADY, memory_after=110e6), HOSTILE), "memory grew by 10%"),
    ((RESULT, STEADY, replace(HOSTILE, p99=0.012)), "move the p99 of the others by 50%"),
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
    page = soak.replace_section(f"a\n{soak.BEGIN}\nold\n{soak.END}\nb\n", table)
    assert page.startswith(f"a\n{soak.BEGIN}\n\nLast run: 2026-11-22, 10 s for each phase")
    assert (
        "| serve | capacity | 100 | 1,000 | 0 | 4.0 ms | 8.0 ms | 2.0 | 1.5 | 100 → 101 MB | 2% |"
        in page
    )
    assert page.endswith(f"did not meet: none.\n\n{soak.END}\nb\n")


def test_the_typical_ratio_is_that_of_a_part_of_the_run() -> None:
    quiet, disturbed = [0.01] * 100, [0.01] * 90 + [0.5] * 10
    assert generator.find_typical_ratio([quiet, disturbed, quiet]) == 1
    assert generator.find_typical_ratio([quiet, disturbed, disturbed]) == 50


def test_the_times_of_the_processors_grow() -> None:
    before = phases.read_processor_times()
    assert 0 <= before.stolen <= before.total
    assert phases.read_processor_times().total >= before.total


def test_an_http_request_becomes_an_event() -> None:
    event = environment.make_event(
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
    soak.main(["--seconds", "2", "--front", front])
    lines = [line for line in capsys.readouterr().out.splitlines() if " requests, " in line]
    assert [line.partition(", ")[2].partition(":")[0] for line in lines] == [
        "capacity",
        "70 % of capacity",
        "with 10 % hostile requests",
    ]
    for line in lines:
        assert ", 0 errors, " in line, lines
        assert "memory 0 to" not in line


def test_an_impossible_option_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        soak.main(["--write-docs", "--front", "serve"])
    assert "the table has both fronts" in capsys.readouterr().err
