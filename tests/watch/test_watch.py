"""The watch of a stack: the metrics and the lines of each check."""

import json
import socket
import ssl
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer
from io import BytesIO
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import Encoding

from cluster_check import Cluster, RequestLog, find_silent, oldest_token_days, parse_clusters
from podgraft.cli.certs import keys, pem
from podgraft.cli.certs.keys import KeyType
from review_check import (
    find_endpoint_problems,
    find_problems,
    make_invoke,
    parse_authorities,
    parse_expected,
)
from support.insights import InsightsClient
from support.pki import Authority
from support.server_thread import use_tls
from watch import Settings, check_clusters, make_handler

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
OK: Mapping[str, Any] = {"injector": "istio", "code": 200, "decision": "inject", "reason": "x"}
SETTINGS = Settings("dev", "arn:live", "", (), {"istio": "inject"}, 24, "/aws/lambda/dev")


def result(*reviews: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """A response of the webhook function."""
    return {"reviews": list(reviews), "clusters": {}, "problems": [], **more}


class Logs:
    """CloudWatch Logs with the requests of clusters, by the hours that a query covers."""

    def __init__(
        self, requests: Mapping[int, Mapping[str, int]] | None = None, *states: str
    ) -> None:
        self.requests = requests or {}
        self.states = [*states] or ["Complete"]
        self.seen: list[Mapping[str, Any]] = []

    def start_query(self, **arguments: Any) -> Mapping[str, Any]:
        self.seen.append(arguments)
        return {"queryId": str(len(self.seen))}

    def get_query_results(self, **arguments: Any) -> Mapping[str, Any]:
        query = self.seen[int(arguments["queryId"]) - 1]
        hours = (query["endTime"] - query["startTime"]) // 3600
        rows = [
            [{"field": "cluster", "value": name}, {"field": "requests", "value": str(count)}]
            for name, count in self.requests.get(hours, {}).items()
        ]
        state = self.states.pop(0) if len(self.states) > 1 else self.states[0]
        return {"status": state, "results": rows if state == "Complete" else rows[:1]}


def open_log(client: Logs) -> RequestLog:
    return RequestLog(client, "/aws/lambda/dev", lambda _: None)


PROBLEMS: tuple[tuple[str, dict[str, Any], str, list[str]], ...] = (
    ("as expected", result(OK), "istio=inject", []),
    ("a decision is enough", result(OK, {**OK, "injector": "b", "decision": "skip"}), "", []),
    (
        "another decision",
        result({**OK, "decision": "skip", "reason": "policy-disabled"}),
        "istio=inject",
        ["injector istio: expected inject, got skip: policy-disabled"],
    ),
    (
        "a failure",
        result({"injector": "istio", "code": 500, "decision": "fail", "problem": "no bundle"}),
        "istio=inject",
        ["injector istio: expected 200, got 500: no bundle"],
    ),
    (
        "no result",
        result(),
        "istio=inject,b=skip",
        ["injector b: no result", "injector istio: no result"],
    ),
    ("the callers do not load", result(OK, problems=["auth: denied"]), "", ["auth: denied"]),
)


@pytest.mark.parametrize(
    ("name", "found", "expected", "problems"), PROBLEMS, ids=lambda row: str(row)[:20]
)
def test_results_are_compared_with_the_expectation(
    name: str, found: dict[str, Any], expected: str, problems: list[str]
) -> None:
    assert find_problems(found, parse_expected(expected)) == problems, name


@pytest.mark.parametrize("text", ["istio", "istio=", "=inject", "istio=maybe"])
def test_an_invalid_expectation_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="WATCH_EXPECTED: got "):
        parse_expected(text)


class Client:
    """The client of Lambda with one response."""

    def __init__(self, body: object, error: str = "") -> None:
        self._response = {"Payload": BytesIO(json.dumps(body).encode())}
        if error:
            self._response["FunctionError"] = error  # type: ignore[assignment]
        self.sent: dict[str, Any] = {}

    def invoke(self, **arguments: Any) -> Any:
        self.sent = arguments
        return self._response


def test_the_event_is_that_of_the_webhook_function() -> None:
    client = Client(result(OK))
    assert make_invoke(client, "arn:live")({"injectors": ["istio"]}) == result(OK)
    assert client.sent["FunctionName"] == "arn:live"
    event = json.loads(client.sent["Payload"])
    assert event == {"synthetic_review": {"injectors": ["istio"]}}


@pytest.mark.parametrize(
    ("body", "error"),
    [({"errorMessage": "secret text"}, "Unhandled"), ({"statusCode": 400}, "")],
)
def test_a_function_that_fails_is_a_problem(body: Any, error: str) -> None:
    found = make_invoke(Client(body, error), "arn:live")({})
    [problem] = find_problems(found, {})
    assert problem.startswith("the webhook function did not respond")
    assert "secret" not in problem


CLUSTERS = (
    Cluster("calls", (NOW - timedelta(days=400),)),
    Cluster("silent", (NOW - timedelta(days=30), NOW - timedelta(hours=1))),
    Cluster("new", (NOW - timedelta(hours=1),)),
    Cluster("by-certificate"),
)


def test_a_cluster_without_requests_is_silent() -> None:
    client = Logs({24: {"calls": 4, "gone": 9}}, "Scheduled", "Running", "Complete")
    calls = open_log(client).count_requests(24, NOW)
    assert calls == {"calls": 4, "gone": 9}
    [query] = client.seen
    assert query["logGroupName"] == "/aws/lambda/dev"
    assert (query["endTime"], query["startTime"]) == (NOW.timestamp(), NOW.timestamp() - 86_400)
    assert find_silent(CLUSTERS, calls, 24, NOW) == ["silent", "by-certificate"]
    assert oldest_token_days(CLUSTERS, NOW) == 400


def test_without_clusters_nothing_is_silent_or_old() -> None:
    assert open_log(Logs()).count_requests(24, NOW) == {}
    assert find_silent((), {}, 24, NOW) == []
    assert oldest_token_days((), NOW) == 0


def test_the_query_counts_the_requests_of_each_cluster() -> None:
    """Reviews and faults, but no synthetic reviews, no metrics, and no request of nobody."""
    at = f"{NOW - timedelta(minutes=5):%Y-%m-%d %H:%M:%S},000+0000"
    lines: list[Mapping[str, Any]] = [
        {"message": "review", "cluster": "a"},
        {"message": "review", "cluster": "a"},
        {"message": "fault", "cluster": "a"},
        {"message": "internal_error", "cluster": "b"},
        {"message": "fault"},
        {"message": "review", "cluster": ""},
        {"message": "synthetic_review", "cluster": "c"},
        {"cluster": "d"},
    ]
    client = InsightsClient([{"timestamp": at, **line} for line in lines])
    log = RequestLog(client, "/aws/lambda/dev", lambda _: None)
    assert log.count_requests(1, NOW) == {"a": 3, "b": 1}


@pytest.mark.parametrize("state", ["Failed", "Cancelled", "Timeout", "Running"])
def test_a_query_that_does_not_complete_fails(state: str) -> None:
    """A part of the rows would report clusters as silent."""
    with pytest.raises(TimeoutError, match=f"/aws/lambda/dev ended with the status {state}"):
        open_log(Logs({24: {"calls": 4}}, state)).count_requests(24, NOW)


@pytest.mark.parametrize(
    ("last_hour", "last_day", "windows", "silent"),
    [
        ({"a": 3, "b": 1}, {}, [1], []),
        ({"a": 3}, {"a": 90, "b": 2}, [1, 24], []),
        ({"a": 3}, {"a": 90}, [1, 24], ["b"]),
    ],
)
def test_the_log_of_a_day_is_read_only_if_a_cluster_did_not_call_in_the_last_hour(
    last_hour: Mapping[str, int],
    last_day: Mapping[str, int],
    windows: list[int],
    silent: list[str],
) -> None:
    registered = {name: {"created": ["2026-01-01T00:00:00Z"]} for name in "ab"}
    client = Logs({1: last_hour, 24: last_day})
    found = check_clusters(SETTINGS, lambda _: result(clusters=registered), open_log(client), NOW)
    assert [(each["endTime"] - each["startTime"]) // 3600 for each in client.seen] == windows
    assert found.fields == {
        "clusters": 2,
        "silent": silent,
        "requests": last_hour,
        "problems": [],
    }
    assert found.is_failure is bool(silent)


def test_without_hours_no_log_is_read() -> None:
    client = Logs({1: {"a": 1}})
    found = check_clusters(
        replace(SETTINGS, silent_hours=0), lambda _: result(), open_log(client), NOW
    )
    assert found.fields == {"clusters": 0, "silent": [], "requests": {}, "problems": []}
    assert not client.seen


def test_clusters_that_cannot_be_read_are_no_silence() -> None:
    unknown = result(problems=["auth: access denied"])
    found = check_clusters(SETTINGS, lambda _: unknown, open_log(Logs()), NOW)
    assert (found.is_failure, found.fields["problems"]) == (True, ["auth: access denied"])
    [line] = found.lines("dev", NOW)  # and no metrics
    assert line["level"] == "ERROR"


def test_the_creation_of_a_token_is_free_text() -> None:
    clusters = {"a": {"created": ["2026-11-21T03:20:00Z", "", "yesterday", "2026-11-20"]}}
    [cluster] = parse_clusters(result(clusters=clusters))
    assert cluster.created == (
        datetime(2026, 11, 21, 3, 20, tzinfo=UTC),
        datetime(2026, 11, 20, tzinfo=UTC),
    )


CHECKS: tuple[tuple[str, dict[str, Any], Mapping[str, float], str], ...] = (
    ("reviews", result(OK), {"synthetic_review_failure_total": 0}, "INFO"),
    ("reviews", result(), {"synthetic_review_failure_total": 1}, "ERROR"),
    (
        "clusters",
        result(OK, clusters={"quiet": {"created": ["2026-01-01T00:00:00Z"]}}),
        {"silent_clusters": 1},
        "ERROR",
    ),
    ("clusters", result(OK), {"silent_clusters": 0, "oldest_token_days": 0}, "INFO"),
)


@pytest.mark.parametrize(("check", "found", "values", "level"), CHECKS)
def test_a_check_writes_a_line_and_metrics(
    check: str,
    found: dict[str, Any],
    values: Mapping[str, float],
    level: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    make_handler(SETTINGS, lambda _: found, open_log(Logs()))({"check": check}, None)
    line, emitted = map(json.loads, capsys.readouterr().out.splitlines())
    assert list(line)[:4] == ["level", "message", "timestamp", "service"]
    assert (line["level"], line["service"]) == (level, "dev")
    [directive] = emitted["_aws"]["CloudWatchMetrics"]
    assert (directive["Namespace"], directive["Dimensions"]) == ("podgraft", [["service"]])
    names = {metric["Name"] for metric in directive["Metrics"]}
    assert emitted.keys() == {"_aws", "service", *names}
    assert values.items() <= emitted.items()


def test_an_unknown_event_is_an_error() -> None:
    with pytest.raises(ValueError, match="check: is missing"):
        make_handler(SETTINGS, lambda _: result(), open_log(Logs()))({}, None)


class Endpoint(BaseHTTPRequestHandler):
    """An endpoint that is ready or not."""

    code = HTTPStatus.OK

    def do_GET(self) -> None:
        assert self.path == "/readyz"
        self.send_response(self.code)
        self.end_headers()

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        del code, size


@pytest.mark.parametrize(("code", "problems"), [(HTTPStatus.OK, 0), (HTTPStatus.BAD_GATEWAY, 1)])
def test_the_endpoint_must_be_ready(
    code: HTTPStatus, problems: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Endpoint, "code", code)
    with HTTPServer(("127.0.0.1", 0), Endpoint) as server:
        thread = Thread(target=server.handle_request)
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}"
        found = find_endpoint_problems(url)
        thread.join()
    assert len(found) == problems
    assert find_endpoint_problems(url)  # nothing listens there now


@pytest.mark.parametrize(
    ("trusted", "problem"),
    {
        "its CA": "",
        "another CA and its CA": "",
        "another CA": "set EndpointCa",
        "the CAs of the system": "set EndpointCa",
    }.items(),
)
def test_the_endpoint_may_have_a_certificate_of_a_private_ca(
    trusted: str, problem: str, tmp_path: Path
) -> None:
    key = keys.make_key(KeyType.P_256)
    own, other = Authority(), Authority()
    pair = tmp_path / "pair.pem"
    chain = pem.dump_certificates([own.server("127.0.0.1", key=key)])
    pair.write_bytes(chain + keys.encode_key(key, None))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pair)
    authorities = {
        "its CA": [own],
        "another CA and its CA": [other, own],
        "another CA": [other],
        "the CAs of the system": [],
    }[trusted]
    text = ",".join(
        b64encode(each.certificate.public_bytes(Encoding.DER)).decode() for each in authorities
    )
    with HTTPServer(("127.0.0.1", 0), Endpoint) as server:
        use_tls(server, context)
        thread = Thread(target=server.handle_request)
        thread.start()
        url = f"https://127.0.0.1:{server.server_port}"
        found = find_endpoint_problems(url, parse_authorities(text))
        thread.join()
    assert [problem in each for each in found] == ([True] if problem else [])


def test_a_missing_record_of_the_domain_is_reported_with_its_target(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def find_nothing(*_: object, **__: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", find_nothing)
    [problem] = find_endpoint_problems("https://webhook.example.com")
    assert problem.startswith("endpoint https://webhook.example.com: [Errno -2] Name or service")
    assert problem.endswith("create the DNS record of the domain with the output DomainTarget")


def test_settings_are_those_of_the_template() -> None:
    environment = {
        "WATCH_STACK": "dev",
        "WATCH_FUNCTION": "arn:live",
        "WATCH_ENDPOINT": "https://x",
        "WATCH_ENDPOINT_CA": "b25l, dHdv",
        "WATCH_EXPECTED": "istio=inject, logging=skip",
        "WATCH_SILENT_HOURS": "24",
        "WATCH_LOG_GROUP": "/aws/lambda/dev",
    }
    expected = {"istio": "inject", "logging": "skip"}
    assert Settings.from_environment(environment) == Settings(
        "dev", "arn:live", "https://x", (b"one", b"two"), expected, 24, "/aws/lambda/dev"
    )
