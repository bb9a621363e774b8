"""The targets of make on any machine: the folder of the clone, and programs that it lacks."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TARGETS = re.findall(r"^([a-z0-9-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE)
_QUOTED = re.compile(r'"[^"]*"')


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A copy of what make reads, in a folder with a space, without environments."""
    folder = tmp_path / "my clone"
    for name in ("packaging", "pyproject.toml", "samconfig.toml", "scripts", "tests", "tools"):
        folder.mkdir(exist_ok=True)
        (folder / name).symlink_to(ROOT / name)
    shutil.copy(ROOT / "Makefile", folder)
    return folder


def run_make(clone: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run make without the programs that this machine has beside those of a base system."""
    return subprocess.run(
        ["make", "--no-print-directory", *arguments],
        cwd=clone,
        env={"PATH": f"{clone}/bin:/usr/bin:/bin"},
        check=False,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("target", TARGETS)
def test_the_folder_of_the_clone_is_one_word(target: str, clone: Path) -> None:
    """Without quotes, ``make check`` deleted another folder."""
    done = run_make(clone, "--dry-run", target, f"PYTHON={sys.executable}")
    assert done.returncode == 0, done.stderr
    assert "my clone" not in _QUOTED.sub("", done.stdout), done.stdout


def test_help_is_text_without_escape_sequences(clone: Path) -> None:
    done = run_make(clone)
    assert [line.split()[0] for line in done.stdout.splitlines()] == TARGETS
    assert "\x1b" not in done.stdout


def test_a_missing_go_has_a_remedy(clone: Path) -> None:
    programs = clone / "bin"
    programs.mkdir()
    for name in ("sh", "make"):
        (programs / name).symlink_to(shutil.which(name) or "")
    done = subprocess.run(
        [programs / "make", "workflows"],
        cwd=clone,
        env={"PATH": str(programs)},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("workflows: go not found; install it ")


def test_a_python_that_is_missing_is_named(clone: Path) -> None:
    """The other targets of a check exist."""
    (clone / ".venv").mkdir()
    for stamp in (".venv/.demo", ".venv/.done"):
        (clone / stamp).touch()
    done = run_make(clone, "test-pythons", "PYTHONS=python3.99")
    assert done.stdout == "python3.99: not found, so skipped\n", done.stderr
