"""Clocks that stop or jump, and environments that are frozen, or restored long after their init."""

from __future__ import annotations

import json
import os
import random
import runpy
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
import snapshot_restore_py  # pyright: ignore[reportMissingTypeStubs]

from podgraft.base.system import AgeClock
from podgraft.core.identifiers import DEFAULT_INJECTOR
from podgraft.core.versions.errors import UnavailableError
from podgraft.service.http.throttle import MAX_FAILURES, WINDOW_SECONDS, Throttle
from podgraft.service.store.aws.callers import CachedCallers
from podgraft.service.store.aws.polling_cache import MAX_AGE_SECONDS
from podgraft.service.store.aws.ssm import Parameter
from podgraft.service.store.aws.store import CachedStore
from podgraft.service.store.caller_document import hash_token
from podgraft.service.store.factory import expire_stores
from service.store import local_aws
from service.store.aws_fault_proxy import Fault, FaultyAws, Service
from service.store.local_aws import LITTLE_SECONDS, NEXT, REFRESH_SECONDS, World, aws_world, review
from support.memory_store import MemoryStore, cached_callers, cached_store, labelled_bundle
from support.retry import retry_until
from support.store_fixture import TOKEN

EVENT = Path(__file__).parents[1] / "support" / "events" / "apigateway-v2-bearer-token.json"
CALLERS = f"tokens: [sha256: {hash_token(TOKEN)}]"
HANDLER = Path(__file__).parents[2] / "functions" / "webhook" / "handler.py"
HOUR, DAY = 3600.0, 86_400.0
MONTHS = 90 * DAY


class Machine:
    """Both clocks of a machine, and the clock of ages over them."""

    def __init__(self) -> None:
        self.monotonic, self.wall = 1000.0, 1_800_000_000.0
        self.ages = AgeClock(lambda: self.monotonic, lambda: self.wall)

    def step(self, *, monotonic: float = 0.0, wall: float = 0.0) -> None:
        self.monotonic += monotonic
        self.wall += wall

    def run(self, seconds: float) -> None:
        """Time passes, and both clocks show it."""
        self.step(monotonic=seconds, wall=seconds)


def flip(memory: MemoryStore, label: str) -> None:
    memory.put("default", f"bundle: {memory.upload(labelled_bundle(label))}\n")


Place = tuple[MemoryStore, CachedStore, Machine]


@pytest.fixture
def place() -> Place:
    memory, machine = MemoryStore(), Machine()
    flip(memory, "one")
    store = cached_store(memory, REFRESH_SECONDS, machine.ages)
    store.snapshot("default", None)
    return memory, store, machine


class CallerSource:
    """A source of caller documents: one cluster with one token, until it is revoked."""

    def __init__(self) -> None:
        self.documents = {"prod": Parameter(CALLERS, "1")}
        self.reachable = True

    def callers(self, patience: object) -> dict[str, Parameter]:
        del patience
        if not self.reachable:
            raise UnavailableError("out of reach on purpose")
        return self.documents


# What each clock shows after a freeze or a correction. The refresh interval has passed by one of
# them.
JUMPS: dict[str, dict[str, float]] = {
    "a frozen environment, whose monotonic clock stops": {"wall": 10 * HOUR},
    "a frozen environment, whose monotonic clock runs": {"monotonic": 10 * HOUR, "wall": 10 * HOUR},
    "a restored snapshot of months": {"monotonic": 0.5, "wall": MONTHS},
    "a restored snapshot on a machine that started later": {"monotonic": -900.0, "wall": MONTHS},
    "a wall clock that is set forward": {"monotonic": 1.0, "wall": DAY},
    "a wall clock that is set back": {"monotonic": REFRESH_SECONDS, "wall": -DAY},
}


@pytest.mark.parametrize("name", JUMPS)
def test_a_clock_that_jumps_delays_no_refresh(place: Place, name: str) -> None:
    memory, store, machine = place
    flip(memory, "two")
    machine.step(**JUMPS[name])
    snapshot = store.snapshot("default", None)
    assert (snapshot.policy_version, snapshot.stale) == ("2", None)
    machine.run(1)
    flip(memory, "three")
    assert store.snapshot("default", None).policy_version == "2"  # fresh for its time, as ever
    machine.run(REFRESH_SECONDS)
    assert store.snapshot("default", None).policy_version == "3"


def test_a_freeze_after_a_correction_of_the_wall_clock_counts_in_full(place: Place) -> None:
    memory, store, machine = place
    flip(memory, "two")
    machine.step(wall=-DAY)
    assert store.snapshot("default", None).policy_version == "1"
    machine.step(wall=HOUR)  # the monotonic clock stops; the wall clock is still behind
    assert store.snapshot("default", None).policy_version == "2"


@pytest.mark.parametrize("name", JUMPS)
def test_a_token_that_was_revoked_before_the_jump_is_rejected_after_it(name: str) -> None:
    source, machine = CallerSource(), Machine()
    callers = cached_callers(source, REFRESH_SECONDS, machine.ages)
    assert "prod" in callers.callers().callers
    source.documents = {}
    machine.step(**JUMPS[name])
    assert callers.callers().callers == {}


def test_a_clock_that_jumps_while_the_store_is_away_is_reported(place: Place) -> None:
    memory, store, machine = place
    memory.reachable = False
    machine.step(wall=10 * HOUR)
    stale = store.snapshot("default", None).stale
    assert stale is not None
    assert stale.age_seconds == 10 * HOUR
    machine.step(monotonic=10.0, wall=-HOUR)
    stale = store.snapshot("default", None).stale
    assert stale is not None
    assert stale.age_seconds == 10 * HOUR + 10
    memory.reachable = True
    machine.run(10)
    assert store.snapshot("default", None).stale is None


def test_a_policy_and_callers_of_the_last_day_serve_while_the_store_is_away_and_no_older_ones(
    place: Place,
) -> None:
    memory, store, machine = place
    source = CallerSource()
    callers = cached_callers(source, REFRESH_SECONDS, machine.ages)
    callers.callers()
    memory.reachable = source.reachable = False
    machine.step(wall=MAX_AGE_SECONDS)
    assert store.snapshot("default", None).stale is not None
    assert callers.callers().find_stale("prod") is not None
    machine.run(10)  # the pause after a failed refresh is over
    for _ in range(2):  # each request tries again
        with pytest.raises(UnavailableError):
            store.snapshot("default", None)
        with pytest.raises(UnavailableError):
            callers.callers()
    memory.reachable = source.reachable = True
    assert store.snapshot("default", None).stale is None
    assert callers.callers().unread is None


def test_a_policy_that_is_too_old_is_compared_and_not_compiled_again(place: Place) -> None:
    memory, store, machine = place
    before = store.snapshot("default", None)
    memory.requests.clear()
    machine.step(wall=MONTHS)
    assert store.snapshot("default", None).bundle is before.bundle
    assert memory.requests == ["policy"]


def test_a_clock_that_jumps_back_ends_the_throttling_in_time() -> None:
    machine = Machine()
    throttle = Throttle(machine.ages)
    counts = [throttle.count_failure("192.0.2.1") for _ in range(MAX_FAILURES + 1)]
    assert counts[-1] == MAX_FAILURES + 1
    machine.step(wall=-DAY)
    assert throttle.count_failure("192.0.2.1") == MAX_FAILURES + 2
    machine.step(monotonic=WINDOW_SECONDS)
    assert throttle.count_failure("192.0.2.1") == 1
    machine.step(wall=WINDOW_SECONDS)  # frozen
    assert throttle.count_failure("192.0.2.1") == 1


def test_a_restored_environment_reads_policy_and_callers_before_it_responds(place: Place) -> None:
    """Even if no clock shows the time since the init."""
    memory, store, machine = place
    callers = cached_callers(source := CallerSource(), REFRESH_SECONDS, machine.ages)
    callers.callers()
    expire_stores(store, callers)
    flip(memory, "two")
    source.documents = {}
    assert store.snapshot("default", None).policy_version == "2"
    assert callers.callers().callers == {}


STARTS = {"on-demand": 0, "provisioned-concurrency": 2, "snap-start": 2}


class Lambda:
    """Starts the function of a stack with a policy and a cluster."""

    def __init__(self, world: World, patch: pytest.MonkeyPatch) -> None:
        self.world = world
        self._patch = patch

    def start(self, kind: str) -> None:
        for name in [name for name in os.environ if name.startswith("PODGRAFT_")]:
            self._patch.delenv(name)
        for name, value in {
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_DEFAULT_REGION": "eu-central-1",
            "AWS_LAMBDA_FUNCTION_NAME": "podgraft",
            "AWS_LAMBDA_INITIALIZATION_TYPE": kind,
            "AWS_ENDPOINT_URL": self.world.faulty.endpoint,
            "PODGRAFT_BUCKET": local_aws.BUCKET,
        }.items():
            self._patch.setenv(name, value)
        self._handler = runpy.run_path(str(HANDLER))["handler"]

    def take_snapshot(self) -> None:
        """Call the hooks as the runtime of Lambda does."""
        hooks: list[Any] = snapshot_restore_py.get_before_snapshot()
        for hook, arguments, options in reversed(hooks):
            hook(*arguments, **options)

    def review(self) -> int:
        """Return the status of a review."""
        event: dict[str, Any] = json.loads(EVENT.read_text())
        event["rawPath"] = event["requestContext"]["http"]["path"] = "/inject"
        return self._handler(event, None)["statusCode"]


@pytest.fixture
def function(faulty: FaultyAws, monkeypatch: pytest.MonkeyPatch) -> Generator[Lambda]:
    monkeypatch.setattr(local_aws, "INJECTOR", DEFAULT_INJECTOR)
    monkeypatch.setattr(local_aws, "PARAMETER", f"/podgraft/{DEFAULT_INJECTOR}/policy")
    monkeypatch.setattr(snapshot_restore_py, "_before_snapshot_registry", [])
    name = "/podgraft/auth/prod-eu"
    with aws_world(faulty) as world:
        world.ssm.put_parameter(Name=name, Type="SecureString", Value=CALLERS)
        yield Lambda(world, monkeypatch)
        world.ssm.delete_parameters(Names=[name])


@pytest.mark.parametrize(("start", "expired"), STARTS.items())
def test_a_start_that_no_one_waits_for_expires_both_stores(
    start: str, expired: int, function: Lambda, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[object] = []

    def expire(self: object) -> None:
        calls.append(self)

    for kind in (CachedStore, CachedCallers):
        monkeypatch.setattr(kind, "expire", expire)
    function.start(start)
    assert len(calls) == expired


def test_a_restored_environment_without_parameter_store_uses_no_token_of_its_init(
    function: Lambda,
) -> None:
    function.start("snap-start")
    function.take_snapshot()
    function.world.fail(Service.SSM, Fault.SERVER_ERROR)
    function.world.limits(LITTLE_SECONDS)
    assert function.review() == 503
    function.world.mend()
    assert function.review() == 200


def test_a_snapshot_contains_no_connection_and_its_clients_connect_again(
    function: Lambda,
) -> None:
    connections = function.world.faulty.connections
    others = {*connections}
    function.start("snap-start")
    assert connections - others
    function.take_snapshot()
    assert retry_until(set(), lambda: connections - others) == set()
    assert function.review() == 200
    assert connections - others


def test_restored_environments_draw_nothing_from_the_random_state_that_they_share(
    function: Lambda,
) -> None:
    """A snapshot copies the state of Python's generator: all restored environments would repeat."""
    function.start("snap-start")
    function.take_snapshot()
    state = random.getstate()
    function.world.fail(Service.SSM, Fault.THROTTLED)
    function.world.limits(LITTLE_SECONDS)
    assert function.review() == 503
    function.world.mend()
    assert function.review() == 200
    assert random.getstate() == state


@pytest.fixture
def world(faulty: FaultyAws) -> Any:
    with aws_world(faulty) as made:
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
    world.now += HOUR
    answer = review(function)
    assert answer.status_code == 200
    assert "podgraft used an older configuration" in answer.get_json()["response"]["warnings"][0]
    world.mend()
    world.now += REFRESH_SECONDS
    answer = review(function)
    assert (answer.status_code, "warnings" in answer.get_json()["response"]) == (200, False)
