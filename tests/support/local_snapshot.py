"""A snapshot of a policy document and the files of a bundle."""

from collections.abc import Mapping

from podgraft.core import bundle, policy
from podgraft.core.bundle import Bundle
from podgraft.core.policy import Policy
from podgraft.core.versions.snapshot import Snapshot


def load_snapshot(document: str, files: Mapping[str, bytes]) -> Snapshot:
    """Compile a bundle; raises ``BundleError`` and ``PolicyError``."""
    read = policy.parse(document)
    return make_snapshot(read, bundle.compile_(files, read))


def make_snapshot(policy_: Policy, compiled: Bundle) -> Snapshot:
    """The snapshot of a compiled bundle and its policy."""
    return Snapshot(policy=policy_, policy_version="local", bundle=compiled)
