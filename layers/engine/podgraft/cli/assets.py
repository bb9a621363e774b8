"""The files around the package: samples, and the files of deployments.

A wheel contains them in ``podgraft/assets``. In a source tree, they are at its root.
"""

from pathlib import Path

import podgraft

PACKAGE = Path(podgraft.__file__).resolve().parent
PACKAGED = PACKAGE / "assets"
# The source tree, if podgraft runs in one. Not parents[2]: the playground has a short path.
ROOT = PACKAGE.parent.parent.parent


def find_assets() -> Path:
    """Return the folder of the assets, with the layout of the source tree."""
    return PACKAGED if PACKAGED.is_dir() else ROOT
