"""The documents as files: ``<folder>/auth/<cluster>.yaml``, replaced in one step."""

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
    """The ``auth`` folder beside the injectors of a file store."""

    folder: Path

    def location(self, cluster: str) -> str:
        """Where the document of *cluster* is."""
        return str(self._path(cluster))

    def clusters(self) -> list[str]:
        """Every cluster that has a file."""
        return sorted(path.stem for path in (self.folder / "auth").glob(f"*{SUFFIX}"))

    def read(self, cluster: str) -> Entry:
        """The file's text."""
        try:
            return Entry(self._path(cluster).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return Entry()

    @contextmanager
    def lock(self, cluster: str) -> Generator[None]:
        """Wait until no other process changes the store; the system frees what a process locked.

        The lock file stays: a process that waits for it would lock a file without a name.
        """
        check_cluster_name(cluster)
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / LOCK).open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def write(self, cluster: str, text: str, replaced: Entry) -> None:
        """Replace the file at once: a server that reads meanwhile sees the old or the new one.

        What was read under the lock is what is replaced. All users may read the file: the hash of
        256 random bits gives nothing away.
        """
        del replaced
        outputs.write_files([Output(self._path(cluster), text.encode())], force=True)

    def _path(self, cluster: str) -> Path:
        return self.folder / "auth" / f"{check_cluster_name(cluster)}{SUFFIX}"
