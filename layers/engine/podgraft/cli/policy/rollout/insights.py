"""What CloudWatch has about a rollout: evidence in the log group of a stack, and alarms.

The alarms are those that invoke the guard: of the stack, and of operators. CloudWatch counts the
reviews, so the size of the log does not matter. Four queries run at the same time. They have the
fields that evidence.py reads from a file.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct

from podgraft.base import system
from podgraft.cli.failure import CommandError
from podgraft.cli.stacks import aws_errors

from .evidence import RAN, Evidence

# CloudWatch returns at most this number of rows.
MAX_ROWS = 10_000
TIMEOUT_SECONDS = 60.0
POLL_SECONDS = 0.5
_RUNNING = frozenset({"Scheduled", "Running"})
_REMEDY = "use --log FILE"
# Names in queries: injectors, and the ids of rollouts.
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_COUNTS = "stats count(*) as reviews by track, decision, candidate, candidate_reason"
WORKLOADS = (
    "stats count(*) as reviews by cluster, namespace, owner, track, candidate, candidate_kind, "
    f"candidate_paths | sort reviews desc | limit {MAX_ROWS}"
)
_STABLE_P99 = "filter track = 'stable' | stats pct(milliseconds, 99) as p99"
_CANDIDATE_P99 = (
    f"filter candidate in [{', '.join(repr(str(each)) for each in sorted(RAN))}] "
    "| stats pct(candidate_milliseconds, 99) as p99"
)


class LogGroup(Struct, frozen=True):
    """The log group of a function, with a client of CloudWatch Logs."""

    client: Any
    name: str

    def read_evidence(self, injector: str, rollout: str, since: datetime | None) -> Evidence:
        """Collect the evidence since a moment, or of all stored lines; raises ``CommandError``."""
        for name in (injector, rollout):
            if not _NAME.fullmatch(name):
                raise CommandError(f"got {name!r}; use the name of an injector and of a rollout")
        lines = (
            f"filter message = 'review' and injector = '{injector}' and rollout = '{rollout}' | "
        )
        period = _make_period(since)
        started = [
            self._start(lines + query, period)
            for query in (_COUNTS, WORKLOADS, _STABLE_P99, _CANDIDATE_P99)
        ]
        ends = system.monotonic() + TIMEOUT_SECONDS
        counts, workloads, stable, candidate = (self._wait(query, ends) for query in started)
        return _make_evidence(counts, workloads, _read_p99(stable), _read_p99(candidate))

    def read_rows(self, query: str, since: datetime) -> list[dict[str, str]]:
        """Return the rows of a query over the lines since a moment; raises ``CommandError``."""
        started = self._start(query, _make_period(since))
        return self._wait(started, system.monotonic() + TIMEOUT_SECONDS)

    def _start(self, query: str, period: Mapping[str, int]) -> str:
        with aws_errors(f"log group {self.name}", remedy=_REMEDY):
            response = self.client.start_query(
                logGroupName=self.name, queryString=query, limit=MAX_ROWS, **period
            )
        return response["queryId"]

    def _wait(self, query: str, ends: float) -> list[dict[str, str]]:
        while True:
            with aws_errors(f"log group {self.name}", remedy=_REMEDY):
                response = self.client.get_query_results(queryId=query)
            status = response["status"]
            if status == "Complete":
                return [
                    {field["field"]: field.get("value", "") for field in row}
                    for row in response["results"]
                ]
            if status not in _RUNNING:
                raise CommandError(f"log group {self.name}: the query is {status}; {_REMEDY}")
            if system.monotonic() > ends:
                raise CommandError(
                    f"log group {self.name}: the query takes longer than {TIMEOUT_SECONDS:g} s; "
                    f"run the command again, or {_REMEDY}"
                )
            system.sleep(POLL_SECONDS)


def _make_period(since: datetime | None) -> Mapping[str, int]:
    begin = 0 if since is None else int(since.timestamp())
    return {"startTime": begin, "endTime": int(system.now().timestamp())}


def _make_evidence(
    counts: list[dict[str, str]],
    workloads: list[dict[str, str]],
    stable: float | None,
    candidate: float | None,
) -> Evidence:
    """Count reviews by the complete rows, and workloads by those of each workload."""
    total, evidence = Evidence(), Evidence()
    for rows, target in ((counts, total), (workloads, evidence)):
        for row in rows:
            target.add(dict(row), _read_count(row))
    for own, complete in ((evidence.stable, total.stable), (evidence.candidate, total.candidate)):
        own.reviews, own.failures = complete.reviews, complete.failures
    evidence.reasons = total.reasons
    evidence.is_complete = len(workloads) < MAX_ROWS
    evidence.stable.p99_milliseconds = stable
    evidence.candidate.p99_milliseconds = candidate
    return evidence


def _read_count(row: Mapping[str, str]) -> int:
    try:
        return int(float(row["reviews"]))
    except (KeyError, ValueError) as error:
        raise CommandError(
            f"log group: expected rows with the number of reviews, got {sorted(row)}; {_REMEDY}"
        ) from error


def _read_p99(rows: list[dict[str, str]]) -> float | None:
    """Return the percentile; CloudWatch returns no row, or no value, without a review."""
    value = rows[0].get("p99", "") if rows else ""
    try:
        return float(value) if value else None
    except ValueError as error:
        raise CommandError(f"log group: expected a number, got {value!r}; {_REMEDY}") from error


class Alarm(Struct, frozen=True):
    """An alarm of CloudWatch, and its state."""

    name: str
    state: str
    reason: str

    @property
    def is_ok(self) -> bool:
        """Whether there is data, and no problem."""
        return self.state == "OK"

    @property
    def is_active(self) -> bool:
        """Whether the alarm started."""
        return self.state == "ALARM"

    def describe(self) -> str:
        """The state of an alarm that is not OK, in words."""
        if self.is_active:
            return f"alarm {self.name} is active: {self.reason}"
        return f"alarm {self.name} has no data"


def read_alarms(client: Any, guard: str) -> tuple[Alarm, ...]:
    """Return the alarms with the guard among their actions."""
    pages = client.get_paginator("describe_alarms").paginate(
        ActionPrefix=guard, AlarmTypes=["MetricAlarm", "CompositeAlarm"]
    )
    remedy = "add the permission cloudwatch:DescribeAlarms"
    with aws_errors(f"alarms of {guard}", remedy=remedy):
        return tuple(sorted(_find_alarms(pages, guard), key=lambda alarm: alarm.name))


def _find_alarms(pages: Any, guard: str) -> Iterator[Alarm]:
    for page in pages:
        for each in (*page.get("MetricAlarms", ()), *page.get("CompositeAlarms", ())):
            if guard in each.get("AlarmActions", ()) and each.get("ActionsEnabled", True):
                reason = " ".join(str(each.get("StateReason", "")).split())
                yield Alarm(each["AlarmName"], each["StateValue"], reason)
