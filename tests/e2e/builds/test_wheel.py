"""The wheel in an empty environment: what ``pipx install podgraft`` gives its user."""

import http.client
import json
import os
import re
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest

from e2e.builds.layer import LAYERS
from supply_chain.pins import read_pins

ROOT = LAYERS.parent
_PAGE = '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'"><p>page</p>'
SAMPLES = "podgraft/assets/samples"
# Each works with the package alone, in this order, in one folder.
COMMANDS = (
    "certs ca --key-type p-256",
    "certs server localhost 127.0.0.1 --key-type p-256",
    "tokens issue --config store --cluster prod --output token",
    "tokens list --config store",
    "register --url https://a.example --cluster prod --token-file token --all-namespaces",
    "register --service podgraft/podgraft --ca-bundle certificates/ca.pem --all-namespaces",
    "init --kind samples samples",
    "inject -f samples/istio/input.web.yaml --config samples/istio",
    "explain -f samples/istio/input.web.yaml --config samples/istio",
    "policy check samples/istio",
    "init aws",
    "init --kind terraform terraform",
    "init --kind helm helm",
    "init --kind kubernetes kubernetes",
    "init --kind container image",
    "completion bash",
)
FOREIGN = ("boto3", "flask", "gunicorn", "aws_lambda_powertools")


@dataclass(frozen=True, slots=True)
class Installation:
    """An environment with the wheel."""

    folder: Path

    def run(
        self, line: str, cwd: Path, program: str = "podgraft"
    ) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment, without variables of this one."""
        return subprocess.run(
            [str(self.folder / "bin" / program), *line.split()],
            cwd=cwd,
            env={"PATH": f"{self.folder / 'bin'}:/usr/bin:/bin", "HOME": str(cwd)},
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this tree, with a page of the playground."""
    if "PODGRAFT_E2E_BUILDS" not in os.environ:
        pytest.skip("downloads wheels; run make e2e-builds")
    folder = tmp_path_factory.mktemp("wheel")
    backend = f"from setuptools import build_meta; build_meta.build_wheel({str(folder)!r})"
    before = _list_untracked()
    subprocess.run([sys.executable, "-c", backend], cwd=ROOT, check=True, capture_output=True)
    assert _list_untracked() == before
    [path] = folder.glob("*.whl")
    return path


def _list_untracked() -> str:
    """Files in the tree that git neither tracks, nor knew before the build."""
    command = ["git", "-C", str(ROOT), "status", "--porcelain", "--ignored"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def install(folder: Path, wheel: Path, extras: str = "") -> Installation:
    """Create an environment, with the versions of the tests."""
    venv.create(folder, with_pip=True)
    constraints = folder / "constraints.txt"
    pins = read_pins(ROOT / "packaging" / "requirements" / "dev.txt")
    constraints.write_text("".join(f"{pin.name}=={pin.version}\n" for pin in pins))
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    options = ["--disable-pip-version-check", "--only-binary=:all:", "--constraint"]
    subprocess.run([*pip, *options, str(constraints), f"{wheel}{extras}"], check=True)
    return Installation(folder)


@pytest.fixture(scope="module")
def alone(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """The package without an extra."""
    return install(tmp_path_factory.mktemp("alone") / "environment", wheel)


@pytest.fixture(scope="module")
def server(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """The package with the extra serve."""
    return install(tmp_path_factory.mktemp("server") / "environment", wheel, "[serve]")


def test_a_user_of_the_command_installs_no_web_stack(alone: Installation) -> None:
    site = next((alone.folder / "lib").glob("python3.*/site-packages"))
    assert {path.name for path in site.iterdir()}.isdisjoint(FOREIGN)
    size = sum(path.stat().st_size for path in site.rglob("*") if path.is_file())
    assert size < 90e6  # 161 MB with all packages; pip and setuptools take 25 MB of it
    assert (alone.folder / "share" / "man" / "man1" / "podgraft-register.1").is_file()
    assert (alone.folder / "share" / "bash-completion" / "completions" / "podgraft").is_file()


def test_every_command_works_outside_the_checkout(alone: Installation, tmp_path: Path) -> None:
    for line in COMMANDS:
        done = alone.run(line, tmp_path)
        assert done.returncode == 0, (line, done.stderr)
    assert (
        tmp_path / "aws" / "layers" / "engine" / "podgraft" / "service" / "settings.py"
    ).is_file()
    for name in ("Containerfile", "requirements.txt"):
        assert (tmp_path / "image" / name).is_file()


_REGISTER = (
    "register --url https://a.example --all-namespaces "
    "--match-condition a=object.metadata.name.matches('a')"
)


def test_a_command_names_its_missing_extra(alone: Installation, tmp_path: Path) -> None:
    for line, extra in (
        ("demo", "serve"),
        ("serve --help", "serve"),
        ("tokens list --config stack:a", "aws"),
        ("playground", "serve"),
        (_REGISTER, "rules"),
    ):
        done = alone.run(line, tmp_path)
        assert done.returncode == 1
        command = line.split(maxsplit=1)[0]
        [remedy] = re.findall(
            rf"^error: podgraft {command}: the Python package \w+ is missing; run: (.*)$",
            done.stderr,
            re.MULTILINE,
        )
        assert " -m pip install '/" in remedy
        assert remedy.endswith(f".whl[{extra}]'")


def test_pipx_is_the_remedy_in_its_environment(alone: Installation, tmp_path: Path) -> None:
    metadata = alone.folder / "pipx_metadata.json"
    metadata.write_text("{}")
    try:
        done = alone.run("demo", tmp_path)
    finally:
        metadata.unlink()
    assert "run: pipx install --force '/" in done.stderr
    assert done.stderr.strip().endswith(".whl[serve]'")


def test_the_demo_runs_with_the_server(server: Installation, tmp_path: Path) -> None:
    for sample in ("istio", "logging"):
        done = server.run(f"demo {sample}", tmp_path)
        assert done.returncode == 0, done.stderr
        assert "JSON Patch" in done.stdout


def test_kubectl_finds_the_plugin(alone: Installation, tmp_path: Path) -> None:
    done = alone.run("--version", tmp_path, "kubectl-podgraft")
    assert done.stdout.startswith("kubectl podgraft, version ")
    done = alone.run("certs ser", tmp_path, "kubectl_complete-podgraft")
    assert done.stdout.split("\t")[0] == "server"


def test_the_playground_is_served_from_the_package(alone: Installation, tmp_path: Path) -> None:
    """With a small page instead of that of a release, which takes npm to build."""
    site = next((alone.folder / "lib").glob("python3.*/site-packages"))
    page = site / "podgraft" / "assets" / "playground"
    if not page.exists():
        page.mkdir()
        (page / "index.html").write_text(_PAGE)
    command = [str(alone.folder / "bin" / "podgraft"), "playground", "--port", "0"]
    # Flask is in the extra serve.
    flask = sysconfig.get_path("purelib")
    environment = {"PATH": "/usr/bin:/bin", "PYTHONUNBUFFERED": "1", "PYTHONPATH": flask}
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            port = int(process.stdout.readline().rstrip("/\n").rpartition(":")[2])
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            connection.request("GET", "/")
            assert connection.getresponse().status == 200
            connection.close()
        finally:
            process.terminate()


def test_sam_builds_the_written_folder(alone: Installation, tmp_path: Path) -> None:
    """The same code as in the checkout; podgraft init writes all that sam build needs."""
    sam = Path(os.environ.get("PODGRAFT_E2E_TOOLS", ROOT / ".tools")).resolve() / "sam/bin/sam"
    if not sam.exists():
        pytest.skip("needs SAM: make build installs it")
    runtime = f"python{sys.version_info.major}.{sys.version_info.minor}"
    architecture = {"aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)
    assert alone.run("init aws", tmp_path).returncode == 0
    subprocess.run(
        [
            *(str(sam), "build", "--no-cached", "--parameter-overrides"),
            f"Architecture={architecture}",
        ],
        cwd=tmp_path / "aws",
        env={
            **os.environ,
            "PODGRAFT_RUNTIME": runtime,
            "PODGRAFT_ARCHITECTURE": architecture,
            "SAM_CLI_TELEMETRY": "0",
        },
        check=True,
        capture_output=True,
    )
    built = tmp_path / "aws" / ".aws-sam" / "build"
    engine = "EngineLayer/python/podgraft/service/settings.py"
    names = ("Webhook/handler.py", "Watch/watch.py", engine, "template.yaml")
    assert all((built / name).is_file() for name in names)
    assert not (built / "EngineLayer" / "python" / "podgraft" / "cli").exists()
    assert (built / "DependenciesLayer" / "python" / "flask").is_dir()


def test_the_archives_of_terraform_serve_a_review(alone: Installation, tmp_path: Path) -> None:
    """``make_archives.py`` writes what the release contains."""
    assert alone.run("init --kind terraform aws", tmp_path).returncode == 0
    runtime = f"python{sys.version_info.major}.{sys.version_info.minor}"
    architecture = {"aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)
    done = subprocess.run(
        [sys.executable, "layers/make_archives.py", "archives"],
        cwd=tmp_path / "aws",
        env={
            **os.environ,
            "PODGRAFT_RUNTIME": runtime,
            "PODGRAFT_ARCHITECTURE": architecture,
        },
        check=True,
        capture_output=True,
        text=True,
    )
    assert "dependencies: " in done.stdout
    archives = [tmp_path / "aws" / "archives" / f"{name}.zip" for name in _ARCHIVES]
    code = "import json, handler; print(json.dumps(handler.handler.__name__))"
    paths = [
        f"{path}/python" if path.stem != "function" else str(path) for path in _unpack(archives)
    ]
    checked = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={"PYTHONPATH": ":".join(paths), "PODGRAFT_STORE": f"file:{tmp_path}"},
        check=True,
        capture_output=True,
        text=True,
    )
    assert json.loads(checked.stdout)
    for name in ("cleanup", "guard", "watch"):
        [folder] = _unpack([tmp_path / "aws" / "archives" / f"{name}.zip"])
        subprocess.run([sys.executable, "-S", "-c", f"import {name}"], cwd=folder, check=True)


_ARCHIVES = ("engine", "dependencies", "function")


def _unpack(archives: list[Path]) -> list[Path]:
    folders: list[Path] = []
    for archive in archives:
        folder = archive.with_suffix("")
        subprocess.run(
            [sys.executable, "-m", "zipfile", "-e", str(archive), str(folder)], check=True
        )
        folders.append(folder)
    return folders
