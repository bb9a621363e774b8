"""The artifact that is deployed, built for this machine: both layers and the handler."""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

from .bench_input import ROOT


def build(folder: Path, root: Path = ROOT) -> Path:
    """Fill *folder* as on Lambda: ``python/`` of the layers, and ``handler.py``.

    *root* has the sources.
    """
    shutil.rmtree(folder, ignore_errors=True)
    layers = folder / "python"
    machine = "arm64" if platform.machine() in {"aarch64", "arm64"} else "x86_64"
    release = f"python{sys.version_info.major}.{sys.version_info.minor}"
    target = {"PODGRAFT_RUNTIME": release, "PODGRAFT_ARCHITECTURE": machine}
    environment = os.environ | target
    sources = root / "layers"
    for arguments in (
        ("dependencies", layers, sources / "dependencies" / "requirements.txt"),
        ("sources", layers, sources / "engine" / "podgraft"),
    ):
        subprocess.run(
            [sys.executable, sources / "build_layer.py", *map(str, arguments)],
            env=environment,
            check=True,
            stdout=subprocess.DEVNULL,
        )
    shutil.copy(root / "functions" / "webhook" / "handler.py", folder)
    return folder
