"""The steps of deploy/container/Containerfile, run in a temporary root instead of an image.

podman or buildah run the same steps; they need a base image, which tests do not download.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from e2e.builds.layer import LAYERS
from podgraft import cli
from support.programs import PYTHON

ROOT = LAYERS.parent
_INSTRUCTION = re.compile(r"^([A-Z]+) (.*)$", re.MULTILINE)


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The root of the image, after the steps of its first stage."""
    if "PODGRAFT_E2E_BUILDS" not in os.environ:
        pytest.skip("downloads wheels; run make e2e-builds")
    context, root = tmp_path_factory.mktemp("context"), tmp_path_factory.mktemp("root")
    assert cli.main(["init", "--kind", "container", str(context)]) == 0
    backend = f"from setuptools import build_meta; build_meta.build_wheel({str(context)!r})"
    subprocess.run([sys.executable, "-c", backend], cwd=ROOT, check=True, capture_output=True)
    stage = (context / "Containerfile").read_text().split("\nFROM ")[1]
    for instruction, text in _INSTRUCTION.findall(stage):
        _run(instruction, text, context, root)
    return root


def _run(instruction: str, text: str, context: Path, root: Path) -> None:
    match instruction:
        case "COPY":
            *sources, target = text.split()
            folder = root / target.strip("/")
            folder.mkdir(parents=True)
            for pattern in sources:
                [source] = context.glob(pattern)
                (folder / source.name).write_bytes(source.read_bytes())
        case "RUN":
            line = re.sub(r"(?<=\s)/(?=opt|build)", f"{root}/", f" {text}")
            line = line.replace("python3 ", f"{PYTHON} ", 1)
            environment = {
                name: value for name, value in os.environ.items() if "PYTHON" not in name
            }
            subprocess.run(["sh", "-e", "-c", line], env=environment, check=True)
        case _:
            raise AssertionError(instruction)


def read_stage() -> dict[str, str]:
    """The instructions of the last stage."""
    text = (ROOT / "deploy" / "container" / "Containerfile").read_text()
    return dict(_INSTRUCTION.findall(text.split("\nFROM ")[-1]))


def test_the_image_serves_a_store(
    image: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the entry point and the command of the image, and --check."""
    monkeypatch.chdir(tmp_path)
    for line in (
        "certs ca --key-type p-256",
        "certs server localhost --key-type p-256",
        "init --kind samples store",
        "tokens issue --config store --cluster prod --output token",
    ):
        assert cli.main(line.split()) == 0
    stage = read_stage()
    arguments: list[str] = [*json.loads(stage["ENTRYPOINT"]), *json.loads(stage["CMD"])]
    files = {
        "/store": "store",
        "/tls/tls.crt": "certificates/server.pem",
        "/tls/tls.key": "certificates/server.key",
    }
    mapped = [
        re.sub(r"=(/.*)", lambda match: f"={files[match[1]]}", argument)
        for argument in arguments[1:]
    ]
    program = str(image / arguments[0].lstrip("/"))
    done = subprocess.run(
        [program, *mapped, "--check"],
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for name in ("istio", "logging", "allow"):
        assert f"injector {name}: " in done.stdout


def test_the_image_has_no_installer_and_no_root_user(image: Path) -> None:
    site = next((image / "opt" / "podgraft" / "lib").glob("python3.*/site-packages"))
    names = {path.name for path in site.iterdir()}
    assert "pip" not in names
    assert {"flask", "gunicorn"} <= names
    assert "boto3" not in names
    assert read_stage()["USER"] == "65532:65532"
