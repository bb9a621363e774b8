"""The laws of a rotation by secrets: the code of the function over models of what it calls.

The registered token, and that of the secret, are valid at every moment. The function can die before
any request, and another run can be faster between any two of them: by one step, or by months.
Afterwards, each cluster ends with one token, which it registered.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from cli.fleet.test_rotation_laws import POINTER, Quiet
from cli.tokens.test_registry_laws import DiedError, Faults, ModelStore, ParameterStoreModel
from podgraft.base import system
from podgraft.cli.config_source import Location
from podgraft.cli.failure import CommandError
from podgraft.cli.fleet.delivery import CURRENT, Delivery, Progress, Step
from podgraft.cli.fleet.file import Lifetimes
from podgraft.cli.tokens.issuance import IssuedToken, make_issued
from podgraft.cli.tokens.registry_storage import RegistryRepository
from podgraft.cli.tokens.registry_writer import update_registry
from podgraft.service.store.caller_document import Callers, hash_token, identify_token

Before = Callable[[str], None]
NEXT = "podgraft-next"
HOUR, DAY = timedelta(hours=1), timedelta(1)
START = datetime(2027, 1, 1, tzinfo=UTC)


def nothing(_: str) -> None:
    """Nothing happens before a request."""


class Secret:
    """A secret of Secrets Manager, whose first value a person stored."""

    def __init__(self, text: str) -> None:
        self.versions = {"first": text}
        self.labels: dict[str, tuple[str, ...]] = {"first": (CURRENT,)}
        self.is_compared = True

    def move(self, label: str, version: str) -> None:
        """Attach a label to one version; another one without labels is not listed any more."""
        own = {each: tuple(n for n in old if n != label) for each, old in self.labels.items()}
        own[version] = (*own.get(version, ()), label)
        self.labels = {each: labels for each, labels in own.items() if labels}

    @property
    def text(self) -> str:
        [current] = [each for each, own in self.labels.items() if CURRENT in own]
        return self.versions[current]


class World:
    """A cluster with a secret, whose registrar and pods run each hour; others have no secret."""

    def __init__(self) -> None:
        self.now = START
        self.model = ParameterStoreModel()
        self.uses: dict[str, str] = {}
        first = make_issued("ticket", "")
        self.secret, self.registered = Secret(first.text), first.text
        other = make_issued("ticket", "")
        clusters = {"a": Callers((first.hash,)), "other": Callers((other.hash,))}
        update_registry(self.store(nothing), lambda _: (clusters, POINTER))

    def store(self, before: Before) -> Any:
        world = self

        class Store(ModelStore):
            def write(self, text: str, *, is_new: bool) -> int | None:
                number = super().write(text, is_new=is_new)
                world.check()
                return number

        return Store(self.model, cast("Faults", Quiet(before)))

    def run(self, before: Before = nothing) -> list[Step]:
        delivery = Delivery(
            RegistryRepository(self.store(before), cast("Any", None), Location()),
            cast("Any", _Secrets(self, before)),
            lambda: dict(self.uses),
            Lifetimes(90, 60),
        )
        return [*delivery.run()]

    def pass_hours(self, hours: int, step: int = 1) -> list[Step]:
        """Let the registrar, the pods, and the function run, every *step* hours."""
        steps: list[Step] = []
        for _ in range(0, hours, step):
            self.now += step * HOUR
            self.registered = self.secret.text
            self.check()
            self.uses[identify_token(self.registered)] = system.timestamp()
            steps += self.run()
        return steps

    def check(self) -> None:
        valid = self.valid()
        assert not valid or hash_token(self.registered) in valid, "a revoked token is registered"
        assert not valid or hash_token(self.secret.text) in valid, "a revoked token is delivered"

    def valid(self) -> list[str]:
        return [each.sha256 for each in self.model.in_force().get("a", Callers()).tokens]


class _Secrets:
    def __init__(self, world: World, before: Before) -> None:
        self._world, self._before = world, before

    def read(self, cluster: str) -> Mapping[str, tuple[str, ...]] | None:
        self._before("read")
        return dict(self._world.secret.labels) if cluster == "a" else None

    def store(self, cluster: str, token: IssuedToken) -> None:
        assert cluster == "a"
        self._before("store")
        secret = self._world.secret
        secret.versions[token.hash.sha256] = token.text
        secret.move(NEXT, token.hash.sha256)

    def promote(self, cluster: str, version: str, current: str) -> None:
        assert cluster == "a"
        self._before("promote")
        secret = self._world.secret
        if secret.is_compared and CURRENT not in secret.labels.get(current, ()):
            raise CommandError("the label is attached to another version")
        [before] = [each for each, own in secret.labels.items() if CURRENT in own]
        secret.move("AWSPREVIOUS", before)
        secret.move(CURRENT, version)
        self._world.check()


@pytest.fixture
def make_world(monkeypatch: pytest.MonkeyPatch) -> Callable[[], World]:
    """Return a function that begins a new world, with its own clock."""
    made: list[World] = []

    def now() -> datetime:
        return made[-1].now if made else START

    def make() -> World:
        made.clear()
        made.append(World())
        return made[0]

    monkeypatch.setattr(system, "now", now)
    return make


@pytest.fixture
def world(make_world: Callable[[], World]) -> World:
    return make_world()


def before_request(number: int, act: Callable[[], None]) -> Before:
    """Act once, before the request with this number."""
    numbers = iter(range(number + 1))

    def before(_: str) -> None:
        if next(numbers, None) == number:
            act()

    return before


def end(world: World) -> None:
    """Each rotation ends, and leaves one token."""
    world.pass_hours(24 * 10, 4)
    assert world.valid() == [hash_token(world.registered)]
    assert world.secret.text == world.registered


def test_a_due_token_is_replaced_and_revoked_after_silence(world: World) -> None:
    first = world.valid()
    assert world.pass_hours(24 * 59, 24) == []
    steps = world.pass_hours(24 * 10)
    begun = [each.progress for each in steps if each.progress is not Progress.WAITING]
    assert begun == [Progress.ISSUED, Progress.DELIVERED, Progress.REVOKED]
    assert {each.cluster for each in steps} == {"a"}
    assert set(first).isdisjoint(world.valid())
    end(world)


def die() -> None:
    raise DiedError


# The hours before the run that has R1, R3, and R5.
STEPS = (24 * 60 - 1, 24 * 60, 24 * 68)


def begin(make_world: Callable[[], World], hours: int) -> World:
    """Return a world in the hour before a step."""
    world = make_world()
    world.now += timedelta(hours=24 * 60 - 2)
    world.pass_hours(hours - (24 * 60 - 2))
    world.now += HOUR
    return world


@pytest.mark.parametrize("hours", STEPS)
def test_killed_before_each_request_it_ends_with_one_token(
    make_world: Callable[[], World], hours: int
) -> None:
    deaths = 0
    for number in range(12):
        world = begin(make_world, hours)
        if number:  # again, after an earlier death
            run_until_death(world, number - 1)
        deaths += run_until_death(world, number)
        end(world)
    assert deaths > 2


def run_until_death(world: World, number: int) -> bool:
    try:
        world.run(before_request(number, die))
    except DiedError:
        return True
    finally:
        world.check()
    return False


@pytest.mark.parametrize("others", [(1, 1), (3, 1), (24 * 9, 4), (24 * 70, 12)])
@pytest.mark.parametrize("hours", STEPS)
def test_a_slow_run_brings_no_revoked_token_back(
    make_world: Callable[[], World], hours: int, others: tuple[int, int]
) -> None:
    """Others are faster before each request of a run: by one step, or by more than a rotation."""
    for number in range(12):
        world = begin(make_world, hours)
        race(world, number, others)
        end(world)


def race(world: World, number: int, others: tuple[int, int]) -> None:
    def pass_others() -> None:
        world.pass_hours(*others)

    world.run(before_request(number, pass_others))
    world.check()


def test_a_token_that_another_run_replaced_in_the_secret_is_withdrawn(
    make_world: Callable[[], World],
) -> None:
    world = begin(make_world, STEPS[0])
    lost: list[str] = []

    def issue() -> None:
        world.run()
        lost.extend(world.valid()[1:])

    world.run(lambda request: None if request != "store" or lost else issue())
    assert len(lost) == 1
    assert lost[0] not in world.secret.labels
    assert [each.progress for each in world.run()] == [Progress.WAITING]
    world.now += 2 * HOUR
    assert [each.progress for each in world.run()] == [Progress.WITHDRAWN]
    assert lost[0] not in world.valid()
    end(world)


def test_labels_of_a_secret_do_not_accumulate(world: World) -> None:
    """Secrets Manager accepts 20 of a secret."""
    for _ in range(25):
        world.pass_hours(24 * 70, 12)
        assert sum(map(len, world.secret.labels.values())) <= 3
    assert len(world.secret.versions) > 20


def test_the_model_finds_a_delivery_that_compares_nothing(
    make_world: Callable[[], World],
) -> None:
    """This test itself can fail."""
    found: list[str] = []
    for number in range(12):
        world = begin(make_world, STEPS[1])
        world.secret.is_compared = False
        try:
            race(world, number, (24 * 70, 12))
        except AssertionError as error:
            found.append(str(error))
    assert any("a revoked token is delivered" in each for each in found)


def test_a_silent_cluster_has_both_tokens_and_is_reported(world: World) -> None:
    world.pass_hours(24 * 60, 24)
    assert len(world.valid()) == 2
    steps: list[Step] = []
    for _ in range(24 * 16):
        world.now += HOUR
        steps = world.run()
    assert len(world.valid()) == 2
    [step] = steps
    assert step.progress is Progress.FAILED
    assert "check its registrar" in step.problem
    end(world)


def test_a_registrar_that_stays_with_the_old_token_is_reported(world: World) -> None:
    world.pass_hours(24 * 60, 24)
    old, steps = world.registered, list[Step]()
    for _ in range(24 * 16):
        world.now += HOUR
        steps = world.run()
        world.uses[identify_token(old)] = system.timestamp()
    assert len(world.valid()) == 2
    assert [each.progress for each in steps] == [Progress.FAILED]
    end(world)


def test_a_secret_without_a_value_and_a_token_by_hand_are_not_touched(world: World) -> None:
    world.pass_hours(24 * 59, 24)
    labels, world.secret.labels = world.secret.labels, {}
    world.now += DAY
    [step] = world.run()
    assert (step.progress, "has no value" in step.problem) == (Progress.FAILED, True)
    assert len(world.secret.versions) == 1
    world.secret.labels = labels
    issued = make_issued("ticket", "")
    repository = RegistryRepository(world.store(nothing), cast("Any", None), Location())
    repository.change("a", lambda callers: callers.with_token(issued.hash))
    [step] = world.run()
    assert step.progress is Progress.FAILED
    assert f"podgraft tokens revoke --cluster a {issued.hash.identity}" in step.problem
    assert issued.text not in step.problem
    assert len(world.valid()) == 2


def test_a_tenth_of_the_clusters_begins(world: World) -> None:
    more = {f"c{number:02}": Callers((make_issued("", "").hash,)) for number in range(25)}
    update_registry(
        world.store(nothing), lambda state: ({**state.clusters, **more}, state.pointer or POINTER)
    )
    world.now += 61 * DAY
    begun: list[str] = []
    delivery = Delivery(
        RegistryRepository(world.store(nothing), cast("Any", None), Location()),
        cast("Any", _Everywhere(begun)),
        dict,
        Lifetimes(90, 60),
    )
    assert len([*delivery.run()]) == 3
    assert len(begun) == 3


def test_a_log_that_cannot_be_read_is_queried_once(world: World) -> None:
    """Such as without the right to query it; AWS bills a query, and each is slow."""
    old, new = make_issued("", "").hash, make_issued("", "").hash
    clusters = {f"c{number}": Callers((old, new)) for number in range(5)}
    update_registry(world.store(nothing), lambda state: (clusters, state.pointer or POINTER))
    world.now += 30 * DAY
    asked: list[str] = []

    def read_uses() -> Mapping[str, str]:
        asked.append("log")
        raise CommandError("log group x: AccessDenied")

    secrets = cast("Any", _Everywhere([], new.sha256))
    repository = RegistryRepository(world.store(nothing), cast("Any", None), Location())
    *steps, last = [*Delivery(repository, secrets, read_uses, Lifetimes(90, 60)).run()]
    assert [(each.cluster, each.progress) for each in steps] == [
        (name, Progress.WAITING) for name in clusters
    ]
    assert last == Step("", Progress.FAILED, "log group x: AccessDenied")
    assert asked == ["log"]


class _Everywhere:
    def __init__(self, begun: list[str], version: str = "first") -> None:
        self._begun, self._version = begun, version

    def read(self, _: str) -> Mapping[str, tuple[str, ...]]:
        return {self._version: (CURRENT,)}

    def store(self, cluster: str, _: IssuedToken) -> None:
        self._begun.append(cluster)
