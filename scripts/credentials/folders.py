"""The documents as files: ``<folder>/auth/<cluster>.yaml``, replaced in one step."""

from dataclasses import dataclass
from pathlib import Path

import outputs
from credentials.shelf import checked
from outputs import Output

SUFFIX = ".yaml"


@dataclass(frozen=True, slots=True)
class FolderShelf:
    """The ``auth`` folder beside the injectors of a file store."""

    folder: Path

    def place(self, cluster: str) -> str:
        """Where the document of *cluster* is."""
        return str(self._file(cluster))

    def clusters(self) -> list[str]:
        """Every cluster that has a file."""
        return sorted(path.stem for path in (self.folder / "auth").glob(f"*{SUFFIX}"))

    def read(self, cluster: str) -> str | None:
        """The file's text."""
        try:
            return self._file(cluster).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None

    def write(self, cluster: str, text: str) -> None:
        """Replace the file at once: a server that reads meanwhile sees the old or the new one.

        Everybody may read it: the hash of 256 random bits gives nothing away.
        """
        outputs.write([Output(self._file(cluster), text.encode())], force=True)

    def _file(self, cluster: str) -> Path:
        return self.folder / "auth" / f"{checked(cluster)}{SUFFIX}"
