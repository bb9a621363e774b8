"""The function answers with the modules that stand in the layer for what it does not use."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from events.kept import TOKEN, admit, keep

ROOT = Path(__file__).parents[2]
EVENTS = Path(__file__).parents[1] / "events"
STANDINS = ROOT / "layers" / "standins"

# The stand-ins take their places before anything is imported, as in the layer.
_SERVE = """
import importlib.util, json, sys
from pathlib import Path

folder, events = map(Path, sys.argv[1:])
for path in sorted(folder.rglob("*.py"), key=lambda path: len(path.parts)):
    parts = path.relative_to(folder).with_suffix("").parts
    name = ".".join(part for part in parts if part != "__init__")
    spec = importlib.util.spec_from_file_location(name, path)
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])

import handler

for path in sorted(events.glob("apigateway-v2-*.json")):
    for served in (True, False):
        event = json.loads(path.read_text())
        if not served:
            event["rawPath"] = event["requestContext"]["http"]["path"] = "/nothing"
        answer = handler.handler(event, None)
        print(json.dumps([path.stem, served, answer]), file=sys.stderr)
"""


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, bool], Any]:
    """What the function says to every recorded event, and to each on a path it does not serve."""
    folder = keep(tmp_path_factory.mktemp("store"))
    admit(folder, "prod-eu", TOKEN)
    environment = {
        "PATH": os.environ["PATH"],
        "AWS_LAMBDA_FUNCTION_NAME": "podgraft",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "1024",
        "PODGRAFT_STORE": f"file:{folder}",
    }
    done = subprocess.run(
        [sys.executable, "-c", _SERVE, str(STANDINS), str(EVENTS)],
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
def test_pods_are_injected(name: str, answered: dict[tuple[str, bool], Any]) -> None:
    answer = answered[f"apigateway-v2-{name}", True]
    assert answer["statusCode"] == 200
    assert "patch" in json.loads(answer["body"])["response"]


def test_the_ping_is_answered(answered: dict[tuple[str, bool], Any]) -> None:
    assert answered["apigateway-v2-ping", True]["body"] == "pong"


def test_what_is_not_served_is_refused_as_a_status(answered: dict[tuple[str, bool], Any]) -> None:
    refused = [answer for (_, served), answer in answered.items() if not served]
    assert {answer["statusCode"] for answer in refused} == {404}
    assert {json.loads(answer["body"])["kind"] for answer in refused} == {"Status"}
