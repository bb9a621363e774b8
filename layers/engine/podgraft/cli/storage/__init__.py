"""The documents of a store, read and written by name: one interface for every kind of store.

``podgraft.service.store.names`` defines the names. A kind of store is one module: ``folder`` for
podgraft serve, ``parameters`` for a stack. All methods raise ``CommandError``.
"""

from typing import TypeAlias

from podgraft.cli.config_source import Location
from podgraft.cli.stacks import make_client

from .document import ChangedError, StoredDocument
from .folder import FolderDocuments
from .parameters import ParameterDocuments

Documents: TypeAlias = FolderDocuments | ParameterDocuments

__all__ = ["ChangedError", "Documents", "StoredDocument", "open_documents"]


def open_documents(location: Location) -> Documents:
    """Return the documents of a folder of podgraft serve, or of a stack."""
    if location.folder is not None:
        return FolderDocuments(location.folder)
    return ParameterDocuments(make_client("ssm"), location.find_prefix())
