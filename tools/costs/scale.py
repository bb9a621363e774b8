"""Fleets of one stack: the bill of a month, and how many clusters can restart nodes at once."""

from collections.abc import Iterator
from dataclasses import dataclass

from .bill import (
    API_MILLION,
    METRIC,
    MILLION,
    PAIR_METRICS,
    REQUESTS_MILLION,
    SECONDS_A_MONTH,
    Figures,
    Fleet,
    monthly_lines,
)

CLUSTERS = (10, 300, 3_000)
REVIEWS_A_CLUSTER = 100_000  # a month, of all injectors together
INJECTORS = 3
GROUPS = 20  # of the policies
REGISTRY_CLUSTERS = 50  # docs/fleet.md recommends a registry above
# Default quotas of AWS for an account and region, read in November 2026.
API_ACCOUNT = 10_000  # requests a second
API_ACCOUNT_SMALL = 2_500  # in newer regions
CONCURRENCY = 1_000  # a new account can have less
REQUESTS_OF_CONCURRENCY = 10  # a second, for each of the limit
PARAMETER_READS = 40  # a second
PARAMETERS_A_PAGE = 10
# kube-controller-manager: --kube-api-qps
PODS_A_SECOND = 20
NODE_GROUP_PODS = 500
TIMEOUT_SECONDS = 10  # of a registration: kube-apiserver repeats a 503 until then
# us-east-1, read in June 2026: a private API, and an interface endpoint in two zones.
PRIVATE_API_MILLION = 3.50
ENDPOINT_HOUR = 0.01
# Secrets Manager, a month: a cluster whose token a function rotates has a secret.
SECRET = 0.40
# A health check of Route 53 of an endpoint in AWS, with HTTPS and each 10 s.
HEALTH_CHECK = 2.50
HEALTH_REQUESTS = 1  # a second, of all places from which Route 53 checks
_VARIABLE = frozenset(
    {
        "API Gateway, HTTP API",
        "Lambda requests",
        "Lambda time",
        "CloudWatch Logs",
        "hourly query of the log",
        "answers to the internet",
    }
)
_BY_FLEET = ("metrics by cluster and injector", "KMS, tokens")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What limits requests: the throttle of the stack, and the seconds of a cold start."""

    requests_a_second: int
    cold_seconds: float


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit, its formula, and the clusters that can restart nodes at once, by injectors."""

    name: str
    how: str
    clusters: tuple[int, ...]


def make_fleet(clusters: int) -> Fleet:
    """Return a fleet as the pages recommend it."""
    return Fleet(clusters, INJECTORS, clusters > REGISTRY_CLUSTERS, GROUPS)


def reads_of_a_start(clusters: int, *, has_registry: bool) -> int:
    """Return the reads of Parameter Store of a cold start: policy, pointer, and pages."""
    return 2 + (0 if has_registry else -(-clusters // PARAMETERS_A_PAGE))


def find_limits(limits: Limits, injectors: tuple[int, ...] = (1, INJECTORS)) -> Iterator[Limit]:
    """Yield each limit for restarts of node groups that begin in the same second."""
    rates = [PODS_A_SECOND * each for each in injectors]

    def divide(requests: float) -> tuple[int, ...]:
        return tuple(int(requests / rate) for rate in rates)

    each = f"{PODS_A_SECOND} × injectors"
    throttle = limits.requests_a_second
    yield Limit("`ThrottlingRateLimit`", f"{throttle} / ({each})", divide(throttle))
    starts = PARAMETER_READS * TIMEOUT_SECONDS
    for clusters, has_registry in ((3_000, True), (300, False), (3_000, False)):
        reads = reads_of_a_start(clusters, has_registry=has_registry)
        name = "registry" if has_registry else f"{clusters:,} clusters without a registry"
        how = f"{starts} / ({reads} × {limits.cold_seconds:.2f} × {each})"
        yield Limit(f"Parameter Store, {name}", how, divide(starts / (reads * limits.cold_seconds)))
    for name, requests in (
        ("API Gateway in newer regions", API_ACCOUNT_SMALL),
        ("API Gateway", API_ACCOUNT),
        ("Lambda concurrency", CONCURRENCY * REQUESTS_OF_CONCURRENCY),
    ):
        yield Limit(name, f"{requests:,} / ({each})", divide(requests))


def waves_seconds(clusters: int, at_once: int) -> int:
    """Return the seconds until the nodes of all clusters restarted, so many at once."""
    return -(-clusters // at_once) * NODE_GROUP_PODS // PODS_A_SECOND


def fleet_rows(figures: Figures, limits: Limits) -> Iterator[tuple[str, str, list[str]]]:
    """Yield a title, a formula, and the figures of each fleet."""
    fleets = [make_fleet(each) for each in CLUSTERS]
    pods = [each.clusters * REVIEWS_A_CLUSTER for each in fleets]
    bills = [
        {line.item: line.dollars for line in monthly_lines(figures, count, fleet)}
        for count, fleet in zip(pods, fleets, strict=True)
    ]
    variable = [sum(bill[name] for name in _VARIABLE) for bill in bills]
    fixed = sum(bills[0].values()) - variable[0] - sum(bills[0][name] for name in _BY_FLEET)
    million = variable[0] / pods[0] * MILLION
    yield "reviews", f"clusters × {REVIEWS_A_CLUSTER:,}", [f"{each:,}" for each in pods]
    how = f"reviews × ${million:.2f} a million"
    yield "API, Lambda, logs, answers", how, _format_dollars(variable)
    how = "metrics, alarms, dashboard, SnapStart, watch"
    yield "fixed", how, _format_dollars([fixed] * len(fleets))
    how = f"{PAIR_METRICS} × ${METRIC:.2f} × (clusters × {INJECTORS}; above 20, {GROUPS} groups)"
    metrics = _format_dollars([bill[_BY_FLEET[0]] for bill in bills])
    yield "metrics by cluster or group", how, metrics
    how = f"clusters × environments × $0.26, none with a registry (above {REGISTRY_CLUSTERS})"
    yield "KMS, tokens", how, _format_dollars([bill[_BY_FLEET[1]] for bill in bills])
    totals = _format_dollars([sum(bill.values()) for bill in bills])
    yield "**a month**", "", [f"**{each}**" for each in totals]
    requests = HEALTH_REQUESTS * SECONDS_A_MONTH / MILLION * (API_MILLION + REQUESTS_MILLION)
    how = f"+ fixed, 2 health checks × (${HEALTH_CHECK:.2f} + ${requests:.2f} of requests)"
    second = fixed + 2 * (HEALTH_CHECK + requests)
    yield "a second region", how, _format_dollars([second] * len(fleets))
    more = PRIVATE_API_MILLION - API_MILLION
    endpoint = 2 * ENDPOINT_HOUR * SECONDS_A_MONTH / 3600
    how = f"+ reviews × ${more:.2f} a million, ${endpoint:.2f} an endpoint in 2 zones"
    yield (
        "a private API, 1 endpoint",
        how,
        _format_dollars([count / MILLION * more + endpoint for count in pods]),
    )
    how = f"+ clusters × ${SECRET:.2f} a secret"
    yield "`TokenRotationDays`", how, _format_dollars([each * SECRET for each in CLUSTERS])
    yield from _restart_rows(limits)


def _restart_rows(limits: Limits) -> Iterator[tuple[str, str, list[str]]]:
    wave = NODE_GROUP_PODS // PODS_A_SECOND
    for rate in (limits.requests_a_second, API_ACCOUNT):
        at_once = rate // (PODS_A_SECOND * INJECTORS)
        seconds = [waves_seconds(each, at_once) for each in CLUSTERS]
        how = f"clusters / {at_once} at once × {wave} s"
        yield f"all restart, `ThrottlingRateLimit={rate}`", how, [f"{each:,} s" for each in seconds]


def render_scale(figures: Figures, limits: Limits) -> str:
    """Return the two tables of the page, and their assumptions."""
    starts = PARAMETER_READS * TIMEOUT_SECONDS
    header = " | ".join(f"{each:,}" for each in CLUSTERS)
    bill = "\n".join(
        f"| {title} | {how} | {' | '.join(cells)} |"
        for title, how, cells in fleet_rows(figures, limits)
    )
    rows = "\n".join(
        f"| {each.name} | {each.how} | {' | '.join(map(str, each.clusters))} |"
        for each in find_limits(limits)
    )
    return (
        f"Assumed: {REVIEWS_A_CLUSTER:,} reviews a month for each cluster, {INJECTORS} injectors, "
        f"list prices as above.\n\n"
        f"| clusters | worked out as | {header} |\n|---|---|---|---|---|\n{bill}\n\n"
        f"The query reads the last hour. In an hour in which a cluster sends no request, it reads "
        f"`SilentClusterHours` too.\n\n"
        f"How many clusters can restart a node group of {NODE_GROUP_PODS} pods at once? Assumed: "
        f"kube-controller-manager creates\n{PODS_A_SECOND} pods a second, default quotas, "
        f"{limits.cold_seconds:.2f} s for a cold start ([measured](performance.md) on a local "
        f"machine),\n{starts} reads of Parameter Store in the {TIMEOUT_SECONDS} s of a timeout. "
        f"The smallest number breaks first.\n\n"
        f"| limit | worked out as | 1 injector | {INJECTORS} injectors |\n|---|---|---|---|\n{rows}"
    )


def _format_dollars(amounts: list[float]) -> list[str]:
    return [f"${each:,.2f}" for each in amounts]
