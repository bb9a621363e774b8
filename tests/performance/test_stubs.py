"""The function works with the stubs of the layer."""

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import build_layer
from podgraft import yaml
from podgraft.yaml import NotYAMLError
from support.store_fixture import TOKEN, admit, write_injector

ROOT = Path(__file__).parents[2]
EVENTS = Path(__file__).parents[1] / "support" / "events"
STANDINS = ROOT / "layers" / "stubs"

# The replaced modules: as installed here, then as in the layer.
PACKAGES = (
    "aws_lambda_powertools",
    "click",
    "flask",
    "itsdangerous",
    "jinja2",
    "typing_extensions",
    "werkzeug",
    "yaml",
)

_SERVE = """
import json, sys
from pathlib import Path

layer, events, broken = sys.argv[1:]
sys.path.insert(0, layer)

import handler
import yaml as pyyaml
from podgraft import yaml

assert Path(pyyaml.__file__).is_relative_to(layer)

for path in sorted(Path(events).glob("apigateway-v2-*.json")):
    for served in (True, False):
        event = json.loads(path.read_text())
        if not served:
            event["rawPath"] = event["requestContext"]["http"]["path"] = "/nothing"
        answer = handler.handler(event, None)
        print(json.dumps([path.stem, served, answer]), file=sys.stderr)

for text in json.loads(broken):
    try:
        yaml.load(text)
    except yaml.NotYAMLError as error:
        print(json.dumps([text, False, str(error)]), file=sys.stderr)
"""
# What libyaml's reader, scanner and parser refuse.
BROKEN = ("a: \x01", "a: b: c", "a: [", "- a\nb: c", "a: @b", "*a")


@pytest.fixture(scope="module")
def layer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages with stubs, reduced as in the layer."""
    folder = tmp_path_factory.mktemp("layer")
    for name in PACKAGES:
        spec = find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        origin = Path(spec.origin)
        if origin.stem == "__init__":
            ignore = shutil.ignore_patterns("__pycache__")
            shutil.copytree(origin.parent, folder / name, ignore=ignore)
        else:
            shutil.copy(origin, folder)
    build_layer.remove_unused(folder)
    return folder


def test_every_stub_belongs_to_a_package_of_the_test() -> None:
    names = {path.stem for path in STANDINS.iterdir() if path.stem != "__pycache__"}
    assert names == set(PACKAGES)


@pytest.fixture(scope="module")
def recorded_responses(
    layer: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[tuple[str, bool], Any]:
    """The responses of the function to every recorded event, and to each on an unknown path."""
    folder = write_injector(tmp_path_factory.mktemp("store"))
    admit(folder, "prod-eu", TOKEN)
    environment = {
        "PATH": os.environ["PATH"],
        "AWS_LAMBDA_FUNCTION_NAME": "podgraft",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "1024",
        "PODGRAFT_STORE": f"file:{folder}",
    }
    done = subprocess.run(
        [sys.executable, "-c", _SERVE, str(layer), str(EVENTS), json.dumps(BROKEN)],
        cwd=ROOT / "functions" / "webhook",
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    lines = map(json.loads, done.stderr.splitlines())
    return {(name, served): answer for name, served, answer in lines}


@pytest.mark.parametrize("name", ["base64", "bearer-token", "no-content-length"])
def test_pods_are_injected(name: str, recorded_responses: dict[tuple[str, bool], Any]) -> None:
    answer = recorded_responses[f"apigateway-v2-{name}", True]
    assert answer["statusCode"] == 200
    assert "patch" in json.loads(answer["body"])["response"]


def test_the_ping_is_answered(recorded_responses: dict[tuple[str, bool], Any]) -> None:
    assert recorded_responses["apigateway-v2-ping", True]["body"] == "pong"


def test_other_paths_are_rejected_with_a_status(
    recorded_responses: dict[tuple[str, bool], Any],
) -> None:
    refused = [
        answer
        for (name, served), answer in recorded_responses.items()
        if not served and name not in BROKEN
    ]
    assert {answer["statusCode"] for answer in refused} == {404}
    assert {json.loads(answer["body"])["kind"] for answer in refused} == {"Status"}


@pytest.mark.parametrize("text", BROKEN)
def test_invalid_yaml_has_the_same_error_text(
    text: str, recorded_responses: dict[tuple[str, bool], Any]
) -> None:
    with pytest.raises(NotYAMLError) as error:
        yaml.load(text)
    assert recorded_responses[text, False] == str(error.value)
