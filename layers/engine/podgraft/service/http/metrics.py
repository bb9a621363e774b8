"""The metrics of a log record. Their names follow the metrics of Istio.

The alarms and the dashboard of template.yaml use these names; a test compares them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from podgraft.base.jsonvalue import JSON

# Stacks share the namespace; the dimension ``service`` is the name of the stack in each metric.
NAMESPACE = "podgraft"


class Metric(StrEnum):
    """Every metric. The last seven are podgraft's (Istio: pkg/kube/inject/monitoring.go)."""

    REQUESTS = "sidecar_injection_requests_total"
    SUCCESS = "sidecar_injection_success_total"
    SKIP = "sidecar_injection_skip_total"
    FAILURE = "sidecar_injection_failure_total"
    TIME = "sidecar_injection_time_milliseconds"
    DENIED = "sidecar_injection_denied_total"
    REFUSED = "policy_refused_total"
    AGE = "snapshot_age_seconds"
    UNAUTHENTICATED = "authentication_failure_total"
    CERTIFICATE = "client_certificate_days"
    CENSUS_STORED = "census_put_total"
    CENSUS_DROPPED = "census_dropped_total"


class Unit(StrEnum):
    """A unit of CloudWatch."""

    COUNT = "Count"
    MILLISECONDS = "Milliseconds"
    SECONDS = "Seconds"


class Measure(Struct, frozen=True):
    """One value of one metric."""

    metric: StrEnum
    value: float = 1.0
    unit: Unit = Unit.COUNT


# Writes measures, with each set of dimensions as well as without one.
MetricWriter: TypeAlias = Callable[[Iterable[Measure], Iterable[Mapping[str, str]]], None]


# The injector of requests for injectors without a policy. It is not a valid name of an injector.
UNKNOWN_INJECTOR = "(unknown)"

_OUTCOMES = {
    "inject": Metric.SUCCESS,
    "mutate": Metric.SUCCESS,
    "allow": Metric.SUCCESS,
    "skip": Metric.SKIP,
    "deny": Metric.DENIED,
}
_CENSUS = {"stored": Metric.CENSUS_STORED, "dropped": Metric.CENSUS_DROPPED}
# An authenticated cluster calls an injector without a policy.
_UNKNOWN_INJECTOR = "UnknownInjectorError"
# Errors of a stored version. After other errors of a store, the injector might not exist.
_VERSION_ERRORS = frozenset({"InvalidVersionError", "NotLoadedError", "UntrustedError"})
_AUTH_ERRORS = frozenset(
    {
        "DamagedTokenError",
        "ExpiredTokenError",
        "ForbiddenError",
        "SourceError",
        "UnauthenticatedError",
    }
)


def record_measures(record: Mapping[str, JSON]) -> Iterator[Measure]:
    """Return the measures of a record; none for a record without a request."""
    if "route" not in record:
        return
    if record.get("fault") in _AUTH_ERRORS:
        yield Measure(Metric.UNAUTHENTICATED)
        return
    yield Measure(Metric.REQUESTS)
    outcome = _OUTCOMES.get(str(record.get("decision")))
    if outcome is not None:
        yield Measure(outcome)
    elif record.get("origin") != "caller" or record.get("fault") == _UNKNOWN_INJECTOR:
        yield Measure(Metric.FAILURE)
    if record.get("refused"):
        yield Measure(Metric.REFUSED)
    census = _CENSUS.get(str(record.get("census")))
    if census is not None:
        yield Measure(census)
    yield from _number(record, "age_seconds", Metric.AGE, Unit.SECONDS)
    yield from _number(record, "milliseconds", Metric.TIME, Unit.MILLISECONDS)
    yield from _number(record, "certificate_days", Metric.CERTIFICATE, Unit.COUNT)


def find_source(record: Mapping[str, JSON]) -> Mapping[str, str]:
    """Return the cluster and the injector of a request, as dimensions of its metrics.

    Nothing without an authenticated cluster. The number of values is bounded: a cluster has
    credentials, and an injector has a policy.
    """
    cluster, injector = record.get("cluster"), record.get("injector")
    if not cluster or not injector:
        return {}
    is_known = record.get("policy_version") or record.get("fault") in _VERSION_ERRORS
    return {"cluster": str(cluster), "injector": str(injector) if is_known else UNKNOWN_INJECTOR}


def list_by_group(record: Mapping[str, JSON]) -> Mapping[str, str]:
    """Return the dimension of a stack with many clusters: the group that applies last.

    Only groups of the policy apply, at most 100, so the number of values is bounded.
    """
    groups = str(record.get("groups") or "")
    return {"group": groups.rpartition(",")[2]} if groups else {}


def _number(record: Mapping[str, JSON], key: str, metric: Metric, unit: Unit) -> Iterator[Measure]:
    value = record.get(key)
    if isinstance(value, int | float) and (value or metric is not Metric.AGE):
        yield Measure(metric, value, unit)
