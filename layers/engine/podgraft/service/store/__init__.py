"""Stores of policies, bundles, and callers; the only package through which a review does I/O.

A ``Store`` returns a ``Snapshot``: one policy and its bundle, never a mixture of two versions. If
the stored version does not load, the last known good snapshot is in force, with the reason.
"""

from .caller_document import Callers
from .callers import CallerRegistry
from .factory import AwsStoreConfig, FolderStoreConfig, StoreConfig, open_census, open_stores
from .loading import start_loading
from .protocols import CallerStore

__all__ = [
    "AwsStoreConfig",
    "CallerRegistry",
    "CallerStore",
    "Callers",
    "FolderStoreConfig",
    "StoreConfig",
    "open_census",
    "open_stores",
    "start_loading",
]
