"""The handler in this process, called as API Gateway calls it."""

import json
import runpy
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import pytest

from secrecy.calls import Call

ROOT = Path(__file__).parents[2]
HANDLER = ROOT / "functions" / "webhook" / "handler.py"
EVENT = ROOT / "tests" / "support" / "events" / "apigateway-v2-bearer-token.json"

# Status and body of a response.
Ask: TypeAlias = Callable[[Call], tuple[int, str]]


def function(monkeypatch: pytest.MonkeyPatch, environment: Mapping[str, str]) -> Ask:
    """The handler on Lambda in this environment; the first call makes its cold start."""
    monkeypatch.delenv("PODGRAFT_CORPUS", raising=False)
    for name, value in {"AWS_LAMBDA_FUNCTION_NAME": "podgraft", **environment}.items():
        monkeypatch.setenv(name, value)
    # Powertools keeps the output of its moment, which a fixture's setup does not share.
    handler = cache(lambda: runpy.run_path(str(HANDLER))["handler"])

    def ask(call: Call) -> tuple[int, str]:
        response = handler()(event(call), None)
        return response["statusCode"], response.get("body", "")

    return ask


def event(call: Call) -> dict[str, Any]:
    """The call as API Gateway hands it over."""
    made: dict[str, Any] = json.loads(EVENT.read_text())
    headers = {name.lower(): value for name, value in call.headers.items()}
    url = urlsplit(call.path)
    made["rawPath"] = made["requestContext"]["http"]["path"] = url.path
    made["rawQueryString"] = url.query
    made["requestContext"]["http"]["method"] = call.method
    made["headers"] = headers | {"content-length": str(len(call.body))}
    made["body"] = call.body.decode()
    return made
