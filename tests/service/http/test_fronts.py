"""The same function behind other fronts: a private REST API, an internal load balancer."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from service.http.test_handler import load_handler

ROOT = Path(__file__).parents[3]
EVENT: dict[str, Any] = json.loads(
    (ROOT / "tests" / "support" / "events" / "apigateway-v2-bearer-token.json").read_text()
)
PATH = EVENT["rawPath"]


def rest_api(headers: Mapping[str, str]) -> dict[str, Any]:
    """API Gateway's Lambda proxy, payload format 1.0."""
    return {
        "version": "1.0",
        "resource": "/{proxy+}",
        "path": PATH,
        "httpMethod": "POST",
        "headers": dict(headers),
        "multiValueHeaders": {name: [value] for name, value in headers.items()},
        "queryStringParameters": {"timeout": "10s"},
        "multiValueQueryStringParameters": {"timeout": ["10s"]},
        "pathParameters": {"proxy": PATH[1:]},
        "requestContext": {
            "resourcePath": "/{proxy+}",
            "httpMethod": "POST",
            "path": f"/prod{PATH}",
            "stage": "prod",
            "requestId": "c6af9ac6-7b61-11e6-9a41-93e8deadbeef",
            "identity": {"sourceIp": "10.0.0.7", "userAgent": "kube-apiserver-admission"},
        },
        "body": EVENT["body"],
        "isBase64Encoded": False,
    }


def load_balancer(headers: Mapping[str, str]) -> dict[str, Any]:
    """An Application Load Balancer with a Lambda function as its target."""
    group = "arn:aws:elasticloadbalancing:eu-central-1:111122223333:targetgroup/podgraft/6d0ecf83"
    return {
        "requestContext": {"elb": {"targetGroupArn": group}},
        "httpMethod": "POST",
        "path": PATH,
        "queryStringParameters": {"timeout": "10s"},
        "headers": dict(headers),
        "body": EVENT["body"],
        "isBase64Encoded": False,
    }


@pytest.fixture
def handler(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The function, started anew."""
    monkeypatch.setenv("PODGRAFT_STORE", f"file:{folder}")
    return load_handler()


@pytest.mark.parametrize("front", [rest_api, load_balancer])
def test_another_front_gets_the_response_that_the_http_api_gets(
    handler: Any, front: Callable[[Mapping[str, str]], dict[str, Any]]
) -> None:
    wanted = json.loads(handler(EVENT, None)["body"])
    got = handler(front(EVENT["headers"]), None)
    assert (got["statusCode"], json.loads(got["body"])) == (200, wanted)
    assert "patch" in wanted["response"]


@pytest.mark.parametrize("front", [rest_api, load_balancer])
def test_another_front_lets_no_one_in_without_a_token(
    handler: Any, front: Callable[[Mapping[str, str]], dict[str, Any]]
) -> None:
    headers = {k: v for k, v in EVENT["headers"].items() if k != "authorization"}
    assert handler(front(headers), None)["statusCode"] == 401
