"""The folder with the files of a demo: certificates, a token, a store, and the pods."""

import shutil
from pathlib import Path

from podgraft.cli.failure import CommandError

PARENT = Path("build", "demo")
# A demo replaces only a folder that a demo created.
_MARKER = ".podgraft-demo"


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
