"""The bill of a month, worked out from list prices and what one review was measured to take."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from podgraft.service.settings import METRIC_CLUSTERS

# AWS's price pages for us-east-1, in dollars, read in June 2026: first tier, no free tier, no
# savings plan.
PRICES_READ = "June 2026"
API_MILLION = 1.00  # HTTP API, requests of up to 512 KB
REQUESTS_MILLION = 0.20
GIB_SECOND = 0.0000133334  # Lambda, arm64
PROVISIONED_GIB_SECOND = 0.0000033334
SNAPSHOT_GIB_SECOND = 0.0000015046  # SnapStart, each published version
RESTORED_GIB = 0.0001397998
LOGS_GB = 0.50
TRANSFER_GB = 0.09
METRIC = 0.30  # each name with each value of its dimension
ALARM = 0.10
DASHBOARD = 3.00
QUERIES_GB = 0.005  # CloudWatch Logs Insights, each byte that a query reads
DECRYPTIONS_TEN_THOUSAND = 0.03  # KMS, for the SecureString of each cluster

MILLION = 1_000_000
GB = 1_000_000_000
SECONDS_A_MONTH = 30 * 24 * 3600
# A pair of a cluster and an injector that injects and skips: requests, success, skip, and time.
PAIR_METRICS = 4
# The schedules of template.yaml, and upper bounds of the time of a check.
REVIEW_CHECKS, CLUSTER_CHECKS = 30 * 24 * 12, 30 * 24
WATCHES = REVIEW_CHECKS + CLUSTER_CHECKS
WATCH_SECONDS, WATCH_GIB, WEBHOOK_SECONDS = 1.0, 0.25, 0.1
# One whole processor has this much memory (Lambda developer guide, "Configure function memory").
PROCESSOR_MIB = 1769
# CloudWatch counts these bytes on top of each event's message.
EVENT_OVERHEAD = 26


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The measurements of one warm review, and the settings of template.yaml.

    ``milliseconds`` are of a whole processor; ``log_bytes`` and ``events`` are those of the
    function's log and of the API's access log together.
    """

    measured: str
    source: str
    milliseconds: float
    response_bytes: int
    log_bytes: int
    events: int
    memory_mib: int
    refresh_seconds: int
    metrics: int
    alarms: int

    @property
    def billed_milliseconds(self) -> int:
        """What Lambda bills for a review."""
        return billed_milliseconds(self.milliseconds, self.memory_mib)


@dataclass(frozen=True, slots=True)
class Fleet:
    """What a stack has, and whether one registry has all of its callers."""

    clusters: int = 1
    injectors: int = 1
    has_registry: bool = False
    groups: int = 0

    @property
    def metrics(self) -> int:
        """The metrics by cluster and injector, or by group, that ``ClusterMetrics=auto`` writes."""
        is_small = self.clusters <= METRIC_CLUSTERS["auto"]
        return PAIR_METRICS * (self.clusters * self.injectors if is_small else self.groups)

    def decryptions(self, environments: int, refresh_seconds: int) -> float:
        """Return the decryptions of a month: one for each cluster, refresh, and environment.

        The pointer of a registry and its object are not encrypted with a key of KMS.
        """
        refreshes = environments * SECONDS_A_MONTH / refresh_seconds
        return 0.0 if self.has_registry else self.clusters * refreshes


ONE_CLUSTER = Fleet()


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the bill; ``how`` describes the calculation."""

    item: str
    how: str
    dollars: float


def billed_milliseconds(milliseconds: float, memory_mib: int) -> int:
    """Return what Lambda bills: the function has a share of a processor, and Lambda rounds up."""
    return math.ceil(milliseconds / min(1.0, memory_mib / PROCESSOR_MIB))


def monthly_lines(figures: Figures, pods: int, fleet: Fleet = ONE_CLUSTER) -> Iterator[Line]:
    """The bill of a month in which *pods* were reviewed."""
    yield from _review_lines(figures, pods)
    how = (
        f"1 version of {figures.memory_mib / 1024:g} GiB × ${SNAPSHOT_GIB_SECOND:.10f} a GB-second"
    )
    yield Line("SnapStart", how, snapshot_cost(figures.memory_mib))
    how = f"{figures.metrics} × ${METRIC:.2f}, {figures.alarms} × ${ALARM:.2f}, ${DASHBOARD:.2f}"
    watching = figures.metrics * METRIC + figures.alarms * ALARM + DASHBOARD
    yield Line("metrics, alarms, dashboard", how, watching)
    how = f"{PAIR_METRICS} × ${METRIC:.2f} for each cluster and injector"
    yield Line("metrics by cluster and injector", how, fleet.metrics * METRIC)
    how = f"{WATCHES:,} checks of two functions, {REVIEW_CHECKS:,} requests"
    yield Line("the watch", how, watch_cost())
    decryptions = fleet.decryptions(busy_environments(figures, pods), figures.refresh_seconds)
    price = f"${DECRYPTIONS_TEN_THOUSAND:.2f} ten thousand"
    how = f"each cluster, every {figures.refresh_seconds} s × {price}"
    yield Line("KMS, tokens", how, decryptions / 10_000 * DECRYPTIONS_TEN_THOUSAND)


def _review_lines(figures: Figures, pods: int) -> Iterator[Line]:
    """The lines that grow with the reviews."""
    millions = pods / MILLION
    yield Line("API Gateway, HTTP API", f"${API_MILLION:.2f} a million", millions * API_MILLION)
    how = f"${REQUESTS_MILLION:.2f} a million"
    yield Line("Lambda requests", how, millions * REQUESTS_MILLION)
    gib = figures.memory_mib / 1024
    seconds = pods * figures.billed_milliseconds / 1000
    how = f"{figures.billed_milliseconds} ms × {gib:g} GiB × ${GIB_SECOND:.10f} a GB-second"
    yield Line("Lambda time", how, seconds * gib * GIB_SECOND)
    logged = figures.log_bytes + figures.events * EVENT_OVERHEAD
    how = f"{logged:,} B × ${LOGS_GB:.2f} a GB"
    yield Line("CloudWatch Logs", how, pods * logged / GB * LOGS_GB)
    how = f"{logged:,} B × ${QUERIES_GB:.3f} a GB, read once"
    yield Line("hourly query of the log", how, pods * logged / GB * QUERIES_GB)
    how = f"{figures.response_bytes:,} B × ${TRANSFER_GB:.2f} a GB"
    yield Line("answers to the internet", how, pods * figures.response_bytes / GB * TRANSFER_GB)


def watch_cost() -> float:
    """Return dollars per month for the watch: two functions, and requests of the API."""
    seconds = WATCHES * (WATCH_SECONDS * WATCH_GIB + WEBHOOK_SECONDS)
    return (
        seconds * GIB_SECOND
        + 2 * WATCHES * REQUESTS_MILLION / MILLION
        + REVIEW_CHECKS * API_MILLION / MILLION
    )


def snapshot_cost(memory_mib: int) -> float:
    """Return dollars per month for the snapshot of one published version."""
    return memory_mib / 1024 * SECONDS_A_MONTH * SNAPSHOT_GIB_SECOND


def provisioned_cost(memory_mib: int, environments: int) -> float:
    """Return dollars per month for provisioned environments."""
    gib = environments * memory_mib / 1024
    return gib * SECONDS_A_MONTH * PROVISIONED_GIB_SECOND


def render_table(figures: Figures) -> str:
    """The table of the page, for a million and a hundred million pods."""
    few, many = list(monthly_lines(figures, MILLION)), list(monthly_lines(figures, 100 * MILLION))
    rows = [
        f"| {a.item} | {a.how} | {_format_dollars(a)} | {_format_dollars(b)} |"
        for a, b in zip(few, many, strict=True)
    ]
    totals = [sum(line.dollars for line in bill) for bill in (few, many)]
    return "\n".join(
        (
            "| | worked out as | 1 million pods | 100 million pods |",
            "|---|---|---|---|",
            *rows,
            f"| **a month** | | **${totals[0]:,.2f}** | **${totals[1]:,.2f}** |",
        )
    )


def render_assumptions(figures: Figures) -> str:
    """Return the basis of the table, in sentences."""
    share = figures.memory_mib / PROCESSOR_MIB
    return (
        f"List prices of us-east-1 in {PRICES_READ}, first tier, without free tiers or savings "
        f"plans; one cluster. A warm review\n"
        f"of a pod not seen before was measured on {figures.measured}: "
        f"{figures.milliseconds:.2f} ms of a whole processor under Lambda's own\n"
        f"runtime client, {figures.response_bytes:,} bytes of answer, {figures.log_bytes:,} bytes "
        f"in {figures.events} log events ({figures.source}).\n"
        f"At {figures.memory_mib} MiB a function has {share:.2f} of a processor, so "
        f"{figures.billed_milliseconds} ms are billed."
    )


def busy_environments(figures: Figures, pods: int) -> int:
    """Return the number of busy environments; each of them also refreshes its snapshot."""
    busy = pods * figures.billed_milliseconds / 1000 / SECONDS_A_MONTH
    return max(1, math.ceil(busy))


def _format_dollars(line: Line) -> str:
    return f"${line.dollars:,.2f}"
