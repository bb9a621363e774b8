"""The files of a release, built from a clean copy of a commit."""

import io
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import build_layer
from make_archives import make_layer

from .archives import normalize_sdist, normalize_wheel
from .packages import Package, read_layer
from .target import Target

_BACKEND = "from setuptools import build_meta; import sys; build_meta.build_{0}(sys.argv[1])"


class BuildError(RuntimeError):
    """A release that cannot be built."""


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit and its time."""

    id: str
    time: datetime


def read_commit(root: Path) -> Commit:
    """The commit of the working tree; raises ``BuildError`` for uncommitted changes."""
    changes = _git(root, "status", "--porcelain", "--untracked-files=no").decode().splitlines()
    if changes:
        raise BuildError(f"{changes[0][3:]}: has uncommitted changes; commit or stash them")
    identifier, seconds = _git(root, "log", "-1", "--format=%H %ct").decode().split()
    return Commit(identifier, datetime.fromtimestamp(int(seconds), UTC))


def find_tag_commit(root: Path, tag: str) -> str:
    """The commit of a tag; raises ``BuildError`` for an unknown tag."""
    return _git(root, "rev-parse", "--verify", f"refs/tags/{tag}^{{commit}}").decode().strip()


def extract_commit(root: Path, commit: Commit, folder: Path) -> None:
    """Fill *folder* with the files of the commit."""
    packed = _git(root, "archive", "--format=tar", commit.id)
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        extract_all(archive, folder)


def extract_all(archive: tarfile.TarFile, folder: Path) -> None:
    """Extract an archive that git or a build wrote; Python 3.11.3 and older have no filters."""
    options: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
    archive.extractall(folder, **options)  # noqa: S202 - git wrote the archive, or a build


def build_dependencies(root: Path, target: Target, folder: Path) -> tuple[bytes, list[Package]]:
    """The archive of the dependencies, and its packages; *folder* is for intermediate files."""
    layer, report = folder / f"dependencies-{target}", folder / f"report-{target}.json"
    requirements = root / "layers" / "dependencies" / "requirements.txt"
    arguments = ("dependencies", str(layer), str(requirements))
    _run_build_layer(root, target, arguments, {"PODGRAFT_REPORT": str(report)})
    return make_layer(layer), read_layer(layer, report, target.markers)


def build_engine(root: Path, target: Target, folder: Path) -> bytes:
    """The archive of the package podgraft; it is the same for all architectures."""
    layer = folder / f"engine-{target}"
    _run_build_layer(
        root, target, ("sources", str(layer), str(root / "layers/engine/podgraft")), {}
    )
    return make_layer(layer)


def build_python_packages(root: Path, commit: Commit, folder: Path) -> dict[str, bytes]:
    """The wheel and the source archive by name."""
    output = folder / "packages"
    output.mkdir()
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(int(commit.time.timestamp()))}
    for kind in ("wheel", "sdist"):
        command = [sys.executable, "-c", _BACKEND.format(kind), str(output)]
        _run(command, root, environment)
    [wheel], [sdist] = output.glob("*.whl"), output.glob("*.tar.gz")
    return {
        wheel.name: normalize_wheel(wheel.read_bytes()),
        sdist.name: normalize_sdist(sdist.read_bytes()),
    }


def build_playground(root: Path, cache: Path) -> None:
    """Build the page of the playground, which the wheel contains; raises ``BuildError``."""
    if shutil.which("npm") is None:
        raise BuildError("npm: not found; install Node.js, or use --without-playground")
    program = str(root / "tools" / "build_playground.py")
    output = str(root / "playground" / "site")  # where the builds of wheel and source archive look
    command = [sys.executable, program, "--cache", str(cache), "--output", output]
    _run(command, root, os.environ)


def check_python(target: Target) -> None:
    """Raise ``BuildError`` if no Python can compile the bytecode of the target."""
    if build_layer.find_python(target.runtime) is None:
        raise BuildError(
            f"{target.runtime}: not found; install it or uv, or name other targets with TARGETS"
        )


def _run_build_layer(
    root: Path, target: Target, arguments: tuple[str, ...], variables: Mapping[str, str]
) -> None:
    environment = {
        **os.environ,
        "PODGRAFT_RUNTIME": target.runtime,
        "PODGRAFT_ARCHITECTURE": target.architecture,
        **variables,
    }
    _run([sys.executable, str(root / "layers" / "build_layer.py"), *arguments], root, environment)


def _run(command: list[str], folder: Path, environment: Mapping[str, str]) -> None:
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise BuildError(f"{' '.join(command[:3])}: failed; {done.stderr.strip()}")


def _git(root: Path, *arguments: str) -> bytes:
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, check=False)  # noqa: S607
    if done.returncode:
        raise BuildError(f"git {' '.join(arguments)}: {done.stderr.decode().strip()}")
    return done.stdout
