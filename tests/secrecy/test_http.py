"""No route and no fault of the webhook writes a secret, whatever it meets, wherever it runs."""

import json
import runpy
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from werkzeug.test import Client

from podgraft.store import DirectoryCallers, DirectoryStore
from podgraft.web import create_app
from podgraft.web.faults import TABLE
from secrecy.calls import SCENARIOS, Call, Scenario, code_of, pod
from secrecy.planted import found

ROOT = Path(__file__).parents[2]
HANDLER = ROOT / "functions" / "webhook" / "handler.py"
EVENT = ROOT / "tests" / "events" / "apigateway-v2-bearer-token.json"
ON_LAMBDA = {"AWS_LAMBDA_FUNCTION_NAME": "podgraft"}


@dataclass(frozen=True, slots=True)
class Answer:
    code: int
    body: str


Ask = Callable[[Call], Answer]
Heard = Callable[[], str]


def app_over(folder: Path) -> Ask:
    """The application as any WSGI server has it."""
    client = Client(create_app(DirectoryStore(folder), DirectoryCallers(folder)))

    def ask(call: Call) -> Answer:
        response = client.open(
            call.path, method=call.method, data=call.body, headers=dict(call.headers)
        )
        return Answer(response.status_code, response.text)

    return ask


def function_over(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """The handler after a cold start on Lambda."""
    monkeypatch.delenv("PODGRAFT_CORPUS", raising=False)
    for name, value in {**ON_LAMBDA, "PODGRAFT_STORE": f"file:{folder}"}.items():
        monkeypatch.setenv(name, value)
    handler = runpy.run_path(str(HANDLER))["handler"]

    def ask(call: Call) -> Answer:
        response = handler(event(call), None)
        return Answer(response["statusCode"], response.get("body", ""))

    return ask


def event(call: Call) -> dict[str, Any]:
    """The call as API Gateway hands it over."""
    made: dict[str, Any] = json.loads(EVENT.read_text())
    headers = {name.lower(): value for name, value in call.headers.items()}
    made["rawPath"] = made["requestContext"]["http"]["path"] = urlsplit(call.path).path
    made["requestContext"]["http"]["method"] = call.method
    made["headers"] = headers | {"content-length": str(len(call.body))}
    made["body"] = call.body.decode()
    return made


@pytest.fixture(params=["application", "function"])
def ask(
    request: pytest.FixtureRequest,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    heard: Heard,
    stumbling: None,
) -> Ask:
    """Either, with everything that they write being heard."""
    del heard, stumbling
    return (
        app_over(folder) if request.param == "application" else function_over(folder, monkeypatch)
    )


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_nothing_secret_is_written(
    scenario: Scenario, ask: Ask, folder: Path, heard: Heard
) -> None:
    if scenario.warm:
        ask(Call(pod()))
    scenario.store(folder)
    heard()
    answer = [ask(scenario.call) for _ in range(scenario.times)][-1]
    written = heard()
    assert answer.code == code_of(scenario), answer.body
    assert found(written) == [], written
    if scenario.fault:
        assert found(answer.body) == [], answer.body
    else:
        assert f'"decision":"{scenario.decision}"' in answer.body, answer.body


def test_every_fault_and_every_end_of_a_review_is_met() -> None:
    """A fault that is new in the table needs a scenario."""
    faults = {scenario.fault for scenario in SCENARIOS if scenario.fault}
    assert faults - {RuntimeError} == set(TABLE)
