"""A call's log line and metrics have exactly the fields and names of docs/monitoring.md."""

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from podgraft.base.jsonvalue import Object
from podgraft.kube import admission
from podgraft.service.http.candidate_metrics import CandidateMetric
from podgraft.service.http.metrics import NAMESPACE, Metric
from podgraft.service.http.powertools import make_request_log
from podgraft.service.http.request_log import make_stream_log
from podgraft.service.store.caller_document import hash_token
from service.http.conftest import ApplicationFixture, make_application
from support.recorded_requests import load_request
from support.store_fixture import BUNDLE, CONFIG, OTHER_TOKEN, TOKEN, write, write_injector

DOCS = (Path(__file__).parents[3] / "docs" / "monitoring.md").read_text()
# The fields of each kind of line, and the unit of each metric.
FIELDS: dict[str, frozenset[str]] = {}
for _kind, _fields in re.findall(r"^\| ((?:all|of)[^|]*?) \| (`[^|]*)\|", DOCS, re.MULTILINE):
    FIELDS[_kind] = FIELDS.get(_kind, frozenset()) | frozenset(re.findall(r"`(\w+)`", _fields))
UNITS = dict(re.findall(r"^\| `(\w+)` \| (Count|Milliseconds|Seconds) \|", DOCS, re.MULTILINE))
SENT = load_request("24-bearer-token")
ALWAYS = (Metric.REQUESTS, Metric.TIME)

Act = Callable[[ApplicationFixture], object]


@dataclass(frozen=True, slots=True)
class Case:
    """A call, the kinds of fields on its line, its metrics and their reason."""

    name: str
    act: Act
    kinds: tuple[str, ...]
    metrics: tuple[Metric, ...]
    reason: str


def send_valid_review(at: ApplicationFixture) -> object:
    return at.send(SENT)


def send_with_broken_template(action: str) -> Act:
    """A call while the template does this beside."""
    config = CONFIG.replace("{{ .DeploymentMeta.Name }}", action)

    def act(at: ApplicationFixture) -> object:
        write_injector(at.folder, files={**BUNDLE, "injector.yaml": config.encode()})
        return at.send(SENT)

    return act


def send_with_invalid_policy(at: ApplicationFixture) -> object:
    write_injector(at.folder, policy="polcy: 1")
    return at.send(SENT)


def send_with_stale_policy(at: ApplicationFixture) -> object:
    at.client.get("/readyz")
    return send_with_invalid_policy(at)


def send_with_stale_callers(at: ApplicationFixture) -> object:
    send_valid_review(at)
    return send_with_unloaded_callers(at)


def send_with_unloaded_callers(at: ApplicationFixture) -> object:
    write(at.folder / "auth" / "prod-eu.yaml", b"tokens: nonsense")
    return at.send(SENT)


def send_with_expired_token(at: ApplicationFixture) -> object:
    document = f'tokens: [{{sha256: {hash_token(TOKEN)}, expires: "2020-01-01"}}]'
    write(at.folder / "auth" / "prod-eu.yaml", document.encode())
    return at.send(SENT)


def send_from_cluster_in_group(at: ApplicationFixture) -> object:
    """The registry, or the document of the cluster, names the group, and the policy defines it."""
    document = f"{{tokens: [{{sha256: {hash_token(TOKEN)}}}], groups: [ring-0, unknown]}}"
    write(at.folder / "auth" / "prod-eu.yaml", document.encode())
    write_injector(at.folder, policy="groups: {ring-0: {policy: disabled}}")
    return at.send(SENT)


def send_denied_review(at: ApplicationFixture) -> object:
    annotations: Object = {"proxy.istio.io/config": "["}
    metadata: Object = {"annotations": annotations}
    return at.send(SENT.with_value("request", "object", "metadata", value=metadata))


GROUPS = "of a review for a cluster in groups"
REVIEW, FAULT = "of a review", "of a fault"
CREDENTIAL = "of a request that failed to authenticate"
ACCEPTED = "of a call that a token authenticates"
REFUSED = "of a request with a token that its cluster does not accept any more"
CASES = (
    Case(
        "injected",
        send_valid_review,
        (REVIEW, ACCEPTED),
        (*ALWAYS, Metric.SUCCESS),
        "policy-enabled",
    ),
    Case(
        "skipped",
        lambda at: at.send(SENT, "/istio/inject"),
        (REVIEW, ACCEPTED),
        (*ALWAYS, Metric.SKIP),
        "policy-disabled",
    ),
    Case(
        "of a group",
        send_from_cluster_in_group,
        (REVIEW, ACCEPTED, GROUPS),
        (*ALWAYS, Metric.SKIP),
        "policy-disabled",
    ),
    Case("denied", send_denied_review, (REVIEW, ACCEPTED), (*ALWAYS, Metric.DENIED), "user"),
    Case(
        "stale",
        send_with_stale_policy,
        (REVIEW, ACCEPTED),
        (*ALWAYS, Metric.SUCCESS, Metric.REFUSED),
        "policy-enabled",
    ),
    Case(
        "stale callers",
        send_with_stale_callers,
        (REVIEW, ACCEPTED),
        (*ALWAYS, Metric.SUCCESS, Metric.REFUSED),
        "policy-enabled",
    ),
    Case(
        "callers that do not load",
        send_with_unloaded_callers,
        (FAULT, "of a store that failed"),
        (*ALWAYS, Metric.FAILURE),
        "NotLoadedError",
    ),
    Case(
        "a template fails",
        send_with_broken_template(
            '{{ if ne .ObjectMeta.Namespace "default" }}{{ index "a" 7 }}{{ end }}'
        ),
        (REVIEW, ACCEPTED, FAULT, "of a template that failed"),
        (*ALWAYS, Metric.FAILURE),
        "operator",
    ),
    Case(
        "nothing loads",
        send_with_invalid_policy,
        (REVIEW, ACCEPTED, FAULT, "of a store that failed"),
        (*ALWAYS, Metric.FAILURE),
        "store",
    ),
    Case("no review", lambda at: at.post(b"{}"), (FAULT, ACCEPTED), ALWAYS, "NotAReviewError"),
    Case(
        "a stranger",
        lambda at: at.post(b"{}", token="guess"),
        (FAULT, CREDENTIAL),
        (Metric.UNAUTHENTICATED,),
        "UnauthenticatedError",
    ),
    Case(
        "an expired token",
        send_with_expired_token,
        (FAULT, CREDENTIAL, REFUSED),
        (Metric.UNAUTHENTICATED,),
        "ExpiredTokenError",
    ),
    Case(
        "two clusters'",
        lambda at: at.post(b"{}", path=f"/k/{TOKEN}/inject", token=OTHER_TOKEN),
        (FAULT, CREDENTIAL),
        (Metric.UNAUTHENTICATED,),
        "ForbiddenError",
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_call_leaves_a_line_and_metrics_as_they_are_documented(
    case: Case, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case.act(make_application(folder, journal=make_request_log("podgraft-dev")))
    line, emitted = read_log(capsys)
    kinds = ("all", "of a call", *case.kinds)
    assert line.keys() == frozenset[str]().union(*(FIELDS[kind] for kind in kinds))
    assert line["service"] == emitted["service"] == "podgraft-dev"
    [directive] = emitted["_aws"]["CloudWatchMetrics"]
    by_source = ["service", "cluster", "injector"] if REVIEW in case.kinds else []
    assert directive == {
        "Namespace": NAMESPACE,
        "Dimensions": [["service"], ["service", "reason"], *([by_source] if by_source else [])],
        "Metrics": [
            {"Name": metric["Name"], "Unit": UNITS[metric["Name"]]}
            for metric in directive["Metrics"]
        ],
    }
    names = {metric["Name"] for metric in directive["Metrics"]}
    assert names == set(case.metrics)
    assert emitted.keys() == {"_aws", "service", "reason", *names, *by_source}
    assert emitted["reason"] == case.reason
    if by_source:
        assert (emitted["cluster"], emitted["injector"]) == (line["cluster"], line["injector"])


def test_an_internal_error_leaves_a_line_as_it_is_documented(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(admission, "decode")
    make_application(folder, journal=make_request_log()).send(SENT)
    line, emitted = read_log(capsys)
    kinds = ("all", "of a call", ACCEPTED, "of an internal error")
    assert line.keys() == frozenset[str]().union(*(FIELDS[kind] for kind in kinds))
    assert emitted.keys() == {"_aws", "service", *ALWAYS, Metric.FAILURE}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_line_of_serve_has_the_same_fields_as_on_lambda(
    case: Case, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("podgraft.base.system.wall_seconds", lambda: 1_780_000_000.0625)
    case.act(make_application(folder, journal=make_stream_log()))
    line = json.loads(capsys.readouterr().out.splitlines()[-1])
    kinds = ("all", "of a call", *case.kinds)
    assert line.keys() == frozenset[str]().union(*(FIELDS[kind] for kind in kinds))
    assert list(line)[:4] == ["level", "message", "timestamp", "service"]
    assert line["timestamp"] == "2026-05-28 20:26:40,062+0000"


def test_every_metric_is_documented() -> None:
    assert UNITS.keys() == {*Metric, *CandidateMetric}


def read_log(capsys: pytest.CaptureFixture[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The line and, beside it, the metrics."""
    *_, line, emitted = map(json.loads, capsys.readouterr().out.splitlines())
    return line, emitted


UNAUTHORIZED_REQUESTS = (
    ("/k/guess/istio/inject", None, "istio", ("guess",), "the token belongs to no cluster"),
    ("/inject", "guess", "default", ("guess",), "the token belongs to no cluster"),
    ("/k/one/inject", "two", "default", ("one", "two"), "the token belongs to no cluster"),
    (f"/k/{TOKEN}/inject", OTHER_TOKEN, "default", (TOKEN, OTHER_TOKEN), "to several clusters"),
    ("/istio/inject", None, None, (), "no cluster token"),
    (f"/{'0af1' * 16}/inject", None, None, (), "no cluster token"),  # a token without /k/
)


@pytest.mark.parametrize(("path", "header", "injector", "tokens", "problem"), UNAUTHORIZED_REQUESTS)
def test_a_request_that_fails_to_authenticate_has_its_origin_and_no_token(
    path: str,
    header: str | None,
    injector: str | None,
    tokens: tuple[str, ...],
    problem: str,
    folder: Path,
) -> None:
    at = make_application(folder)
    headers = {"Authorization": f"Bearer {header}"} if header else {}
    environ = {"REMOTE_ADDR": "192.0.2.7"}
    response = at.client.post(path, headers=headers, environ_overrides=environ, data=b"{}")
    assert response.status_code in {401, 403}
    [record] = at.records
    assert (record.get("injector"), record["source"]) == (injector, "192.0.2.7")
    assert problem in str(record["message"])
    ids = [hashlib.sha256(token.encode()).hexdigest()[:8] for token in tokens]
    assert record.get("token_id", "") == ",".join(ids)
    text = json.dumps(record)
    assert not any(token in text for token in (*tokens, "0af1"))
