"""Stores of policies, bundles, and callers; the only package of the engine that does I/O.

A ``Store`` returns a ``Snapshot``: one policy and its bundle, never a mixture of two versions. If
the stored version does not load, the last known good snapshot is in force, with the reason.
"""

from podgraft.base.deadline import Deadline
from podgraft.core.review_context import Staleness
from podgraft.core.versions.errors import (
    InvalidVersionError,
    NotLoadedError,
    StoreError,
    UnavailableError,
    UnknownInjectorError,
    UntrustedError,
)
from podgraft.core.versions.snapshot import Snapshot, SnapshotSet
from podgraft.core.versions.snapshot_loader import load_snapshots
from podgraft.core.versions.store import Store

from .caller_document import Callers
from .callers import CallerRegistry
from .factory import (
    AwsStoreConfig,
    FolderStoreConfig,
    StoreConfig,
    expire_stores,
    open_census,
    open_stores,
)
from .loading import start_loading
from .names import DEFAULT_INJECTOR, is_name
from .protocols import CallerStore

__all__ = [
    "DEFAULT_INJECTOR",
    "AwsStoreConfig",
    "CallerRegistry",
    "CallerStore",
    "Callers",
    "Deadline",
    "FolderStoreConfig",
    "InvalidVersionError",
    "NotLoadedError",
    "Snapshot",
    "SnapshotSet",
    "Staleness",
    "Store",
    "StoreConfig",
    "StoreError",
    "UnavailableError",
    "UnknownInjectorError",
    "UntrustedError",
    "expire_stores",
    "is_name",
    "load_snapshots",
    "open_census",
    "open_stores",
    "start_loading",
]
