"""Integration with Lambda: the log and metrics, X-Ray segments, other functions, and priming."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from math import inf
from typing import Any, cast

from podgraft.base.deadline import Deadline
from podgraft.base.jsonvalue import JSON, Object
from podgraft.core.identifiers import DEFAULT_INJECTOR
from podgraft.core.versions.errors import StoreError
from podgraft.core.versions.snapshot import Store
from podgraft.service.settings import Settings
from podgraft.service.store import CallerStore
from podgraft.service.store.factory import expire_stores

from . import metrics, request_log
from .events import Handler
from .request_log import RequestLog

# With it, a store returns the callers that authenticated the request.
_NO_TIME = Deadline(-inf, -inf)


def make_request_log(settings: Settings, callers: CallerStore) -> RequestLog:
    """Return the log of Powertools on Lambda, else a log on standard output."""
    if not settings.on_lambda:
        return request_log.make_stream_log(settings.stack)
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
        return metrics.find_source(record) if is_small else metrics.list_by_group(record)

    return powertools.make_request_log(settings.stack, list_dimensions)


def respond_to_functions(
    store: Store, callers: CallerStore, write: RequestLog
) -> Callable[[object], Object | None]:
    """Return a function that responds to the events of ``functions/watch`` and of the probe.

    Such an event has one key, with a mapping.
    """

    def respond(event: object) -> Object | None:
        members = cast("dict[str, Any]", event) if isinstance(event, dict) else {}
        if len(members) != 1 or not all(isinstance(each, dict) for each in members.values()):
            return None
        # Imported here: no request of a client needs them.
        from . import deployment_check, synthetic

        if synthetic.SYNTHETIC_EVENT in members:
            return synthetic.respond(members, store, callers, write)
        if deployment_check.EVENT_KEY in members:
            return deployment_check.respond(members, store, callers, write)
        return None

    return respond


def prime(store: Store, callers: CallerStore, settings: Settings) -> None:
    """Review a synthetic pod during init, before the first request, if the settings enable it.

    Provisioned concurrency and SnapStart start an environment before it is needed. The review does
    what an on-demand start leaves to the first request: it parses and compiles templates.
    """
    if not settings.priming_enabled:
        return
    from . import synthetic

    # Lambda would log the complete message of an error, which can quote the configuration.
    with suppress(Exception):
        synthetic.review_pod(store, DEFAULT_INJECTOR)
    expire_stores(store, callers)


def add_tracing(handler: Handler, settings: Settings) -> Handler:
    """Return the handler; if tracing is enabled, one that sends segments to X-Ray."""
    if not settings.tracing_enabled:
        return handler
    # Imported here: only tracing needs the SDK of X-Ray.
    from . import tracing

    return tracing.add_tracing(handler, settings.stack)
