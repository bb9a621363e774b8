"""Laws about what operators see of a fault: the metrics, and the alarms of template.yaml."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from functools import cache
from math import ceil
from pathlib import Path
from statistics import fmean
from typing import Any

import yaml

from simulation.ledger import Event
from simulation.plan import PROCESSOR, START_SECONDS

from .facts import OK, UNAUTHORIZED
from .functions import is_settled
from .law import Law, Review

TEMPLATE = Path(__file__).parents[3] / "template.yaml"
SERVER_ERROR = 500
FAILURES, AGE, REFUSED, UNAUTHENTICATED = (
    "sidecar_injection_failure_total",
    "snapshot_age_seconds",
    "policy_refused_total",
    "authentication_failure_total",
)
CANDIDATE, SILENT = "candidate_failure_total", "silent_clusters"
SYNTHETIC, TOKEN_AGE = "synthetic_review_failure_total", "oldest_token_days"
# Not judged: alarms on metrics that AWS itself measures (Crashes, ApiErrors, Throttles, those of
# other functions, Certificate), because the world would count for both sides, and the laws of
# the log and of deadlines judge each response; CandidateLatency, because a rendering takes no
# virtual time; that SyntheticReview rings without data, because the watch runs here for ten
# minutes at a time; ClientCertificate and ApiThrottles, whose metrics a certificate and a filter
# of CloudWatch produce.
DURATION = "Duration"  # of the function, without its init
# What docs/parameters.md promises of LatencyAlarm, whatever template.yaml has.
PROMISED = {"ExtendedStatistic": "p99", "Period": 60, "EvaluationPeriods": 5, "Threshold": 2000}
OF_WATCH = frozenset({SILENT, SYNTHETIC, TOKEN_AGE})
JUDGED = OF_WATCH | {FAILURES, AGE, REFUSED, UNAUTHENTICATED, CANDIDATE, DURATION}
DAY_SECONDS = 86_400.0
_AGE = re.compile(r"confirmed (\d+) s ago")
# A line of a response for which nobody waited is read with a later one.
LATE_SECONDS = 600


class _Loader(yaml.SafeLoader):
    """Reads a template without its functions."""


def _read_function(_loader: object, _suffix: str, node: yaml.Node) -> object:
    return node.value if isinstance(node, yaml.ScalarNode) else None


_Loader.add_multi_constructor("!", _read_function)  # pyright: ignore[reportUnknownMemberType]


@cache
def read_alarms() -> dict[str, dict[str, Any]]:
    """Return the alarms that are judged, by name."""
    template: dict[str, Any] = yaml.load(TEMPLATE.read_text(), _Loader)  # noqa: S506
    parameters = template["Parameters"]
    alarms = {
        name: dict(resource["Properties"])
        for name, resource in template["Resources"].items()
        if resource["Type"] == "AWS::CloudWatch::Alarm"
    }
    for each in alarms.values():
        if each["Threshold"] in parameters:  # a reference
            each["Threshold"] = parameters[each["Threshold"]]["Default"]
    return {name: each for name, each in alarms.items() if each["MetricName"] in JUDGED}


def find_rings(alarm: dict[str, Any], points: Iterable[tuple[float, float]]) -> set[int]:
    """Return the periods in which data make an alarm ring; without data, nothing breaches."""
    period: int = alarm["Period"]
    values: dict[int, list[float]] = defaultdict(list)
    for time, value in points:
        values[int(time // period)].append(value)
    statistic: str = alarm.get("Statistic") or alarm["ExtendedStatistic"]
    combine: Any = {"Sum": sum, "Maximum": max, "Average": fmean, "p99": _find_p99}[statistic]
    breaching = {each for each, own in values.items() if combine(own) > alarm["Threshold"]}
    count: int = alarm["EvaluationPeriods"]
    needed: int = alarm.get("DatapointsToAlarm", count)
    return {
        end
        for start in breaching
        for end in range(start, start + count)
        if sum(each in breaching for each in range(end - count + 1, end + 1)) >= needed
    }


def _find_p99(values: list[float]) -> float:
    return sorted(values)[ceil(0.99 * len(values)) - 1]


def _read_metrics(lines: str) -> Iterable[tuple[str, float]]:
    for line in lines.splitlines():
        if line.startswith('{"_aws"'):
            for metric, values in json.loads(line).items():
                if metric in JUDGED:
                    yield metric, values if metric in OF_WATCH else values[0]


class Alarms(Law):
    """Every alarm that should ring rings in its period, and no other."""

    name = "35 alarms"

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # pyright: ignore[reportArgumentType]
        self._measured: dict[str, list[tuple[float, float]]] = defaultdict(list)
        self._true: dict[str, list[tuple[float, float]]] = defaultdict(list)
        self._reasons: list[float] = []  # when a review failed, or had a warning

    def see(self, event: Event) -> None:
        if event.kind == "end" and event.lane == "world":
            for name, alarm in read_alarms().items():
                self._judge(name, alarm)
        if event.kind == "watch":
            self._see_watch(event)
        if event.kind == "duration":
            self._measured[DURATION].append((event.time, event.facts["seconds"] * 1000))

    def _see_watch(self, event: Event) -> None:
        """Compare the metrics with the lines of the log, which ``Watched`` judges."""
        output, time = event.facts["output"], event.time
        for metric, value in _read_metrics(output):
            self._measured[metric].append((time, value))
            if metric == TOKEN_AGE:
                self._see_age(event, value)
        for line in output.splitlines():
            found = json.loads(line)
            if silent := found.get("silent"):
                self._true[SILENT].append((time, len(silent)))
            if event.facts["check"] == "reviews" and found.get("problems"):
                self._true[SYNTHETIC].append((time, len(found["problems"])))
                self._reasons.append(time)

    def _see_age(self, event: Event, measured: float) -> None:
        """Compare the age of the oldest token with what is stored, if everybody has read that."""
        now = START_SECONDS + event.time
        created = map(datetime.fromisoformat, self.facts.find_created())
        days = [(now - each.timestamp()) // DAY_SECONDS for each in created]
        expected = max(days, default=0)
        is_settled_now = is_settled(self.facts, event.facts["began"], event.time)
        if is_settled_now and abs(measured - expected) > 1:
            self.violate(f"the watch measures {measured} days, and a token has {expected}")
        is_certain = is_settled_now and measured == expected
        self._true[TOKEN_AGE].append((event.time, expected if is_certain else measured))

    def see_review(self, review: Review) -> None:
        facts, time = review.event.facts, review.event.time
        for metric, value in _read_metrics(facts.get("_lines", "")):
            self._measured[metric].append((time, value))
        log: dict[str, Any] = facts["log"]
        # A candidate that does not load counts, too.
        is_disabled = log.get("candidate") == "disabled" or "candidate_problem" in log
        if review.code != OK or review.is_marked or is_disabled:
            self._reasons.append(time)
        if log.get("candidate_reason") == "refused":
            self._true[REFUSED].append((time, 1))
        if review.code >= SERVER_ERROR and not facts["killed"]:
            self._true[FAILURES].append((time, 1))
        if log.get("candidate") in {"failed", "fallback"}:  # fallback: stable answered
            self._true[CANDIDATE].append((time, 1))
        if review.code == UNAUTHORIZED:
            self._true[UNAUTHENTICATED].append((time, 1))
        self._see_duration(review)
        for warning in facts.get("warnings", []) if review.code == OK else ():
            for seconds in _AGE.findall(warning):
                self._true[AGE].append((time, float(seconds)))
            if "instead of version" in warning:
                self._true[REFUSED].append((time, 1))

    def _see_duration(self, review: Review) -> None:
        """Note what a cluster waited, unless for an init, or for a response that it did not get."""
        facts = review.event.facts
        if review.code and not facts["cold"] and review.env != "gateway":
            self._true[DURATION].append((review.event.time, facts["seconds"] * 1000))

    def _judge(self, name: str, alarm: dict[str, Any]) -> None:
        metric, period = alarm["MetricName"], alarm["Period"]
        promised = PROMISED if metric == DURATION else {}
        due = find_rings({**alarm, **promised}, self._true[metric])
        rings = find_rings(alarm, self._measured[metric])
        for each in sorted(due - rings)[:1]:
            self.violate(f"{name} does not ring at {each * period}, although it should")
        if metric == DURATION:
            # Stores take less time, and reviews that no cluster sees are slow then, too.
            slow = [w for w in self.facts.plan.windows if w.service == PROCESSOR]
            first = 1 - alarm["EvaluationPeriods"]
            due = {
                each
                for each in rings
                if any(
                    w.start < (each + first + 1) * period and w.end > each * period for w in slow
                )
            }
        for each in sorted(rings - due):
            end = (each + 1) * period
            is_due = metric != DURATION and any(
                end - LATE_SECONDS < time <= end for time in self._reasons
            )
            if not is_due:
                self.violate(f"{name} rings at {each * period}, without a reason")


LAWS: tuple[type[Law], ...] = (Alarms,)
