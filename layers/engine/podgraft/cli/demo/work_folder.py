"""The folder with the files of a demo: certificates, a token, a store, and the pods."""

import shutil
from pathlib import Path

import msgspec
from msgspec import Struct

from podgraft.cli.failure import CommandError

PARENT = Path("build", "demo")
CLUSTER = "demo"
# A demo replaces only a folder that a demo created. The file describes its server.
_MARKER = ".podgraft-demo"


class DemoServer(Struct, frozen=True):
    """The server of a demo: its address and its injector. The other files are in the folder."""

    url: str
    injector: str

    def write(self, folder: Path) -> None:
        """Store the description, for ``podgraft register --config FOLDER``."""
        (folder / _MARKER).write_bytes(msgspec.json.encode(self))


def read_server(folder: Path) -> DemoServer:
    """Return the server of a demo; raises ``CommandError`` for another folder."""
    try:
        return msgspec.json.decode((folder / _MARKER).read_bytes(), type=DemoServer)
    except (OSError, msgspec.DecodeError) as error:
        raise CommandError(
            f"{folder}: is not the folder of a demo with a server; start one with podgraft demo "
            "--keep, or use --config stack:NAME or --url"
        ) from error


def create_folder(path: Path) -> None:
    """Create an empty folder; replace that of an earlier demo.

    Raises ``CommandError`` if the folder contains other files.
    """
    try:
        if path.is_dir() and any(path.iterdir()):
            if not (path / _MARKER).exists():
                raise CommandError(
                    f"{path}: contains files that no demo created; use another folder with --dir"
                )
            shutil.rmtree(path)
        path.mkdir(parents=True, exist_ok=True)
        path.chmod(0o700)
        (path / _MARKER).touch()
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}; use another folder with --dir") from error
