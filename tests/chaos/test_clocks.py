"""Clocks that jump, and environments that are restored from a snapshot long after their init."""

from __future__ import annotations

import os
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from podgraft.store import expire_stores
from podgraft.store.aws.callers import CachedCallers
from podgraft.store.aws.store import CachedStore
from podgraft.web.throttle import MAX_FAILURES, WINDOW_SECONDS, Throttle
from store.aws_fault_proxy import Fault, FaultyAws, Service
from store.local_aws import NEXT, REFRESH_SECONDS, World, aws_world, review
from support.memory_store import MemoryStore, labelled_bundle

HANDLER = Path(__file__).parents[2] / "functions" / "webhook" / "handler.py"
DAY = 86_400.0


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def flip(memory: MemoryStore, label: str) -> None:
    memory.put("default", f"bundle: {memory.upload(labelled_bundle(label))}\n")


@pytest.fixture
def place() -> tuple[MemoryStore, CachedStore, Clock]:
    memory, clock = MemoryStore(), Clock()
    flip(memory, "one")
    store = CachedStore(memory, memory, REFRESH_SECONDS, clock)
    store.snapshot("default", None)
    return memory, store, clock


@pytest.mark.parametrize("jump", [DAY, 365 * DAY, -1.0, -DAY])
def test_a_clock_that_jumps_delays_no_refresh(
    place: tuple[MemoryStore, CachedStore, Clock], jump: float
) -> None:
    memory, store, clock = place
    flip(memory, "two")
    clock.now += jump
    snapshot = store.snapshot("default", None)
    assert (snapshot.policy_version, snapshot.stale) == ("2", None)
    clock.now += 1
    flip(memory, "three")
    assert store.snapshot("default", None).policy_version == "2"  # fresh for its time, as ever
    clock.now += REFRESH_SECONDS
    assert store.snapshot("default", None).policy_version == "3"


def test_a_clock_that_jumps_while_the_store_is_away_is_reported(
    place: tuple[MemoryStore, CachedStore, Clock],
) -> None:
    memory, store, clock = place
    memory.reachable = False
    clock.now += DAY
    stale = store.snapshot("default", None).stale
    assert stale is not None
    assert stale.age_seconds == DAY
    memory.reachable = True
    clock.now -= DAY / 2
    assert store.snapshot("default", None).stale is None


def test_a_clock_that_jumps_back_ends_no_throttling_of_others_and_its_own_in_time() -> None:
    clock = Clock()
    throttle = Throttle(clock)
    counts = [throttle.count_failure("192.0.2.1") for _ in range(MAX_FAILURES + 1)]
    assert counts[-1] == MAX_FAILURES + 1
    clock.now -= DAY
    assert throttle.count_failure("192.0.2.1") == 1
    clock.now += WINDOW_SECONDS
    assert throttle.count_failure("192.0.2.1") == 1


def test_a_restored_environment_reads_policy_and_callers_before_it_responds(
    place: tuple[MemoryStore, CachedStore, Clock],
) -> None:
    """The clock of a restored environment continues: only the init can expire what it read."""
    memory, store, _ = place
    readings: list[int] = []

    class Source:
        def callers(self, patience: object) -> dict[str, Any]:
            del patience
            readings.append(len(readings))
            return {}

    callers = CachedCallers(Source(), REFRESH_SECONDS, lambda: 1000.0)
    callers.callers()
    expire_stores(store, callers)
    flip(memory, "two")
    assert store.snapshot("default", None).policy_version == "2"
    callers.callers()
    assert readings == [0, 1]


STARTS = {"on-demand": 0, "provisioned-concurrency": 2, "snap-start": 2}


@pytest.mark.parametrize(("start", "expired"), STARTS.items())
def test_a_start_that_no_one_waits_for_expires_both_stores(
    start: str, expired: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[object] = []

    def expire(self: object) -> None:
        calls.append(self)

    for kind in (CachedStore, CachedCallers):
        monkeypatch.setattr(kind, "expire", expire)
    for name, value in {
        "AWS_LAMBDA_FUNCTION_NAME": "podgraft",
        "AWS_LAMBDA_INITIALIZATION_TYPE": start,
        "AWS_REGION": "eu-central-1",
        "AWS_ACCESS_KEY_ID": "x",
        "AWS_SECRET_ACCESS_KEY": "x",
        "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
        "AWS_MAX_ATTEMPTS": "1",
        "PODGRAFT_BUCKET": "bundles",
    }.items():
        monkeypatch.setenv(name, value)
    for name in [
        name for name in os.environ if name.startswith("PODGRAFT_") and "BUCKET" not in name
    ]:
        monkeypatch.delenv(name)
    runpy.run_path(str(HANDLER))
    assert len(calls) == expired


@pytest.fixture(params=["direct", "sdk"])
def world(faulty: FaultyAws, request: pytest.FixtureRequest) -> Any:
    with aws_world(faulty, request.param) as made:
        yield made


Break = Callable[[World], None]
CONNECTIONS: dict[str, Break] = {
    "half-open, no answer": lambda world: world.fail(Service.SSM, Fault.TIMEOUT),
    "reset": lambda world: world.fail(Service.SSM, Fault.RESET),
    "throttled": lambda world: world.fail(Service.SSM, Fault.THROTTLED),
}


@pytest.mark.parametrize("name", CONNECTIONS)
def test_a_restored_environment_with_dead_connections_responds_and_recovers(
    world: World, name: str
) -> None:
    function = world.function()
    assert review(function).status_code == 200
    world.put_policy(f"bundle: {world.put_bundle(NEXT)}\n")
    CONNECTIONS[name](world)
    world.now += DAY
    answer = review(function)
    assert answer.status_code == 200
    assert "podgraft used an older configuration" in answer.get_json()["response"]["warnings"][0]
    world.mend()
    world.now += REFRESH_SECONDS
    answer = review(function)
    assert (answer.status_code, "warnings" in answer.get_json()["response"]) == (200, False)
