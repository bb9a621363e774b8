"""The laws of the copies that an earlier release reads, until ``fleet adopt --finish``.

The commands run over models of Parameter Store and the bucket. Each dies before each of its
requests, and is repeated, or another one follows. Then no release accepts what was withdrawn, and
both accept the same. The registered token is valid at every moment.

``PODGRAFT_COPY_RUNS=5000`` runs as many histories of two writers.
"""

import os
from collections.abc import Callable, Generator, Mapping
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest

from cli.fleet.test_rotation_laws import Quiet, steps_until
from cli.tokens.test_registry_laws import (
    DiedError,
    Faults,
    ModelStore,
    ParameterStoreModel,
    Scheduler,
)
from podgraft.base import system
from podgraft.cli import main
from podgraft.cli.config_source import Location
from podgraft.cli.failure import CommandError
from podgraft.cli.fleet import options
from podgraft.cli.fleet.adoption import StackCallers, adopt, finish, undo
from podgraft.cli.storage import ChangedError, StoredDocument
from podgraft.cli.tokens import commands, registry_storage
from podgraft.cli.tokens.issuance import make_issued
from podgraft.cli.tokens.registry_storage import RegistryRepository
from podgraft.cli.tokens.registry_writer import update_registry
from podgraft.kube import yaml
from podgraft.service.store.caller_document import Callers, TokenHash, parse_callers
from podgraft.service.store.registry_document import Pointer
from support.machines import use_machine

RUNS = int(os.environ.get("PODGRAFT_COPY_RUNS", "120"))
COPIES = Pointer(serial=0, digest="sha256:", copies=True)
Before = Callable[[str], None]
FLEET = """
apiVersion: podgraft.dev/v1
kind: Fleet
metadata: {{name: x}}
spec:
  url: https://webhook.example.com
  defaults: {{injectors: [{{name: istio, revision: default}}]}}
  clusters:
    a: {{sources: [{sources}]}}
    c: {{}}
    ended: {{}}
"""


def nothing(_: str) -> None:
    """Nothing happens before a request."""


class Clock(system.Machine):
    """The clock of the machine, some days later."""

    days = 0

    def wall_seconds(self) -> float:
        return super().wall_seconds() + timedelta(self.days).total_seconds()


class Copies:
    """The documents of one writer; it overwrites without a condition, as Parameter Store."""

    def __init__(self, world: "World", before: Before) -> None:
        self._world, self._before = world, before

    def locate(self, name: str) -> str:
        return name

    def read(self, name: str) -> StoredDocument:
        self._before("copies")
        return self._world.copies.get(name.rpartition("/")[2], StoredDocument())

    def read_all(self, folder: str) -> Mapping[str, StoredDocument]:
        self._before("copies")
        return {f"{folder}/{name}": each for name, each in self._world.copies.items()}

    def write(self, name: str, text: str, replaced: StoredDocument, *, is_secret: bool) -> None:
        del is_secret
        self._before("copy")
        cluster = name.rpartition("/")[2]
        stored = self._world.copies.get(cluster, StoredDocument())
        if replaced.text is None and stored.text is not None:
            raise ChangedError("it exists")
        self._world.copies[cluster] = StoredDocument(text, stored.version + 1)
        self._world.check_moment()
        self._before("copied")
        if stored.version != replaced.version:
            raise ChangedError("changed")

    def delete(self, name: str) -> None:
        self._before("copy")
        self._world.copies.pop(name.rpartition("/")[2], None)


class World:
    """A stack with copies: ``a`` is in a rotation, ``c`` is old, ``ended`` ends tomorrow."""

    def __init__(self) -> None:
        self.model = ParameterStoreModel()
        self.copies: dict[str, StoredDocument] = {}
        self.tokens = {name: make_issued("", "").hash for name in ("old", "registered", "c")}
        tomorrow = (system.now().date() + timedelta(1)).isoformat()
        self.tokens["ended"] = make_issued("", tomorrow).hash
        self.is_raced = False
        registered: tuple[TokenHash, ...] = (self.tokens["old"], self.tokens["registered"])
        clusters = {
            "a": Callers(registered, subjects=("CN=a",)),
            "c": Callers((self.tokens["c"],), subjects=("CN=c",)),
            "ended": Callers((self.tokens["ended"],)),
        }
        update_registry(self.store(nothing), lambda _: (clusters, COPIES))
        self.open().repository.update_copies()

    def store(self, before: Before) -> Any:
        world = self

        class Store(ModelStore):
            prefix = "/model"
            stack = "x"
            ssm = s3 = None
            is_read = True

            def write(self, text: str, *, is_new: bool) -> int | None:
                number = super().write(text, is_new=is_new)
                world.check_moment()
                return number

        return Store(self.model, cast("Faults", Quiet(before)))

    def open(self, before: Before = nothing) -> StackCallers:
        return StackCallers(self.store(before), cast("Any", Copies(self, before)))

    def new(self) -> Mapping[str, Callers]:
        """What the function reads."""
        return self.model.in_force()

    def old(self) -> Mapping[str, Callers]:
        """What the function of the earlier release reads."""
        return {
            name: parse_callers(yaml.load(each.text or "")) for name, each in self.copies.items()
        }

    def check_moment(self) -> None:
        for release in (self.new(), self.old()):
            if "a" in release:
                tokens = release["a"].tokens
                digests = {each.sha256 for each in tokens}
                assert tokens, "no token is valid"
                assert self.is_raced or self.tokens["registered"].sha256 in digests

    def check_end(self, *gone: str) -> None:
        day = f"{system.now():%Y-%m-%d}"
        new, old = self.new(), self.old()
        for name in {*new, *old}:
            plain = new.get(name, Callers()).make_plain(day)
            assert old.get(name, Callers()) == plain, "a copy differs from the registry"
        valid = {
            each.sha256
            for release in (new, old)
            for own in release.values()
            for each in own.tokens
            if not each.is_expired(day)
        }
        assert not valid & {self.tokens[each].sha256 for each in gone}, "a revoked token is valid"


@pytest.fixture
def clock() -> Generator[Clock]:
    machine = Clock()
    with use_machine(machine):
        yield machine


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> Callable[[World, tuple[str, ...], Before], int]:
    """Run a command line over the models."""
    del clock
    for name, sources in (("bind", "198.51.100.7/32"), ("unbind", "")):
        (tmp_path / f"{name}.yaml").write_text(FLEET.format(sources=sources))

    def run_command(world: World, words: tuple[str, ...], before: Before = nothing) -> int:
        def open_repository(_: Location) -> RegistryRepository:
            stack = world.open(before)
            return RegistryRepository(stack.registry, stack.documents, Location(stack_name="x"))

        def open_stack(_: str) -> StackCallers:
            return world.open(before)

        monkeypatch.setattr(commands, "open_repository", open_repository)
        monkeypatch.setattr(options, "open_stack", open_stack)
        place = ("--parameter-prefix", "/model")
        return main([*words, *place])

    monkeypatch.chdir(tmp_path)
    return run_command


def ids(world: World, *words: str) -> tuple[str, ...]:
    """Put the ids of tokens into words."""
    return tuple(world.tokens[each[1:]].identity if each[:1] == "@" else each for each in words)


# The command, and the token that it withdraws.
COMMANDS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("tokens", "revoke", "--cluster", "a", "@old"), "old"),
    (("tokens", "revoke", "--cluster", "c", "@c"), "c"),
    (("tokens", "issue", "--cluster", "b"), ""),
    (("tokens", "rotate", "--cluster", "c"), ""),
    (("tokens", "allow", "--cluster", "a", "CN=new"), ""),
    (("tokens", "forbid", "--cluster", "c", "CN=c"), ""),
    (("fleet", "retire", "c", "--gone"), "c"),
    (("fleet", "apply", "bind.yaml"), ""),
    (("fleet", "apply", "unbind.yaml"), ""),
    (("fleet", "extend", "bind.yaml", "--cluster", "c", "--expires", "never"), ""),
)
LATER = (
    ("tokens", "issue", "--cluster", "later"),
    ("tokens", "allow", "--cluster", "ended", "CN=later"),
    ("fleet", "apply", "bind.yaml"),
    ("fleet", "rotate", "bind.yaml"),
    ("fleet", "retire", "unknown", "--gone"),
)


def kill(run: Any, world: World, words: tuple[str, ...], number: int) -> bool:
    """Whether the command died before the request *number*."""
    try:
        run(world, words, steps_until(number))
    except DiedError:
        return True
    return False


@pytest.mark.parametrize(("words", "gone"), COMMANDS, ids=lambda each: " ".join(each[:2]))
def test_killed_at_each_step_and_repeated_both_releases_accept_the_same(
    run: Any, words: tuple[str, ...], gone: str
) -> None:
    number, is_killed = 0, True
    while is_killed:
        world = World()
        command = ids(world, *words)
        is_killed = kill(run, world, command, number)
        run(world, command)
        world.check_end(*filter(None, [gone]))
        number += 1
    assert number > 5


@pytest.mark.parametrize("later", LATER, ids=lambda each: " ".join(each[:2]))
@pytest.mark.parametrize("words", [each for each, gone in COMMANDS if gone])
def test_each_later_command_ends_what_a_killed_one_began(
    run: Any, words: tuple[str, ...], later: tuple[str, ...]
) -> None:
    number, is_killed = 0, True
    while is_killed:
        world = World()
        is_killed = kill(run, world, ids(world, *words), number)
        run(world, later)
        world.check_end()
        number += 1


def test_a_token_that_ended_leaves_the_copy_with_adopt(run: Any, clock: Clock) -> None:
    for number in range(40):
        clock.days = 0
        world = World()
        clock.days = 2
        is_killed = kill(run, world, LATER[0], number)
        assert run(world, ("fleet", "adopt")) == 0
        world.check_end("ended")
        if not is_killed:
            return
    pytest.fail("the command did not end")


def test_a_repeated_revocation_succeeds(run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    world = World()
    words = ids(world, *COMMANDS[0][0])
    assert [run(world, words), run(world, words)] == [0, 0]
    identity = world.tokens["old"].identity
    assert f"a: has no token {identity} here" in capsys.readouterr().out


def write_randomly(world: World, random: Random, turn: Callable[[], None], gone: set[str]) -> None:
    """One writer: changes of ``a`` and of others. It dies at some request, or ends."""

    def before(_: str) -> None:
        turn()
        if random.random() < 0.02:
            raise DiedError

    stack = world.open(before)
    for _ in range(3):
        change = random.choice([revoke, rotate, retire, bind, expire])
        with suppress(CommandError):
            change(world, stack, gone)


def revoke(world: World, stack: StackCallers, gone: set[str]) -> None:
    gone.add("old")
    stack.repository.change("a", lambda own: own.without_token(world.tokens["old"].sha256, "t"))


def rotate(world: World, stack: StackCallers, gone: set[str]) -> None:
    del world, gone
    issued = make_issued("", "").hash
    stack.repository.change("c", lambda own: own.with_token(issued))


def retire(world: World, stack: StackCallers, gone: set[str]) -> None:
    del world
    gone.add("c")
    stack.repository.change("c", lambda _: Callers())


def bind(world: World, stack: StackCallers, gone: set[str]) -> None:
    del world, gone

    def switch(own: Callers) -> Callers:
        return Callers(own.tokens, (), own.groups, () if own.sources else ("192.0.2.1/32",))

    stack.repository.change("a", switch)


def expire(world: World, stack: StackCallers, gone: set[str]) -> None:
    gone.add("ended")
    stack.repository.change(
        "ended",
        lambda _: Callers((TokenHash(world.tokens["ended"].sha256, "", "", "", "2001-01-01"),)),
    )


def race(seed: int) -> World:
    """Run two writers at once, and then one command."""
    random = Random(seed)  # noqa: S311
    world, gone, problems = World(), set[str](), list[BaseException]()
    world.is_raced = True

    def write(turn: Callable[[], None]) -> None:
        try:
            write_randomly(world, random, turn, gone)
        except AssertionError as error:
            problems.append(error)

    Scheduler(random).run(write, write)
    if problems:
        raise problems[0]
    repeat(world, gone)
    return world


def repeat(world: World, gone: set[str]) -> None:
    """Repeat what withdraws."""
    stack = world.open()
    for each, change in (("old", revoke), ("c", retire), ("ended", expire)):
        if each in gone:
            with suppress(CommandError):
                change(world, stack, gone)
    stack.repository.update_copies()
    world.check_end(*gone)


@pytest.mark.parametrize("part", range(4))
def test_two_writers_leave_no_older_copy(part: int) -> None:
    for seed in range(part * RUNS // 4, (part + 1) * RUNS // 4):
        race(seed)


def test_a_writer_that_ends_leaves_no_older_copy() -> None:
    """Without a death, nobody has to repeat anything."""
    for number in range(12):
        world, gone = World(), set[str]()
        left = iter(range(number))

        def before(_: str, world: World = world, left: Any = left, gone: set[str] = gone) -> None:
            if next(left, None) is None and not gone:
                revoke(world, world.open(), gone)

        bind(world, world.open(before), gone)
        world.check_end(*gone)


MIGRATIONS: tuple[Callable[[StackCallers], object], ...] = (adopt, finish, undo)


@pytest.mark.parametrize("migrate", MIGRATIONS)
def test_a_migration_killed_at_each_step_brings_no_token_back(
    migrate: Callable[[StackCallers], object],
) -> None:
    number, is_killed = 0, True
    while is_killed:
        world, gone = World(), set[str]()
        bind(world, world.open(), gone)
        is_killed = False
        try:
            migrate(world.open(steps_until(number)))
        except DiedError:
            is_killed = True
            try:
                revoke(world, world.open(), gone)
            except CommandError:  # it died after the switch
                gone.clear()
            migrate(world.open())
        check_migrated(world, migrate, gone)
        number += 1
    assert number > 5


@pytest.mark.parametrize("migrate", MIGRATIONS)
def test_a_command_during_a_migration_loses_nothing(
    migrate: Callable[[StackCallers], object],
) -> None:
    for change in (None, revoke):
        for number in range(20):
            world, gone = World(), set[str]()
            bind(world, world.open(), gone)
            counter = [number]

            def interfere(
                _: str,
                world: World = world,
                counter: list[int] = counter,
                change: Any = change,
                gone: set[str] = gone,
            ) -> None:
                counter[0] -= 1
                if counter[0] == 0:
                    with suppress(CommandError):
                        world.open().repository.update_copies()
                        if change is not None:
                            change(world, world.open(), gone)

            migrate(world.open(interfere))
            check_migrated(world, migrate, gone)


def check_migrated(world: World, migrate: object, gone: set[str]) -> None:
    """What is in force has the sources, and no token that is gone."""
    clusters = world.old() if migrate is undo else world.new()
    assert clusters["a"].sources == ("192.0.2.1/32",)
    assert {each.expires for each in clusters["ended"].tokens} == {world.tokens["ended"].expires}
    digests = {each.sha256 for each in clusters["a"].tokens}
    assert world.tokens["registered"].sha256 in digests
    assert not gone or world.tokens["old"].sha256 not in digests
    if migrate is finish:
        assert not world.copies


def test_the_model_finds_a_writer_that_does_not_look_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """This test itself can fail."""
    write = registry_storage.write_copies

    def write_once(*given: Any) -> bool:
        write(*given)
        return False

    monkeypatch.setattr(registry_storage, "write_copies", write_once)
    with pytest.raises(AssertionError, match="a copy differs"):
        test_a_writer_that_ends_leaves_no_older_copy()
