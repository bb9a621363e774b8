"""The version of a policy that is in force: the newest one that a function loads."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from podgraft.cli.failure import CommandError
from podgraft.cli.stacks import AwsError
from podgraft.core import policy
from podgraft.core.versions.version_check import VersionCheck

from .cloud import DeployedInjector, connect
from .denied import load_deny_list
from .target import TargetOptions
from .version_loading import find_registered_groups, load_version
from .versions import PolicyVersion


class InForce(Struct, frozen=True):
    """The version in force, if any, and the errors of the later ones by their numbers."""

    version: PolicyVersion | None
    errors: Mapping[int, str]


def find_in_force(cloud: DeployedInjector, versions: Sequence[PolicyVersion]) -> InForce:
    """Return the newest version that loads, as the function selects it.

    The function verifies signatures with the keys of its stack, so this is known only with
    ``--config``.
    """
    denied = load_deny_list(cloud.documents)
    errors: dict[int, str] = {}
    for version in reversed(versions):
        check = VersionCheck(
            subject=cloud.target.parameter,
            number=version.number,
            verifier=cloud.target.verifier,
            denied=denied,
        )
        try:
            load_version(cloud, version.stored, version.number, check)
        except AwsError:
            raise  # not known; a bucket that does not exist is an error of the options
        except CommandError as error:
            errors[version.number] = "; ".join(map(str, error.args))
        else:
            return InForce(version, errors)
    return InForce(None, errors)


def read_stack(
    stack: str, injector: str, cluster: str | None = None, groups: tuple[str, ...] = ()
) -> tuple[Mapping[str, bytes], str, tuple[str, ...]]:
    """Return the version in force for a calling cluster: its bundle, the policy, and its groups.

    Without *groups*, the cluster has those of the registry. Raises ``CommandError`` if the stack
    has no valid version.
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
    read = policy.parse(document)
    groups = groups or find_registered_groups(cloud, read.groups, cluster)
    digest = read.for_cluster(cluster, groups).bundle
    if digest is None:
        raise CommandError(f"version {in_force.version.number} names no bundle; push one")
    return cloud.read_bundle(digest), document, groups
