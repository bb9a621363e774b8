"""A stored version of a policy, and what it refers to."""

from collections.abc import Callable, Mapping
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from podgraft.cli.failure import CommandError, convert_errors
from podgraft.core import policy
from podgraft.core.policy import Policy
from podgraft.core.versions.errors import InvalidVersionError
from podgraft.core.versions.overrides import join_overrides

from .document_text import strip_signature


class PolicyVersion(Struct, frozen=True, kw_only=True):
    """One version of the policy parameter."""

    number: int
    stored: str
    date: datetime | None
    author: str
    is_advanced: bool
    message: str = ""
    read: Callable[[str], Mapping[str, bytes]]

    @property
    def label(self) -> str:
        """The version in words."""
        return f"version {self.number}"

    @property
    def document(self) -> str:
        """The complete text, with the overrides that ``stored`` names.

        Raises ``CommandError`` if the bucket does not have them.
        """
        with convert_errors(InvalidVersionError, place=self.label):
            return join_overrides(self.stored, self.read)

    @property
    def policy(self) -> Policy | None:
        """The parsed policy; None for an invalid one, and without the overrides."""
        try:
            return policy.parse(self.document)
        except (policy.PolicyError, CommandError):
            return None

    @property
    def person(self) -> str:
        """The last part of the author's ARN: a user, or the session of a role."""
        return self.author.rpartition("/")[2] or "-"


class StoredPolicy(Struct, frozen=True, kw_only=True):
    """The policy in force: its text, its version, and when it was stored."""

    text: str
    label: str
    date: datetime | None
    version: PolicyVersion | None = None

    @property
    def number(self) -> int | None:
        """The number of the version; None in a folder, which has none."""
        return None if self.version is None else self.version.number

    @property
    def document(self) -> str:
        """The text without its signature."""
        return strip_signature(self.text)


def to_stored(version: PolicyVersion) -> StoredPolicy:
    """Return the policy of one version."""
    return StoredPolicy(
        text=version.document, label=version.label, date=version.date, version=version
    )


def strip_overrides(read: Policy) -> Policy:
    """Return the policy of a cluster without the overrides of others, to compare it."""
    return replace(read, overrides={}, groups={}, warnings=())


def bundle_digest(version: PolicyVersion) -> str:
    """Return the bundle digest of a version; raises ``CommandError`` if it has none."""
    with convert_errors(policy.PolicyError, place=f"{version.label} does not validate"):
        digest = policy.parse(version.document).bundle
    if digest is None:
        raise CommandError(f"{version.label} names no bundle; push one")
    return digest


def find_digests(version: PolicyVersion) -> tuple[str | None, Mapping[str, str]]:
    """Return the bundle, and other bundles by cluster and by ``group NAME``; none if invalid."""
    read = version.policy
    if read is None:
        return None, {}
    groups = {f"group {name}": each.override for name, each in sorted(read.groups.items())}
    others = {**groups, **dict(sorted(read.clusters.items()))}
    bundles = ((name, own.bundle) for name, own in others.items())
    return read.bundle, {name: own for name, own in bundles if own and own != read.bundle}
