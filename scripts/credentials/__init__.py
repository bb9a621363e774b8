"""Where the callers of each cluster are written down: a folder, or SSM Parameter Store.

The document itself is ``podgraft.store.caller_document``; this package only carries its text to and from the
place where the function reads it. No token ever comes here, only its hash.
"""  # noqa: E501

from credentials.storage import CallerStorage, CallerStorageError, Entry, Location, open_storage

__all__ = ["CallerStorage", "CallerStorageError", "Entry", "Location", "open_storage"]
