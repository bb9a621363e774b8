"""Lambda's own logs and traces: cold starts, failed invocations, and AWS errors."""

import json
import socket
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import Any

import pytest
from botocore.client import BaseClient
from botocore.exceptions import ClientError, HTTPClientError
from botocore.session import get_session

from bench.runtime_api import serve_runtime_api, start_runtime_client
from podgraft.core import bundle
from podgraft.service.store import caller_document
from secrecy.calls import Call, pod
from secrecy.function import event, function
from secrecy.known_secrets import ENVIRONMENT, MARK, find_secrets
from service.store.aws_fault_proxy import faulty_aws
from support.store_fixture import BUNDLE, TOKEN

ROOT = Path(__file__).parents[2]
ENGINE = {"PYTHONPATH": str(ROOT / "layers" / "engine")}
BUCKET = "bundles-of-secrets"
DIGEST = bundle.digest(BUNDLE)
PARAMETERS = {
    "/podgraft/default/policy": json.dumps(
        {"bundle": DIGEST, "features": {"env": {"A": ENVIRONMENT}}}
    ),
    "/podgraft/auth/prod-eu": json.dumps(
        {"tokens": [{"sha256": caller_document.hash_token(TOKEN), "note": MARK}]}
    ),
}

Heard = Callable[[], str]


@pytest.fixture(scope="module")
def aws() -> Generator[str]:
    """An account in which a policy, its bundle and a caller are stored; its address."""
    with pytest.MonkeyPatch.context() as patched, faulty_aws() as running:
        for name, value in account(running.endpoint).items():
            patched.setenv(name, value)
        ssm: Any = get_session().create_client("ssm")
        for name, value in PARAMETERS.items():
            ssm.put_parameter(Name=name, Value=value, Type="SecureString")
        s3: Any = get_session().create_client("s3")
        s3.create_bucket(Bucket=BUCKET)
        for path, content in BUNDLE.items():
            key = f"bundles/default/{DIGEST.removeprefix('sha256:')}/{path}"
            s3.put_object(Bucket=BUCKET, Key=key, Body=content)
        yield running.endpoint


def account(endpoint: str) -> Mapping[str, str]:
    """The variables for AWS in Lambda's environment."""
    return {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": f"{MARK}-key",
        "AWS_SECRET_ACCESS_KEY": f"{MARK}-secret",
        "PODGRAFT_STORE": "aws",
        "PODGRAFT_BUCKET": BUCKET,
    }


def test_values_read_from_aws_are_not_logged(
    aws: str, monkeypatch: pytest.MonkeyPatch, captured_output: Heard
) -> None:
    """Every logger is at DEBUG here, as Lambda's own settings can make the root logger."""
    ask = function(monkeypatch, account(aws))
    code, body = ask(Call(pod()))
    assert (code, '"decision":"inject"' in body) == (200, True), body
    ours = "\n".join(line for line in captured_output().splitlines() if "werkzeug" not in line)
    assert '"decision":"inject"' in ours
    assert find_secrets(ours) == [], ours


def quoting_client(_: object, operation: str, sent: object) -> None:
    """A refusal that quotes what it should not."""
    message = f"{sent}: {ENVIRONMENT} {TOKEN}"
    raise ClientError({"Error": {"Code": "AccessDeniedException", "Message": message}}, operation)


def raise_secret_error(*_: object) -> None:
    """An internal error with a secret in its text."""
    raise RuntimeError(f"{ENVIRONMENT} {TOKEN}")


def raise_network_error(*_: object) -> None:
    """A network error with more than a host in its text."""
    raise HTTPClientError(error=f"{ENVIRONMENT} {TOKEN}")


@pytest.mark.parametrize("failing", [quoting_client, raise_secret_error, raise_network_error])
def test_the_text_of_an_aws_error_is_not_repeated(
    failing: Callable[..., None], monkeypatch: pytest.MonkeyPatch, captured_output: Heard
) -> None:
    """From the cold start on, which such a failure does not stop."""
    monkeypatch.setattr(BaseClient, "_make_api_call", failing)
    ask = function(monkeypatch, account("http://127.0.0.1:9"))
    # A failing network is retried until the deadline; the other errors end the request at once.
    timeout = "10ms" if failing is raise_network_error else "20s"
    for path in ("/inject", "/validate", "/readyz"):
        call = Call(pod(), f"{path}?timeout={timeout}", "GET" if path == "/readyz" else "POST")
        code, body = ask(call)
        assert (code, find_secrets(body)) == (503 if failing is raise_network_error else 500, []), (
            body
        )
    written = captured_output()
    assert '"fault"' in written or '"internal_error"' in written, written
    assert find_secrets(written) == [], written


NO_EVENTS: Mapping[str, Mapping[str, Any]] = {
    "no event of the API": {"source": MARK, "detail": {"token": TOKEN}},
    "a body that is no base64": {**event(Call(pod())), "isBase64Encoded": True},
    "a body that is no text": {**event(Call(pod())), "body": {"token": TOKEN}},
    "a body that is no character": {**event(Call(pod())), "body": f"\ud800{TOKEN}"},
    "a header that is no text": {**event(Call(pod())), "headers": {"a": [TOKEN]}},
    "a header that is no Latin": {**event(Call(pod())), "headers": {"a": f"{TOKEN}\u2028"}},
    "a path that is no character": event(Call(pod(), f"/k/{TOKEN}\ud800")),
    "no context": {"version": "2.0", "requestContext": {}, "rawPath": f"/k/{TOKEN}"},
}


@pytest.fixture
def daemon() -> Generator[socket.socket]:
    """Where X-Ray's daemon would listen."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.settimeout(20)
        yield listener


def test_an_invalid_request_is_not_repeated(folder: Path, daemon: socket.socket) -> None:
    """Neither the error that Lambda receives, nor its log, nor a trace segment contains it.

    The plugin reads the output of the process (hook.py).
    """
    address = f"127.0.0.1:{daemon.getsockname()[1]}"
    tracing = {"AWS_XRAY_DAEMON_ADDRESS": address, "POWERTOOLS_TRACE_DISABLED": "false"}
    environment = {**ENGINE, "PODGRAFT_STORE": f"file:{folder}", **tracing}
    with (
        serve_runtime_api() as api,
        start_runtime_client(api.address, environment, ROOT / "functions" / "webhook"),
    ):
        for name, sent in NO_EVENTS.items():
            posted = api.invoke(sent)
            assert find_secrets(json.dumps(posted.body)) == [], name
            assert find_secrets(daemon.recv(65536).decode()) == [], name
        assert api.invoke(event(Call(pod()))).body["statusCode"] == 200
        assert find_secrets(daemon.recv(65536).decode()) == []


def test_an_unknown_variable_is_reported_without_its_value() -> None:
    environment = {**ENGINE, "PODGRAFT_TOKEN": TOKEN, "PODGRAFT_STORE": "file:/"}
    with (
        serve_runtime_api() as api,
        start_runtime_client(api.address, environment, ROOT / "functions" / "webhook"),
    ):
        posted = api.next_message()
    assert "PODGRAFT_TOKEN: " in posted.body["errorMessage"]
    assert find_secrets(json.dumps(posted.body)) == []
