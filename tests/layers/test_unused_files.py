"""No import of the function needs a file that the layer leaves out."""

import json
import os
import subprocess
import sys
from importlib.util import source_from_cache
from pathlib import Path
from sysconfig import get_path

import pytest

import build_layer
from support.store_fixture import TOKEN, admit, write_injector

ROOT = Path(__file__).parents[2]
ANSWERS = ROOT / "tests" / "e2e" / "builds" / "answers.py"
EVENTS = ROOT / "tests" / "support" / "events"
PACKAGES = Path(get_path("platlib"))


@pytest.fixture(scope="module")
def opened_files(tmp_path_factory: pytest.TempPathFactory) -> set[Path]:
    """The files of packages that the function opens for all recorded events, and with tracing."""
    store = write_injector(tmp_path_factory.mktemp("store"))
    admit(store, "prod-eu", TOKEN)
    done = subprocess.run(
        [sys.executable, str(ANSWERS), str(EVENTS)],
        cwd=ROOT / "functions" / "webhook",
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": ".",
            "PYTHONDONTWRITEBYTECODE": "1",
            "AWS_LAMBDA_FUNCTION_NAME": "podgraft",
            "PODGRAFT_STORE": f"file:{store}",
        },
        check=True,
        capture_output=True,
        text=True,
    )
    paths = map(Path, json.loads(done.stdout.splitlines()[-1])["opened"])
    sources = (
        Path(source_from_cache(path)) if path.parent.name == "__pycache__" else path
        for path in paths
        if path.suffix != ".pyc" or path.parent.name == "__pycache__"
    )
    return {path for path in sources if path.is_relative_to(PACKAGES) and path.is_file()}


def test_the_layer_has_every_file_that_the_function_opens(opened_files: set[Path]) -> None:
    unused = build_layer.find_unused(PACKAGES)
    assert {path for path in opened_files if unused & {path, *path.parents}} == set()


@pytest.mark.parametrize(
    "name",
    [
        "boto3/session.py",
        "botocore/data/endpoints.json",
        "botocore/data/s3/2006-03-01/service-2.json.gz",
        "flask/app.py",
        "jinja2/environment.py",
        "yaml/parser.py",
    ],
)
def test_opened_files_are_recorded(name: str, opened_files: set[Path]) -> None:
    assert PACKAGES / name in opened_files


def test_large_folders_are_left_out() -> None:
    names = {path.relative_to(PACKAGES).as_posix() for path in build_layer.find_unused(PACKAGES)}
    assert names >= {
        *("boto3/data", "botocore/data/ec2"),
        "aws_lambda_powertools/event_handler",
    }
    assert names.isdisjoint({f"botocore/data/{name}" for name in ("s3", "ssm", "sts", "xray")})
