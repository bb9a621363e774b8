"""A version that does not render never replaces one that does, whatever the store."""

from pathlib import Path

import pytest

from podgraft.base.deadline import Deadline
from podgraft.core.versions.errors import NotLoadedError
from podgraft.core.versions.snapshot import Snapshot
from podgraft.service.store.folder import FolderStore
from support.broken_bundles import BROKEN, POLICY, BrokenBundle, Files, container, overlay, sample
from support.memory_store import MemoryStore, cached_store
from support.store_fixture import write_injector


class Clock:
    """A clock that goes on by *step* seconds at each look."""

    def __init__(self) -> None:
        self.now = 0.0
        self.step = 0.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now


class Cloud:
    """A store over policies and bundles in memory, whose time stands still unless told."""

    def __init__(self, *, deferred: bool = True) -> None:
        self.clock, self.memory = Clock(), MemoryStore()
        self.store = cached_store(self.memory, 30, self.clock, deferred=deferred)

    def push(self, files: Files, document: str = "policy: enabled\n") -> None:
        self.memory.put("default", f"{document}bundle: {self.memory.upload(files)}\n")

    def look(self) -> Snapshot:
        """The snapshot at the next refresh, of a review that has ten seconds."""
        self.clock.now += 31
        return self.store.snapshot("default", None, Deadline.from_timeout(10.0, self.clock))


def document(files: Files) -> str:
    return POLICY if "injector.yaml" in files else "policy: enabled\n"


@pytest.mark.parametrize("broken", BROKEN, ids=str)
def test_a_running_function_stays_with_the_version_that_renders(broken: BrokenBundle) -> None:
    cloud = Cloud()
    cloud.push(sample(), POLICY)
    before = cloud.look()
    cloud.push(broken.files, document(broken.files))
    after = cloud.look()
    assert after.bundle.digest == before.bundle.digest
    assert after.stale is not None
    assert after.stale.is_invalid
    assert broken.problem in after.stale.reason
    cloud.push({**sample(), "n.yaml": b"{apiVersion: v1, kind: Namespace, metadata: {name: shop}}"})
    assert cloud.look().stale is None


@pytest.mark.parametrize("broken", BROKEN, ids=str)
def test_a_folder_stays_with_the_version_that_renders(broken: BrokenBundle, tmp_path: Path) -> None:
    write_injector(tmp_path, policy=POLICY, files=sample())
    store = FolderStore(tmp_path)
    before = store.snapshot("default", None)
    replace(tmp_path, broken.files)
    write_injector(tmp_path, policy=document(broken.files), files=broken.files)
    after = store.snapshot("default", None)
    assert after.bundle.digest == before.bundle.digest
    assert after.stale is not None
    assert after.stale.is_invalid
    assert broken.problem in after.stale.reason
    with pytest.raises(NotLoadedError):
        FolderStore(tmp_path).snapshot("default", None)


def replace(store: Path, files: Files) -> None:
    """Delete the files of the bundle that are not among *files*."""
    for path in (store / "default" / "bundle").iterdir():
        if path.name not in files:
            path.unlink()


def test_a_cold_start_renders_no_probe_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    from podgraft.core.versions import trial

    monkeypatch.delattr(trial, "Proof")
    cloud = Cloud()
    cloud.push(overlay(container("/a")))
    assert cloud.look().stale is None


def test_a_proof_takes_the_time_of_a_refresh_and_goes_on_in_the_next() -> None:
    cloud = Cloud()
    cloud.push(sample(), POLICY)
    before = cloud.look()
    newer = {**sample(), "n.yaml": b"{apiVersion: v1, kind: Namespace, metadata: {name: shop}}"}
    cloud.push(newer, POLICY)
    refreshes = 0
    cloud.clock.step = 0.5  # two looks at the clock, and the patience of a refresh is over
    while (snapshot := cloud.look()).bundle.digest == before.bundle.digest:
        refreshes += 1
        assert snapshot.stale is not None
        assert not snapshot.stale.is_invalid
        assert "policy version 2 still renders probe objects" in snapshot.stale.reason
    assert refreshes > 5
    assert snapshot.stale is None


def test_a_version_that_is_replaced_during_its_proof_is_forgotten() -> None:
    cloud = Cloud()
    cloud.push(sample(), POLICY)
    cloud.look()
    cloud.push(overlay(container("/a")))
    cloud.clock.step = 0.5
    assert cloud.look().stale is not None
    cloud.clock.step = 0.0
    cloud.push(sample(), POLICY)
    assert cloud.look().stale is None
    assert cloud.look().policy_version == "3"


def test_each_bundle_of_the_clusters_is_tried() -> None:
    cloud = Cloud()
    cloud.push(sample(), POLICY)
    cloud.look()
    broken = cloud.memory.upload(overlay(container("/a")))
    cloud.push(sample(), f"{POLICY}\nclusters: {{eu: {{bundle: '{broken}'}}}}\n")
    stale = cloud.look().stale
    assert stale is not None
    assert "invalid image" in stale.reason
