"""The files of a folder store: their fingerprint, and their content.

Hidden files and folders are skipped: they are locks of editors, or versions of mounted ConfigMaps.
Every ``OSError`` of these functions is an error of the disk or of permissions. The callers convert
it to ``UnavailableError``.
"""

import errno
import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeAlias

from podgraft.core import bundle
from podgraft.core.review_context import Staleness
from podgraft.core.versions.errors import NotLoadedError, StoreError, UnavailableError

# Path, modification time, size, and inode; for a link, those of the link and of its target.
FileStats: TypeAlias = tuple[str, tuple[int, ...]]

_BROKEN_LINK = frozenset({errno.ENOENT, errno.ELOOP, errno.ENOTDIR})


def fingerprint(folder: str) -> tuple[FileStats, ...]:
    """Return a value that changes if any file below the folder changes."""
    return tuple(sorted(map(_file_stats, _below(folder, ()))))


def fingerprint_file(path: Path) -> tuple[FileStats, ...]:
    """Return a value that changes if one file changes, appears, or disappears."""
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return ()
    return ((str(path), (status.st_mtime_ns, status.st_size, status.st_ino)),)


def read_manifests(folder: Path) -> dict[str, bytes]:
    """Return the manifests below a folder by relative path; none if the folder is missing.

    A broken link with the name of a manifest raises ``OSError``: without it, the bundle would be
    incomplete.
    """
    if not is_present(folder):
        return {}
    contents: dict[str, bytes] = {}
    for entry in _below(str(folder), ()):
        name = Path(entry.path).relative_to(folder).as_posix()
        if bundle.is_manifest(name) and _is_file(entry):
            contents[name] = Path(entry.path).read_bytes()
    return contents


def read_if_present(path: Path) -> bytes | None:
    """Return the content of a file; ``None`` if it is missing. Raises for a broken link."""
    return path.read_bytes() if is_present(path) else None


def is_present(path: Path) -> bool:
    """Whether a file or folder exists; raises ``OSError`` if the check fails."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        if path.is_symlink():
            raise
        return False
    return True


def _below(folder: str, above: tuple[str, ...]) -> Iterator["os.DirEntry[str]"]:
    """Walk the files below a folder; *above* are the folders on the path of the walk."""
    within = (*above, folder)
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if not _is_folder(entry):
                yield entry
            elif not entry.is_symlink() or not _leads_upwards(entry.path, within):
                yield from _below(entry.path, within)


def _leads_upwards(link: str, within: tuple[str, ...]) -> bool:
    """Whether a link leads to a folder that contains the link, through any other links."""
    target = os.path.join(os.path.realpath(link), "")  # noqa: PTH118 — ends with a separator
    return any(os.path.join(os.path.realpath(f), "").startswith(target) for f in within)  # noqa: PTH118


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError as error:
        if entry.is_symlink() and error.errno in _BROKEN_LINK:
            return False
        raise


def _is_file(entry: "os.DirEntry[str]") -> bool:
    """Whether an entry is a file (not a pipe); raises ``OSError`` for a broken link."""
    if entry.is_symlink():
        entry.stat()
    return entry.is_file()


def _file_stats(entry: "os.DirEntry[str]") -> FileStats:
    """Return the stats of a file; for a link, those of the link and of its target, if any."""
    own = entry.stat(follow_symlinks=False)
    stats = (own.st_mtime_ns, own.st_size, own.st_ino)
    if entry.is_symlink():
        with suppress(OSError):
            target = entry.stat()
            stats = (*stats, target.st_mtime_ns, target.st_size, target.st_ino)
    return entry.path, stats


def is_empty(folder: Path) -> bool:
    """Whether a store has no visible file, as the mount point of a missing disk."""
    return all(path.name.startswith(".") for path in folder.iterdir())


@contextmanager
def convert_errors(item: str, folder: Path) -> Generator[None]:
    """Convert each ``OSError`` to ``UnavailableError`` with the path of the file."""
    try:
        yield
    except OSError as error:
        path = str(error.filename) if error.filename else str(folder)
        location = os.path.relpath(path, folder.parent)
        raise UnavailableError(f"{item} cannot be read: {error.strerror} ({location})") from error


def make_stale(error: StoreError) -> Staleness:
    """Return the staleness of a version that stays in force because of an error."""
    return Staleness(str(error), isinstance(error, NotLoadedError))
