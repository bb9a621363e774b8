"""The documents of a store, read and written by name: one interface for every kind of store.

``podgraft.service.store.names`` defines the names. A kind of store is one module: ``folder`` for
podgraft serve, ``parameters`` for a stack. All methods raise ``CommandError``.
"""

from typing import TypeAlias

from .document import ChangedError, StoredDocument
from .folder import FolderDocuments
from .parameters import ParameterDocuments

Documents: TypeAlias = FolderDocuments | ParameterDocuments

__all__ = ["ChangedError", "Documents", "StoredDocument"]
