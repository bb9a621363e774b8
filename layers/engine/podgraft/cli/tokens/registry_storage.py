"""The callers of a stack with a registry, and their copies for earlier functions."""

from collections.abc import Callable, Mapping

from msgspec import Struct

from podgraft.base import system
from podgraft.cli.config_source import Location
from podgraft.cli.failure import CommandError
from podgraft.cli.stacks import find_owner, make_client
from podgraft.cli.storage import ChangedError, Documents, StoredDocument
from podgraft.cli.storage.parameters import ParameterDocuments
from podgraft.service.store.caller_document import Callers, TokensError, format_copy
from podgraft.service.store.registry_document import Pointer

from .registry_writer import (
    MAX_ATTEMPTS,
    AwsRegistry,
    Clusters,
    RegistryState,
    StaleReadError,
    read_state,
    update_registry,
)
from .repository import Change
from .storage import check_cluster_name, read_documents, write_document

_MAX_READS = 5
# A function with this number reads ids, last days, groups, and the registry.
_REGISTRY_DOCUMENTS = 2


def open_registry(documents: ParameterDocuments) -> AwsRegistry | None:
    """Return the registry of the stack that owns a prefix; ``None`` without a stack."""
    client, prefix = documents.client, documents.prefix
    owner = find_owner(client, prefix)
    if owner is None:
        return None
    is_read = owner.documents >= _REGISTRY_DOCUMENTS
    return AwsRegistry(client, make_client("s3"), prefix, owner.bucket, owner.stack, is_read)


def read_registry_state(store: AwsRegistry) -> RegistryState:
    """Return the registry in force; a read that is older than a write is repeated."""
    for _ in range(_MAX_READS):
        try:
            return read_state(store)
        except StaleReadError:
            continue
    raise CommandError(f"parameter {store.location}: changes meanwhile; run it again")


class RegistryRepository(Struct, frozen=True):
    """The callers of a stack with a registry.

    Until ``podgraft fleet adopt --finish``, each change, also one that changes nothing, makes the
    documents below ``auth/`` equal, for a function of an earlier version: ``copies``.
    """

    store: AwsRegistry
    copies: Documents
    location_options: Location
    has_ids: bool = True

    def location(self, cluster: str) -> str:
        """Return the name of the pointer, and the cluster."""
        return f"{self.store.location} ({check_cluster_name(cluster)})"

    def read_all(self) -> Mapping[str, Callers]:
        """Return the callers of every cluster, with one read for all of them."""
        return dict(sorted(read_registry_state(self.store).clusters.items()))

    def read(self, cluster: str) -> Callers:
        """Return the callers of *cluster*."""
        check_cluster_name(cluster)
        return self.read_all().get(cluster, Callers())

    def change(self, cluster: str, change: Change) -> Callers:
        """Replace the callers of *cluster* in the registry, and then their copy."""
        check_cluster_name(cluster)
        changed = self.change_all(
            lambda clusters: {**clusters, cluster: change(clusters.get(cluster, Callers()))}
        )
        return changed.get(cluster, Callers())

    def change_all(self, change: Callable[[Clusters], Clusters]) -> Clusters:
        """Replace the callers of any number of clusters with one write.

        A cluster without any callers, groups, or revoked tokens leaves the registry.
        """

        def apply(state: RegistryState) -> tuple[Clusters, Pointer] | None:
            if state.pointer is None or not state.is_in_force:
                raise CommandError(
                    f"parameter {self.store.location}: the stack has no registry any more; run "
                    "the command again"
                )
            changed = {
                name: callers
                for name, callers in change(state.clusters).items()
                if callers != Callers()
            }
            return None if changed == state.clusters else (changed, state.pointer)

        try:
            state = update_registry(self.store, apply)
        except TokensError as error:  # such as a token that a killed command has revoked
            self.update_copies()
            raise CommandError(str(error)) from error
        if state.pointer is not None and state.pointer.copies:
            self.update_copies(state.newest)
        return state.clusters

    def update_copies(self, newest: int = 0) -> None:
        """Write copies until they agree with a registry that was read after the last write.

        So none stays behind the registry if writers race, or if an earlier command was killed.
        The registry has the version *newest*, or a later one.
        """
        for _ in range(MAX_ATTEMPTS):
            state = read_registry_state(self.store)
            if state.pointer is None or not state.pointer.copies:
                return
            if state.newest >= newest and not write_copies(self.copies, state.clusters):
                return
        raise CommandError(
            f"{self.store.prefix}/auth: other commands write the copies of the registry; run "
            "podgraft fleet adopt"
        )


def write_copies(documents: Documents, clusters: Clusters) -> bool:
    """Write the documents below ``auth/`` that an earlier function reads.

    Returns whether one differed.
    """
    day = f"{system.now():%Y-%m-%d}"
    stored, is_written = read_documents(documents), False
    errors: list[CommandError] = []
    for name in sorted({*clusters, *stored}):
        text = format_copy(clusters.get(name, Callers()), day)
        entry = stored.get(name, StoredDocument())
        if entry.text != text:
            is_written = True
            try:
                write_document(documents, name, text, entry)
            except ChangedError:  # by another command
                continue
            except CommandError as error:
                errors.append(error)
    if errors:
        raise CommandError(
            *(f"the registry is changed, but not the copy: {each}" for each in errors)
        ) from errors[0]
    return is_written
