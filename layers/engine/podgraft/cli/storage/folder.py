"""The documents of podgraft serve: files of a folder, replaced atomically."""

import fcntl
import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from podgraft.cli import folders, outputs
from podgraft.cli.failure import convert_errors
from podgraft.service.store.names import file_of

from .document import ChangedError, StoredDocument

_LOCK = ".lock"


class FolderDocuments(Struct, frozen=True):
    """The folder of a store."""

    folder: Path

    def locate(self, name: str) -> str:
        """Return the path of the file, for messages."""
        return str(file_of(self.folder, name))

    def read(self, name: str) -> StoredDocument:
        """Return the current document."""
        path = file_of(self.folder, name)
        return StoredDocument(folders.read_text(path) if path.exists() else None)

    def read_all(self, folder: str) -> Mapping[str, StoredDocument]:
        """Read the YAML files directly below a folder."""
        return {
            f"{folder}/{path.stem}": self.read(f"{folder}/{path.stem}")
            for path in folders.list_files(self.folder / folder)
            if path.suffix == ".yaml" and not path.name.startswith(".")
        }

    def write(
        self,
        name: str,
        text: str,
        expected: StoredDocument | None = None,
        *,
        is_secret: bool = False,
    ) -> None:
        """Replace the file, which keeps its mode; only its owner can read a new secret one.

        Raises ``ChangedError`` unless *expected* is the current document.
        """
        path = file_of(self.folder, name)
        if expected is not None and self.read(name).text != expected.text:
            raise ChangedError(f"{path}: another program changed the file; run the command again")
        outputs.replace_file(path, text.encode(), outputs.SECRET if is_secret else outputs.PUBLIC)

    def delete(self, name: str) -> None:
        """Delete the file, if it exists."""
        with convert_errors():
            file_of(self.folder, name).unlink(missing_ok=True)

    @contextmanager
    def lock(self, name: str) -> Generator[None]:
        """Wait for the lock of the store. The system releases the lock of a process that ends.

        The lock file is not deleted: another process can wait for the same file.
        """
        del name
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / _LOCK
        with convert_errors():
            # A link could lead to any file of the user, and a pipe waits for its other end.
            flags = os.O_RDONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
            descriptor = os.open(path, flags, outputs.PUBLIC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)
