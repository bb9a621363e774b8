"""The files around the package: samples, and the files of deployments.

A wheel contains them in ``podgraft/assets``. In a source tree, they are at its root.
"""

from pathlib import Path

import podgraft
from podgraft.cli.failure import CommandError

_PACKAGE = Path(podgraft.__file__).resolve().parent
PACKAGED = _PACKAGE / "assets"
# The source tree, if podgraft runs in one. Not parents[2]: the playground has a short path.
ROOT = _PACKAGE.parent.parent.parent
_MARKERS = ("template.yaml", "samples", "functions/webhook/handler.py")


def find_assets() -> Path:
    """Return the folder of the assets, with the layout of the source tree."""
    return PACKAGED if PACKAGED.is_dir() else ROOT


def find_engine() -> Path:
    """Return the folder of the package podgraft, for the layer of the engine."""
    return _PACKAGE


def check_checkout(command: str, root: Path = ROOT) -> None:
    """Raise ``CommandError`` if podgraft runs outside its source tree, which *command* needs."""
    if not all((root / marker).exists() for marker in _MARKERS):
        raise CommandError(
            f"podgraft {command}: requires the source tree of podgraft, got {root}; clone the "
            "repository, then run make setup and .venv/bin/podgraft in it"
        )
