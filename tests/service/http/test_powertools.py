"""On Lambda: one JSON line and one line of metrics a call, named as the alarms name them."""

import json
import logging
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from aws_lambda_powertools.metrics import EphemeralMetrics

from podgraft.base.jsonvalue import JSON
from podgraft.service.http.candidate_metrics import CandidateMetric
from podgraft.service.http.metrics import NAMESPACE, Measure, Metric, Unit, record_measures
from podgraft.service.http.powertools import LOGGER, make_metric_writer, make_request_log
from service.http.conftest import ApplicationFixture, make_application
from support.recorded_requests import load_request
from support.store_fixture import TOKEN

# The watch, the access log, and the reviews of candidates count these.
WATCHED = {
    "api_throttled_total",
    "oldest_token_days",
    "silent_clusters",
    "synthetic_review_failure_total",
    CandidateMetric.FAILURE,
    CandidateMetric.TIME,
}
CALL: Mapping[str, JSON] = {"event": "review", "route": "inject", "milliseconds": 1.5}
SKIPPED: Mapping[str, JSON] = {**CALL, "decision": "skip"}
FAULT: Mapping[str, JSON] = {**CALL, "event": "fault"}
COUNTED: tuple[tuple[str, Mapping[str, JSON], set[Metric]], ...] = (
    ("injected", {**CALL, "decision": "inject"}, {Metric.SUCCESS}),
    ("mutated", {**CALL, "decision": "mutate"}, {Metric.SUCCESS}),
    ("passed", {**CALL, "decision": "allow"}, {Metric.SUCCESS}),
    ("skipped", SKIPPED, {Metric.SKIP}),
    ("denied", {**CALL, "decision": "deny"}, {Metric.DENIED}),
    ("failed", {**CALL, "decision": "fail", "origin": "operator"}, {Metric.FAILURE}),
    ("an internal error", {**CALL, "event": "internal_error"}, {Metric.FAILURE}),
    ("a bad body", {**FAULT, "origin": "caller", "fault": "NotAReviewError"}, set()),
    (
        "an injector without a policy",
        {**FAULT, "origin": "caller", "fault": "UnknownInjectorError"},
        {Metric.FAILURE},
    ),
    (
        "a refused policy",
        {**CALL, "decision": "skip", "refused": True},
        {Metric.SKIP, Metric.REFUSED},
    ),
    ("stale", {**SKIPPED, "age_seconds": 70}, {Metric.SKIP, Metric.AGE}),
    ("fresh", {**SKIPPED, "age_seconds": 0}, {Metric.SKIP}),
)


@pytest.mark.parametrize(("name", "record", "metrics"), COUNTED, ids=[c[0] for c in COUNTED])
def test_a_call_counts_for_what_came_of_it(
    name: str, record: Mapping[str, JSON], metrics: set[Metric]
) -> None:
    assert {found.metric for found in record_measures(record)} == {
        Metric.REQUESTS,
        Metric.TIME,
        *metrics,
    }, name


def test_unknown_callers_are_counted_apart() -> None:
    for fault in ("UnauthenticatedError", "ForbiddenError"):
        record = {**FAULT, "origin": "caller", "fault": fault}
        assert [found.metric for found in record_measures(record)] == [Metric.UNAUTHENTICATED]


def test_what_is_no_call_counts_for_nothing() -> None:
    assert list(record_measures({"event": "auth_disabled", "level": "WARNING"})) == []


def test_every_alarm_watches_a_metric_that_is_measured() -> None:
    template = (Path(__file__).parents[3] / "template.yaml").read_text()
    ours = re.findall(rf"Namespace: {NAMESPACE}\s+MetricName: (\w+)", template)
    assert ours
    assert set(ours) - WATCHED <= set(Metric)


@pytest.fixture
def lines(capsys: pytest.CaptureFixture[str], folder: Path) -> list[dict[str, JSON]]:
    """What one review, one stranger and one bad body leave on standard output."""
    at: ApplicationFixture = make_application(folder, journal=make_request_log())
    at.send(load_request("24-bearer-token"))
    at.post(b"{}", token="guess")
    at.post(b"{}", token=TOKEN)
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_review_leaves_one_line_of_names_and_words(lines: list[dict[str, JSON]]) -> None:
    [review] = [line for line in lines if line.get("message") == "review"]
    assert (
        review.items()
        >= {
            "level": "INFO",
            "service": "podgraft",
            "route": "inject",
            "injector": "default",
            "cluster": "prod-eu",
            "namespace": "shop",
            "owner": "Pod/a1",
            "decision": "inject",
            "reason": "policy-enabled",
            "policy_version": "none",
            "code": 200,
        }.items()
    )
    assert review["patch_bytes"]
    assert "milliseconds" in review


def test_a_line_has_the_record_with_the_loggers_keys(capsys: pytest.CaptureFixture[str]) -> None:
    record = {"event": "fault", "level": "WARNING", "place": None, "message": "no {such} %s"}
    make_request_log()(record)
    line = json.loads(capsys.readouterr().out)
    assert list(line) == ["level", "message", "timestamp", "service", "problem"]
    assert line["level"] == "WARNING"
    assert (line["message"], line["problem"]) == ("fault", "no {such} %s")


def test_a_line_below_the_level_of_the_logger_is_omitted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write = make_request_log()
    logger = logging.getLogger(LOGGER)
    before = logger.level
    logger.setLevel(logging.WARNING)
    try:
        for level in ("INFO", "WARNING", "ERROR"):
            write({"event": "note", "level": level})
    finally:
        logger.setLevel(before)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["level"] for line in lines] == ["WARNING", "ERROR"]


def test_a_line_of_metrics_is_that_of_the_methods_of_powertools(
    capsys: pytest.CaptureFixture[str],
) -> None:
    measures = [Measure(Metric.REQUESTS), Measure(Metric.TIME, 1.25, Unit.MILLISECONDS)]
    sets = [{"reason": "policy-enabled"}, {"cluster": "prod", "injector": "default"}]
    make_metric_writer("stack")(measures, sets)
    metrics = EphemeralMetrics(namespace=NAMESPACE, service="stack")
    for each in measures:
        metrics.add_metric(each.metric, each.unit, each.value)
    for each in sets:
        metrics.add_dimensions(service="stack", **each)
    metrics.flush_metrics()
    written, expected = map(json.loads, capsys.readouterr().out.splitlines())
    del written["_aws"]["Timestamp"], expected["_aws"]["Timestamp"]
    assert written == expected


def test_metrics_that_powertools_disables_are_not_written(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")
    make_metric_writer("stack")([Measure(Metric.REQUESTS)], [])
    assert capsys.readouterr().out == ""


def test_metrics_carry_the_service_and_the_reason(lines: list[dict[str, JSON]]) -> None:
    emitted = [line for line in lines if "_aws" in line]
    assert [line.get("reason") for line in emitted] == [
        "policy-enabled",
        "UnauthenticatedError",
        "NotAReviewError",
    ]
    assert all(line["service"] == "podgraft" for line in emitted)
    assert emitted[0][Metric.SUCCESS] == [1.0]
    assert emitted[1][Metric.UNAUTHENTICATED] == [1.0]
