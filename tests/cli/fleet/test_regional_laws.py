"""The laws of a rotation in two regions: a registered token is valid in each, at every moment.

``test_rotation_laws.py`` has those of one region. Here a region also fails between two requests,
and a person revokes a token in one region alone.
"""

from collections.abc import Callable, Generator
from contextlib import suppress
from random import Random
from typing import Any, cast

import pytest

from cli.fleet.test_rotation_laws import (
    FRONT,
    POINTER,
    RUNS,
    World,
    respond,
    respond_with,
    run_races,
    run_until_death,
    steps_until,
)
from cli.tokens.test_registry_laws import DiedError, ParameterStoreModel
from podgraft.base import system
from podgraft.cli.config_source import Location
from podgraft.cli.endpoint_check.endpoint import EndpointReport
from podgraft.cli.failure import CommandError
from podgraft.cli.fleet.adoption import StackCallers
from podgraft.cli.fleet.file import Lifetimes
from podgraft.cli.fleet.regional import RegionalCallers
from podgraft.cli.fleet.rotation import Outcome, Rotation
from podgraft.cli.regions import SplitError
from podgraft.cli.tokens.registry_storage import RegistryRepository
from podgraft.cli.tokens.registry_writer import update_registry
from podgraft.service.store.caller_document import Callers
from support.fake_registrations import FakeRegistrations
from support.machines import use_machine


class TickingMachine(system.Machine):
    """Each look at the clock is a second later: tokens and revocations have an order."""

    ticks = 0

    def wall_seconds(self) -> float:
        self.ticks += 1
        return super().wall_seconds() + self.ticks


class Regions(World):
    """The world with a second registry; a region without a network refuses each request."""

    def __init__(self) -> None:
        self.second, self.is_checked = ParameterStoreModel(), True
        self.failures = dict[str, Callable[[str], None]]()
        self.clusters = dict[str, FakeRegistrations]()
        update_registry(self.store(lambda _: None, self.second), lambda _: ({}, POINTER))
        super().__init__()

    def rotation(self, before: Callable[[str], None], *, rotates: bool = False) -> Rotation:
        stacks = {
            name: StackCallers(
                self.store(self.failures.get(name, before), model), cast("Any", None)
            )
            for name, model in (("a", self.model), ("b", self.second))
        }
        callers = RegionalCallers(stacks)
        callers.make_equal()
        return Rotation(callers, FRONT, Lifetimes(), lambda _: rotates, lambda _: None, parallel=1)

    def run(
        self,
        names: tuple[str, ...] = ("a", "b"),
        before: Callable[[str], None] = lambda _: None,
        *,
        rotates: bool = False,
    ) -> list[Outcome]:
        try:
            return super().run(names, before, rotates=rotates)
        except SplitError as split:
            raise CommandError(str(split)) from split

    def valid(self, cluster: str) -> list[str]:
        """The tokens that both regions accept."""
        found = [
            [each.sha256 for each in model.in_force().get(cluster, Callers()).tokens]
            for model in (self.model, self.second)
        ]
        return [each for each in found[0] if each in found[1]]

    def check(self) -> None:
        if self.is_checked:
            super().check()

    def revoke(self, model: ParameterStoreModel, digest: str) -> None:
        """Revoke a token of the first cluster in one region, as a person does."""
        registry = self.store(lambda _: None, model)
        repository = RegistryRepository(registry, cast("Any", None), Location())
        now = system.timestamp()
        repository.change("a", lambda callers: callers.without_token(digest, now))

    def check_end(self) -> None:
        super().check_end()
        assert self.model.in_force() == self.second.in_force()


@pytest.fixture(autouse=True)
def world(monkeypatch: pytest.MonkeyPatch) -> Generator[Regions]:
    waits: list[float] = []
    monkeypatch.setattr(system, "sleep", waits.append)
    respond(monkeypatch, EndpointReport(status=200))
    made = Regions()

    respond_with(monkeypatch, made)
    with use_machine(TickingMachine()):
        yield made


@pytest.mark.parametrize("rotates", [False, True])
def test_killed_before_each_request_both_regions_end_equal(world: Regions, rotates: bool) -> None:
    number = 0
    while run_until_death(world, number, rotates=rotates):
        world.check()
        world.run()
        world.check_end()
        world.clusters["b"].objects.clear()  # to enroll it again
        number += 1
    assert number > 30


@pytest.mark.parametrize("region", ["a", "b"])
def test_a_region_that_fails_at_each_request_ends_equal(world: Regions, region: str) -> None:
    for number in range(30):
        world.failures = {region: fail_from(number)}
        with suppress(CommandError):
            world.run(rotates=True)
        world.failures = {}
        world.check()
        world.run()
        world.check_end()


def fail_from(number: int) -> Callable[[str], None]:
    """Refuse the requests to the registries from one on."""
    left = iter(range(number))

    def before(request: str) -> None:
        if request == "registry" and next(left, None) is None:
            raise CommandError("the region is away")

    return before


@pytest.mark.parametrize("part", range(4))
def test_two_commands_at_once_leave_no_revoked_token_in(world: Regions, part: int) -> None:
    runs = max(RUNS // 12, 1)
    run_races(world, range(part * runs, (part + 1) * runs))


def test_a_token_that_one_region_revoked_is_never_valid_again(world: Regions) -> None:
    random = Random(1)  # noqa: S311
    for _ in range(20):
        [digest] = world.valid("a")
        world.is_checked = False  # its registration has the revoked token for a while
        world.revoke(random.choice([world.model, world.second]), digest)
        with suppress(DiedError):
            world.run(before=steps_until(random.randrange(30)))
        world.run()
        world.is_checked = True
        world.check_end()
        assert digest not in world.valid("a")
