"""The environment of the demo has the commands and the metadata of the project, as with pip."""

import subprocess
import sys
from importlib.metadata import PathDistribution
from pathlib import Path

import pytest

from link_project import link_project

ROOT = Path(__file__).parents[2]


@pytest.fixture(name="environment")
def environment_fixture(tmp_path: Path) -> Path:
    """An environment in a folder with a space, which a first line of a program cannot contain."""
    environment = tmp_path / "a folder"
    (environment / "bin").mkdir(parents=True)
    python = environment / "bin" / "python"
    python.symlink_to(sys.executable)
    link_project(ROOT, environment / "packages", environment / "bin", str(python))
    return environment


def test_its_programs_are_those_of_the_installed_project(environment: Path) -> None:
    names = {"podgraft", "kubectl-podgraft", "kubectl_complete-podgraft"}
    assert {path.name for path in (environment / "bin").iterdir()} == {*names, "python"}
    done = subprocess.run(
        [environment / "bin" / "podgraft", "--help"],
        env={"PYTHONPATH": f"{ROOT}/layers/engine:{_packages()}", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Usage: podgraft ")


def test_its_metadata_lets_pip_replace_it(environment: Path) -> None:
    packages = environment / "packages"
    [folder] = packages.glob("*.dist-info")
    found = PathDistribution(folder)
    assert (found.metadata["Name"], found.version) == ("podgraft", "0.2.0")
    assert {entry.name for entry in found.entry_points} == {
        "podgraft",
        "kubectl-podgraft",
        "kubectl_complete-podgraft",
    }
    recorded = {str(path) for path in found.files or ()}
    written = {path for path in environment.rglob("*") if path.is_file() and not path.is_symlink()}
    assert recorded == {str(path) for path in written}
    assert (packages / "podgraft.pth").read_text() == f"{ROOT}/layers/engine\n"


def _packages() -> str:
    import click

    return str(Path(click.__file__).parents[1])
