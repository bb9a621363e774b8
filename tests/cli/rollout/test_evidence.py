"""The evidence of a rollout: the queries of a log group have the result of a log file."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from podgraft.cli.failure import CommandError
from podgraft.cli.policy.rollout import insights
from podgraft.cli.policy.rollout.evidence import Evidence, read_log
from podgraft.cli.policy.rollout.insights import LogGroup
from support.insights import InsightsClient, check_syntax

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
OUTCOMES = ("outside", "same", "changed", "fallback", "failed", "disabled")
SEEDS = range(20)


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(insights, "POLL_SECONDS", 0)


def format_time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S},{moment.microsecond // 1000:03d}+0000"


def make_line(random: Random) -> dict[str, Any]:
    """A line of a review, or of something else."""
    outcome = random.choice(OUTCOMES)
    moment = NOW + timedelta(seconds=random.randrange(-600, 600))
    line: dict[str, Any] = {
        "timestamp": format_time(moment),
        "message": "review",
        "injector": random.choice(["istio", "istio", "istio", "logging"]),
        "cluster": random.choice(["prod-eu", "prod-us"]),
        "namespace": random.choice(["shop", "batch"]),
        "owner": f"Deployment/{random.randrange(12)}",
        "decision": random.choice(["inject", "skip", "fail"]),
        "milliseconds": random.randrange(1, 90) / 8,
        "rollout": random.choice(["a", "a", "a", "b"]),
        "track": "stable",
        "candidate": outcome,
    }
    if outcome in ("same", "changed", "fallback", "failed"):
        line["candidate_milliseconds"] = random.randrange(1, 90) / 8
    if outcome in ("same", "changed"):
        line["track"] = random.choice(["stable", "candidate"])
    if outcome in ("fallback", "failed", "disabled"):
        line["candidate_reason"] = random.choice(["limit", "denied", "brake"])
    if outcome == "changed":
        kind = random.choice("cd")
        line |= {"candidate_kind": kind * 12, "candidate_paths": f"add spec.{kind}"}
    if random.random() < 0.1:
        line = {"timestamp": line["timestamp"], "message": random.choice(["start", "fault"])}
    return line


@pytest.mark.parametrize("since", [None, NOW])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_log_group_and_a_file_are_the_same_evidence(
    tmp_path: Path, seed: int, since: datetime | None
) -> None:
    random = Random(seed)  # noqa: S311 - repeatable input
    lines = [make_line(random) for _ in range(random.choice([0, 1, 30, 400]))]
    path = tmp_path / "review.log"
    path.write_text("\n".join(map(json.dumps, lines)))
    group = LogGroup(InsightsClient(lines), "/aws/lambda/podgraft")
    assert group.read_evidence("istio", "a", since) == read_log(path, "istio", "a", since)


def test_evidence_is_since_the_last_change(tmp_path: Path) -> None:
    line = {"message": "review", "rollout": "a", "track": "candidate", "candidate": "same"}
    moments = [NOW - timedelta(milliseconds=1), NOW, NOW + timedelta(seconds=1)]
    lines = [{**line, "timestamp": format_time(each), "owner": str(each)} for each in moments]
    path = tmp_path / "review.log"
    path.write_text("\n".join(map(json.dumps, [*lines, line, {**line, "timestamp": "today"}])))
    assert read_log(path, "istio", "a", NOW).candidate.reviews == 2
    assert read_log(path, "istio", "a").candidate.reviews == 5


def test_many_workloads_are_counted_completely_and_listed_in_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(insights, "MAX_ROWS", 10)
    limited = insights.WORKLOADS.replace("10000", "10")
    monkeypatch.setattr(insights, "WORKLOADS", limited)
    line = {"timestamp": format_time(NOW), "message": "review", "injector": "istio"}
    line |= {"rollout": "a", "track": "stable", "candidate": "failed"}
    lines = [{**line, "owner": str(number)} for number in range(50)]
    evidence = LogGroup(InsightsClient(lines), "g").read_evidence("istio", "a", None)
    assert (evidence.candidate.reviews, evidence.candidate.failures) == (50, 50)
    assert len(evidence.candidate.workloads) == 10
    assert not evidence.is_complete
    assert Evidence().is_complete


# What a stub that accepts everything would hide: CloudWatch rejects all of these.
INVALID = (
    "filter message == 'review'",
    "filter message = review",
    "filter message = 'review' && injector = 'a'",
    "filter candidate in ('same', 'changed')",
    "filter candidate in []",
    "stats count(*) reviews by track",
    "stats count(*) as reviews group by track",
    "stats pct(milliseconds, 100) as p99",
    "stats p99(milliseconds) as p99",
    "stats count(*) as reviews by track | sort milliseconds desc",
    "stats count(*) as reviews by track | order reviews desc",
    "stats count(*) as reviews by track | limit 10001",
    "stats count(*) as reviews by track; limit 5",
    "filter rollout-id = 'a'",
)


@pytest.mark.parametrize("query", INVALID)
def test_the_stub_rejects_what_cloudwatch_rejects(query: str) -> None:
    with pytest.raises((AssertionError, KeyError)):
        check_syntax(query)


def test_all_queries_are_valid_and_start_in_seconds() -> None:
    client = InsightsClient([])
    LogGroup(client, "/aws/lambda/podgraft").read_evidence("istio", "2026-11-22.a", NOW)
    assert len(client.queries) == 4
    for query in client.queries:
        check_syntax(query["queryString"])
        assert query["startTime"] == int(NOW.timestamp())
        text = query["queryString"]
        lines = "filter message = 'review' and injector = 'istio' and rollout = '2026-11-22.a' | "
        assert text.startswith(lines)


@pytest.mark.parametrize("state", ["Failed", "Cancelled", "Timeout", "Unknown"])
def test_a_failed_query_is_an_error(state: str) -> None:
    group = LogGroup(InsightsClient([], ("Scheduled", state)), "/aws/lambda/podgraft")
    with pytest.raises(CommandError, match=f"the query is {state}; use --log FILE"):
        group.read_evidence("istio", "a", None)


def test_a_query_that_does_not_end_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(insights, "TIMEOUT_SECONDS", -1.0)
    group = LogGroup(InsightsClient([], ("Running",) * 9), "/aws/lambda/podgraft")
    with pytest.raises(CommandError, match="the query takes longer than -1 s; run the command"):
        group.read_evidence("istio", "a", None)


@pytest.mark.parametrize("id_", ["a' or 'b", "", "a | limit 1"])
def test_no_text_becomes_a_part_of_a_query(id_: str) -> None:
    client = InsightsClient([])
    with pytest.raises(CommandError, match="use the name of an injector and of a rollout"):
        LogGroup(client, "g").read_evidence("istio", id_, None)
    assert client.queries == []


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"@timestamp": "x", "@message": "y"}, "expected rows with the number of reviews"),
        ({"reviews": "1", "p99": "many"}, "expected a number, got 'many'"),
    ],
)
def test_an_unexpected_result_is_an_error(row: dict[str, str], problem: str) -> None:
    class Client:
        def start_query(self, **arguments: Any) -> Any:
            return {"queryId": arguments["logGroupName"]}

        def get_query_results(self, **arguments: Any) -> Any:
            results = [[{"field": name, "value": value} for name, value in row.items()]]
            return {"status": "Complete", "results": results, **arguments}

    with pytest.raises(CommandError, match=problem):
        LogGroup(Client(), "g").read_evidence("istio", "a", None)
