"""From a document for each cluster to the registry of a stack, and back.

Each step can be repeated, and another command can run at the same time: the registry is in force
only with a document of each cluster in it, and a document that changes meanwhile is read again.
"""

import shlex
from collections.abc import Mapping
from contextlib import suppress
from itertools import groupby

from msgspec import Struct

from podgraft.base import system
from podgraft.cli.aws_options import format_aws_options
from podgraft.cli.config_source import Location
from podgraft.cli.failure import CommandError
from podgraft.cli.policy.bundle_bucket import list_objects
from podgraft.cli.stacks import make_client, owner_parameter
from podgraft.cli.storage import Documents, StoredDocument
from podgraft.cli.storage.parameters import ParameterDocuments
from podgraft.cli.tokens.registry_storage import (
    RegistryRepository,
    open_registry,
    read_registry_state,
)
from podgraft.cli.tokens.registry_writer import (
    AwsRegistry,
    Clusters,
    RegistryState,
    update_registry,
)
from podgraft.cli.tokens.repository import DocumentRepository
from podgraft.cli.tokens.storage import name_document, read_documents, write_document
from podgraft.kube import yaml
from podgraft.service.store.caller_document import Callers, to_document
from podgraft.service.store.registry_document import (
    OBJECTS,
    Pointer,
    RegistryError,
    digest_of_key,
    read_registry,
)

_MAX_ROUNDS = 5
# A pointer whose digest ``update_registry`` computes.
_WITH_COPIES = Pointer(serial=0, digest="", copies=True)
_WITHOUT_COPIES = Pointer(serial=0, digest="")
_UNDONE = Pointer(serial=0, digest=None)


class StackCallers(Struct, frozen=True):
    """Both forms of the callers of a stack."""

    registry: AwsRegistry
    documents: Documents

    @property
    def repository(self) -> RegistryRepository:
        """The callers of the registry, for changes."""
        return RegistryRepository(self.registry, self.documents, Location())

    def read_documents(self) -> Clusters:
        """Return the callers below ``auth/``."""
        return DocumentRepository(self.documents, Location()).read_all()


def open_stack(parameter_prefix: str) -> StackCallers:
    """Return the callers of the stack that owns a prefix.

    Raises ``CommandError`` for a function that reads no registry.
    """
    documents = ParameterDocuments(make_client("ssm"), parameter_prefix)
    registry = open_registry(documents)
    if registry is None or not registry.is_read:
        raise CommandError(
            f"parameter {owner_parameter(parameter_prefix)}: names no stack with a function that "
            "reads a registry; check the prefix, or deploy the stack with this version of podgraft"
        )
    return StackCallers(registry, documents)


def adopt(stack: StackCallers) -> RegistryState:
    """Create the registry from the documents; with a registry, write the copies again."""
    known: Clusters | None = None
    state = read_registry_state(stack.registry)
    if not state.newest:
        _check_deleted(stack)
    if not state.is_in_force:
        for _ in range(_MAX_ROUNDS):
            # A command of an earlier version can have changed a document meanwhile.
            documents = stack.read_documents()
            if documents == known:
                break
            _copy_documents(stack, known, documents)
            known = documents
        else:
            raise CommandError(
                f"{stack.registry.prefix}/auth: other commands change the documents; stop them, "
                "then run podgraft fleet adopt again"
            )
    stack.repository.update_copies()
    return read_registry_state(stack.registry)


def _check_deleted(stack: StackCallers) -> None:
    """Raise ``CommandError`` if a deleted registry had callers that the documents lack."""
    registry, documents, day = stack.registry, stack.read_documents(), f"{system.now():%Y-%m-%d}"
    newest = _read_newest(registry)
    lost = [
        name
        for clusters in newest.values()
        for name, own in clusters.items()
        if _is_lost(own, documents.get(name), day)
    ]
    if lost:
        pointers = [Pointer(serial=1, digest=each, copies=bool(documents)) for each in newest]
        restoring = " or ".join(_format_restoring(registry, str(each)) for each in pointers)
        raise CommandError(
            f"parameter {registry.location}: was deleted, and {registry.prefix}/auth lacks callers "
            f"of {lost[0]}; restore the newest registry: {restoring}; then check it: podgraft "
            f"tokens list; to begin without it, delete s3://{registry.bucket}/{OBJECTS}"
        )


def _is_lost(own: Callers, document: Callers | None, day: str) -> bool:
    """Whether a document does not descend from the callers of a registry.

    ``finish`` deleted it, a command created another one since, or 0.2.0 wrote a copy.
    """
    if document is None or (document != own and document == own.make_plain(day)):
        return True
    credentials = _list_credentials(document)
    return bool(credentials) and credentials.isdisjoint(_list_credentials(own))


def _list_credentials(callers: Callers) -> set[str]:
    revoked = {each.id for each in callers.revoked}
    return {*callers.subjects, *(each.identity for each in callers.tokens), *revoked}


def _read_newest(registry: AwsRegistry) -> Mapping[str, Clusters]:
    """Return the newest registry that is valid by its digest, or all of its second.

    S3 stores seconds. Nobody needs an invalid one, and it can be newer.
    """
    stored = list_objects(registry.s3, registry.bucket, OBJECTS)
    stored.sort(key=lambda each: each.modified, reverse=True)
    for _, same in groupby(stored, key=lambda each: each.modified):
        found: dict[str, Clusters] = {}
        for each in same:
            digest = digest_of_key(each.key)
            with suppress(RegistryError):
                found[digest] = read_registry(registry.download(digest), digest)
        if found:
            return found
    return {}


def _format_restoring(registry: AwsRegistry, pointer: str) -> str:
    words = ("aws", "ssm", "put-parameter", "--name", registry.location, "--type", "String")
    return f"{shlex.join([*words, '--value', pointer])} {format_aws_options()}".rstrip()


def _copy_documents(stack: StackCallers, known: Clusters | None, documents: Clusters) -> None:
    """Put the documents that differ from the *known* ones into the registry."""
    day = f"{system.now():%Y-%m-%d}"

    def copy(state: RegistryState) -> tuple[Clusters, Pointer] | None:
        if known is None and state.is_in_force:  # by another command
            return None
        clusters = dict(state.clusters)
        for name, callers in documents.items():
            # A command of this version changes the registry first, and then the document.
            own = clusters.get(name, Callers())
            is_copy = callers in (own, own.make_plain(day))
            if callers != (known or {}).get(name) and not is_copy:
                clusters[name] = callers
        return {name: each for name, each in clusters.items() if each != Callers()}, _WITH_COPIES

    update_registry(stack.registry, copy)


def finish(stack: StackCallers) -> int:
    """Delete the documents, and return their number. The registry remains."""
    state = read_registry_state(stack.registry)
    if not state.is_in_force:
        raise CommandError(
            f"parameter {stack.registry.location}: no registry is in force; run podgraft fleet "
            "adopt first"
        )
    _end_copies(stack)
    names = read_documents(stack.documents)
    for name in names:
        stack.documents.delete(name_document(name))
    return len(names)


def _end_copies(stack: StackCallers) -> None:
    """Let later commands write no copies."""
    update_registry(
        stack.registry,
        lambda state: (
            (state.clusters, _WITHOUT_COPIES)
            if state.is_in_force and state.pointer and state.pointer.copies
            else None
        ),
    )


def undo(stack: StackCallers) -> RegistryState:
    """Write a document for each cluster, and then let the function read the documents."""
    for _ in range(_MAX_ROUNDS):
        # A copy would lack what an earlier function does not read.
        _end_copies(stack)
        state = read_registry_state(stack.registry)
        if not state.is_in_force:
            return state
        clusters = state.clusters
        _write_documents(stack, clusters)
        if stack.read_documents() != clusters:
            continue

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
    stored = read_documents(stack.documents)
    for name in stored.keys() - clusters.keys():
        stack.documents.delete(name_document(name))
    for name, callers in clusters.items():
        text, entry = yaml.dump(to_document(callers)), stored.get(name, StoredDocument())
        if entry.text != text:
            write_document(stack.documents, name, text, entry)
