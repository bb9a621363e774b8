"""The registry of a stack in AWS, and its writes: a compare-and-swap by the law of the serial.

Its pointer is the parameter ``PREFIX/callers``, and its objects are in the bucket.

``podgraft.service.store.registry_document`` states the law. Parameter Store has no conditional
write, so a writer reads the newest version *n*, builds the registry from the newest version that
counts, and writes a pointer with the serial *n + 1*. If Parameter Store gives it another number,
the version does not count, and the writer starts again. The AWS SDK can repeat a request whose
response was lost; then the first of the two versions counts, which the writer finds by its text.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from msgspec import Struct

from podgraft.cli.failure import CommandError
from podgraft.cli.stacks import AbsentError, ExistsError, aws_errors, put_parameter
from podgraft.service.store.aws.client import read_body
from podgraft.service.store.caller_document import Callers
from podgraft.service.store.registry_document import (
    POINTER,
    Pointer,
    RegistryError,
    encode_registry,
    find_in_force,
    object_key,
    parse_pointer,
    read_registry,
)

MAX_ATTEMPTS = 20
# Parameter Store keeps this many versions of a parameter.
_MAX_VERSIONS = 100
_PAGE = 10

Clusters: TypeAlias = Mapping[str, Callers]


class AwsRegistry(Struct, frozen=True):
    """The pointer and the objects of a stack, in one account and region.

    Reads can be older than writes. A function of an earlier version does not read the registry:
    ``is_read``.
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
        with suppress(AbsentError), aws_errors(f"parameter {self.location}"):
            parameter = self.ssm.get_parameter(Name=self.location)["Parameter"]
            return parameter["Version"], parameter["Value"]
        return None

    def read_versions(self, numbers: Sequence[int]) -> Mapping[int, str]:
        """Return the texts of the versions that exist."""
        names = [f"{self.location}:{number}" for number in numbers]
        with aws_errors(f"parameter {self.location}"):
            found = self.ssm.get_parameters(Names=names)["Parameters"]
        return {each["Version"]: each["Value"] for each in found}

    def write(self, text: str, *, is_new: bool) -> int | None:
        """Store a version, and return its number."""
        with suppress(ExistsError):
            return put_parameter(
                self.ssm, self.location, text, Type="String", Overwrite=not is_new
            )["Version"]
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
            return read_body(self.s3.get_object(Bucket=self.bucket, Key=key)["Body"].read)


class RegistryState(Struct, frozen=True, kw_only=True):
    """What a writer read: the newest number, the pointer in force, and its callers."""

    newest: int = 0
    pointer: Pointer | None = None
    clusters: Clusters = {}

    @property
    def is_in_force(self) -> bool:
        """Whether the function reads the registry, and not the documents of the clusters."""
        return self.pointer is not None and self.pointer.digest is not None


class StaleReadError(Exception):
    """A version is missing that must exist: the read is older than a write."""


def read_state(store: AwsRegistry) -> RegistryState:
    """Return the registry in force.

    Raises ``StaleReadError``, and ``CommandError`` if it cannot be read completely.
    """
    newest = store.read_newest()
    if newest is None:
        return RegistryState()
    number, text = newest
    pointer = parse_pointer(text, number) or _find_earlier(store, number)
    if pointer.digest is None:
        return RegistryState(newest=number, pointer=pointer)
    try:
        clusters = read_registry(store.download(pointer.digest), pointer.digest)
    except RegistryError as error:
        raise CommandError(
            f"registry {pointer.digest} of {store.location} {error}; restore the version of the "
            "object before you change a cluster"
        ) from error
    return RegistryState(newest=number, pointer=pointer, clusters=clusters)


def _find_earlier(store: AwsRegistry, newest: int) -> Pointer:
    """Return the newest version below *newest* that counts; one is never skipped."""
    lowest = max(newest - _MAX_VERSIONS, 0)
    for start in range(newest - 1, lowest, -_PAGE):
        numbers = range(start, max(start - _PAGE, lowest), -1)
        texts = store.read_versions(numbers)
        pointer = find_in_force(texts.items())
        needed = numbers if pointer is None else range(start, pointer.serial, -1)
        if any(number not in texts for number in needed):
            raise StaleReadError
        if pointer is not None:
            return pointer
    raise CommandError(
        f"parameter {store.location}: no version counts; delete the parameter, then run podgraft "
        "fleet adopt"
    )


def update_registry(
    store: AwsRegistry, change: Callable[[RegistryState], tuple[Clusters, Pointer] | None]
) -> RegistryState:
    """Apply *change* to the registry in force, and return the new state.

    *change* returns the callers and a pointer, of which ``digest`` and ``copies`` apply; ``None``
    changes nothing. It can be called several times.
    """
    for _ in range(MAX_ATTEMPTS):
        try:
            state = read_state(store)
            changed = change(state)
            if changed is None:
                return state
            written = _write(store, state, *changed)
        except StaleReadError:
            continue
        if written is not None:
            return written
    raise CommandError(
        f"parameter {store.location}: other commands write at the same time; run the command again"
    )


def _write(
    store: AwsRegistry, state: RegistryState, clusters: Clusters, requested: Pointer
) -> RegistryState | None:
    """Store the object and the pointer; return ``None`` if another writer was faster."""
    digest = None
    if requested.digest is not None:
        digest, content = encode_registry(clusters)
        store.upload(digest, content)
        read_registry(store.download(digest), digest)  # before the switch, with the reader's code
    serial = state.newest + 1
    pointer = Pointer(serial=serial, digest=digest, clusters=len(clusters), copies=requested.copies)
    number = store.write(str(pointer), is_new=state.newest == 0)
    if number is None:
        return None
    if number != serial and store.read_versions([serial]).get(serial) != str(pointer):
        return None
    return RegistryState(newest=number, pointer=pointer, clusters=clusters)
