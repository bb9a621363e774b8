"""Load the snapshots of a stored version: the policy, its bundles, and a candidate."""

from podgraft.core import policy
from podgraft.core.bundle import BundleError
from podgraft.core.policy import PolicyError

from .errors import InvalidVersionError, UntrustedError
from .overrides import find_overrides, join_overrides
from .snapshot import BundleCache, Fetch, SnapshotSet
from .version_check import NO_CHECK, VersionCheck


def load_snapshots(
    injector: str,
    document: str,
    version: str,
    fetch: Fetch,
    *,
    parse_lazily: bool = False,
    check: VersionCheck = NO_CHECK,
) -> SnapshotSet:
    """Parse a policy document and compile every bundle that it names, for every cluster.

    Raises ``InvalidVersionError`` with all errors of the first invalid document. With
    *parse_lazily*, ``bundle.compile_`` parses templates when a review needs them. The signature is
    verified before anything is parsed. A candidate that does not load is disabled.
    """
    try:
        signature = check.check_signature(document)
        read = _read_policy(document, fetch, check)
        if read.bundle is not None:
            check.check_digest(read.bundle, signature)
        compiler = BundleCache(fetch, check, signature, deferred=parse_lazily)
        snapshots = SnapshotSet(injector, read, version, compiler, find_overrides(document))
    except UntrustedError as error:
        raise UntrustedError(f"injector {injector} does not load: {error}") from error
    except (PolicyError, BundleError) as error:
        raise InvalidVersionError(f"injector {injector} does not load: {error}") from error
    return _add_candidates(read, snapshots, compiler)


def _add_candidates(
    read: policy.Policy, snapshots: SnapshotSet, compiler: BundleCache
) -> SnapshotSet:
    if read.rollout is None and not read.rollout_errors:
        return snapshots
    from .candidate import add_candidates  # only a policy with a rollout needs it

    return add_candidates(snapshots, compiler)


def _read_policy(document: str, fetch: Fetch, check: VersionCheck) -> policy.Policy:
    overrides = find_overrides(document)
    if overrides is not None:
        check.check_digest(overrides)
    return policy.parse(join_overrides(document, fetch))
