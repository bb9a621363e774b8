"""Candidates in both stores: brakes, the deny list, signatures, staleness, and retries."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from podgraft.core import bundle
from podgraft.core.signing.verifier import Verifier
from podgraft.core.versions.brake import MAX_FAILURES, Fuse, is_stopped, parse_brakes
from podgraft.core.versions.candidate import MAX_BYTES, Candidate
from podgraft.core.versions.errors import NotLoadedError, UnavailableError
from podgraft.core.versions.snapshot import Snapshot
from podgraft.service.store.aws.client import RetryBudget
from podgraft.service.store.folder import FolderStore
from podgraft.service.store.last_known_good import FileLastKnownGoodStore
from service.http.conftest import Clock
from support.memory_store import MemoryStore, cached_store, labelled_bundle
from support.signers import MemorySigner
from support.store_fixture import BUNDLE, write, write_injector

CANDIDATE = labelled_bundle("2.0")


def make_document(bundle: str, candidate: str, *, id_: str = "a", share: str = "100") -> str:
    return f"""\
bundle: {bundle}
clusters: {{dev: {{policy: disabled}}}}
rollout:
  id: {id_}
  mode: share
  share: {share}
  candidate:
    bundle: {candidate}
"""


class Memory(MemoryStore):
    """A store in which S3 can be out of reach."""

    def __init__(self) -> None:
        super().__init__()
        self.problem: Exception | None = None

    def files(
        self, injector: str, digest: str | None, patience: RetryBudget
    ) -> Mapping[str, bytes]:
        files = super().files(injector, digest, patience)
        if self.problem is not None and digest == self.candidate:
            raise self.problem
        return files

    def start(self, files: Mapping[str, bytes] = CANDIDATE, **keys: str) -> None:
        self.stable, self.candidate = self.upload(BUNDLE), self.upload(files)
        self.put("istio", make_document(self.stable, self.candidate, **keys))


class World:
    """A running environment, with a clock."""

    def __init__(self, verifier: Verifier | None = None) -> None:
        self.memory, self.clock = Memory(), Clock()
        self.memory.start()
        self.store = cached_store(self.memory, 30, self.clock, verifier=verifier)

    def read(self, after: float = 0.0, cluster: str | None = None) -> Snapshot:
        self.clock.seconds += after
        return self.store.snapshot("istio", cluster)

    def candidate(self, after: float = 0.0, cluster: str | None = None) -> Candidate:
        candidate = self.read(after, cluster).candidate
        assert candidate is not None
        return candidate


def test_a_candidate_is_compiled_for_each_cluster() -> None:
    world = World()
    for cluster in (None, "dev"):
        candidate = world.candidate(cluster=cluster)
        assert candidate.snapshot is not None
        assert (candidate.disabled, candidate.snapshot.bundle.digest) == (
            None,
            world.memory.candidate,
        )
        expected = "disabled" if cluster else "enabled"
        assert candidate.snapshot.bundle.rules.policy == expected
    assert world.read().bundle.digest == world.memory.stable


def test_a_policy_without_a_rollout_has_no_candidate_and_no_further_request() -> None:
    world = World()
    world.memory.put("istio", f"bundle: {world.memory.stable}\n")
    assert world.read().candidate is None
    assert world.memory.requests == ["policy", "bundle"]


def test_a_candidate_with_other_rules_only_compiles_nothing() -> None:
    world = World()
    world.memory.put(
        "istio",
        f"bundle: {world.memory.stable}\n"
        "rollout: {id: a, mode: share, candidate: {policy: disabled}}\n",
    )
    candidate = world.candidate()
    assert candidate.snapshot is not None
    assert candidate.snapshot.bundle.pod_mutators is world.read().bundle.pod_mutators
    assert candidate.snapshot.bundle.rules.policy == "disabled"
    assert world.memory.requests == ["policy", "bundle"]


@pytest.mark.parametrize(
    ("brake", "stops"),
    [
        ("id: a", True),
        ("id: b", False),
        ('id: "*"', True),
        ('{"id": "a", "at": "2026-11-22T08:31:07Z", "by": "guard"}', True),
        ("", True),
        ("{}", True),
        ("id: 5", True),
        ("id: ''", True),
        ("[a]", True),
        ("id: [", True),
    ],
)
def test_a_brake_stops_its_rollout_and_an_unclear_one_every_rollout(
    brake: str, stops: bool
) -> None:
    assert is_stopped("a", parse_brakes([brake])) is stops
    world = World()
    assert world.candidate().disabled is None
    world.memory.brakes = (brake,)
    assert world.candidate(after=29).disabled is None
    assert world.candidate(after=2).disabled == ("brake" if stops else None)
    world.memory.brakes = ()
    assert world.candidate(after=31).disabled is None


def test_a_brake_compiles_nothing_and_sends_no_further_request() -> None:
    world = World()
    before = world.read()
    world.memory.requests.clear()
    world.memory.brakes = ("id: a",)
    after = world.read(after=31)
    assert after.bundle is before.bundle
    assert world.memory.requests == ["policy"]


def test_without_a_read_the_candidate_is_disabled_after_three_intervals() -> None:
    world = World()
    assert world.candidate().disabled is None
    world.memory.reachable = False
    world.memory.brakes = ("id: a",)
    assert world.candidate(after=90).disabled is None
    assert world.candidate(after=1).disabled == "stale"
    world.memory.reachable = True
    assert world.candidate(after=31).disabled == "brake"


@pytest.mark.parametrize(
    ("problem", "reason"),
    [(UnavailableError("S3"), "unavailable"), (NotLoadedError("damaged"), "refused")],
)
def test_a_candidate_that_was_out_of_reach_is_tried_again(problem: Exception, reason: str) -> None:
    world = World()
    world.memory.problem = problem
    snapshot = world.read()
    assert (snapshot.stale, world.candidate().disabled) == (None, reason)
    world.memory.problem = None
    after = world.read(after=31)
    assert (after.stale, after.bundle) == (None, snapshot.bundle)
    assert world.candidate().disabled == (None if reason == "unavailable" else "refused")


def test_a_candidate_that_was_refused_is_tried_again_with_the_next_version() -> None:
    world = World()
    world.memory.problem = NotLoadedError("damaged")
    assert world.candidate().disabled == "refused"
    world.memory.problem = None
    world.memory.start(share="50")
    assert world.candidate(after=31).disabled is None


def test_a_large_candidate_is_refused() -> None:
    world = World()
    world.memory.start({**CANDIDATE, "z.yaml": b"#" * MAX_BYTES})
    candidate = world.candidate()
    size = MAX_BYTES + sum(map(len, CANDIDATE.values()))
    assert (candidate.disabled, candidate.problem) == (
        "refused",
        f"/rollout/candidate/bundle: got {size:,} bytes; reduce it to at most 4,194,304",
    )


def test_a_denied_candidate_is_refused_also_if_it_is_denied_later() -> None:
    world = World()
    assert world.candidate().disabled is None
    world.memory.denied = f"{world.memory.candidate}: runs an old proxy\n"
    candidate = world.candidate(after=31)
    assert candidate.disabled == "refused"
    assert "is denied: runs an old proxy" in candidate.problem
    assert world.read().stale is None
    # Also if the version in force is an earlier one.
    world.memory.denied = ""
    assert world.candidate(after=31).disabled is None
    world.memory.put("istio", "bundle: 5")
    assert world.candidate(after=31).disabled is None
    world.memory.denied = f"{world.memory.candidate}: runs an old proxy\n"
    assert world.candidate(after=31).disabled == "refused"


def test_the_signature_covers_the_candidate() -> None:
    signer = MemorySigner()
    world = World(Verifier((signer.public_key,)))
    memory = world.memory
    text = make_document(memory.stable, memory.candidate)
    name = "/podgraft/istio/policy"
    memory.put("istio", signer.sign_document(text, name, 2, memory.stable))
    assert world.candidate().disabled is None
    other = memory.upload(labelled_bundle("3.0"))
    signed = signer.sign_document(text, name, 3, memory.stable)
    memory.put("istio", signed.replace(memory.candidate, other))
    after = world.read(after=31)
    assert after.policy_version == "2"  # the changed document is not valid
    assert "signature" in str(after.stale)


def test_the_fuse_closes_when_a_brake_changes() -> None:
    world = World()
    fuse = world.candidate().fuse
    for _ in range(MAX_FAILURES):
        assert not fuse.is_open
        fuse.record_failure()
    assert world.candidate(after=31).fuse.is_open
    world.memory.brakes = ("id: other",)
    assert not world.candidate(after=31).fuse.is_open


def test_a_new_fuse_is_closed() -> None:
    assert not Fuse().is_open


# Folders


class Folder:
    """A folder store with a rollout."""

    def __init__(self, path: Path, last_known_good: FileLastKnownGoodStore | None = None) -> None:
        self.path = write_injector(path, "istio")
        self.candidate = self.upload(CANDIDATE)
        write(path / "istio/policy.yaml", self.document().encode())
        self.store = FolderStore(path, last_known_good=last_known_good)

    def upload(self, files: Mapping[str, bytes]) -> str:
        digest = bundle.digest(files)
        for name, content in files.items():
            write(self.path / "istio/bundles" / digest.removeprefix("sha256:") / name, content)
        return digest

    def document(self) -> str:
        lines = make_document("", self.candidate).splitlines(keepends=True)
        return "".join(line for line in lines if not line.startswith("bundle:"))

    def read(self) -> Candidate:
        candidate = self.store.snapshot("istio", None).candidate
        assert candidate is not None
        return candidate


@pytest.mark.parametrize("place", ["brake.yaml", "istio/brake.yaml"])
def test_a_brake_in_a_folder_stops_the_rollout_at_once(tmp_path: Path, place: str) -> None:
    folder = Folder(tmp_path)
    assert folder.read().disabled is None
    write(tmp_path / place, b"id: b\n")
    assert folder.read().disabled is None
    write(tmp_path / place, b"id: a\n")
    assert folder.read().disabled == "brake"
    (tmp_path / place).unlink()
    assert folder.read().disabled is None


def test_a_brake_has_an_effect_while_the_policy_does_not_load(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    assert folder.read().disabled is None
    write(tmp_path / "istio/policy.yaml", b"polcy: enabled")
    assert folder.read().disabled is None
    write(tmp_path / "istio/brake.yaml", b"id: a\n")
    assert folder.read().disabled == "brake"


def test_an_unreadable_brake_stops_the_rollout(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    assert folder.read().disabled is None
    (tmp_path / "brake.yaml").mkdir()
    assert folder.read().disabled == "stale"


def test_a_missing_candidate_of_a_folder_is_refused(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    text = folder.document().replace(folder.candidate, "sha256:" + "0" * 64)
    write(tmp_path / "istio/policy.yaml", text.encode())
    candidate = folder.read()
    assert candidate.disabled == "refused"
    assert "is not under bundles/" in candidate.problem


def test_a_candidate_that_is_denied_while_the_files_do_not_load(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    assert folder.read().disabled is None
    write(tmp_path / "istio/policy.yaml", b"polcy: enabled")
    write(tmp_path / "denied.yaml", f"{folder.candidate}: old\n".encode())
    assert folder.read().disabled == "refused"


def test_the_last_known_good_version_has_its_candidate(tmp_path: Path) -> None:
    stored = FileLastKnownGoodStore(tmp_path / "good")
    folder = Folder(tmp_path / "store", last_known_good=stored)
    assert folder.read().disabled is None
    write(folder.path / "istio/policy.yaml", b"polcy: enabled")
    other = FolderStore(folder.path, last_known_good=FileLastKnownGoodStore(tmp_path / "good"))
    restored = other.snapshot("istio", None).candidate
    assert restored is not None
    assert restored.disabled is None
