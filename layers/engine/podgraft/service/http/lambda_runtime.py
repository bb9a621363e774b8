"""Integration with Lambda: the CloudWatch log and metrics, X-Ray segments, and other functions."""

from collections.abc import Callable, Mapping
from math import inf
from typing import TYPE_CHECKING, Any, TypeGuard, cast

from podgraft.base.deadline import Deadline
from podgraft.base.jsonvalue import JSON, Object
from podgraft.core.versions.errors import StoreError
from podgraft.core.versions.snapshot import Store
from podgraft.service.settings import Settings
from podgraft.service.store import CallerStore

from . import deployment_check, metrics, request_log, synthetic
from .request_log import RequestLog

if TYPE_CHECKING:
    from .events import Handler

# With it, a store returns the callers that authenticated the request.
_NO_TIME = Deadline(-inf, -inf)


def make_request_log(settings: Settings, callers: CallerStore) -> RequestLog:
    """Return the log of Powertools on Lambda, else a log on standard output."""
    if not settings.on_lambda:
        return request_log.make_stream_log(service=settings.stack)
    # Imported here: Powertools takes a fifth of a cold start, and only Lambda needs it.
    from . import powertools

    def list_dimensions(record: Mapping[str, JSON]) -> Mapping[str, str]:
        if not settings.metric_clusters:
            return {}
        try:
            registered = callers.callers(_NO_TIME).callers
        except StoreError:
            return {}
        is_small = len(registered) <= settings.metric_clusters
        return metrics.list_by_cluster(record) if is_small else metrics.list_by_group(record)

    return powertools.make_request_log(settings.stack, list_dimensions)


def respond_to_functions(
    store: Store, callers: CallerStore, write: RequestLog
) -> Callable[[object], Object | None]:
    """Return a function that responds to the events of ``functions/watch`` and of the probe."""

    def respond(event: object) -> Object | None:
        if _is_request(event, synthetic.EVENT_KEY):
            return synthetic.SyntheticReviews(store, callers, write).respond(event)
        if _is_request(event, deployment_check.EVENT_KEY):
            return deployment_check.DeploymentCheck(store, callers, write).respond(event)
        return None

    return respond


def _is_request(event: object, key: str) -> TypeGuard[Mapping[str, Any]]:
    """Whether an event has a mapping under *key*, and nothing else."""
    if not isinstance(event, dict):
        return False
    members = cast("dict[str, Any]", event)
    return members.keys() == {key} and isinstance(members[key], dict)


def add_tracing(handler: "Handler", settings: Settings) -> "Handler":
    """Return the handler; if tracing is enabled, one that sends segments to X-Ray."""
    if not settings.tracing_enabled:
        return handler
    # Imported here: only tracing needs the SDK of X-Ray.
    from . import tracing

    return tracing.add_tracing(handler, settings.stack)
