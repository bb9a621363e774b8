"""The documents as files: ``<folder>/auth/<cluster>.yaml``, replaced atomically."""

import fcntl
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from podgraft.cli import outputs
from podgraft.cli.outputs import Output

from .storage import Entry, check_cluster_name

SUFFIX = ".yaml"
LOCK = ".tokens.lock"


@dataclass(frozen=True, slots=True)
class FolderStorage:
    """The ``auth`` folder of a folder store."""

    folder: Path

    def location(self, cluster: str) -> str:
        """Return the path of the document of *cluster*."""
        return str(self._path(cluster))

    def clusters(self) -> list[str]:
        """Return every cluster with a file."""
        return sorted(path.stem for path in (self.folder / "auth").glob(f"*{SUFFIX}"))

    def read(self, cluster: str) -> Entry:
        """Return the text of the file."""
        try:
            return Entry(self._path(cluster).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return Entry()

    @contextmanager
    def lock(self, cluster: str) -> Generator[None]:
        """Wait for the lock of the store. The system releases the lock of a process that ends.

        The lock file is not deleted: another process can wait for the same file.
        """
        check_cluster_name(cluster)
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / LOCK).open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def write(self, cluster: str, text: str, replaced: Entry) -> None:
        """Replace the file atomically, so a server reads the old or the new one.

        The lock guarantees that *replaced* is the current document. All users can read the file,
        because the hash of 256 random bits does not reveal the token.
        """
        del replaced
        outputs.write_files([Output(self._path(cluster), text.encode())], force=True)

    def _path(self, cluster: str) -> Path:
        return self.folder / "auth" / f"{check_cluster_name(cluster)}{SUFFIX}"
