"""What serves requests, without the libraries that route them (``libraries.py``)."""

from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING

from msgspec import Struct

from podgraft.clock import age_clock
from podgraft.settings import Auth
from podgraft.store import CallerStore, Store

from .authentication import CallerGate
from .health import ReadinessCheck
from .request_log import RequestLog, make_stream_log
from .webhook import Webhook

if TYPE_CHECKING:
    from flask import Flask

    from podgraft.store.census import CensusWriter

EXTENSION = "podgraft"  # the key of the ``Webhook`` in the extensions of the application
_AUTH_DISABLED_WARNING = (
    "PODGRAFT_AUTH=none: authentication is disabled; use this setting only for local tests"
)


class Services(Struct, frozen=True):
    """The services behind the routes of a server."""

    webhook: Webhook
    readiness: ReadinessCheck
    request_log: RequestLog


def make_services(  # noqa: PLR0913 — both clocks, for tests
    store: Store,
    callers: CallerStore,
    *,
    auth: Auth = Auth.TOKEN,
    request_log: RequestLog | None = None,
    clock: Callable[[], float] = monotonic,
    ages: Callable[[], float] = age_clock,
    census: "CensusWriter | None" = None,
) -> Services:
    """Make the services for a store; *callers* contains the clusters that can call it.

    *clock* measures durations and deadlines, and *ages* what is older (``podgraft.clock``).
    With *census*, they record the workloads of injectors that have a census.
    """
    write = request_log or make_stream_log()
    if auth is Auth.NONE:
        write({"event": "auth_disabled", "level": "WARNING", "message": _AUTH_DISABLED_WARNING})
    gate = CallerGate(auth, callers, ages)
    return Services(
        Webhook(store, gate, write, clock, census), ReadinessCheck(store, gate, write, ages), write
    )


def find_webhook(app: "Flask") -> Webhook | None:
    """The ``Webhook`` of an application of ``make_app``; ``None`` for another application."""
    return app.extensions.get(EXTENSION)
