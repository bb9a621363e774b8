"""Errors of the disk, as errors of the store."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from podgraft.core.review_context import Staleness
from podgraft.core.versions.errors import NotLoadedError, StoreError, UnavailableError


@contextmanager
def convert_errors(item: str, folder: Path) -> Generator[None]:
    """Convert each ``OSError`` to ``UnavailableError`` with the path of the file."""
    try:
        yield
    except OSError as error:
        location = _relative(error.filename and str(error.filename), folder)
        raise UnavailableError(f"{item} cannot be read: {error.strerror} ({location})") from error


def _relative(path: str | None, folder: Path) -> str:
    """Return a path relative to the parent folder."""
    return folder.name if path is None else os.path.relpath(path, folder.parent)


def make_stale(error: StoreError) -> Staleness:
    """Return the staleness of a version that stays in force because of an error."""
    return Staleness(str(error), isinstance(error, NotLoadedError))
