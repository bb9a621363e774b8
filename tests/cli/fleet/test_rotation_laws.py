"""The laws of a rotation: the code of the command over models of the registry and of clusters.

A registered token is valid at every moment, and the command can die before any request, run again,
and run twice at the same time. Afterwards, one run without faults leaves each cluster with one
token, which its registrations have.

``PODGRAFT_ROTATION_RUNS=5000`` runs as many histories.
"""

import os
from collections.abc import Callable, Iterator
from itertools import groupby
from random import Random
from typing import Any, cast
from urllib.parse import urlsplit

import pytest
from msgspec.structs import replace

from cli.tokens.test_registry_laws import (
    DiedError,
    Faults,
    ModelStore,
    ParameterStoreModel,
    Scheduler,
)
from podgraft.base import system
from podgraft.cli.config_source import Location
from podgraft.cli.endpoint_check.endpoint import EndpointReport, EndpointTarget
from podgraft.cli.endpoint_check.faults import Fault, Finding
from podgraft.cli.failure import CommandError
from podgraft.cli.fleet import rotation
from podgraft.cli.fleet.file import Lifetimes
from podgraft.cli.fleet.rotation import NOTE, Front, Outcome, Rotation, Target
from podgraft.cli.fleet.settings import ClusterSettings, InjectorSettings, make_manifests
from podgraft.cli.register.endpoint import Endpoint
from podgraft.cli.tokens.issuance import make_issued
from podgraft.cli.tokens.registry_storage import RegistryRepository
from podgraft.cli.tokens.registry_writer import update_registry
from podgraft.service import paths
from podgraft.service.store.caller_document import Callers, hash_token
from podgraft.service.store.registry_document import Pointer
from support.fake_registrations import FakeRegistrations

RUNS = int(os.environ.get("PODGRAFT_ROTATION_RUNS", "60"))
FRONT = Front(Endpoint(host="a.example"), refresh_seconds=0)
INJECTORS = (InjectorSettings("istio", "default"), InjectorSettings("proxy", None, "proxy=yes"))
SETTINGS = ClusterSettings(injectors=INJECTORS, context="c")
POINTER = Pointer(serial=0, digest="sha256:")


class World:
    """A registry and two clusters: ``a`` is enrolled, ``b`` is new."""

    def __init__(self) -> None:
        self.model = ParameterStoreModel()
        self.settings = SETTINGS
        self.clusters = {name: FakeRegistrations(after=self.check) for name in "ab"}
        store = self.store(lambda _: None)
        update_registry(store, lambda _: ({}, POINTER))
        self.run(("a",))

    def store(self, before: Callable[[str], None], model: ParameterStoreModel | None = None) -> Any:
        world = self

        class Store(ModelStore):
            def write(self, text: str, *, is_new: bool) -> int | None:
                number = super().write(text, is_new=is_new)
                world.check()
                return number

        return Store(model or self.model, cast("Faults", Quiet(before)))

    def repository(self, before: Callable[[str], None]) -> RegistryRepository:
        return RegistryRepository(self.store(before), cast("Any", None), Location())

    def rotation(self, before: Callable[[str], None], *, rotates: bool = False) -> Rotation:
        return Rotation(
            self.repository(before),
            FRONT,
            Lifetimes(),
            lambda _: rotates,
            lambda _: None,
            parallel=1,
        )

    def run(
        self,
        names: tuple[str, ...] = ("a", "b"),
        before: Callable[[str], None] = lambda _: None,
        *,
        rotates: bool = False,
    ) -> list[Outcome]:
        targets = [
            Target(name, self.settings, cast("Any", _View(self.clusters[name], before)))
            for name in names
        ]
        return [*self.rotation(before, rotates=rotates).run(targets)]

    def registered(self, cluster: str) -> set[str]:
        """The hashes of the tokens in the registrations of a cluster."""
        urls = [
            str(webhook["clientConfig"]["url"])
            for each in self.clusters[cluster].objects.values()
            for webhook in each["webhooks"]
        ]
        return {hash_token(paths.split_token(urlsplit(url).path)[0] or "") for url in urls}

    def valid(self, cluster: str) -> list[str]:
        callers = self.model.in_force().get(cluster, Callers())
        return [each.sha256 for each in callers.tokens]

    def check(self) -> None:
        """The law, at each change."""
        for cluster in self.clusters:
            assert self.registered(cluster) <= {*self.valid(cluster)}, "a revoked token is in"

    def check_end(self) -> None:
        for cluster in self.clusters:
            assert [*self.registered(cluster)] == self.valid(cluster)
            assert len(self.valid(cluster)) == 1


class Quiet:
    """``Faults`` without faults of the store: ``before`` decides what happens."""

    def __init__(self, before: Callable[[str], None]) -> None:
        self._before = before

    def before(self) -> None:
        self._before("registry")

    def turn(self) -> None:
        """Nothing else runs."""

    def happens(self, probability: float) -> bool:
        del probability
        return False


class _View:
    """The registrations of a cluster, as one command uses them."""

    def __init__(self, cluster: FakeRegistrations, before: Callable[[str], None]) -> None:
        self._cluster, self._before = cluster, before

    def __getattr__(self, name: str) -> Any:
        request = getattr(self._cluster, name)

        def send(*arguments: Any) -> Any:
            self._before(name)
            result = request(*arguments)
            self._before(f"{name} done")
            return result

        return send


_FINDING = Finding(Fault.UNKNOWN_TOKEN, "place", "401", "issue a token")
REFUSED = EndpointReport(findings=(_FINDING,))


@pytest.fixture(autouse=True)
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    waits: list[float] = []
    monkeypatch.setattr(system, "sleep", waits.append)
    respond(monkeypatch, EndpointReport(status=200))
    made = World()

    respond_with(monkeypatch, made)
    return made


def respond_with(monkeypatch: pytest.MonkeyPatch, world: World) -> None:
    """Let a review succeed if its token is valid."""

    def check(target: EndpointTarget) -> EndpointReport:
        digest = hash_token(target.path_token)
        known = {each for name in world.clusters for each in world.valid(name)}
        return EndpointReport(status=200) if digest in known else REFUSED

    monkeypatch.setattr(rotation, "check_endpoint", check)


def respond(monkeypatch: pytest.MonkeyPatch, report: EndpointReport) -> None:
    """Let every review have this result."""

    def check(_: EndpointTarget) -> EndpointReport:
        return report

    monkeypatch.setattr(rotation, "check_endpoint", check)


def steps_until(number: int) -> Callable[[str], None]:
    """Die before the request with this number."""
    left = iter(range(number))

    def before(_: str) -> None:
        if next(left, None) is None:
            raise DiedError

    return before


def run_until_death(world: World, number: int, *, rotates: bool) -> bool:
    try:
        world.run(before=steps_until(number), rotates=rotates)
    except DiedError:
        return True
    return False


@pytest.mark.parametrize("rotates", [False, True])
def test_killed_before_each_request_it_ends_equal(world: World, rotates: bool) -> None:
    number = 0
    while run_until_death(world, number, rotates=rotates):
        outcomes = world.run()
        assert {each.result for each in outcomes} <= {"equal", "registered", "rotated"}
        world.check_end()
        assert {each.result for each in world.run()} == {"equal"}
        world.clusters["b"].objects.clear()  # to enroll it again
        store = world.store(lambda _: None)
        update_registry(
            store, lambda state: ({**state.clusters, "b": Callers()}, state.pointer or POINTER)
        )
        number += 1
    assert number > 20


def test_killed_several_times_it_ends_equal(world: World) -> None:
    for number in range(0, 60, 3):
        run_until_death(world, number, rotates=True)
        run_until_death(world, number // 2, rotates=False)
        world.check()
    world.run()
    world.check_end()


def race(world: World, seed: int) -> None:
    random = Random(seed)  # noqa: S311
    problems: list[BaseException] = []

    def command(turn: Callable[[], None]) -> None:
        def before(_: str) -> None:
            turn()
            if random.random() < 0.01:
                raise DiedError

        try:
            for _ in range(2):
                world.run(before=before, rotates=random.random() < 0.6)
        except CommandError:
            pass  # the registry was busy
        except AssertionError as error:
            problems.append(error)

    Scheduler(random).run(command, command)
    if problems:
        raise problems[0]
    world.run()
    world.check_end()


@pytest.mark.parametrize("part", range(4))
def test_two_commands_at_once_leave_no_revoked_token_in(world: World, part: int) -> None:
    run_races(world, range(part * RUNS // 4, (part + 1) * RUNS // 4))


def run_races(world: World, seeds: range) -> None:
    for seed in seeds:
        race(world, seed)


def test_the_model_finds_a_command_without_claims(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This test itself can fail: without a new version, a slow writer registers a revoked token."""

    def touch(_: FakeRegistrations, live: Any) -> Any:
        return live

    monkeypatch.setattr(FakeRegistrations, "touch", touch)
    with pytest.raises(AssertionError):
        run_races(world, range(400))


def test_a_token_is_tried_and_known_before_it_is_registered(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []
    check = rotation.check_endpoint

    def sleep(seconds: float) -> None:
        events.append(f"wait {seconds}")

    monkeypatch.setattr(system, "sleep", sleep)

    def review(target: EndpointTarget) -> EndpointReport:
        events.append("review")
        return check(target)

    monkeypatch.setattr(rotation, "check_endpoint", review)
    world.run(("a",), events.append, rotates=True)
    kept = [each for each in events if "done" not in each and each != "read"]
    names = [name for name, _ in _group(kept)]
    before = ["registry", "touch", "registry", "wait 2", "review", "apply"]
    assert names == [*before, "wait 10", "registry"]


def _group(events: list[str]) -> Iterator[tuple[str, int]]:
    for name, each in groupby(events):
        yield name, len([*each])


def test_a_review_that_fails_leaves_the_registration(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = world.registered("a")
    respond(monkeypatch, replace(REFUSED, status=401))
    [outcome] = world.run(("a",), rotates=True)
    assert (outcome.result, outcome.detail) == ("failed", str(_FINDING))
    assert world.registered("a") == before
    assert len(world.valid("a")) == 2


def test_a_source_of_the_cluster_need_not_be_this_machine(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """403 is the response to a valid token from another address."""
    respond(monkeypatch, replace(REFUSED, status=403))
    assert world.run(("a",), rotates=True)[0].result == "failed"
    world.settings = replace(SETTINGS, sources=("10.0.0.0/8",))
    assert world.run(("a",))[0].result == "rotated"


def test_a_token_that_a_person_issued_is_not_replaced(world: World) -> None:
    repository = world.repository(lambda _: None)
    issued = make_issued("ticket", "")
    repository.change("a", lambda callers: callers.with_token(issued.hash))
    [outcome] = world.run(("a",), rotates=True)
    assert outcome.result == "failed"
    assert f"podgraft tokens revoke --cluster a {issued.hash.identity}" in outcome.detail
    assert issued.text not in outcome.detail
    assert len(world.valid("a")) == 2


def test_the_old_token_of_another_registration_remains(world: World) -> None:
    """A registration that the file does not have must not stop working."""
    objects = world.clusters["a"].objects
    text = str(next(iter(objects.values()))["webhooks"][0]["clientConfig"]["url"])
    token = paths.split_token(urlsplit(text).path)[0]
    other = ClusterSettings(injectors=(InjectorSettings("other", None, "a=b"),))
    [manifest] = make_manifests(FRONT.endpoint, None, other, token)
    world.clusters["a"].create(manifest)
    [outcome] = world.run(("a",), rotates=True)
    assert outcome.result == "failed"
    assert "podgraft-other" in outcome.detail
    assert len(world.valid("a")) == 2
    world.clusters["a"].delete(manifest)
    assert world.run(("a",))[0].result == "registered"
    assert len(world.valid("a")) == 1


def test_changed_settings_keep_the_token(world: World) -> None:
    before = world.registered("a")
    world.settings = replace(SETTINGS, failure_policy="Ignore")
    assert [each.result for each in world.run(("a",))] == ["registered"]
    assert world.registered("a") == before
    assert [each.result for each in world.run(("a",))] == ["equal"]


def test_a_token_that_ended_is_replaced(world: World) -> None:
    repository = world.repository(lambda _: None)
    repository.change(
        "a",
        lambda callers: replace(
            callers, tokens=(replace(callers.tokens[0], expires="2020-01-01"),)
        ),
    )
    assert world.run(("a",))[0].result == "rotated"
    assert world.model.in_force()["a"].tokens[0].note == NOTE
