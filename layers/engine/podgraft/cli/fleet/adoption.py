"""From a document for each cluster to the registry of a stack, and back.

Each step can be repeated, and another command can run at the same time: the registry is in force
only with a document of each cluster in it, and a document that changes meanwhile is read again.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from podgraft.cli.failure import CommandError
from podgraft.cli.stacks import owner_parameter
from podgraft.cli.tokens.parameter_storage import ParameterStorage, open_parameter_storage
from podgraft.cli.tokens.registry_storage import (
    AwsRegistry,
    RegistryRepository,
    open_registry,
    read_registry_state,
    write_copies,
)
from podgraft.cli.tokens.registry_writer import Clusters, RegistryState, update_registry
from podgraft.cli.tokens.repository import DocumentRepository
from podgraft.cli.tokens.storage import Location
from podgraft.kube import yaml
from podgraft.service.store.caller_document import Callers, to_document
from podgraft.service.store.registry_document import Pointer

_MAX_ROUNDS = 5
# A pointer whose digest ``update_registry`` computes.
_WITH_COPIES = Pointer(serial=0, digest="", copies=True)
_WITHOUT_COPIES = Pointer(serial=0, digest="")
_UNDONE = Pointer(serial=0, digest=None)


@dataclass(frozen=True, slots=True)
class StackCallers:
    """Both forms of the callers of a stack."""

    registry: AwsRegistry
    documents: ParameterStorage

    @property
    def repository(self) -> RegistryRepository:
        """The callers of the registry, for changes."""
        return RegistryRepository(self.registry, self.documents, Location("aws"))

    def read_documents(self) -> Mapping[str, Callers]:
        """Return the callers below ``auth/``, as a registry contains them."""
        documents = DocumentRepository(self.documents, Location("aws")).read_all()
        return {name: callers for name, callers in documents.items() if callers != Callers()}


def open_stack(parameter_prefix: str) -> StackCallers:
    """Return the callers of the stack that owns a prefix.

    Raises ``CommandError`` for a function that reads no registry.
    """
    documents = open_parameter_storage(parameter_prefix)
    registry = open_registry(documents)
    if registry is None:
        raise CommandError(
            f"parameter {owner_parameter(parameter_prefix)}: names no stack with a function that "
            "reads a registry; check the prefix, or deploy the stack with this version of podgraft"
        )
    return StackCallers(registry, documents)


def adopt(stack: StackCallers) -> RegistryState:
    """Create the registry from the documents; with a registry, write the copies again."""
    if read_registry_state(stack.registry).is_in_force:
        return _repair_copies(stack)
    state = _copy_documents(stack, {})
    for _ in range(_MAX_ROUNDS):
        # A command of an earlier version can have changed a document meanwhile.
        if stack.read_documents() == state.clusters:
            return _repair_copies(stack)
        state = _copy_documents(stack, state.clusters)
    raise CommandError(
        f"{stack.registry.prefix}/auth: other commands change the documents; stop them, then run "
        "podgraft fleet adopt again"
    )


def _copy_documents(stack: StackCallers, known: Clusters) -> RegistryState:
    """Put the documents into the registry, unless it differs from the *known* one."""

    def copy(state: RegistryState) -> tuple[Clusters, Pointer] | None:
        if state.is_in_force and state.clusters != known:
            return None
        return stack.read_documents(), _WITH_COPIES

    return update_registry(stack.registry, copy)


def _repair_copies(stack: StackCallers) -> RegistryState:
    state = read_registry_state(stack.registry)
    if state.pointer is not None and state.pointer.copies:
        names = {*state.clusters, *stack.documents.clusters()}
        # Without the keys that an earlier function rejects.
        write_copies(stack.documents, state.clusters, sorted(names))
    return state


def finish(stack: StackCallers) -> int:
    """Delete the documents, and return their number. The registry remains."""
    state = read_registry_state(stack.registry)
    if not state.is_in_force:
        raise CommandError(
            f"parameter {stack.registry.location}: no registry is in force; run podgraft fleet "
            "adopt first"
        )
    update_registry(
        stack.registry,
        lambda state: (
            (state.clusters, _WITHOUT_COPIES)
            if state.is_in_force and state.pointer and state.pointer.copies
            else None
        ),
    )
    names = stack.documents.clusters()
    for name in names:
        stack.documents.delete(name)
    return len(names)


def undo(stack: StackCallers) -> RegistryState:
    """Write a document for each cluster, and then let the function read the documents."""
    for _ in range(_MAX_ROUNDS):
        state = read_registry_state(stack.registry)
        if not state.is_in_force:
            return state
        clusters = state.clusters
        _write_documents(stack, clusters)

        def switch(
            state: RegistryState, written: Clusters = clusters
        ) -> tuple[Clusters, Pointer] | None:
            return (written, _UNDONE) if state.clusters == written else None

        changed = update_registry(stack.registry, switch)
        if not changed.is_in_force:
            return changed
    raise CommandError(
        f"parameter {stack.registry.location}: other commands change the registry; run the "
        "command again"
    )


def _write_documents(stack: StackCallers, clusters: Clusters) -> None:
    """Write complete documents. One without its cluster in the registry would revive tokens."""
    for name in stack.documents.clusters():
        if name not in clusters:
            stack.documents.delete(name)
    for name, callers in clusters.items():
        entry = stack.documents.read(name)
        text = yaml.dump(to_document(callers))
        if entry.text != text:
            stack.documents.write(name, text, entry)
