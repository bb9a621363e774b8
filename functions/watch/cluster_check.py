"""The registered clusters: which of them call, and how old their tokens are."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from findings import NAMESPACE

REQUESTS = "sidecar_injection_requests_total"
_SECONDS_PER_HOUR = 3600
_QUERIES_PER_REQUEST = 500  # the limit of GetMetricData


class CloudWatch(Protocol):
    """The client of CloudWatch, as far as this module uses it."""

    def get_paginator(self, operation_name: Any, /) -> Any:
        """Return a paginator of an operation."""
        ...

    def get_metric_data(self, **arguments: Any) -> Any:
        """Return the values of metrics."""
        ...


@dataclass(frozen=True, slots=True)
class Cluster:
    """A registered cluster, and when its active tokens were created."""

    name: str
    created: tuple[datetime, ...] = ()


def parse_clusters(result: Mapping[str, Any]) -> tuple[Cluster, ...]:
    """Return the clusters of the response of the webhook function."""
    return tuple(
        Cluster(name, tuple(_parse_times(fields["created"])))
        for name, fields in sorted(result["clusters"].items())
    )


def count_calls(
    cloudwatch: CloudWatch, stack: str, hours: int, now: datetime
) -> Mapping[str, float]:
    """Return the requests of each cluster in the last *hours*; none for an unknown cluster."""
    metrics = list(_list_metrics(cloudwatch, stack))
    calls: dict[str, float] = {}
    for begin in range(0, len(metrics), _QUERIES_PER_REQUEST):
        part = metrics[begin : begin + _QUERIES_PER_REQUEST]
        for metric, total in zip(part, _read_totals(cloudwatch, part, hours, now), strict=True):
            cluster = _dimension(metric, "cluster")
            calls[cluster] = calls.get(cluster, 0.0) + total
    return calls


def find_silent(
    clusters: tuple[Cluster, ...], calls: Mapping[str, float], hours: int, now: datetime
) -> list[str]:
    """Return the clusters without a request in the last *hours*.

    A cluster that got its first token in this time is not silent yet.
    """
    begin = now - timedelta(hours=hours)
    return [
        cluster.name
        for cluster in clusters
        if not calls.get(cluster.name)
        and not (cluster.created and all(moment > begin for moment in cluster.created))
    ]


def oldest_token_days(clusters: tuple[Cluster, ...], now: datetime) -> int:
    """Return the age of the oldest active token; 0 without tokens."""
    created = [moment for cluster in clusters for moment in cluster.created]
    return max(0, (now - min(created)).days) if created else 0


def _list_metrics(cloudwatch: CloudWatch, stack: str) -> Iterator[Mapping[str, Any]]:
    """Return the metrics of requests by cluster and injector, of the last two weeks."""
    pages = cloudwatch.get_paginator("list_metrics").paginate(
        Namespace=NAMESPACE,
        MetricName=REQUESTS,
        Dimensions=[{"Name": "service", "Value": stack}, {"Name": "cluster"}],
    )
    for page in pages:
        yield from page["Metrics"]


def _read_totals(
    cloudwatch: CloudWatch, metrics: list[Mapping[str, Any]], hours: int, now: datetime
) -> list[float]:
    queries: list[Mapping[str, Any]] = [
        {
            "Id": f"m{number}",
            "MetricStat": {"Metric": dict(metric), "Period": _SECONDS_PER_HOUR, "Stat": "Sum"},
        }
        for number, metric in enumerate(metrics)
    ]
    totals = dict.fromkeys((query["Id"] for query in queries), 0.0)
    arguments: dict[str, Any] = {
        "MetricDataQueries": queries,
        "StartTime": now - timedelta(hours=hours),
        "EndTime": now,
    }
    while True:
        page = cloudwatch.get_metric_data(**arguments)
        for result in page["MetricDataResults"]:
            totals[result["Id"]] += sum(result["Values"])
        if not page.get("NextToken"):
            return list(totals.values())
        arguments["NextToken"] = page["NextToken"]


def _dimension(metric: Mapping[str, Any], name: str) -> str:
    return next(each["Value"] for each in metric["Dimensions"] if each["Name"] == name)


def _parse_times(texts: list[str]) -> Iterator[datetime]:
    for text in texts:
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:  # the field is free text
            continue
        yield moment if moment.tzinfo else moment.replace(tzinfo=UTC)
