"""The source tree of podgraft, for the commands that need its samples, function, or layers."""

from pathlib import Path

import podgraft
from podgraft.cli.failure import CommandError

ROOT = Path(podgraft.__file__).resolve().parents[3]
_MARKERS = ("template.yaml", "samples", "functions/webhook/handler.py")


def check_checkout(command: str, root: Path = ROOT) -> None:
    """Raise ``CommandError`` if podgraft runs outside its source tree, which *command* needs."""
    if not all((root / marker).exists() for marker in _MARKERS):
        raise CommandError(
            f"podgraft {command}: requires the source tree of podgraft, got {root}; clone the "
            "repository, then run make setup and .venv/bin/podgraft in it"
        )
