"""Events that AWS does not send, and header fields that Mangum cannot read: never an exception."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from service.http.test_fronts import load_balancer, rest_api
from service.http.test_handler import load_handler
from support.store_fixture import PATH_TOKEN, SUBJECT, TOKEN

ROOT = Path(__file__).parents[3]
Handler = Callable[[Any, object], dict[str, Any]]


def event(name: str = "bearer-token") -> dict[str, Any]:
    path = ROOT / "tests" / "support" / "events" / f"apigateway-v2-{name}.json"
    return json.loads(path.read_text())


@pytest.fixture
def build(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Handler]:
    """The function, started anew in a mode."""

    def cold_start(mode: str = "token") -> Handler:
        monkeypatch.setenv("PODGRAFT_STORE", f"file:{folder}")
        monkeypatch.setenv("PODGRAFT_AUTH", mode)
        return load_handler()

    return cold_start


@pytest.fixture
def handler(build: Callable[..., Handler]) -> Handler:
    return build()


def http_api(headers: Mapping[str, str]) -> dict[str, Any]:
    """API Gateway's HTTP API, payload format 2.0."""
    return {**event(), "headers": dict(headers)}


ADDRESSES = (
    {"Host": "[::1]:443"},
    {"host": "a:b"},
    {"Host": "a:b:c"},
    {"Host": ""},
    {"host": "a b\x00é/?#@"},
    {"X-Forwarded-Port": "abc"},
    {"x-forwarded-port": "99999999999999999999"},
    {"X-Forwarded-Proto": "é:"},
    {"x-forwarded-proto": ""},
)


@pytest.mark.parametrize("front", [http_api, rest_api, load_balancer])
@pytest.mark.parametrize("address", ADDRESSES, ids=str)
def test_no_header_makes_the_function_raise(
    address: dict[str, str], front: Callable[[Mapping[str, str]], dict[str, Any]], handler: Handler
) -> None:
    known = {k: v for k, v in event()["headers"].items() if k not in {"host", *address}}
    assert handler(front({**known, **address}), None)["statusCode"] == 200
    del known["authorization"]
    response = handler(front({**known, **address}), None)
    assert response["statusCode"] == 401
    assert json.loads(response["body"])["kind"] == "Status"


AUTHENTICATIONS: tuple[Any, ...] = (
    None,
    "x",
    [],
    5,
    {"clientCert": None},
    {"clientCert": "x"},
    {"clientCert": {"subjectDN": 5}},
    {"clientCert": {"subjectDN": None}},
    {"clientCert": {"subjectDN": ""}},
    {"clientCert": {}},
)


@pytest.mark.parametrize("authentication", AUTHENTICATIONS, ids=str)
@pytest.mark.parametrize(("mode", "code"), [("token", 200), ("mtls", 401)])
def test_an_authentication_of_any_shape_is_at_most_a_missing_one(
    authentication: Any, mode: str, code: int, build: Callable[..., Handler]
) -> None:
    sent = event()
    sent["requestContext"]["authentication"] = authentication
    assert build(mode)(sent, None)["statusCode"] == code


def test_a_certificate_counts_in_its_mode_alone(build: Callable[..., Handler]) -> None:
    sent = event("client-certificate")
    assert build("token")(sent, None)["statusCode"] == 401
    handler = build("mtls")
    assert handler(sent, None)["statusCode"] == 200
    certificate = sent["requestContext"]["authentication"]["clientCert"]
    assert certificate["subjectDN"] == SUBJECT
    certificate["subjectDN"] = SUBJECT.replace(",", "+")
    assert handler(sent, None)["statusCode"] == 401


ODD: tuple[tuple[str, Any], ...] = (
    ("a body that is no base64", {**event(), "isBase64Encoded": True, "body": "{not base64}"}),
    ("a body beyond ASCII", {**event(), "isBase64Encoded": True, "body": "é"}),
    ("a body that is JSON", {**event(), "isBase64Encoded": True}),
    ("a body that is a number", {**event(), "body": 5}),
    ("no context", {k: v for k, v in event().items() if k != "requestContext"}),
    ("a context of null", {**event(), "requestContext": None}),
    ("a context of text", {**event(), "requestContext": "x"}),
    ("no HTTP", {**event(), "requestContext": {}}),
    ("headers of null", {**event(), "headers": None}),
    ("a list of headers", {**event(), "headers": ["host"]}),
    ("a header that is no text", {**event(), "headers": {"authorization": 5}}),
    ("another version", {**event(), "version": "3.0"}),
    ("nothing", {}),
    ("a list", []),
    ("null", None),
    ("text", "x"),
    ("half a pair in a header", {**event(), "headers": {"authorization": f"\udc80{TOKEN}"}}),
    (
        "half a pair in the path",
        {**event(), "requestContext": {"http": {"path": f"/k/{PATH_TOKEN}\udc80/inject"}}},
    ),
    ("half a pair in the query", {**event(), "rawQueryString": "\udc80"}),
    ("half a pair in the body", {**event(), "body": "\udc80"}),
    ("a path of null", {**rest_api(event()["headers"]), "path": None}),
    ("a path that is no text", {**load_balancer(event()["headers"]), "path": 5}),
    ("a load balancer without headers", {**load_balancer({}), "headers": None}),
    ("half a pair in another path", {**load_balancer({}), "path": "/\udc80"}),
    ("a method that is a number", {**load_balancer({}), "httpMethod": 5}),
    ("a method that is a list", {**event(), "requestContext": {"http": {"method": ["POST"]}}}),
    ("a method of null", {**event(), "requestContext": {"http": {"path": "/", "method": None}}}),
)


@pytest.mark.parametrize(("name", "sent"), ODD, ids=[name for name, _ in ODD])
def test_an_odd_event_is_answered_and_leaves_one_line(
    name: str,
    sent: Any,
    handler: Handler,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    capfd.readouterr()
    response = handler(sent, None)
    status = json.loads(response["body"])
    assert response["statusCode"] == status["code"] == 400, name
    assert response["headers"]["content-type"] == "application/json"
    assert (status["kind"], status["reason"]) == ("Status", "BadRequest")
    [line] = capfd.readouterr().out.splitlines()
    record = json.loads(line)
    assert (record["message"], record["code"], record["origin"]) == ("fault", 400, "caller")
    for secret in (TOKEN, PATH_TOKEN):
        assert secret not in line + caplog.text + response["body"]
