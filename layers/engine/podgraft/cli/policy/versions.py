"""What a stored version of a policy refers to."""

from collections.abc import Mapping

from podgraft.cli.failure import CommandError
from podgraft.core import policy

from .cloud import PolicyVersion


def bundle_digest(version: PolicyVersion) -> str:
    """Return the bundle digest of a version; raises ``CommandError`` if it has none."""
    try:
        digest = policy.parse(version.document).bundle
    except policy.PolicyError as error:
        raise CommandError(f"version {version.number} does not validate: {error}") from error
    if digest is None:
        raise CommandError(f"version {version.number} names no bundle; push one")
    return digest


def find_digests(version: PolicyVersion) -> tuple[str | None, Mapping[str, str]]:
    """Return the bundle, and other bundles by cluster and by ``group NAME``; none if invalid."""
    try:
        read = policy.parse(version.document)
    except (policy.PolicyError, CommandError):
        return None, {}
    groups = {f"group {name}": each.override for name, each in sorted(read.groups.items())}
    others = {**groups, **dict(sorted(read.clusters.items()))}
    bundles = ((name, own.bundle) for name, own in others.items())
    return read.bundle, {name: own for name, own in bundles if own and own != read.bundle}
