"""The store in a folder: policies, callers, and bundles as files."""

from .callers import FolderCallers
from .file_cache import LoadPendingError, without_loading
from .store import FolderStore

__all__ = ["FolderCallers", "FolderStore", "LoadPendingError", "without_loading"]
