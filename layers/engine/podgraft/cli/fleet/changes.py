"""What differs between a fleet file and the registry of a stack, and the write that ends it."""

from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from podgraft.cli.failure import CommandError
from podgraft.cli.tokens.registry_storage import read_registry_state
from podgraft.cli.tokens.registry_writer import Clusters
from podgraft.service.store.caller_document import Callers

from .adoption import StackCallers
from .file import Fleet
from .rotation import is_due


class ChangeKind(StrEnum):
    """What differs, or has to be done with a cluster."""

    GROUPS = "groups"
    SOURCES = "sources"
    ISSUE = "issue"
    ROTATE = "rotate"
    RETIRE = "retire"
    REGIONS = "regions"


class Change(Struct, frozen=True):
    """One difference of a cluster. ``is_applied`` states whether ``fleet apply`` ends it."""

    cluster: str
    kind: ChangeKind
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


def find_changes(fleet: Fleet, clusters: Clusters) -> Iterator[Change]:
    """Yield each difference, by cluster."""
    for name in sorted({*fleet.clusters, *clusters}):
        settings, callers = fleet.clusters.get(name), clusters.get(name, Callers())
        if settings is None:
            if callers.tokens or callers.subjects:
                yield Change(
                    name, ChangeKind.RETIRE, "is in the registry, and not in the file", False
                )
            continue
        if settings.groups != callers.groups:
            yield Change(name, ChangeKind.GROUPS, _describe(callers.groups, settings.groups))
        if settings.sources != callers.sources:
            yield Change(name, ChangeKind.SOURCES, _describe(callers.sources, settings.sources))
        if not callers.tokens and not callers.subjects:
            is_applied = settings.is_registered_here
            yield Change(name, ChangeKind.ISSUE, "has no token and no certificate", is_applied)
        due = [each.identity for each in callers.tokens if is_due(fleet.tokens, each)]
        if due:
            yield Change(name, ChangeKind.ROTATE, f"{', '.join(due)} is due", False)


def _describe(before: tuple[str, ...], after: tuple[str, ...]) -> str:
    return f"{','.join(before) or 'none'} -> {','.join(after) or 'none'}"


def apply_settings(fleet: Fleet, clusters: Clusters) -> Clusters:
    """Return the callers with groups and sources of the file; other clusters do not change."""
    changed = dict(clusters)
    for name, settings in fleet.clusters.items():
        callers = clusters.get(name, Callers())
        changed[name] = replace(callers, groups=settings.groups, sources=settings.sources)
    return changed
