"""The store in a folder: policies, callers, and bundles as files."""

from .callers import FolderCallers
from .store import FolderStore

__all__ = ["FolderCallers", "FolderStore"]
