"""The version of a policy that is in force: the newest one that a function loads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from podgraft.cli.failure import CommandError
from podgraft.cli.stacks import AwsError
from podgraft.core import policy
from podgraft.core.versions import trial
from podgraft.core.versions.version_check import NO_CHECK, VersionCheck
from podgraft.service import store
from podgraft.service.store import SnapshotSet, StoreError

from .cloud import DeployedInjector, PolicyVersion, connect
from .rollout.candidate import find_digests, prove_candidate
from .target import TargetOptions


@dataclass(frozen=True, slots=True)
class InForce:
    """The version in force, if any, and the errors of the later ones by their numbers."""

    version: PolicyVersion | None
    errors: Mapping[int, str]


def find_in_force(cloud: DeployedInjector, versions: Sequence[PolicyVersion]) -> InForce:
    """Return the newest version that loads, as the function selects it.

    The function verifies signatures with the keys of its stack, so this is known only with
    ``--stack-name``.
    """
    denied = cloud.read_deny_list().reasons
    errors: dict[int, str] = {}
    for version in reversed(versions):
        check = VersionCheck(
            subject=cloud.target.parameter,
            number=version.number,
            verifier=cloud.target.verifier,
            denied=denied,
        )
        try:
            load_version(cloud, version.document, version.number, check)
        except AwsError:
            raise  # not known; a bucket that does not exist is an error of the options
        except CommandError as error:
            errors[version.number] = "; ".join(map(str, error.args))
        else:
            return InForce(version, errors)
    return InForce(None, errors)


def load_version(
    cloud: DeployedInjector,
    document: str,
    number: int | str,
    check: VersionCheck,
    local: Mapping[str, Mapping[str, bytes]] | None = None,
) -> SnapshotSet:
    """Load a policy with all its bundles, as the function does before it switches.

    Bundles of *local*, by digest, are not downloaded. Raises ``CommandError``. A candidate that
    does not load is disabled in the result, as in the function.
    """
    files = local or {}

    def fetch(digest: str | None) -> Mapping[str, bytes]:
        if digest is None:
            raise CommandError(f"version {number} names no bundle; push one")
        return files[digest] if digest in files else cloud.read_bundle(digest)

    injector = cloud.target.injector
    try:
        snapshots = store.load_snapshots(injector, document, str(number), fetch, check=check)
        trial.prove(injector, snapshots)
    except StoreError as error:
        raise CommandError(str(error)) from error
    return snapshots


def load_new_version(
    cloud: DeployedInjector,
    document: str,
    number: int,
    local: Mapping[str, Mapping[str, bytes]] | None = None,
) -> None:
    """Load a policy that a command stores, with its candidate; raises ``CommandError``.

    All bundles are read first, so a missing bundle of a candidate is an error, too.
    """
    digests = find_digests(policy.parse(document))
    own = local or {}
    files = {each: own[each] if each in own else cloud.read_bundle(each) for each in digests}
    snapshots = load_version(cloud, document, number, NO_CHECK, files)
    prove_candidate(cloud.target.injector, snapshots)


def read_stack(
    stack: str, injector: str, cluster: str | None = None
) -> tuple[Mapping[str, bytes], str]:
    """Return the bundle of a calling cluster, and the policy, of the version in force.

    Raises ``CommandError`` if the stack has no valid version.
    """
    cloud = connect(TargetOptions(injector=injector, stack_name=stack))
    in_force = find_in_force(cloud, cloud.existing_versions())
    if in_force.version is None:
        raise CommandError(
            f"stack {stack}, injector {injector}: no version loads; see podgraft history "
            f"{cloud.target.options}",
            *in_force.errors.values(),
        )
    document = in_force.version.document
    digest = policy.parse(document).for_cluster(cluster).bundle
    if digest is None:
        raise CommandError(f"version {in_force.version.number} names no bundle; push one")
    return cloud.read_bundle(digest), document
