"""The registry of a stack in AWS: the pointer in Parameter Store, and the object in S3.

A refresh without a change is one request, for any number of clusters. A new version is one more.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from podgraft.core.versions.errors import NotLoadedError
from podgraft.service.store.caller_document import Callers, TokensError
from podgraft.service.store.registry_document import (
    MAX_LOST,
    POINTER,
    Pointer,
    RegistryError,
    decode_registry,
    find_in_force,
    object_key,
)

from .client import MissingError, ObjectReader, RetryBudget, call_with_retries
from .ssm import Parameter, ParameterReader


class RegistryReader(Struct, frozen=True):
    """The registry below one prefix, in one bucket."""

    parameters: ParameterReader
    objects: ObjectReader
    bucket: str

    def pointer(self, patience: RetryBudget) -> Pointer | None:
        """Return the pointer in force, if the stack has a registry.

        Raises ``NotLoadedError`` if no version counts.
        """
        newest = self.parameters.pointers(patience)
        if not newest:
            return None
        number = int(newest[0].version)
        pointer = _find_in_force(newest)
        if pointer is not None:
            return pointer
        versions = range(number - 1, max(number - 1 - MAX_LOST, 0), -1)
        earlier = self.parameters.pointers(patience, versions) if versions else ()
        pointer = _find_in_force(earlier)
        if pointer is None:
            raise NotLoadedError(
                f"parameter {self.parameters.prefix}/{POINTER}: version {number} and the versions "
                "before it do not count; run podgraft fleet adopt"
            )
        return pointer

    def callers(self, digest: str, patience: RetryBudget) -> Mapping[str, Callers | TokensError]:
        """Return the callers of each cluster, or the error of its document.

        Raises ``NotLoadedError`` if the object is missing or damaged.
        """
        key = object_key(digest)
        try:
            content = call_with_retries(
                "reading the registry from S3",
                lambda seconds: self.objects.read(self.bucket, key, seconds),
                patience,
            )
            return decode_registry(content, digest)
        except MissingError as error:
            raise MissingError(f"registry {digest} is missing in S3; restore the object") from error
        except RegistryError as error:
            raise NotLoadedError(
                f"registry {digest} in S3 {error}; restore the version of the object"
            ) from error


def _find_in_force(versions: Sequence[Parameter]) -> Pointer | None:
    pointer = find_in_force((int(each.version), each.text) for each in versions)
    if pointer is None:
        return None
    times = {int(each.version): each.stored_at for each in versions}
    return replace(pointer, stored_at=times[pointer.serial])
