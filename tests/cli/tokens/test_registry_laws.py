"""The laws of the swap: the writer's own code over a model of Parameter Store.

Three writers change clusters at the same time. Before each request, another writer can run, a
writer can die, a read can be older than a write, and the SDK can repeat a write whose response was
lost. The model checks at every write that the version in force contains each confirmed change.

``PODGRAFT_REGISTRY_RUNS=20000`` runs as many histories.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from random import Random
from threading import Condition, Thread
from typing import cast

import pytest

from podgraft.cli.failure import CommandError
from podgraft.cli.tokens.registry_writer import (
    AwsRegistry,
    Clusters,
    RegistryState,
    StaleReadError,
    read_state,
    update_registry,
)
from podgraft.service.store.caller_document import Callers, TokenHash, hash_token
from podgraft.service.store.registry_document import Pointer, find_in_force, read_registry

RUNS = int(os.environ.get("PODGRAFT_REGISTRY_RUNS", "400"))
WANTED = Pointer(serial=0, digest="sha256:", clusters=0)
CLUSTERS = ("a", "b", "c")


class DiedError(BaseException):
    """The process of a writer ended."""


class ParameterStoreModel:
    """The versions of one parameter, and a bucket. Versions never change, and get numbers."""

    def __init__(self) -> None:
        self.versions: list[str] = []
        self.objects: dict[str, bytes] = {}

    def in_force(self) -> Clusters:
        """What the function uses, by the function's own code."""
        pointer = find_in_force(enumerate(self.versions, 1))
        if pointer is None or pointer.digest is None:
            return {}
        return read_registry(self.objects[pointer.digest], pointer.digest)


class Faults:
    """What goes wrong, by a seed; ``turn`` lets another writer run."""

    def __init__(self, random: Random, turn: Callable[[], None]) -> None:
        self.random = random
        self.turn = turn

    def before(self) -> None:
        """Before a request: another writer runs, or this one dies."""
        self.turn()
        if self.random.random() < 0.02:
            raise DiedError

    def happens(self, probability: float) -> bool:
        """Whether a fault happens."""
        return self.random.random() < probability


class ModelStore:
    """The store of one writer."""

    location = "/model/callers"

    def __init__(self, model: ParameterStoreModel, faults: Faults) -> None:
        self.model = model
        self.faults = faults

    def _visible(self) -> int:
        """The number of versions that this read sees."""
        newest = len(self.model.versions)
        return (
            max(newest - self.faults.random.randint(1, 2), 0)
            if self.faults.happens(0.2)
            else newest
        )

    def read_newest(self) -> tuple[int, str] | None:
        self.faults.before()
        visible = self._visible()
        return (visible, self.model.versions[visible - 1]) if visible else None

    def read_versions(self, numbers: Sequence[int]) -> Mapping[int, str]:
        self.faults.before()
        visible = self._visible()
        return {each: self.model.versions[each - 1] for each in numbers if each <= visible}

    def write(self, text: str, *, is_new: bool) -> int | None:
        self.faults.before()
        if is_new and self.model.versions:
            return None
        self.model.versions.append(text)
        if not is_new and self.faults.happens(0.15):  # the response was lost, the SDK repeats it
            self.faults.turn()
            self.model.versions.append(text)
        number = len(self.model.versions)
        self.faults.before()
        return number

    def upload(self, digest: str, content: bytes) -> None:
        self.faults.before()
        self.model.objects[digest] = content

    def download(self, digest: str) -> bytes:
        self.faults.before()
        return self.model.objects[digest]


class Scheduler:
    """Runs one thread at a time; ``turn`` passes on to a random one."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._condition = Condition()
        self._ready: list[int] = []
        self._running = -1

    def run(self, *writers: Callable[[Callable[[], None]], None]) -> None:
        self._ready = [*range(len(writers))]
        threads = [
            Thread(target=self._run, args=(number, writer)) for number, writer in enumerate(writers)
        ]
        for thread in threads:
            thread.start()
        self._pass_on()
        for thread in threads:
            thread.join(60)

    def _run(self, number: int, writer: Callable[[Callable[[], None]], None]) -> None:
        self._wait(number)
        try:
            writer(lambda: self._turn(number))
        except DiedError:
            pass
        finally:
            self._ready.remove(number)
            self._pass_on()

    def _turn(self, number: int) -> None:
        self._pass_on()
        self._wait(number)

    def _pass_on(self) -> None:
        with self._condition:
            self._running = self._random.choice(self._ready) if self._ready else -1
            self._condition.notify_all()

    def _wait(self, number: int) -> None:
        with self._condition:
            assert self._condition.wait_for(lambda: self._running == number, 60)


class History:
    """The changes that writers confirmed: ``issued`` and ``gone``.

    ``revoked`` are the tokens that a writer has begun to revoke.
    """

    def __init__(self, random: Random) -> None:
        self.model = ParameterStoreModel()
        self.random = random
        self.issued: set[tuple[str, str]] = set()
        self.revoked: set[tuple[str, str]] = set()
        self.gone: set[tuple[str, str]] = set()
        self._numbers = count()

    def write(self, turn: Callable[[], None]) -> None:
        """One writer: it issues or revokes tokens, one after the other."""
        store = ModelStore(self.model, Faults(self.random, turn))
        for _ in range(3):
            cluster = self.random.choice(CLUSTERS)
            try:
                if self.random.random() < 0.6:
                    self._issue(store, cluster)
                else:
                    self._revoke(store, cluster)
            except CommandError:
                continue
            self.check()

    def _issue(self, store: ModelStore, cluster: str) -> None:
        sha256 = hash_token(str(next(self._numbers)))

        def add(state: RegistryState) -> tuple[Clusters, Pointer] | None:
            callers = state.clusters.get(cluster, Callers())
            if callers.find_tokens(sha256) or len(callers.tokens) > 1:
                return None
            changed = callers.with_token(TokenHash(sha256, ""))
            return {**state.clusters, cluster: changed}, WANTED

        state = update_registry(cast("AwsRegistry", store), add)
        if state.clusters.get(cluster, Callers()).find_tokens(sha256):
            self.issued.add((cluster, sha256))

    def _revoke(self, store: ModelStore, cluster: str) -> None:
        chosen: list[str] = []

        def remove(state: RegistryState) -> tuple[Clusters, Pointer] | None:
            callers = state.clusters.get(cluster, Callers())
            chosen[:] = chosen or [token.sha256 for token in callers.tokens[:1]]
            # From here on, nobody may rely on the token: another one can revoke it as well.
            self.revoked |= {(cluster, each) for each in chosen}
            if not callers.find_tokens(*chosen):
                return None
            return {**state.clusters, cluster: callers.without_token(chosen[0])}, WANTED

        update_registry(cast("AwsRegistry", store), remove)
        self.gone |= {(cluster, each) for each in chosen}

    def check(self) -> None:
        """Each confirmed token is valid unless it is being revoked, and no revoked one is."""
        stored = {
            (cluster, token.sha256)
            for cluster, callers in self.model.in_force().items()
            for token in callers.tokens
        }
        assert self.issued - self.revoked <= stored, "a confirmed token was lost"
        assert not self.gone & stored, "a revoked token is valid"


def run_history(seed: int) -> History:
    random = Random(seed)  # noqa: S311  a history, and no secret
    history = History(random)
    problems: list[BaseException] = []

    def write(turn: Callable[[], None]) -> None:
        try:
            history.write(turn)
        except Exception as error:  # noqa: BLE001  a thread must not swallow it
            problems.append(error)

    Scheduler(random).run(write, write, write)
    if problems:
        raise problems[0]
    history.check()
    return history


def _run_histories(seeds: range) -> list[History]:
    return [run_history(seed) for seed in seeds]


@pytest.mark.parametrize("part", range(4))
def test_no_history_loses_a_confirmed_change(part: int) -> None:
    histories = _run_histories(range(part * RUNS // 4, (part + 1) * RUNS // 4))
    lost = sum(
        find_in_force([(number, text)]) is None
        for history in histories
        for number, text in enumerate(history.model.versions, 1)
    )
    assert lost, "no writer was ever slower than another"
    assert any(history.issued for history in histories)
    assert any(history.revoked for history in histories)


def test_the_model_finds_a_writer_that_ignores_the_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """This test itself can fail: a writer that trusts each of its writes loses changes."""

    def write(self: ModelStore, text: str, *, is_new: bool) -> int:
        del is_new
        self.model.versions.append(text)
        return int(json.loads(text)["serial"])  # and not the number of the version

    monkeypatch.setattr(ModelStore, "write", write)
    with pytest.raises(AssertionError):
        _run_histories(range(RUNS))


def test_a_read_that_misses_a_version_is_not_used() -> None:
    """The missing version can be the one that counts."""

    class Missing(ModelStore):
        def read_versions(self, numbers: Sequence[int]) -> Mapping[int, str]:
            texts = {each: self.model.versions[each - 1] for each in numbers}
            texts.pop(2)
            return texts

    model = ParameterStoreModel()
    model.versions = [
        str(Pointer(serial=1, digest=None)),
        str(Pointer(serial=2, digest=None)),
        str(Pointer(serial=2, digest=None)),
    ]
    faults = Faults(Random(0), lambda: None)  # noqa: S311
    with pytest.raises(StaleReadError):
        read_state(cast("AwsRegistry", Missing(model, faults)))
