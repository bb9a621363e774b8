"""A folder with ``policy.yaml`` and ``bundle/``, as ``--config`` and FOLDER name it."""

import shutil
from pathlib import Path

SAMPLES = Path(__file__).parents[2] / "samples"


def write_folder(folder: Path, sample: str | Path, policy: str) -> str:
    """Copy the bundle of a sample, or of a folder, and write *policy* next to it."""
    shutil.copytree(SAMPLES / sample / "bundle", folder / "bundle")
    (folder / "policy.yaml").write_text(policy)
    return str(folder)
