"""``podgraft serve`` reports at start what loads and does not render."""

from pathlib import Path

import pytest

from podgraft.cli.startup_check import survey
from podgraft.service.http import Auth
from podgraft.service.store.folder import FolderCallers, FolderStore
from podgraft.service.store.last_known_good import FileLastKnownGoodStore
from support.broken_bundles import BROKEN, POLICY, BrokenBundle
from support.store_fixture import write, write_injector


def put(folder: Path, broken: BrokenBundle, name: str = "shop") -> None:
    """Write an injector with a broken bundle."""
    policy = POLICY if "injector.yaml" in broken.files else None
    write_injector(folder, name, policy=policy, files=broken.files)


@pytest.mark.parametrize("broken", BROKEN, ids=str)
def test_a_store_of_which_nothing_renders_is_not_served(
    broken: BrokenBundle, tmp_path: Path
) -> None:
    put(tmp_path, broken)
    found = survey(tmp_path, FolderStore(tmp_path), FolderCallers(tmp_path), Auth.NONE)
    assert found.problem
    (error,) = found.errors
    assert broken.problem in error


def test_one_broken_injector_stops_no_other(tmp_path: Path) -> None:
    write_injector(tmp_path, "good")
    put(tmp_path, BROKEN[0])
    found = survey(tmp_path, FolderStore(tmp_path), FolderCallers(tmp_path), Auth.NONE)
    assert not found.problem
    (error,), (line,) = found.errors, found.lines
    assert "injector shop does not load" in error
    assert line.startswith("injector good: ")


def test_a_last_good_version_is_served_and_reported(tmp_path: Path) -> None:
    store, state = tmp_path / "store", tmp_path / "state"
    state.mkdir()
    write_injector(store, "shop", policy="policy: enabled")
    FolderStore(store, last_known_good=FileLastKnownGoodStore(state)).snapshot("shop", None)
    for name, content in BROKEN[0].files.items():
        write(store / "shop" / "bundle" / name, content)
    restarted = FolderStore(store, last_known_good=FileLastKnownGoodStore(state))
    found = survey(store, restarted, FolderCallers(store), Auth.NONE)
    assert not found.problem
    (error,) = found.errors
    assert "does not load" in error
