"""What is loaded from files that change, also while they are read."""

from collections.abc import Iterator
from itertools import count
from threading import Barrier, Thread

import pytest

from podgraft.core.versions.errors import NotLoadedError, StoreError, UnavailableError
from podgraft.service.store.folder.file_cache import FileCache, LoadedValue

AGES = "podgraft.base.system.age_clock"


def test_files_that_change_while_they_are_read_are_read_again() -> None:
    fingerprints = iter([0, 0, 1, 1, 1])
    loads = count()
    reloading = FileCache(lambda: next(fingerprints), lambda: next(loads))
    assert reloading.current() == LoadedValue(1)


def test_files_that_never_rest_are_tried_again_at_each_look() -> None:
    fingerprints = count()
    reloading = FileCache(lambda: next(fingerprints), lambda: "half")
    for _ in range(2):
        with pytest.raises(UnavailableError, match="the files change faster"):
            reloading.current()


def test_files_rest_for_a_while_after_a_look(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(AGES, lambda: now[0])
    fingerprint = [0]
    loading = FileCache(lambda: fingerprint[0], lambda: fingerprint[0], seconds=0.5)
    assert loading.current() == LoadedValue(0)
    fingerprint[0] = 1
    now[0] = 100.4
    assert loading.current() == LoadedValue(0)
    now[0] = 100.5
    assert loading.current() == LoadedValue(1)


@pytest.mark.parametrize(("files", "looks"), [(2, 100), (100, 100), (2000, 6), (10_000, 2)])
def test_a_look_at_many_files_is_rare(
    files: int, looks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One hundred reviews in a second look at about as many files, however many there are."""
    now = [0.0]
    monkeypatch.setattr(AGES, lambda: now[0])
    taken: list[int] = []

    def fingerprint() -> tuple[int, ...]:
        taken.append(files)
        return tuple(range(files))

    loading = FileCache(fingerprint, lambda: "loaded")
    loading.current()
    taken.clear()
    for review in range(1, 101):
        now[0] = review / 100
        loading.current()
    assert len(taken) in {looks, looks - 1}


def test_what_never_loaded_is_looked_at_without_a_rest() -> None:
    outcomes = iter([UnavailableError("away"), UnavailableError("away"), "good"])

    def load() -> str:
        outcome = next(outcomes)
        if isinstance(outcome, StoreError):
            raise outcome
        return outcome

    loading = FileCache(lambda: 0, load, seconds=60)
    for _ in range(2):
        with pytest.raises(UnavailableError, match="away"):
            loading.current()
    assert loading.current() == LoadedValue("good")


def test_what_does_not_load_is_not_tried_again_while_nothing_changes() -> None:
    outcomes: Iterator[str | StoreError] = iter(["good", NotLoadedError("bad"), "better"])
    loads: list[object] = []
    fingerprint = [0]

    def load() -> str:
        outcome = next(outcomes)
        loads.append(outcome)
        if isinstance(outcome, StoreError):
            raise outcome
        return outcome

    reloading = FileCache(lambda: fingerprint[0], load)
    assert reloading.current() == LoadedValue("good")
    fingerprint[0] = 1
    for _ in range(3):
        current = reloading.current()
        assert (current.value, str(current.error)) == ("good", "bad")
    assert len(loads) == 2
    fingerprint[0] = 2
    assert reloading.current() == LoadedValue("better")


def test_what_cannot_be_reached_is_tried_again_although_nothing_changes() -> None:
    outcomes: Iterator[str | StoreError] = iter([UnavailableError("no disk"), "back"])

    def load() -> str:
        outcome = next(outcomes)
        if isinstance(outcome, StoreError):
            raise outcome
        return outcome

    reloading = FileCache(lambda: 0, load)
    with pytest.raises(UnavailableError):
        reloading.current()
    assert reloading.current() == LoadedValue("back")


def test_threads_share_one_load() -> None:
    loads: list[int] = []
    together = Barrier(8)
    seen: list[LoadedValue[str]] = []

    def load() -> str:
        loads.append(1)
        return "loaded"

    reloading = FileCache(lambda: 0, load)

    def look() -> None:
        together.wait()
        seen.append(reloading.current())

    threads = [Thread(target=look) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(loads), seen) == (1, [LoadedValue("loaded")] * 8)
