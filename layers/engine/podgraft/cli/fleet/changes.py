"""What differs between a fleet file and the registry of a stack, and the write that ends it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from msgspec.structs import replace

from podgraft.cli.failure import CommandError
from podgraft.cli.tokens.registry_storage import RegistryRepository, read_registry_state
from podgraft.cli.tokens.registry_writer import Clusters
from podgraft.cli.tokens.storage import Location
from podgraft.service.store.caller_document import Callers

from .adoption import StackCallers
from .file import ClusterSettings


@dataclass(frozen=True, slots=True)
class Change:
    """One difference of a cluster. ``is_applied`` states whether ``fleet apply`` ends it."""

    cluster: str
    kind: str
    detail: str
    is_applied: bool = True


def read_clusters(stack: StackCallers) -> Clusters:
    """Return the callers of the registry; raises ``CommandError`` for a stack without one."""
    state = read_registry_state(stack.registry)
    if not state.is_in_force:
        raise CommandError(
            f"parameter {stack.registry.location}: not found; create the registry first: podgraft "
            "fleet adopt"
        )
    return state.clusters


def find_changes(fleet: Mapping[str, ClusterSettings], clusters: Clusters) -> Iterator[Change]:
    """Yield each difference, by cluster."""
    for name in sorted({*fleet, *clusters}):
        settings, callers = fleet.get(name), clusters.get(name, Callers())
        if settings is None:
            yield Change(name, "retire", "is in the registry, and not in the file", False)
            continue
        if settings.groups != callers.groups:
            yield Change(name, "groups", _describe(callers.groups, settings.groups))
        if settings.sources != callers.sources:
            yield Change(name, "sources", _describe(callers.sources, settings.sources))
        if not callers.tokens and not callers.subjects:
            yield Change(name, "issue", "has no token and no certificate", False)


def _describe(before: tuple[str, ...], after: tuple[str, ...]) -> str:
    return f"{','.join(before) or 'none'} -> {','.join(after) or 'none'}"


def apply_settings(stack: StackCallers, fleet: Mapping[str, ClusterSettings]) -> Clusters:
    """Write groups and sources of all clusters of the file at once; the others do not change."""

    def change(clusters: Clusters) -> Clusters:
        changed = dict(clusters)
        for name, settings in fleet.items():
            callers = clusters.get(name, Callers())
            changed[name] = replace(callers, groups=settings.groups, sources=settings.sources)
        return changed

    repository = RegistryRepository(stack.registry, stack.documents, Location("aws"))
    return repository.change_all(change)
