"""Where policies, bundles and callers are kept; the only package that does I/O.

A ``Store`` gives a ``Snapshot``: one policy and the bundle it was checked with, never a mixture of
two versions. While what is stored does not load, the last good snapshot answers and says why.
"""

from .book import Book
from .deadline import Deadline
from .directory import DirectoryCallers, DirectoryStore
from .errors import (
    NotLoadedError,
    RefusedError,
    StoreError,
    UnavailableError,
    UnknownInjectorError,
)
from .names import DEFAULT_INJECTOR, is_name
from .opening import Aws, Backing, Folder, opened
from .protocols import CallerStore, Store
from .snapshot import Snapshot, Snapshots, Stale, load
from .tokens import Callers

__all__ = [
    "DEFAULT_INJECTOR",
    "Aws",
    "Backing",
    "Book",
    "CallerStore",
    "Callers",
    "Deadline",
    "DirectoryCallers",
    "DirectoryStore",
    "Folder",
    "NotLoadedError",
    "RefusedError",
    "Snapshot",
    "Snapshots",
    "Stale",
    "Store",
    "StoreError",
    "UnavailableError",
    "UnknownInjectorError",
    "is_name",
    "load",
    "opened",
]
