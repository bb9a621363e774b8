"""The handler under Lambda's own runtime client: starts, fails to start, serves, and is traced."""

import json
import socket
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

import pytest

from bench.runtime_api import RuntimeApi, serve_runtime_api, start_runtime_client
from support.retry import retry_until
from support.store_fixture import PATH_TOKEN, TOKEN, write_injector

ROOT = Path(__file__).parents[3]
FUNCTION = ROOT / "functions" / "webhook"
EVENTS = ROOT / "tests" / "support" / "events"
ENGINE: Mapping[str, str] = {"PYTHONPATH": str(ROOT / "layers" / "engine")}


def event(name: str = "bearer-token") -> dict[str, Any]:
    return json.loads((EVENTS / f"apigateway-v2-{name}.json").read_text())


def environment(folder: Path, **further: str) -> dict[str, str]:
    return {**ENGINE, "PODGRAFT_STORE": f"file:{folder}", **further}


def send_event(api: RuntimeApi, sent: Mapping[str, Any]) -> dict[str, Any]:
    """The function's answer to one event."""
    posted = api.invoke(sent)
    assert posted.kind == "response", posted.body
    return posted.body


def decision(api: RuntimeApi) -> str:
    answer = send_event(api, event())
    assert answer["statusCode"] == 200, answer["body"]
    return json.loads(answer["body"])["response"]["auditAnnotations"]["decision"]


def test_one_start_serves_many_reviews_and_sees_changes(folder: Path) -> None:
    with (
        serve_runtime_api() as api,
        start_runtime_client(api.address, environment(folder), FUNCTION),
    ):
        assert [decision(api), decision(api)] == ["inject", "inject"]
        write_injector(folder, policy="policy: disabled")
        assert retry_until("skip", lambda: decision(api)) == "skip"
        assert send_event(api, event("no-credentials"))["statusCode"] == 401


def test_an_impossible_environment_is_an_error_of_the_start_that_names_every_fault() -> None:
    impossible = {**ENGINE, "PODGRAFT_AUTH": "all", "PODGRAFT_REFRESH_SECONDS": "soon"}
    further = {"PODGRAFT_STORE": "aws", "PODGRAFT_BUCKET": "B", "PODGRAFT_REFRESH": "1"}
    with (
        serve_runtime_api() as api,
        start_runtime_client(api.address, {**impossible, **further}, FUNCTION),
    ):
        posted = api.next_message()
    assert (posted.kind, posted.body["errorType"]) == ("init/error", "SettingsError")
    for name in ("AUTH", "REFRESH_SECONDS", "BUCKET", "REFRESH"):
        assert f"PODGRAFT_{name}: " in posted.body["errorMessage"]


def test_what_is_no_event_of_the_api_is_answered_and_is_no_error(folder: Path) -> None:
    """The same environment answers the next one too."""
    with (
        serve_runtime_api() as api,
        start_runtime_client(api.address, environment(folder), FUNCTION) as process,
    ):
        posted = api.invoke({"source": "aws.events"})
        assert (posted.kind, posted.body["statusCode"]) == ("response", 400)
        assert decision(api) == "inject"
        assert process.poll() is None


@pytest.fixture
def daemon() -> Generator[socket.socket]:
    """Where X-Ray's daemon would listen."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        yield listener


def _tracing_environment(listener: socket.socket, disabled: str) -> dict[str, str]:
    address = f"127.0.0.1:{listener.getsockname()[1]}"
    return {"AWS_XRAY_DAEMON_ADDRESS": address, "POWERTOOLS_TRACE_DISABLED": disabled}


def test_a_traced_review_is_a_segment_without_a_word_of_the_pod(
    folder: Path, daemon: socket.socket
) -> None:
    sent = event("token-in-path")
    sent["body"] = sent["body"].replace('"name":"a1"', '"name":"planted-name"')
    daemon.settimeout(20)
    traced = environment(folder, **_tracing_environment(daemon, "false"))
    with serve_runtime_api() as api, start_runtime_client(api.address, traced, FUNCTION):
        assert send_event(api, sent)["statusCode"] == 200
        segment = daemon.recv(65536).decode()
    assert json.loads(segment.splitlines()[1])["name"] == "## review"
    for secret in ("planted-name", PATH_TOKEN, TOKEN):
        assert secret not in segment


def test_without_tracing_nothing_of_it_is_loaded_or_sent(
    folder: Path, daemon: socket.socket, tmp_path: Path
) -> None:
    daemon.settimeout(0.2)
    trap = tmp_path / "trap"
    trap.mkdir()
    (trap / "aws_xray_sdk.py").write_text("raise SystemExit('loaded')")
    path = f"{trap}:{ENGINE['PYTHONPATH']}"
    untraced = environment(folder, **_tracing_environment(daemon, "true"), PYTHONPATH=path)
    with serve_runtime_api() as api, start_runtime_client(api.address, untraced, FUNCTION):
        assert decision(api) == "inject"
        with pytest.raises(TimeoutError):
            daemon.recv(1)
