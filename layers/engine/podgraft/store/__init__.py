"""Where policies, bundles and callers are kept; the only package that does I/O.

A ``Store`` gives a ``Snapshot``: one policy and the bundle it was checked with, never a mixture of
two versions. While what is stored does not load, the last good snapshot answers and says why.
"""

from podgraft.deadline import Deadline
from podgraft.review_context import Staleness

from .caller_document import Callers
from .callers import CallerRegistry
from .errors import (
    InvalidVersionError,
    NotLoadedError,
    StoreError,
    UnavailableError,
    UnknownInjectorError,
)
from .factory import AwsStoreConfig, FolderStoreConfig, StoreConfig, open_stores
from .folder.store import FolderCallers, FolderStore
from .names import DEFAULT_INJECTOR, is_name
from .protocols import CallerStore, Store
from .snapshot import Snapshot, SnapshotSet, load_snapshots

__all__ = [
    "DEFAULT_INJECTOR",
    "AwsStoreConfig",
    "CallerRegistry",
    "CallerStore",
    "Callers",
    "Deadline",
    "FolderCallers",
    "FolderStore",
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
    "is_name",
    "load_snapshots",
    "open_stores",
]
