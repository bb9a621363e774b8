"""The alarms and the dashboard show what the code emits, and the code emits what they show."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from podgraft.base.jsonvalue import JSON
from podgraft.core.identifiers import is_injector
from podgraft.service.http import lambda_runtime
from podgraft.service.http.candidate_metrics import CandidateMetric
from podgraft.service.http.metrics import NAMESPACE, UNKNOWN_INJECTOR, Metric, Unit, find_source
from podgraft.service.http.powertools import make_request_log
from podgraft.service.settings import parse_settings
from podgraft.service.store.folder import FolderCallers
from service.http.conftest import ApplicationFixture, Clock, make_application
from support.memory_store import MemoryStore, cached_store, labelled_bundle
from support.recorded_requests import load_request
from support.store_fixture import TOKEN, write_injector

TEMPLATE = (Path(__file__).parents[3] / "template.yaml").read_text()
UNITS = {Metric.TIME: Unit.MILLISECONDS, Metric.AGE: Unit.SECONDS}


WATCHED = {
    "api_throttled_total",
    "oldest_token_days",
    "silent_clusters",
    "synthetic_review_failure_total",
    CandidateMetric.FAILURE,
    CandidateMetric.TIME,
}


@dataclass
class RunningFunction:
    """An application with a store that can fail, and with a clock that the test sets."""

    site: ApplicationFixture
    memory: MemoryStore
    clock: Clock
    digest: str

    def send(self, *, after: float = 0.0, token: str = TOKEN, body: bytes | None = None) -> None:
        self.clock.seconds += after
        self.site.post(body or load_request("24-bearer-token").body, token=token)


def _put_invalid_policy(running: RunningFunction) -> None:
    running.memory.put("default", "policy: [")
    running.send(after=31)


def _stale(running: RunningFunction) -> None:
    running.memory.reachable = False
    running.send(after=31)


def _send_skipped(running: RunningFunction) -> None:
    running.memory.put("default", f"bundle: {running.digest}\npolicy: disabled\n")
    running.send(after=31)


CASES: Mapping[str, tuple[Callable[[RunningFunction], None], set[Metric], str]] = {
    "injected": (lambda running: running.send(), {Metric.SUCCESS}, "policy-enabled"),
    "skipped": (_send_skipped, {Metric.SKIP}, ""),
    "a stranger": (
        lambda running: running.send(token="guess"),
        {Metric.UNAUTHENTICATED},
        "UnauthenticatedError",
    ),
    "a refused policy": (
        _put_invalid_policy,
        {Metric.SUCCESS, Metric.REFUSED, Metric.AGE},
        "policy-enabled",
    ),
    "AWS out of reach": (_stale, {Metric.SUCCESS, Metric.AGE}, "policy-enabled"),
}
ALWAYS = {Metric.REQUESTS, Metric.TIME}


@pytest.mark.parametrize("name", CASES)
def test_what_happens_is_what_is_emitted(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    act, expected, reason = CASES[name]
    running = _start_function(folder)
    running.send()
    capsys.readouterr()
    act(running)
    [emitted] = [
        each for each in map(json.loads, capsys.readouterr().out.splitlines()) if "_aws" in each
    ]
    [directive] = emitted["_aws"]["CloudWatchMetrics"]
    units = {metric["Name"]: metric["Unit"] for metric in directive["Metrics"]}
    always = set[Metric]() if Metric.UNAUTHENTICATED in expected else ALWAYS
    assert units == {metric: UNITS.get(metric, Unit.COUNT) for metric in expected | always}
    assert directive["Namespace"] == NAMESPACE
    # Alarms watch the sums over all reasons, so this set must be there by itself.
    assert ["service"] in directive["Dimensions"]
    assert any("reason" in each for each in directive["Dimensions"])
    assert not reason or emitted["reason"] == reason
    if Metric.AGE in expected:
        assert emitted[Metric.AGE] == [31.0]


BY_CLUSTER, BY_GROUP = ["service", "cluster", "injector"], ["service", "group"]


@pytest.mark.parametrize(
    ("setting", "clusters", "dimensions"),
    [
        ("auto", 20, BY_CLUSTER),
        ("auto", 21, BY_GROUP),
        ("true", 300, BY_CLUSTER),
        ("false", 1, None),
        ("false", 300, None),
    ],
)
def test_metrics_by_group_replace_those_by_cluster_above_a_number_of_clusters(
    setting: str,
    clusters: int,
    dimensions: list[str] | None,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    registered = len([*(folder / "auth").iterdir()])
    for number in range(clusters - registered):
        (folder / "auth" / f"other-{number}.yaml").write_text("subjects: [CN=a]\n")
    groups = "groups: {first: {order: 1, members: ['*']}, last: {order: 2, members: ['prod-*']}}"
    write_injector(folder, policy=f"policy: enabled\n{groups}")
    given = {
        "PODGRAFT_STORE": f"file:{folder}",
        "AWS_LAMBDA_FUNCTION_NAME": "webhook",
        "PODGRAFT_CLUSTER_METRICS": setting,
    }
    log = lambda_runtime.make_request_log(parse_settings(given), FolderCallers(folder))
    make_application(folder, journal=log).send(load_request("24-bearer-token"))
    emitted = json.loads(capsys.readouterr().out.splitlines()[-1])
    [directive] = emitted["_aws"]["CloudWatchMetrics"]
    sets = [each for each in directive["Dimensions"] if each != ["service"]]
    assert [each for each in sets if "reason" not in each] == ([dimensions] if dimensions else [])
    assert ("cluster" in emitted) is (dimensions == BY_CLUSTER)
    assert emitted.get("group") == ("last" if dimensions == BY_GROUP else None)


# No name that a client invents becomes the value of a dimension, which AWS bills.
SOURCES: tuple[tuple[str, Mapping[str, JSON], Mapping[str, str]], ...] = (
    (
        "a review",
        {"cluster": "prod", "injector": "istio", "policy_version": "3"},
        {"cluster": "prod", "injector": "istio"},
    ),
    ("without authentication", {"cluster": "", "injector": "istio", "policy_version": "3"}, {}),
    ("unauthenticated", {"fault": "UnauthenticatedError"}, {}),
    (
        "an injector without a policy",
        {"cluster": "prod", "injector": "x1", "fault": "UnknownInjectorError"},
        {"cluster": "prod", "injector": UNKNOWN_INJECTOR},
    ),
    (
        "a store out of reach",
        {"cluster": "prod", "injector": "x2", "fault": "UnavailableError"},
        {"cluster": "prod", "injector": UNKNOWN_INJECTOR},
    ),
    (
        "a policy that does not load",
        {"cluster": "prod", "injector": "istio", "fault": "InvalidVersionError"},
        {"cluster": "prod", "injector": "istio"},
    ),
)


@pytest.mark.parametrize(("name", "record", "source"), SOURCES, ids=[row[0] for row in SOURCES])
def test_only_authenticated_clusters_and_existing_injectors_are_sources(
    name: str, record: Mapping[str, JSON], source: Mapping[str, str]
) -> None:
    assert find_source(record) == source, name
    assert not is_injector(UNKNOWN_INJECTOR)


def test_invented_names_share_one_value(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    application = make_application(folder, journal=make_request_log())
    for name in ("a1", "a2", "a3"):
        application.send(load_request("24-bearer-token"), f"/{name}/inject")
        application.send(load_request("24-bearer-token"), f"/inject/cluster/{name}")
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    emitted = [line for line in lines if "_aws" in line]
    assert {line["injector"] for line in emitted} == {UNKNOWN_INJECTOR, "default"}
    assert {line["cluster"] for line in emitted} == {"prod-eu"}


def test_the_template_shows_every_metric_and_no_other() -> None:
    alarms = re.findall(rf"Namespace: {NAMESPACE}\s+MetricName: (\w+)", TEMPLATE)
    assert set(alarms) >= {Metric.REFUSED, Metric.AGE, Metric.UNAUTHENTICATED}
    # The watch and the access log count the others.
    assert _dashboard_metrics() | set(alarms) == set(Metric) | WATCHED


def _dashboard_metrics() -> set[str]:
    """The names in the dashboard, which abbreviates what a row repeats of the one above."""
    text = TEMPLATE[TEMPLATE.index('{"widgets"') : TEMPLATE.index("\nOutputs:")]
    found: set[str] = set()
    for widget in json.loads(text)["widgets"]:
        row: list[Any] = []
        for metric in widget["properties"].get("metrics", []):
            names = [each for each in metric if isinstance(each, str)]
            if not names:
                found.update(re.findall(r'MetricName="(\w+)"', metric[0]["expression"]))
                continue
            above = row[: len(row) - len(names) + 1] if names[0] == "..." else []
            row = [*above, *names[1:]] if above else _expand_names(names, row)
            if row[0] == NAMESPACE:
                found.add(row[1])
    return found


def _expand_names(names: list[str], above: list[Any]) -> list[Any]:
    return [above[at] if name == "." else name for at, name in enumerate(names)]


def _start_function(folder: Path) -> RunningFunction:
    memory, clock = MemoryStore(), Clock()
    digest = memory.upload(labelled_bundle("1"))
    memory.put("default", f"bundle: {digest}\n")
    store = cached_store(memory, refresh_seconds=30, clock=clock)
    return RunningFunction(
        make_application(folder, store=store, journal=make_request_log()), memory, clock, digest
    )
