"""The census in files: records in a folder, keys in the folders of injectors."""

import os
from base64 import b64decode
from pathlib import Path
from tempfile import NamedTemporaryFile

from msgspec import Struct

from podgraft.service.store.names import census_key_name, file_of

from . import files


class FolderCensus(Struct, frozen=True):
    """Records below *folder*; the keys are in the store."""

    folder: Path
    store: Path

    def read_key(self, injector: str, seconds: float) -> bytes | None:
        """Read the file; None if it does not exist."""
        del seconds  # the caller stops waiting
        text = files.read_if_present(file_of(self.store, census_key_name(injector)))
        return None if text is None else b64decode(text.strip(), validate=True)

    def put_record(self, path: str, content: bytes, seconds: float) -> bool:
        """Write a file completely or not at all; False if it exists."""
        del seconds
        target = self.folder / path
        if target.exists():
            return False
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=target.parent, prefix=".") as file:
            file.write(content)
            file.flush()
            try:
                os.link(file.name, target)
            except FileExistsError:
                return False
        return True
