"""Open the stores that the settings name."""

from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, assert_never

from msgspec import Struct

from podgraft.core.versions.snapshot import Store

from .protocols import CachingStore, CallerStore

if TYPE_CHECKING:
    from podgraft.core.signing.verifier import Verifier

    from .census import CensusWriter

# Checking the files takes a twentieth of a review; a change can wait this long.
_POLL_SECONDS = 0.1


class FolderStoreConfig(Struct, frozen=True):
    """A folder with policies, bundles, and callers as files.

    ``census`` is the folder of recorded workloads; with None, nothing is recorded.
    """

    path: Path
    census: Path | None = None


class AwsStoreConfig(Struct, frozen=True, kw_only=True):
    """Bundles in S3, policies and callers in Parameter Store.

    ``census`` is the bucket of recorded workloads; without one, nothing is recorded.
    """

    bucket: str
    bundle_prefix: str
    parameter_prefix: str
    refresh_seconds: int
    census: str = ""


StoreConfig: TypeAlias = FolderStoreConfig | AwsStoreConfig


def open_stores(
    backing: StoreConfig, verifier: "Verifier | None" = None
) -> tuple[Store, CallerStore]:
    """Return the store of policies and bundles, and the store of callers.

    Nothing is read yet. The stores defer parts of their first load, so the function starts fast.
    With *verifier*, they verify the signatures of policies.
    """
    match backing:
        case FolderStoreConfig(path=path):
            from .folder import FolderCallers, FolderStore  # no function with AWS needs them

            return (
                FolderStore(path, deferred=True, seconds=_POLL_SECONDS, verifier=verifier),
                FolderCallers(path, seconds=_POLL_SECONDS),
            )
        case AwsStoreConfig():
            return _open_aws_stores(backing, verifier)
        case _:
            assert_never(backing)


def open_census(backing: StoreConfig) -> "CensusWriter | None":
    """Return the writer of the census, or None if the settings name no storage for it."""
    if not backing.census:
        return None
    from .census import CensusStorage, CensusWriter  # only a process with a census needs them

    storage: CensusStorage
    match backing:
        case FolderStoreConfig(path=path, census=Path() as folder):
            from .folder.census import FolderCensus

            storage = FolderCensus(folder, path)
        case AwsStoreConfig(census=bucket, parameter_prefix=prefix):
            from .aws import census, clients

            # Separate clients: a record must not wait for the connection of a refresh.
            storage = census.BucketCensus(*clients.make_clients(), bucket, prefix)
        case _:
            return None
    return CensusWriter(storage)


def expire_stores(*stores: Store | CallerStore) -> None:
    """Let the next request read what the stores cached, for an environment that waits for it.

    A provisioned environment waits for hours, and one of SnapStart for months.
    """
    for each in stores:
        if isinstance(each, CachingStore):
            each.expire()


def _open_aws_stores(
    backing: AwsStoreConfig, verifier: "Verifier | None"
) -> tuple[Store, CallerStore]:
    # Imported here: a folder needs no AWS client.
    from .aws import callers, clients, registry, s3, snapstart, ssm, store

    parameter_store, objects = clients.make_clients()
    parameters = ssm.ParameterReader(parameter_store, backing.parameter_prefix)
    bundles = s3.BundleReader(objects, backing.bucket, backing.bundle_prefix)
    cached = callers.CachedCallers(
        parameters,
        backing.refresh_seconds,
        registry=registry.RegistryReader(parameters, objects, backing.bucket),
    )
    # A token can be revoked after the snapshot. Without Parameter Store, 503 is better.
    snapstart.run_before_snapshot(cached.drop)
    policies = store.CachedStore(
        parameters, bundles, backing.refresh_seconds, deferred=True, verifier=verifier
    )
    return policies, cached
