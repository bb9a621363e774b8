"""The end of a cluster in a fleet, and a later end of tokens."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from podgraft.cli.failure import CommandError
from podgraft.cli.policy.cloud import DeployedInjector
from podgraft.cli.policy.target import make_target
from podgraft.cli.stacks import find_owner
from podgraft.cli.storage.parameters import ParameterDocuments
from podgraft.cli.tokens.registry_writer import Clusters
from podgraft.core import policy
from podgraft.core.policy import PolicyError
from podgraft.service.store.caller_document import Callers
from podgraft.service.store.names import POLICY

from .adoption import StackCallers
from .registrations import KubectlRegistrations, find_live, name_of
from .rotation import without_tokens


def delete_registrations(
    registrations: KubectlRegistrations, callers: Iterable[Callers]
) -> Iterator[str]:
    """Delete each registration with a token of the cluster in any region, and yield its name.

    A registration must be gone before its token is revoked: kube-apiserver would reject pods.
    """
    hashes = (each.sha256 for own in callers for each in own.tokens)
    for each in find_live(registrations.read(), "", hashes).objects.values():
        registrations.delete(each)
        yield name_of(each)


def revoke_all(stack: StackCallers, cluster: str, at: str) -> None:
    """Remove all that lets a cluster call; its tokens stay listed as revoked."""

    def remove(callers: Callers) -> Callers:
        return Callers(revoked=without_tokens(callers, callers.tokens, at).revoked)

    stack.repository.change(cluster, remove)


def find_overrides(stack: StackCallers, cluster: str) -> Iterator[str]:
    """Yield each policy of the stack that mentions a cluster, with the places."""
    for injector in _open_injectors(stack):
        parameter = injector.target.parameter
        try:
            parsed = policy.parse(injector.current_version().document)
        except (PolicyError, CommandError):
            yield f"{parameter}: does not load; search it for {cluster}"
            continue
        places = ["/clusters/" + cluster] if cluster in parsed.overrides else []
        places += [
            f"/groups/{group}/members"
            for group, each in parsed.groups.items()
            if cluster in each.members
        ]
        if places:
            yield f"{parameter}: remove {', '.join(places)}"


def _open_injectors(stack: StackCallers) -> Iterator[DeployedInjector]:
    registry = stack.registry
    owner = find_owner(registry.ssm, registry.prefix)
    for name in ParameterDocuments(registry.ssm, registry.prefix).list_all():
        injector, _, document = name.rpartition("/")
        if document == POLICY and owner is not None:
            target = make_target(owner, registry.prefix, injector)
            yield DeployedInjector(target, registry.ssm, registry.s3)


def extend_tokens(clusters: Clusters, names: Iterable[str], expires: str) -> Clusters:
    """Return the callers with tokens that end on *expires*, or later; empty for no end."""
    changed = dict(clusters)
    for name in names:
        callers = clusters.get(name, Callers())
        tokens = tuple(
            replace(each, expires=expires and max(expires, each.expires)) if each.expires else each
            for each in callers.tokens
        )
        changed[name] = replace(callers, tokens=tokens)
    return changed
