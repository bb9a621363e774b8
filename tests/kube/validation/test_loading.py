"""CEL and its checker cost a cold start: only a bundle with rules loads them."""

import subprocess
import sys
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parents[3] / "samples"
ENGINE = Path(__file__).parents[3] / "layers" / "engine"
PROGRAM = """
import sys
from pathlib import Path
from podgraft.core import review
from podgraft.service.store.folder import FolderStore

FolderStore(Path(sys.argv[1])).snapshot(sys.argv[2], None)
print(*(name for name in ("podgraft.kube.cel", "re2") if name in sys.modules))
"""


@pytest.mark.parametrize(
    ("sample", "loaded"),
    [
        ("appmesh", []),
        ("datadog-env", ["podgraft.kube.cel"]),
        ("logging", ["podgraft.kube.cel"]),
        ("allow", ["podgraft.kube.cel"]),
        ("require-limits", ["podgraft.kube.cel", "re2"]),
    ],
)
def test_a_bundle_imports_only_what_it_needs(sample: str, loaded: list[str]) -> None:
    command = [sys.executable, "-c", PROGRAM, str(SAMPLES), sample]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env={"PYTHONPATH": str(ENGINE)}
    )

    assert done.stdout.split() == loaded
