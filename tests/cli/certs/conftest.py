"""What several tests of the operator programs need once."""

import shutil
import subprocess
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def goverify(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Go's verifier as a program; skips without Go."""
    go = shutil.which("go")
    if go is None:
        pytest.skip("Go is not installed: its verifier is not asked")
    program = tmp_path_factory.mktemp("goverify") / "goverify"
    source = Path(__file__).parent / "goverify"
    subprocess.run([go, "build", "-o", program, "."], cwd=source, check=True)
    return program
