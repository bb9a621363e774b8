"""A complete release, built twice from one commit: identical, described, and usable."""

import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from build_layer import find_python
from e2e.builds.layer import LAYERS, MACHINES
from supply_chain.builds import extract_all
from supply_chain.changelog import extract_section
from supply_chain.locks import LOCKS
from supply_chain.pins import read_pins
from supply_chain.target import RUNTIMES

ROOT = LAYERS.parent
MACHINE = {"aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)
HERE = f"python{sys.version_info.major}.{sys.version_info.minor}"
RUNTIME = HERE if HERE in RUNTIMES else RUNTIMES[0]
TARGET = f"{RUNTIME}-{MACHINE}"
IDENTITY = ("-c", "user.name=tests", "-c", "user.email=tests@example.com")
HAS_NPM = shutil.which("npm") is not None
SOURCE = "https://git.example.com/podgraft.git"
_PRINT_VERSION = """
import podgraft, sys
from podgraft.cli import main

print(podgraft.__file__)
sys.exit(main(["--version"]))
"""


@dataclass(frozen=True, slots=True)
class Release:
    """The files of two builds by name, and the commit that both have."""

    first: Mapping[str, bytes]
    second: Mapping[str, bytes]
    folder: Path
    commit: str

    def find(self, pattern: str) -> str:
        """The one file that a pattern matches."""
        [name] = [name for name in self.first if re.fullmatch(pattern, name)]
        return name

    def read_sbom(self, pattern: str) -> dict[str, Any]:
        """The SBOM of the file that a pattern matches."""
        return json.loads(self.first[f"{self.find(pattern)}.cdx.json"])


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Generator[Release]:
    """From two clones, with another umask and another order of hashes."""
    if "PODGRAFT_E2E_BUILDS" not in os.environ:
        pytest.skip("downloads wheels; run make e2e-builds")
    if find_python(RUNTIME) is None:
        pytest.skip(f"needs {RUNTIME}, or uv, which downloads it")
    assert MACHINE in MACHINES.values()
    folder = tmp_path_factory.mktemp("release")
    original = folder / "first"
    _commit_tree(original)
    _git(folder, "clone", "--quiet", str(original), "second")
    files = [_build(folder / name, umask) for name, umask in (("first", 0o022), ("second", 0o002))]
    commit = _git(original, "rev-parse", "HEAD").strip()
    yield Release(files[0], files[1], folder / "first" / "dist", commit)
    shutil.rmtree(folder)


def _commit_tree(folder: Path) -> None:
    """A repository with the files of this one as they are now, in one commit with a tag."""
    tracked = _git(ROOT, "ls-files", "--cached", "--others", "--exclude-standard").split()
    for name in tracked:
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    _git(folder, "init", "--quiet", "--initial-branch=main")
    _git(folder, "add", ".")
    _git(folder, *IDENTITY, "commit", "--quiet", "--message=Release")
    _git(folder, "tag", "v0.2.0")


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _build(root: Path, umask: int) -> dict[str, bytes]:
    command = [sys.executable, str(root / "tools" / "release.py"), "--tag", "v0.2.0"]
    command += ["--target", TARGET, "--source", SOURCE]
    if not HAS_NPM:
        command.append("--without-playground")
    environment = {**os.environ, "PYTHONHASHSEED": str(umask), "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("PYTHONPATH", None)
    subprocess.run(command, check=True, env=environment, umask=umask, stdout=subprocess.DEVNULL)
    return {path.name: path.read_bytes() for path in (root / "dist").iterdir()}


def test_two_builds_are_identical(release: Release) -> None:
    assert release.first.keys() == release.second.keys()
    assert [name for name in release.first if release.first[name] != release.second[name]] == []


def test_the_page_lists_the_files(release: Release) -> None:
    page = (ROOT / "docs" / "supply-chain.md").read_text()
    names = {"VERSION": "0.2.0", "RUNTIME-ARCHITECTURE": TARGET, "RUNTIME": RUNTIME}
    listed: set[str] = set()
    for cells in re.findall(r"^\| (`.*`) \| ", page.partition("| file |")[2], re.MULTILINE):
        for name in re.findall(r"`([^`]+)`", cells):
            for placeholder, value in names.items():
                name = name.replace(placeholder, value)  # noqa: PLW2901
            listed.add(name)
    artifacts = {name for name in listed if name.startswith("podgraft-")}
    expected = listed - {"FILE.cdx.json"} | {f"{name}.cdx.json" for name in artifacts}
    assert release.first.keys() == expected


def test_the_checksums_are_those_of_all_files(release: Release) -> None:
    command = ["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"]
    subprocess.run(command, cwd=release.folder, check=True)
    names = {line.split("  ")[1] for line in release.first["SHA256SUMS"].decode().splitlines()}
    assert names == release.first.keys() - {"SHA256SUMS"}


def test_no_file_of_an_archive_contains_a_path_of_the_builder(release: Release) -> None:
    paths = [str(path).encode() for path in (release.folder.parents[1], ROOT, Path(sys.prefix))]
    archives = [name for name in release.first if name.endswith(".zip")]
    assert "podgraft-0.2.0-rotation.zip" in archives
    for name in archives:
        with ZipFile(io.BytesIO(release.first[name])) as archive:
            assert archive.namelist() == sorted(archive.namelist())
            for member in archive.namelist():
                content = archive.read(member)
                assert not any(path in content for path in paths), member


def test_every_bill_of_materials_is_valid(release: Release) -> None:
    validator = JsonStrictValidator(SchemaVersion.V1_6)
    names = [name for name in release.first if name.endswith(".cdx.json")]
    assert {"podgraft-0.2.0-rotation.zip.cdx.json"} < set(names)
    for name in names:
        assert validator.validate_str(release.first[name].decode()) is None, name
        document = json.loads(release.first[name])
        digest = hashlib.sha256(release.first[name.removesuffix(".cdx.json")]).hexdigest()
        assert document["metadata"]["component"]["hashes"][0]["content"] == digest
        for component in document.get("components", []):
            assert component["type"] == "file" or component["licenses"], component["name"]


def test_the_layer_contains_the_locked_packages(release: Release) -> None:
    components = release.read_sbom(r".*-dependencies-.*\.zip")["components"]
    pins = {pin.name: pin for pin in read_pins(LAYERS / "dependencies" / "requirements.txt")}
    assert {(each["name"], each["version"]) for each in components} == {
        (pin.name, pin.version) for pin in pins.values()
    }
    for component in components:
        [digest] = component["hashes"]
        assert f"sha256:{digest['content']}" in pins[component["name"]].hashes
        assert component["externalReferences"][0]["url"].endswith(".whl")
    assert {each["scope"] for each in components} == {"required"}


def test_the_wheel_states_what_pip_installs_with_it(release: Release) -> None:
    components = release.read_sbom(r".*\.whl")["components"]
    pins = {
        pin.name: pin.version for pin in read_pins(ROOT / "packaging" / "requirements" / "dev.txt")
    }
    versions = {each["name"]: each["version"] for each in components}
    assert {"flask", "cryptography", "gunicorn", "urllib3"} <= versions.keys()
    assert versions.items() <= pins.items()
    assert "pytest" not in versions


def test_the_function_is_its_handler(release: Release) -> None:
    [component] = release.read_sbom(r".*-function\.zip")["components"]
    handler = (ROOT / "functions" / "webhook" / "handler.py").read_bytes()
    assert component["hashes"][0]["content"] == hashlib.sha256(handler).hexdigest()


@pytest.mark.parametrize("name", ["cleanup", "guard", "watch"])
def test_another_function_is_its_modules(release: Release, name: str) -> None:
    components = release.read_sbom(rf".*-{name}\.zip")["components"]
    modules = (ROOT / "functions" / name).glob("*.py")
    assert {each["name"]: each["hashes"][0]["content"] for each in components} == {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in modules
    }


def test_the_provenance_names_all_files_and_all_materials(release: Release) -> None:
    statement = json.loads(release.first["provenance.json"])
    subjects = {each["name"]: each["digest"]["sha256"] for each in statement["subject"]}
    assert subjects == {
        name: hashlib.sha256(content).hexdigest()
        for name, content in release.first.items()
        if name not in {"SHA256SUMS", "provenance.json"}
    }
    definition = statement["predicate"]["buildDefinition"]
    assert definition["externalParameters"] == {
        "source": SOURCE,
        "tag": "v0.2.0",
        "targets": [TARGET],
        "playground": HAS_NPM,
    }
    assert definition["internalParameters"].keys() == {"python", "zlib", "system"}
    commit, *materials = definition["resolvedDependencies"]
    assert commit["digest"] == {"gitCommit": release.commit}
    by_name = {each.get("name"): each["digest"]["sha256"] for each in materials}
    for lock in LOCKS:
        content = (ROOT / lock.path).read_bytes()
        assert by_name[lock.path] == hashlib.sha256(content).hexdigest()
    wheels = {each["digest"]["sha256"] for each in materials if "downloadLocation" in each}
    components = release.read_sbom(r".*-dependencies-.*\.zip")["components"]
    assert wheels == {each["hashes"][0]["content"] for each in components}


def test_the_notes_are_the_section_of_the_changelog(release: Release) -> None:
    notes = release.first["RELEASE_NOTES.md"].decode()
    assert notes == extract_section((ROOT / "CHANGELOG.md").read_text(), "0.2.0")
    assert "](docs/" not in notes


def test_the_wheel_has_the_playground_and_the_files_of_deployments(release: Release) -> None:
    with ZipFile(io.BytesIO(release.first[release.find(r".*\.whl")])) as archive:
        names = set(archive.namelist())
    assert ("podgraft/assets/playground/index.html" in names) is HAS_NPM
    assert {
        f"podgraft/assets/{name}"
        for name in ("functions/watch/watch.py", "template.yaml", "deploy/terraform/function.tf")
    } <= names


def test_the_source_archive_builds_the_same_wheel(release: Release, tmp_path: Path) -> None:
    """The playground too: the source archive contains the built page."""
    name = release.find(r"podgraft-[\d.]+\.tar\.gz")
    with tarfile.open(fileobj=io.BytesIO(release.first[name])) as archive:
        extract_all(archive, tmp_path)
    [source] = tmp_path.iterdir()
    backend = "from setuptools import build_meta; build_meta.build_wheel('..')"
    subprocess.run([sys.executable, "-c", backend], cwd=source, check=True, capture_output=True)
    [wheel] = tmp_path.glob("*.whl")
    with ZipFile(wheel) as built, ZipFile(io.BytesIO(release.first[wheel.name])) as expected:
        assert sorted(built.namelist()) == sorted(expected.namelist())
        for member in expected.namelist():
            if not member.endswith("/RECORD"):
                assert built.read(member) == expected.read(member), member


def test_the_chart_and_the_man_pages_are_those_of_the_commit(release: Release) -> None:
    archives = (
        (r".*-chart\.tgz", "podgraft/", ROOT / "deploy" / "charts" / "podgraft"),
        (r".*-man\.tar\.gz", "podgraft-0.2.0/", ROOT / "packaging"),
    )
    for pattern, prefix, folder in archives:
        content = io.BytesIO(release.first[release.find(pattern)])
        with tarfile.open(fileobj=content) as archive:
            names = {member.name.removeprefix(prefix) for member in archive.getmembers()}
        files = (path for path in folder.rglob("*") if path.is_file())
        assert names == {path.relative_to(folder).as_posix() for path in files}


def test_the_wheel_runs(release: Release, tmp_path: Path) -> None:
    """With the packages of this environment, and from no other place."""
    wheel = release.folder / release.find(r".*\.whl")
    target = tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
    subprocess.run([*pip, "--target", str(target), str(wheel)], check=True)
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            _PRINT_VERSION,
        ],
        env={**os.environ, "PYTHONPATH": str(target)},
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.splitlines()[0].startswith(str(target))
    assert done.stdout.splitlines()[1].endswith("0.2.0")
