"""The files around the package: samples, and the files of deployments.

A wheel contains them in ``podgraft/assets``. In a source tree, they are at its root.
"""

from pathlib import Path

import podgraft

_PACKAGE = Path(podgraft.__file__).resolve().parent
PACKAGED = _PACKAGE / "assets"
# The source tree, if podgraft runs in one. Not parents[2]: the playground has a short path.
ROOT = _PACKAGE.parent.parent.parent


def find_assets() -> Path:
    """Return the folder of the assets, with the layout of the source tree."""
    return PACKAGED if PACKAGED.is_dir() else ROOT


def find_engine() -> Path:
    """Return the folder of the package podgraft, for the layer of the engine."""
    return _PACKAGE
