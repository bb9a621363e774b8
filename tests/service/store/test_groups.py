"""Clusters in groups: which bundle answers, and what a fleet costs."""

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from podgraft.base import jsonvalue
from podgraft.base.diagnostics import Diagnostic
from podgraft.core.bundle import Bundle, BundleError
from podgraft.core.policy import Policy
from podgraft.core.versions.candidate import DisabledReason
from podgraft.core.versions.errors import InvalidVersionError, NotLoadedError, UntrustedError
from podgraft.core.versions.snapshot import BundleCache
from podgraft.service.store.aws.client import MissingError, RetryBudget
from support.memory_store import MemoryStore, cached_store, labelled_bundle

FLEET, RINGS = 1_000, 20
MAX_BYTES = 8_192  # of a parameter


class World:
    """A store in AWS, and the operator."""

    def __init__(self, *, deferred: bool = False) -> None:
        self.memory = MemoryStore()
        self.now = 0.0
        self.store = cached_store(self.memory, 30.0, lambda: self.now, deferred=deferred)

    def put(self, **document: Any) -> None:
        self.memory.put("istio", jsonvalue.dump(document))
        self.now += 31

    def upload(self, label: str) -> str:
        return self.memory.upload(labelled_bundle(label))

    def bundle(self, cluster: str | None, *groups: str) -> str:
        return self.store.snapshot("istio", cluster, None, groups).bundle.digest


@pytest.mark.parametrize("deferred", [True, False])
def test_a_group_gives_its_clusters_a_bundle(deferred: bool) -> None:
    world = World(deferred=deferred)
    common, canary, own = map(world.upload, ("common", "canary", "own"))
    world.put(
        bundle=common,
        groups={"canary": {"bundle": canary, "members": ["test-*"], "policy": "disabled"}},
        clusters={"prod-1": {"bundle": own}, "test-2": {"policy": "enabled"}},
    )
    assert world.bundle("prod-2") == common
    assert world.bundle("prod-2", "canary") == canary
    assert world.bundle("prod-2", "unknown") == common
    assert world.bundle("test-1") == canary
    assert world.bundle("prod-1", "canary") == own
    assert world.bundle(None, "canary") == common
    snapshot = world.store.snapshot("istio", "test-2")
    assert snapshot.bundle.digest == canary
    assert snapshot.groups == ("canary",)
    assert snapshot.bundle.rules.policy == "enabled"
    assert world.store.snapshot("istio", "test-1").bundle.rules.policy == "disabled"


def test_a_fleet_of_20_rings_with_a_bundle_each_fits_and_compiles_20_bundles() -> None:
    """The number of pairs of groups and overrides counts, and not that of clusters."""
    world = World()
    digests = {f"ring-{n:02}": world.upload(f"ring-{n}") for n in range(RINGS)}
    document: Mapping[str, Any] = {
        "bundle": world.upload("common"),
        "groups": {
            name: {"order": n, "bundle": digest} for n, (name, digest) in enumerate(digests.items())
        },
    }
    assert len(jsonvalue.dump(dict(document)).encode()) < MAX_BYTES
    world.put(**document)
    world.bundle(None)
    world.memory.requests.clear()
    for number in range(FLEET):
        ring = f"ring-{number % RINGS:02}"
        assert world.bundle(f"prod-{number}", ring) == digests[ring]
    assert "bundle" not in world.memory.requests
    made = world.store.snapshot("istio", "prod-1", None, ("ring-01",))
    assert world.store.snapshot("istio", "prod-21", None, ("ring-01",)) is made


def test_groups_that_were_never_combined_need_no_request() -> None:
    world = World()
    common = world.upload("common")
    next_ = world.upload("next")
    world.put(bundle=common, groups={"a": {"bundle": next_}, "b": {"revision": "canary"}})
    world.bundle("x")
    world.memory.requests.clear()
    snapshot = world.store.snapshot("istio", "x", None, ("a", "b"))
    assert snapshot.bundle.digest == next_
    assert snapshot.policy.revision == "canary"
    assert world.memory.requests == []


def test_a_version_with_a_missing_bundle_of_a_group_is_not_in_force() -> None:
    world = World()
    common = world.upload("common")
    world.put(bundle=common)
    assert world.bundle("x", "a") == common
    files = world.memory.files

    def read(injector: str, digest: str | None, patience: RetryBudget) -> Mapping[str, bytes]:
        if digest != common:
            raise MissingError("missing on purpose")
        return files(injector, digest, patience)

    world.memory.files = read
    world.put(bundle=common, groups={"a": {"bundle": f"sha256:{7:064}"}})
    snapshot = world.store.snapshot("istio", "x", None, ("a",))
    assert snapshot.policy_version == "1"
    assert snapshot.stale is not None


def test_a_denied_bundle_of_a_group_is_not_in_force() -> None:
    world = World()
    common, canary = world.upload("common"), world.upload("canary")
    world.put(bundle=common, groups={"a": {"bundle": canary}})
    assert world.bundle("x", "a") == canary
    world.memory.denied = f'"{canary}": test'
    world.now += 31
    with pytest.raises((UntrustedError, NotLoadedError), match="is denied"):
        world.bundle("x", "a")


def test_groups_that_do_not_compile_together_fail_for_their_clusters_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each of them is valid by itself; ``explain --group`` shows it before."""
    world = World()
    common, other = world.upload("common"), world.upload("other")
    make = BundleCache.bundle

    def fail_together(self: BundleCache, requested: Policy) -> Bundle:
        if (requested.bundle, requested.revision) == (other, "r"):
            raise BundleError([Diagnostic("does not compile", "mend it")])
        return make(self, requested)

    monkeypatch.setattr(BundleCache, "bundle", fail_together)
    groups = {"a": {"bundle": other}, "b": {"revision": "r"}}
    world.put(bundle=common, groups=groups)
    assert world.bundle("x", "a") == other
    assert world.bundle("x", "b") == common
    problem = r"injector \w+ does not load: /groups: with the groups a, b: .*does not compile"
    with pytest.raises(InvalidVersionError, match=problem):
        world.bundle("x", "a", "b")
    assert world.bundle("y", "a") == other


def test_a_candidate_is_that_of_the_groups_of_the_cluster() -> None:
    world = World()
    common, next_, own = map(world.upload, ("common", "next", "own"))
    rollout = {
        "id": "a",
        "mode": "share",
        "share": 0,
        "groups": {"ring": 100},
        "candidate": {"bundle": next_},
    }
    world.put(bundle=common, groups={"ring": {}, "fixed": {"bundle": own}}, rollout=rollout)

    def candidate(*groups: str) -> str:
        found = world.store.snapshot("istio", "x", None, groups).candidate
        assert found is not None
        assert found.snapshot is not None
        return found.snapshot.bundle.digest

    assert candidate("ring") == next_
    assert candidate("fixed") == own
    world.memory.brakes = ("id: a",)
    world.now += 31
    stopped = world.store.snapshot("istio", "x", None, ("ring",)).candidate
    assert stopped is not None
    assert stopped.disabled is DisabledReason.BRAKE
    assert replace(stopped, disabled=None).rollout is not None
