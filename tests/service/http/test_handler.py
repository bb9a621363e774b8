"""The Lambda function: whole API Gateway events in, whole answers out."""

import base64
import importlib.util
import json
import logging
from collections.abc import Callable
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from podgraft.core import review
from podgraft.core.review.results import ReviewResponse, ReviewResult
from podgraft.core.review_context import ReviewContext
from podgraft.kube import admission, patch
from podgraft.service import store
from podgraft.service.http.metrics import Metric, record_measures
from podgraft.service.settings import SettingsError
from podgraft.service.store.folder import FolderStore
from support.recorded_requests import NAMES, load_request
from support.retry import retry_until
from support.store_fixture import PATH_TOKEN, TOKEN, write_injector

EVENTS = Path(__file__).parents[2] / "support" / "events"
HANDLER = Path(__file__).parents[3] / "functions" / "webhook" / "handler.py"
Handler = Callable[[dict[str, Any], object], dict[str, Any]]


def event(name: str) -> dict[str, Any]:
    return json.loads((EVENTS / f"apigateway-v2-{name}.json").read_text())


def load_handler() -> Handler:
    """Import the function again, as a cold start does."""
    spec = importlib.util.spec_from_file_location("handler", HANDLER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.handler


@pytest.fixture
def build(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Handler]:
    """Import the handler anew in an environment of these variables, as a cold start does."""

    def cold_start(**environment: str) -> Handler:
        for name in ("PODGRAFT_CORPUS", "PODGRAFT_STORE", "PODGRAFT_AUTH"):
            monkeypatch.delenv(name, raising=False)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        return load_handler()

    return cold_start


@pytest.fixture
def handler(build: Callable[..., Handler], folder: Path) -> Handler:
    return build(PODGRAFT_STORE=f"file:{folder}")


def answer_of(response: dict[str, Any]) -> dict[str, Any]:
    assert (response["statusCode"], response["isBase64Encoded"]) == (200, False)
    assert response["headers"]["content-type"] == "application/json"
    assert int(response["headers"]["content-length"]) == len(response["body"].encode())
    return json.loads(response["body"])["response"]


INJECTED = ("bearer-token", "base64", "no-content-length", "token-in-path")


@pytest.mark.parametrize("name", INJECTED)
def test_an_event_is_answered_with_a_patch_that_fits(name: str, handler: Handler) -> None:
    sent = event(name)
    body = base64.b64decode(sent["body"]) if sent["isBase64Encoded"] else sent["body"]
    request = json.loads(body)["request"]
    answer = answer_of(handler(sent, None))
    assert (answer["uid"], answer["allowed"]) == (request["uid"], True)
    operations = json.loads(base64.b64decode(answer["patch"]))
    pod: Any = patch.apply(request["object"], operations)
    [proxy] = [c for c in pod["spec"]["containers"] if c["name"] == "istio-proxy"]
    assert {"name": "ISTIO_META_CLUSTER_ID", "value": "prod-eu"} in proxy["env"]


def test_every_recording_comes_out_of_the_function_as_of_the_engine(
    handler: Handler, folder: Path
) -> None:
    store, caller = FolderStore(folder), ReviewContext(injector="default", cluster="prod-eu")
    for name in NAMES:
        sent = event("bearer-token")
        body = load_request(name).body
        sent["body"] = body.decode()
        sent["rawPath"] = sent["requestContext"]["http"]["path"] = "/inject"
        outcome = review.inject(caller.with_request(admission.decode(body)), store)
        assert isinstance(outcome, ReviewResponse)
        assert handler(sent, None)["body"] == admission.encode(outcome.response).decode(), name


def test_text_outside_ascii_survives_both_ways(handler: Handler) -> None:
    sent = event("bearer-token")
    sent["body"] = load_request("20-unicode-and-html").body.decode()
    sent["headers"]["content-length"] = str(len(sent["body"].encode()))
    assert answer_of(handler(sent, None))["allowed"] is True


def test_a_client_certificate_is_read_from_the_event(
    build: Callable[..., Handler], folder: Path
) -> None:
    handler = build(PODGRAFT_STORE=f"file:{folder}", PODGRAFT_AUTH="mtls")
    assert answer_of(handler(event("client-certificate"), None))["allowed"] is True
    assert handler(event("bearer-token"), None)["statusCode"] == 401


def test_the_days_of_a_client_certificate_are_a_field_and_a_metric(
    build: Callable[..., Handler], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    handler = build(PODGRAFT_STORE=f"file:{folder}", PODGRAFT_AUTH="mtls")
    sent = event("client-certificate")
    certificate = sent["requestContext"]["authentication"]["clientCert"]
    certificate["validity"] = {"notAfter": "Aug  5 00:28:21 2120 GMT"}
    assert handler(sent, None)["statusCode"] == 200
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    [line] = [line for line in lines if "certificate_days" in line]
    assert line["certificate_days"] > 30_000
    measures = {measure.metric: measure.value for measure in record_measures(line)}
    assert measures[Metric.CERTIFICATE] == line["certificate_days"]


def test_an_event_without_credentials_is_refused_as_a_status(handler: Handler) -> None:
    response = handler(event("no-credentials"), None)
    assert (response["statusCode"], response["headers"]["content-type"]) == (
        401,
        "application/json",
    )
    assert json.loads(response["body"])["kind"] == "Status"


def test_ping_is_answered(handler: Handler) -> None:
    assert handler(event("ping"), None)["body"] == "pong"


def test_a_body_of_nothing_is_named(handler: Handler) -> None:
    sent = event("bearer-token")
    del sent["body"]
    response = handler(sent, None)
    assert response["statusCode"] == 400
    assert json.loads(response["body"])["message"].startswith("body: is empty; ")


def test_a_change_in_the_store_is_seen_by_the_warm_function(handler: Handler, folder: Path) -> None:
    def decision() -> str:
        return answer_of(handler(event("bearer-token"), None))["auditAnnotations"]["decision"]

    for word, decided in (("enabled", "inject"), ("disabled", "skip")):
        write_injector(folder, policy=f"policy: {word}")
        assert retry_until(decided, decision) == decided


def test_an_impossible_environment_stops_the_cold_start(build: Callable[..., Handler]) -> None:
    with pytest.raises(SettingsError, match=r"PODGRAFT_AUTH: got 'all'.*PODGRAFT_STORE: got ''"):
        build(PODGRAFT_AUTH="all")


def test_what_does_not_load_does_not_stop_the_cold_start(
    build: Callable[..., Handler], folder: Path
) -> None:
    write_injector(folder, policy="polcy: 1")
    response = build(PODGRAFT_STORE=f"file:{folder}")(event("bearer-token"), None)
    assert response["statusCode"] == 500
    assert "/polcy: unknown key" in json.loads(response["body"])["message"]


def test_the_stores_are_requested_at_the_same_time(
    build: Callable[..., Handler], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policies, callers = store.open_stores(store.FolderStoreConfig(folder))
    asked = Barrier(2, timeout=10)
    loaded: set[object] = set()

    class Slow:
        def snapshot(self, *arguments: Any) -> None:
            asked.wait()
            loaded.add(policies.snapshot(*arguments).policy_version)

        def callers(self, *arguments: Any) -> None:
            asked.wait()
            loaded.update(callers.callers(*arguments).callers)

    def opened(*_: object) -> tuple[Slow, Slow]:
        return Slow(), Slow()

    monkeypatch.setattr(store, "open_stores", opened)
    build(PODGRAFT_STORE=f"file:{folder}")
    version = policies.snapshot("default", None).policy_version
    assert loaded == {version, *callers.callers().callers}


ON_LAMBDA = {"AWS_LAMBDA_FUNCTION_NAME": "podgraft"}


@pytest.mark.parametrize("place", [{}, ON_LAMBDA], ids=["elsewhere", "on Lambda"])
@pytest.mark.parametrize("name", [*INJECTED, "client-certificate", "no-credentials"])
def test_nothing_secret_and_no_value_of_the_pod_is_written(
    name: str,
    place: dict[str, str],
    build: Callable[..., Handler],
    folder: Path,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """All log levels on, as Lambda's advanced logging can be set."""
    handler = build(PODGRAFT_STORE=f"file:{folder}", **place)
    sent = event(name)
    pod = json.loads(load_request("24-bearer-token").body)
    pod["request"]["object"]["metadata"]["annotations"] = {"example.com/a": "planted-annotation"}
    pod["request"]["object"]["spec"]["containers"][0]["env"] = [{"name": "A", "value": "planted"}]
    sent["body"], sent["isBase64Encoded"] = json.dumps(pod), False
    with caplog.at_level(logging.DEBUG):
        handler(sent, None)
        handler({**sent, "body": sent["body"][:-9] + '"planted"'}, None)
    written = "".join(capfd.readouterr()) + caplog.text
    assert '"code":' in written
    for secret in (TOKEN, PATH_TOKEN, "planted"):
        assert secret not in written


def test_on_lambda_metrics_are_written_with_the_log(
    build: Callable[..., Handler], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build(PODGRAFT_STORE=f"file:{folder}", **ON_LAMBDA)(event("bearer-token"), None)
    [log, metrics] = map(json.loads, capsys.readouterr().out.splitlines())
    assert (log["message"], log["decision"]) == ("review", "inject")
    assert metrics["sidecar_injection_success_total"] == [1.0]


STARTS = {"on-demand": 0, "provisioned-concurrency": 1, "snap-start": 1}


@pytest.mark.parametrize(("start", "reviews"), STARTS.items())
def test_a_start_that_no_one_waits_for_primes_with_one_review(
    start: str,
    reviews: int,
    build: Callable[..., Handler],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    outcomes: list[ReviewResult] = []
    reviewed = review.inject

    def inject(*arguments: Any) -> ReviewResult:
        outcomes.append(reviewed(*arguments))
        return outcomes[-1]

    monkeypatch.setattr("podgraft.core.review.REVIEWS", {"inject": inject})
    place = {**ON_LAMBDA, "AWS_LAMBDA_INITIALIZATION_TYPE": start}
    handler = build(PODGRAFT_STORE=f"file:{folder}", **place)
    assert capsys.readouterr().out == ""
    decisions = [each.record.decision for each in outcomes]
    assert decisions == ["inject"] * reviews
    assert answer_of(handler(event("bearer-token"), None))["allowed"] is True


def test_priming_that_fails_does_not_stop_the_start(
    build: Callable[..., Handler], folder: Path
) -> None:
    write_injector(folder, policy="polcy: 1")
    ahead = {**ON_LAMBDA, "AWS_LAMBDA_INITIALIZATION_TYPE": "snap-start"}
    response = build(PODGRAFT_STORE=f"file:{folder}", **ahead)(event("bearer-token"), None)
    assert response["statusCode"] == 500
