"""An audit of the layer: each file is that of a wheel, and the responses are the same."""

import base64
import csv
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

import build_layer
from e2e.builds.layer import LAYERS, MACHINES, Target, assemble, find_uncompiled
from supply_chain.pins import read_pins
from support.store_fixture import TOKEN, admit, write_injector

ROOT = LAYERS.parent
EVENTS = ROOT / "tests" / "support" / "events"
REQUIREMENTS = LAYERS / "dependencies" / "requirements.txt"
MACHINE = {"aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)
HERE = Target(f"python{sys.version_info.major}.{sys.version_info.minor}", MACHINE)


@dataclass(frozen=True, slots=True)
class Build:
    """The layers for this machine, the wheels of the dependencies, and their complete content."""

    dependencies: Path
    engine: Path
    wheels: Path
    complete: Path


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Generator[Build]:
    """Built once, and removed at the end."""
    if "PODGRAFT_E2E_BUILDS" not in os.environ:
        pytest.skip("downloads wheels; run make e2e-builds")
    assert MACHINE in MACHINES.values()
    folder = tmp_path_factory.mktemp("audit")
    made = Build(*(folder / name for name in ("dependencies", "engine", "wheels", "complete")))
    assemble(HERE, "dependencies", made.dependencies, REQUIREMENTS)
    assemble(HERE, "sources", made.engine, LAYERS / "engine" / "podgraft")
    download = [sys.executable, "-m", "pip", "download", "--quiet", "--dest", str(made.wheels)]
    pins = ["--requirement", str(REQUIREMENTS), *build_layer.platform_options(*_platform())]
    subprocess.run([*download, "--disable-pip-version-check", *pins], check=True)
    for wheel in made.wheels.glob("*.whl"):
        with ZipFile(wheel) as archive:
            archive.extractall(made.complete)
    yield made
    shutil.rmtree(folder)


def _platform() -> tuple[str, str]:
    return HERE.runtime, HERE.architecture


def _files(wheel: Path) -> Iterator[tuple[str, bytes]]:
    """Every file that a wheel installs into the layer, except its list of files."""
    with ZipFile(wheel) as archive:
        for name in archive.namelist():
            first, _, rest = name.partition("/")
            if first.endswith(".data") and rest.startswith("scripts/"):
                continue  # commands, which no function runs
            if not name.endswith(("/", ".dist-info/RECORD")):
                yield name, archive.read(name)


def test_every_file_is_that_of_its_wheel(build: Build) -> None:
    wheels = sorted(build.wheels.glob("*.whl"))
    assert len(wheels) == len(read_pins(REQUIREMENTS))
    for wheel in wheels:
        files = dict(_files(wheel))
        present = {name for name in files if (build.dependencies / name).exists()}
        assert any(name.endswith("/METADATA") for name in present)
        for name in present:
            assert (build.dependencies / name).read_bytes() == files[name], f"{wheel.name}: {name}"


def test_every_list_of_files_is_there_with_the_hashes_of_the_wheel(build: Build) -> None:
    for wheel in build.wheels.glob("*.whl"):
        with ZipFile(wheel) as archive:
            [name] = [each for each in archive.namelist() if each.endswith(".dist-info/RECORD")]
            wanted = _hashes(archive.read(name).decode())
        found = _hashes((build.dependencies / name).read_text())
        assert {path: found.get(path) for path in wanted} == wanted, wheel.name


def _hashes(record: str) -> dict[str, str]:
    rows = csv.reader(record.splitlines())
    return {path: digest for path, digest, _ in rows if digest and ".data/" not in path}


def test_every_file_has_the_hash_that_its_list_states(build: Build) -> None:
    """The check of an auditor: files against the ``RECORD`` of their package."""
    stated: dict[str, str] = {}
    for record in build.dependencies.glob("*.dist-info/RECORD"):
        stated |= _hashes(record.read_text())
    for path in sorted(_list_files(build.dependencies)):
        if not path.endswith((".pyc", "/RECORD")):
            digest = hashlib.sha256((build.dependencies / path).read_bytes()).digest()
            text = base64.urlsafe_b64encode(digest).decode().rstrip("=")
            assert stated[path] == f"sha256={text}", path


def _list_files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_nothing_is_added_but_bytecode(build: Build) -> None:
    from_wheels = {name for wheel in build.wheels.glob("*.whl") for name, _ in _files(wheel)}
    found = _list_files(build.dependencies)
    added = {name for name in found - from_wheels if not name.endswith(".pyc")}
    written_by_pip = {"RECORD", "INSTALLER", "REQUESTED"}
    assert {name.rpartition("/")[2] for name in added} <= written_by_pip
    assert all(".dist-info/" in name for name in added)
    assert find_uncompiled(build.dependencies, HERE) == []


def test_a_left_out_file_is_in_the_list(build: Build) -> None:
    """A file of a wheel that is not in the layer is one of ``UNUSED``, or data of botocore."""
    unused = build_layer.find_unused(build.complete)
    for name in _list_files(build.complete) - _list_files(build.dependencies):
        path = build.complete / name
        assert unused & {path, *path.parents} or ".data/scripts/" in name, name


def test_the_responses_are_those_of_complete_packages(build: Build, tmp_path: Path) -> None:
    store = write_injector(tmp_path)
    admit(store, "prod-eu", TOKEN)
    answers = _answers(build, build.dependencies, store)
    assert set(answers) == {path.stem for path in EVENTS.glob("*.json")}
    assert answers == _answers(build, build.complete, store)
    injected = answers["apigateway-v2-bearer-token"]
    assert injected["statusCode"] == 200
    assert "patch" in json.loads(injected["body"])["response"]


def _answers(build: Build, dependencies: Path, store: Path) -> dict[str, Any]:
    path = (build.engine, dependencies, ROOT / "functions" / "webhook")
    done = subprocess.run(
        [sys.executable, "-S", Path(__file__).with_name("answers.py"), EVENTS],
        env={
            "PYTHONPATH": ":".join(map(str, path)),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PODGRAFT_STORE": f"file:{store}",
            "AWS_LAMBDA_FUNCTION_NAME": "podgraft",
        },
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return json.loads(done.stdout.splitlines()[-1])["answers"]
