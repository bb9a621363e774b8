"""The load of a policy with all its bundles, as the function does before it switches to it."""

from collections.abc import Collection, Mapping
from typing import TypeAlias

from podgraft.cli.failure import CommandError, convert_errors
from podgraft.core import policy
from podgraft.core.versions import trial
from podgraft.core.versions.errors import InvalidVersionError, StoreError
from podgraft.core.versions.snapshot import SnapshotSet
from podgraft.core.versions.snapshot_loader import load_snapshots
from podgraft.core.versions.version_check import NO_CHECK, VersionCheck
from podgraft.service.store.caller_document import Callers

from .large_policy import list_needed
from .storage import PolicyStorage

# Files by path, by the digest of their bundle.
Bundles: TypeAlias = Mapping[str, Mapping[str, bytes]]


def find_registered_groups(
    storage: PolicyStorage, known: Collection[str], cluster: str | None
) -> tuple[str, ...]:
    """Return the *known* groups that a cluster has in the registry.

    Nothing is read without groups, or without a cluster.
    """
    if cluster is None or not known:
        return ()
    callers = storage.callers.get(cluster, Callers())
    return tuple(name for name in callers.groups if name in known)


def load_version(
    storage: PolicyStorage,
    document: str,
    label: int | str,
    check: VersionCheck = NO_CHECK,
    local: Bundles | None = None,
) -> SnapshotSet:
    """Load a policy, and render probe objects; raises ``CommandError``.

    Bundles of *local* are not read from the storage. A candidate that does not load is disabled in
    the result, as in the function.
    """
    files = local or {}

    def fetch(digest: str | None) -> Mapping[str, bytes]:
        own = None if digest is None else files.get(digest)
        return storage.read_bundle(digest) if own is None else own

    with convert_errors(StoreError):
        snapshots = load_snapshots(storage.injector, document, str(label), fetch, check=check)
        trial.prove(storage.injector, snapshots.values())
    return snapshots


def load_new_version(
    storage: PolicyStorage, document: str, label: int | str, local: Bundles | None = None
) -> None:
    """Load a policy that a command stores, with its candidate; raises ``CommandError``.

    All bundles are read first, so a missing bundle of a candidate is an error, too.
    """
    own = local or {}
    digests = policy.parse(document).digests
    files = {each: own[each] if each in own else storage.read_bundle(each) for each in digests}
    prove_candidate(storage.injector, load_version(storage, document, label, local=files))


def check_new_version(
    storage: PolicyStorage, document: str, label: int | str, digest: str, files: Mapping[str, bytes]
) -> None:
    """Raise for denied bundles, and if a bundle besides the checked *digest* does not load."""
    storage.check_denied((digest, *list_needed(document)))
    read = policy.parse(document)
    if {*read.digests} - {digest} or read.rollout:
        load_new_version(storage, document, label, {digest: files})


def prove_candidate(injector: str, snapshots: SnapshotSet) -> None:
    """Raise if the candidate of any cluster does not load, or does not render."""
    default = snapshots.default.candidate
    if default is None:
        return
    if default.disabled is not None:
        raise CommandError(f"the candidate does not load: {default.problem}")
    candidates = (each.candidate for each in snapshots.values())
    own = [each.snapshot for each in candidates if each and each.snapshot]
    with convert_errors(InvalidVersionError, place="the candidate is invalid"):
        trial.prove(injector, own)
