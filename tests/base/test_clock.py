"""The clock for ages: laws of both clocks, and the modules that may use another clock."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import podgraft
from podgraft.base.system import AgeClock

PACKAGE = Path(podgraft.__file__).parent
STEPS = st.lists(st.tuples(*[st.integers(-(10**9), 10**9)] * 2), min_size=1)


def run_clock(steps: list[tuple[int, int]]) -> list[float]:
    monotonic, wall = [5.0], [1_800_000_000.0]
    clock = AgeClock(lambda: monotonic[0], lambda: wall[0])
    readings = [clock()]
    for by_monotonic, by_wall in steps:
        monotonic[0] += by_monotonic
        wall[0] += by_wall
        readings.append(clock())
    return readings


@given(STEPS)
def test_an_age_is_at_least_the_difference_of_each_clock(steps: list[tuple[int, int]]) -> None:
    age = run_clock(steps)[-1]
    assert age >= max(sum(step[0] for step in steps), sum(step[1] for step in steps))


@given(STEPS)
def test_an_age_never_shrinks(steps: list[tuple[int, int]]) -> None:
    readings = run_clock(steps)
    assert readings == sorted(readings)


@given(st.lists(st.integers(0, 10**9), min_size=1))
def test_two_clocks_that_agree_give_their_time(steps: list[int]) -> None:
    assert run_clock([(step, step) for step in steps])[-1] == sum(steps)


# The modules with a clock of their own: none of them decides by it whether a value is still good.
OTHER_CLOCKS = {
    "base/deadline.py": "waits within one review",
    "service/store/aws/client.py": "waits within one review",
    "service/store/census.py": "the date in the name of a record",
    "service/http/app.py": "durations of requests",
    "service/http/authentication.py": "the days until a certificate expires",
    "service/http/request_log.py": "the time of a log line",
    "service/http/synthetic.py": "durations of requests",
}


def test_every_other_module_of_a_server_takes_ages_from_the_clock_of_ages() -> None:
    clocks = re.compile(r"system\.(monotonic|wall_seconds|now)\b")
    found = {
        path.relative_to(PACKAGE).as_posix()
        for folder in ("base", "service/store", "service/http", "core")
        for path in (PACKAGE / folder).rglob("*.py")
        if clocks.search(path.read_text())
    }
    assert found == OTHER_CLOCKS.keys()
