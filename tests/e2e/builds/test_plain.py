"""The layer of ``LAYER=plain``: each dependency as its wheel is, and the same responses."""

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
LAMBDA_BYTES = 250_000_000  # function and layers, unpacked


@dataclass(frozen=True, slots=True)
class PlainBuild:
    """The layers for this machine, with the dependencies in both ways, and their wheels."""

    plain: Path
    slim: Path
    engine: Path
    wheels: Path


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Generator[PlainBuild]:
    """Built once, and removed at the end."""
    if "PODGRAFT_E2E_BUILDS" not in os.environ:
        pytest.skip("downloads wheels; run make e2e-builds")
    assert MACHINE in MACHINES.values()
    folder = tmp_path_factory.mktemp("plain")
    made = PlainBuild(*(folder / name for name in ("plain", "slim", "engine", "wheels")))
    assemble(HERE, "dependencies", made.plain, REQUIREMENTS, LAYER="plain")
    assemble(HERE, "dependencies", made.slim, REQUIREMENTS)
    assemble(HERE, "sources", made.engine, LAYERS / "engine" / "podgraft")
    download = [sys.executable, "-m", "pip", "download", "--quiet", "--dest", str(made.wheels)]
    pins = ["--requirement", str(REQUIREMENTS), *build_layer.platform_options(*_platform())]
    subprocess.run([*download, "--disable-pip-version-check", *pins], check=True)
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


def test_every_file_of_every_wheel_is_there_unchanged(build: PlainBuild) -> None:
    wheels = sorted(build.wheels.glob("*.whl"))
    assert len(wheels) == len(read_pins(REQUIREMENTS))
    changed = [
        f"{wheel.name}: {name}"
        for wheel in wheels
        for name, content in _files(wheel)
        if not (build.plain / name).is_file() or (build.plain / name).read_bytes() != content
    ]
    assert changed == []


def test_every_list_of_files_is_there_with_the_hashes_of_the_wheel(build: PlainBuild) -> None:
    for wheel in build.wheels.glob("*.whl"):
        with ZipFile(wheel) as archive:
            [name] = [each for each in archive.namelist() if each.endswith(".dist-info/RECORD")]
            wanted = _hashes(archive.read(name).decode())
        found = _hashes((build.plain / name).read_text())
        assert {path: found.get(path) for path in wanted} == wanted, wheel.name


def _hashes(record: str) -> dict[str, str]:
    rows = csv.reader(record.splitlines())
    return {path: digest for path, digest, _ in rows if digest and ".data/" not in path}


def test_every_file_has_the_hash_that_its_list_states(build: PlainBuild) -> None:
    """The check of an auditor: files against the ``RECORD`` of their package."""
    for record in build.plain.glob("*.dist-info/RECORD"):
        for path, stated in _hashes(record.read_text()).items():
            if path.startswith("../"):
                continue  # commands that pip wrote for the machine of the build
            digest = hashlib.sha256((build.plain / path).read_bytes()).digest()
            assert stated == f"sha256={base64.urlsafe_b64encode(digest).decode().rstrip('=')}", path


def test_nothing_is_added_but_bytecode(build: PlainBuild) -> None:
    from_wheels = {name for wheel in build.wheels.glob("*.whl") for name, _ in _files(wheel)}
    found = {
        str(path.relative_to(build.plain)) for path in build.plain.rglob("*") if path.is_file()
    }
    added = {name for name in found - from_wheels if not name.endswith(".pyc")}
    written_by_pip = {"RECORD", "INSTALLER", "REQUESTED"}
    assert {name.rpartition("/")[2] for name in added} <= written_by_pip
    assert all(".dist-info/" in name for name in added)
    assert find_uncompiled(build.plain, HERE) == []


def test_it_fits_into_lambda(build: PlainBuild) -> None:
    folders = (build.plain, build.engine)
    files = [path for each in folders for path in each.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < LAMBDA_BYTES


def test_both_layers_return_the_same_response_to_every_recorded_event(
    build: PlainBuild, tmp_path: Path
) -> None:
    store = write_injector(tmp_path)
    admit(store, "prod-eu", TOKEN)
    plain, slim = (_answers(build, each, store) for each in (build.plain, build.slim))
    names = {path.stem for path in EVENTS.glob("*.json")}
    assert set(plain) == names
    assert plain == slim
    injected = plain["apigateway-v2-bearer-token"]
    assert injected["statusCode"] == 200
    assert "patch" in json.loads(injected["body"])["response"]


def _answers(build: PlainBuild, dependencies: Path, store: Path) -> dict[str, Any]:
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
    return json.loads(done.stdout.splitlines()[-1])
