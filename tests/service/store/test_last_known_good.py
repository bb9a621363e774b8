"""The last good version of a folder, kept for processes that did not load it."""

from pathlib import Path

import pytest

from service.store.test_file_faults import GOOD, STALE, Seen, Site, ask, readiness
from support.store_fixture import write_injector


@pytest.fixture
def at(own_folder: Path) -> Site:
    return Site(own_folder)


def test_a_new_process_responds_with_what_another_one_loaded(at: Site) -> None:
    assert ask(at.process(kept=True)) == GOOD
    write_injector(at.store, policy="policy: [")
    later = at.process(kept=True)
    assert ask(later) == STALE
    assert at.records[-1]["refused"] is True
    assert (readiness(later), ask(at.process()).code) == (200, 500)
    write_injector(at.store, policy="policy: enabled")
    assert ask(later) == GOOD


def test_processes_agree_on_the_last_good_version(at: Site) -> None:
    first, second = at.process(kept=True), at.process(kept=True)
    assert (ask(first), ask(second)) == (GOOD, GOOD)
    write_injector(at.store, policy="policy: disabled")
    assert ask(second) == Seen(200, injected=False, stale=False)
    write_injector(at.store, policy="policy: [")
    # The first one never saw the version in between.
    assert ask(first) == ask(second) == Seen(200, injected=False, stale=True)


def test_what_is_retained_is_the_owners_alone_and_holds_no_callers(at: Site) -> None:
    assert ask(at.process(kept=True)) == GOOD
    [file] = (at.root / "state").iterdir()
    assert (file.name, file.stat().st_mode & 0o777) == ("default.json", 0o600)
    assert (at.root / "state").stat().st_mode & 0o777 == 0o700
    assert b'sha256\\":' not in file.read_bytes()
    assert b"prod-eu" not in file.read_bytes()


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"policy": 1, "version": "", "bundles": {}}']
)
def test_what_was_retained_and_is_damaged_is_as_if_it_were_not_there(
    content: bytes, at: Site
) -> None:
    assert ask(at.process(kept=True)) == GOOD
    (at.root / "state" / "default.json").write_bytes(content)
    assert ask(at.process(kept=True)) == GOOD
    (at.root / "state" / "default.json").write_bytes(content)
    write_injector(at.store, policy="policy: [")
    assert ask(at.process(kept=True)).code == 500


def test_a_folder_that_takes_nothing_stops_no_review(at: Site) -> None:
    (at.root / "state").write_bytes(b"a file")
    assert ask(at.process(kept=True)) == GOOD


def test_nothing_is_written_again_while_nothing_changes(at: Site) -> None:
    for _ in range(2):
        assert ask(at.process(kept=True)) == GOOD
    file = at.root / "state" / "default.json"
    before = file.stat().st_ino
    assert ask(at.process(kept=True)) == GOOD
    assert file.stat().st_ino == before
