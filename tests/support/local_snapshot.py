"""A snapshot of a policy document and the files of a bundle."""

from collections.abc import Mapping

from podgraft.cli.offline import make_snapshot
from podgraft.core import bundle, policy
from podgraft.service.store import Snapshot


def load_snapshot(document: str, files: Mapping[str, bytes]) -> Snapshot:
    """Compile a bundle; raises ``BundleError`` and ``PolicyError``."""
    read = policy.parse(document)
    return make_snapshot(read, bundle.compile_(files, read))
