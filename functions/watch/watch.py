"""The watch of a stack, which EventBridge invokes: synthetic reviews, and clusters that are silent.

Two schedules send two events. ``{"check": "reviews"}`` lets the webhook function review a synthetic
pod, and sends a request through the endpoint. ``{"check": "clusters"}`` counts the requests of each
registered cluster in the log. Both write metrics and a log line; the alarms of template.yaml use
the metrics.

The function needs no layers: botocore is a part of Lambda's runtime.
"""

import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic, sleep
from typing import Any, TypeAlias

import cluster_check
import review_check
from findings import Findings

Event: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Settings:
    """The environment of the function; template.yaml sets all variables."""

    stack: str
    function: str  # the ARN of the alias of the webhook function
    endpoint: str  # empty if the endpoint requires client certificates
    authorities: tuple[bytes, ...]  # private CAs of the endpoint, as DER
    expected: Mapping[str, str]  # the decision for the synthetic pod, by injector
    silent_hours: int  # 0 disables the check
    log_group: str  # of the webhook function

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "Settings":
        """Parse the variables; raises ``ValueError`` for an invalid one."""
        return cls(
            stack=environment["WATCH_STACK"],
            function=environment["WATCH_FUNCTION"],
            endpoint=environment.get("WATCH_ENDPOINT", ""),
            authorities=review_check.parse_authorities(environment.get("WATCH_ENDPOINT_CA", "")),
            expected=review_check.parse_expected(environment.get("WATCH_EXPECTED", "")),
            silent_hours=int(environment.get("WATCH_SILENT_HOURS", "0")),
            log_group=environment["WATCH_LOG_GROUP"],
        )


def check_reviews(settings: Settings, invoke: review_check.Invoke) -> Findings:
    """Compare the result for each injector with the expected one."""
    begin = monotonic()
    result = invoke({"injectors": list(settings.expected)})
    milliseconds = round((monotonic() - begin) * 1000, 3)
    problems = review_check.find_problems(result, settings.expected)
    if settings.endpoint and result["reviews"]:
        problems += review_check.find_endpoint_problems(settings.endpoint, settings.authorities)
    return Findings(
        event="synthetic_reviews",
        fields={
            "injectors": [review["injector"] for review in result["reviews"]],
            "problems": problems,
        },
        metrics={
            "synthetic_review_failure_total": (len(problems), "Count"),
            "synthetic_review_milliseconds": (milliseconds, "Milliseconds"),
        },
        is_failure=bool(problems),
    )


def check_clusters(
    settings: Settings,
    invoke: review_check.Invoke,
    log: cluster_check.RequestLog,
    now: datetime,
) -> Findings:
    """Report the requests of each cluster, those that do not call, and the oldest token.

    AWS bills each byte that a query reads. So the last hours are read only if a cluster did not
    call in the last one. If the callers cannot be read, which clusters are silent is unknown.
    """
    result = invoke({"injectors": list(settings.expected)})
    problems = [str(problem) for problem in result["problems"]]
    clusters = cluster_check.parse_clusters(result)
    silent: list[str] = []
    requests: Mapping[str, int] = {}
    if settings.silent_hours:
        requests = log.count_requests(1, now)
        hours = settings.silent_hours
        silent = cluster_check.find_silent(clusters, requests, hours, now)
        if silent and hours > 1:
            silent = cluster_check.find_silent(clusters, log.count_requests(hours, now), hours, now)
    days = cluster_check.oldest_token_days(clusters, now)
    return Findings(
        event="registered_clusters",
        fields={
            "clusters": len(clusters),
            "silent": silent,
            "requests": requests,
            "problems": problems,
        },
        metrics={
            "silent_clusters": (len(silent), "Count"),
            "oldest_token_days": (days, "Count"),
        }
        if clusters or not problems
        else {},
        is_failure=bool(silent or problems),
    )


def make_handler(
    settings: Settings, invoke: review_check.Invoke, log: cluster_check.RequestLog
) -> Callable[[Event, object], None]:
    """Return the function that Lambda calls."""

    def handle(event: Event, context: object) -> None:
        del context
        now = datetime.now(UTC)
        match event:
            case {"check": "reviews"}:
                findings = check_reviews(settings, invoke)
            case {"check": "clusters"}:
                findings = check_clusters(settings, invoke, log, now)
            case _:
                raise ValueError('check: is missing; send {"check": "reviews"} or "clusters"')
        _print_lines(findings.lines(settings.stack, now))

    return handle


def _print_lines(lines: Iterable[Mapping[str, Any]]) -> None:
    for line in lines:
        print(json.dumps(line, separators=(",", ":")), flush=True)  # noqa: T201  Lambda's log


def _open_handler(environment: Mapping[str, str]) -> Callable[[Event, object], None]:
    import botocore.session  # a part of Lambda's runtime

    settings = Settings.from_environment(environment)
    session: Any = botocore.session.get_session()
    return make_handler(
        settings,
        review_check.make_invoke(session.create_client("lambda"), settings.function),
        cluster_check.RequestLog(session.create_client("logs"), settings.log_group, sleep),
    )


if "WATCH_STACK" in os.environ:
    handler = _open_handler(os.environ)
