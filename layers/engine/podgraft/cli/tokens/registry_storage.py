"""The registry of a stack in AWS: the pointer ``PREFIX/callers``, and objects in the bucket."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from podgraft.base import system
from podgraft.cli.config_source import Location
from podgraft.cli.failure import CommandError
from podgraft.cli.stacks import (
    AbsentError,
    ExistsError,
    aws_errors,
    find_owner,
    make_client,
    put_parameter,
)
from podgraft.cli.storage import ChangedError, StoredDocument
from podgraft.cli.storage.parameters import ParameterDocuments
from podgraft.service.store.caller_document import Callers, TokensError, format_copy
from podgraft.service.store.registry_document import POINTER, Pointer, object_key

from .registry_writer import (
    MAX_ATTEMPTS,
    Clusters,
    RegistryState,
    StaleReadError,
    read_state,
    update_registry,
)
from .repository import Change
from .storage import CallerStorage, check_cluster_name

_MAX_READS = 5
# A function with this number reads ids, last days, groups, and the registry.
_REGISTRY_DOCUMENTS = 2


class AwsRegistry(Struct, frozen=True):
    """The ``RegistryStore`` of a stack, in one account and region.

    A function of an earlier version does not read it: ``is_read``.
    """

    ssm: Any
    s3: Any
    prefix: str
    bucket: str
    stack: str
    is_read: bool = True

    @property
    def location(self) -> str:
        """The name of the pointer."""
        return f"{self.prefix}/{POINTER}"

    def read_newest(self) -> tuple[int, str] | None:
        """Return the number and the text of the newest version."""
        try:
            with aws_errors(f"parameter {self.location}"):
                parameter = self.ssm.get_parameter(Name=self.location)["Parameter"]
        except AbsentError:
            return None
        return parameter["Version"], parameter["Value"]

    def read_versions(self, numbers: Sequence[int]) -> Mapping[int, str]:
        """Return the texts of the versions that exist."""
        names = [f"{self.location}:{number}" for number in numbers]
        with aws_errors(f"parameter {self.location}"):
            found = self.ssm.get_parameters(Names=names)["Parameters"]
        return {each["Version"]: each["Value"] for each in found}

    def write(self, text: str, *, is_new: bool) -> int | None:
        """Store a version, and return its number."""
        try:
            return put_parameter(
                self.ssm, self.location, text, Type="String", Overwrite=not is_new
            )["Version"]
        except ExistsError:
            return None

    def upload(self, digest: str, content: bytes) -> None:
        """Store an object. Its name is its content, so another writer stores the same one."""
        key = object_key(digest)
        with aws_errors(f"s3://{self.bucket}/{key}"):
            self.s3.put_object(
                Bucket=self.bucket,
                Key=key,
                Body=content,
                ContentType="application/json",
                ContentEncoding="gzip",
            )

    def download(self, digest: str) -> bytes:
        """Return an object."""
        key = object_key(digest)
        with aws_errors(f"s3://{self.bucket}/{key}", remedy="restore the version of the object"):
            return self.s3.get_object(Bucket=self.bucket, Key=key)["Body"].read()


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
    copies: CallerStorage
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
        except TokensError:  # such as a token that a killed command has revoked
            self.update_copies()
            raise
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


def write_copies(storage: CallerStorage, clusters: Clusters) -> bool:
    """Write the documents below ``auth/`` that an earlier function reads.

    Returns whether one differed.
    """
    day = f"{system.now():%Y-%m-%d}"
    stored, is_written = storage.read_all(), False
    errors: list[CommandError] = []
    for name in sorted({*clusters, *stored}):
        text = format_copy(clusters.get(name, Callers()), day)
        entry = stored.get(name, StoredDocument())
        if entry.text != text:
            is_written = True
            try:
                storage.write(name, text, entry)
            except ChangedError:  # by another command
                continue
            except CommandError as error:
                errors.append(error)
    if errors:
        raise CommandError(
            *(f"the registry is changed, but not the copy: {each}" for each in errors)
        ) from errors[0]
    return is_written
