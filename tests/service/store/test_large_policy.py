"""Policies with overrides in a bundle: they decide as complete ones, and fail as one version."""

from collections.abc import Mapping
from typing import Any

import pytest

from podgraft.base import jsonvalue
from podgraft.cli.parameter_values import ADVANCED_BYTES
from podgraft.cli.policy.large_policy import SIGNATURE_BYTES, split_policy
from podgraft.core import bundle
from podgraft.core.versions.errors import NotLoadedError, UntrustedError
from podgraft.core.versions.overrides import join_overrides
from podgraft.core.versions.snapshot import Snapshot
from podgraft.kube import yaml
from podgraft.service.store.aws.client import MissingError, RetryBudget
from podgraft.service.store.aws.store import CachedStore
from service.store.aws_fault_proxy import faulty_aws
from service.store.local_aws import BUNDLE, aws_world, is_injected, review
from support.memory_store import MemoryStore, cached_store, labelled_bundle

LIMIT = ADVANCED_BYTES - SIGNATURE_BYTES


class World:
    """A store in AWS with bundles *common* and *canary*, and the operator."""

    def __init__(self) -> None:
        self.memory, self.now = MemoryStore(), 0.0
        self.store = self.start()
        self.common, self.canary = (
            self.memory.upload(labelled_bundle(each)) for each in ("common", "canary")
        )

    def start(self) -> CachedStore:
        return cached_store(self.memory, 30.0, lambda: self.now, deferred=True)

    def make_document(self, clusters: int) -> str:
        document: dict[str, Any] = {
            "bundle": self.common,
            "groups": {"ring": {"bundle": self.canary, "members": ["eu-1", "eu-2"]}},
            "clusters": {f"eu-{n}": {"revision": f"r{n % 3}"} for n in range(clusters)},
        }
        return yaml.dump(document)

    def put(self, document: str) -> str:
        """Store a document as a push does; return the digest of its overrides."""
        split = split_policy(document)
        self.memory.upload(split.files)
        self.memory.put("istio", split.document)
        self.now += 31
        return split.digest

    def find_fresh(self, cluster: str) -> Snapshot:
        """Return a snapshot of the newest version; a slow machine needs several refreshes."""
        while (snapshot := self.store.snapshot("istio", cluster)).stale is not None:
            assert "still renders probe objects" in snapshot.stale.reason
            self.now += 31
        return snapshot

    def remove(self, lost: str) -> None:
        """Let the bucket lose a bundle."""
        files = self.memory.files

        def read(injector: str, digest: str | None, patience: RetryBudget) -> Mapping[str, bytes]:
            if digest == lost:
                raise MissingError("missing on purpose")
            return files(injector, digest, patience)

        self.memory.files = read


@pytest.mark.parametrize("clusters", [3, 340, 350, 360, 400, 2000])
def test_both_forms_decide_equally(clusters: int) -> None:
    world = World()
    document = world.make_document(clusters)
    is_large = bool(world.put(document))
    assert is_large == (len(document.encode()) > LIMIT)
    own = world.store.snapshot("istio", "eu-1")
    assert (own.bundle.digest, own.policy.revision) == (world.canary, "r1")
    last = world.store.snapshot("istio", f"eu-{clusters - 1}")
    assert last.policy.revision == f"r{(clusters - 1) % 3}"
    assert world.store.snapshot("istio", None).bundle.digest == world.common
    assert world.store.snapshot("istio", "us", None, ("ring",)).bundle.digest == world.canary


def test_the_switch_from_one_form_to_the_other_is_one_version() -> None:
    world = World()
    for version, clusters in enumerate((2, 400, 2, 500), start=1):
        world.put(world.make_document(clusters))
        snapshot = world.find_fresh("eu-1")
        assert snapshot.policy_version == str(version)


def test_missing_overrides_are_never_in_force() -> None:
    """An environment keeps the version before, and a new one looks for it."""
    world = World()
    world.put(world.make_document(2))
    assert world.store.snapshot("istio", "eu-1").policy_version == "1"
    world.remove(split_policy(world.make_document(400)).digest)
    world.put(world.make_document(400))
    for store in (world.store, world.start()):
        snapshot = store.snapshot("istio", "eu-1")
        assert snapshot.policy_version == "1"
        assert snapshot.stale is not None
        assert "missing on purpose" in snapshot.stale.reason


def test_without_an_earlier_version_a_start_fails() -> None:
    world = World()
    world.remove(world.put(world.make_document(400)))
    with pytest.raises(NotLoadedError, match="missing on purpose"):
        world.store.snapshot("istio", "eu-1")


def test_denied_overrides_leave_force_at_the_next_refresh() -> None:
    world = World()
    world.put(world.make_document(2))
    world.find_fresh("eu-1")
    digest = world.put(world.make_document(400))
    assert world.find_fresh("eu-1").policy_version == "2"
    world.memory.denied = jsonvalue.dump({digest: "test"})
    world.now += 31
    assert world.store.snapshot("istio", "eu-1").policy_version == "1"
    assert world.start().snapshot("istio", "eu-1").policy_version == "1"


def test_denied_bundles_in_overrides_are_not_in_force() -> None:
    world = World()
    world.put(world.make_document(400))
    world.memory.denied = jsonvalue.dump({world.canary: "test"})
    with pytest.raises(UntrustedError, match="is denied: test"):
        world.store.snapshot("istio", "eu-1")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# groups", "clusters: {eu-1: {revision: mine}}\n# groups"),  # clusters twice
        ("overrides: sha256:", "overrides:  sha256:"),
        ("overrides: sha256:", "overrides: sha256:0"),
    ],
)
def test_what_a_hand_breaks_does_not_load(old: str, new: str) -> None:
    world = World()
    split = split_policy(world.make_document(400))
    world.memory.upload(split.files)
    world.memory.put("istio", split.document.replace(old, new))
    with pytest.raises(NotLoadedError):
        world.store.snapshot("istio", "eu-1")


def test_a_hand_changes_the_rest_and_loses_nothing() -> None:
    """For example in the console, also if it removes the comments."""
    world = World()
    split = split_policy(world.make_document(400))
    world.memory.upload(split.files)
    lines = [each for each in split.document.splitlines() if not each.startswith("#")]
    world.memory.put("istio", "\r\n".join([*lines, "policy: disabled"]))
    snapshot = world.store.snapshot("istio", "eu-399")
    assert (snapshot.policy.revision, snapshot.bundle.rules.policy) == ("r0", "disabled")


def test_a_cold_function_reads_them_from_s3() -> None:
    """While the bucket does not have them, the version before is in force."""
    with faulty_aws() as faulty, aws_world(faulty) as world:
        clusters = "".join(f"  eu-{n}: {{revision: canary}}\n" for n in range(400))
        head = f"bundle: {bundle.digest(BUNDLE)}\npolicy: disabled\n"
        split = split_policy(f"{head}clusters:\n{clusters}")
        world.put_policy(split.document)
        assert is_injected(review(world.function()))
        assert world.put_bundle(dict(split.files)) == split.digest
        assert not is_injected(review(world.function()))


def test_files_that_are_no_text_are_an_error() -> None:
    files = {"groups.yaml": b"\xff"}
    digest = World().memory.upload(files)
    assert digest == bundle.digest(files)
    with pytest.raises(NotLoadedError, match=r"groups\.yaml is not UTF-8; push the policy again"):
        join_overrides(f"overrides: {digest}\n", lambda _: files)
