"""The registered clusters: which of them call, and how old their tokens are."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

# The lines of requests. Those of unknown callers have no cluster.
QUERY = (
    "filter message in ['review', 'fault', 'internal_error'] "
    "| stats count(*) as requests by cluster"
)
_MAX_ROWS = 10_000  # the limit of CloudWatch Logs Insights
_POLLS = 25  # one a second; the function has a minute for two queries


class LogsClient(Protocol):
    """The client of CloudWatch Logs, as far as this module uses it."""

    def start_query(self, **arguments: Any) -> Any:
        """Start a query of CloudWatch Logs Insights."""
        ...

    def get_query_results(self, *, queryId: str) -> Any:  # noqa: N803 - as boto
        """Return the status and the rows of a query."""
        ...


@dataclass(frozen=True, slots=True)
class RequestLog:
    """The log of the webhook function; *sleep* waits for a query."""

    client: LogsClient
    group: str
    sleep: Callable[[float], None]

    def count_requests(self, hours: int, now: datetime) -> Mapping[str, int]:
        """Return the requests of each cluster in the last *hours*; none for a silent one.

        Raises ``TimeoutError`` if the query is not complete in time.
        """
        query = self.client.start_query(
            logGroupName=self.group,
            startTime=int((now - timedelta(hours=hours)).timestamp()),
            endTime=int(now.timestamp()),
            queryString=QUERY,
            limit=_MAX_ROWS,
        )
        status = ""
        for _ in range(_POLLS):
            response = self.client.get_query_results(queryId=query["queryId"])
            status = response["status"]
            if status == "Complete":
                rows = ({each["field"]: each["value"] for each in r} for r in response["results"])
                return {row["cluster"]: int(row["requests"]) for row in rows if row.get("cluster")}
            if status not in {"Scheduled", "Running", "Unknown"}:
                break
            self.sleep(1)
        raise TimeoutError(f"the query of {self.group} ended with the status {status}")


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


def find_silent(
    clusters: tuple[Cluster, ...], calls: Mapping[str, int], hours: int, now: datetime
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


def _parse_times(texts: list[str]) -> Iterator[datetime]:
    for text in texts:
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:  # the field is free text
            continue
        yield moment if moment.tzinfo else moment.replace(tzinfo=UTC)
