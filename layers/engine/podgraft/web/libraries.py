"""Flask and Mangum, which route the requests that are no plain reviews of an HTTP API.

Their imports take a third of a cold start, and such reviews need neither (``direct_reviews.py``).
So the function loads them for its first other request, such as a health check.
"""

import logging
from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeAlias

from podgraft.clock import age_clock
from podgraft.settings import Auth
from podgraft.store import CallerStore, Store

from .request_log import RequestLog
from .services import Services, make_services

if TYPE_CHECKING:
    from flask import Flask

    from podgraft.store.census import CensusWriter

# The function that Lambda calls with an event and its context.
Handler: TypeAlias = Callable[[dict[str, Any], Any], dict[str, Any]]


def create_app(  # noqa: PLR0913 — both clocks, for tests
    store: Store,
    callers: CallerStore,
    *,
    auth: Auth = Auth.TOKEN,
    request_log: RequestLog | None = None,
    clock: Callable[[], float] = monotonic,
    ages: Callable[[], float] = age_clock,
    census: "CensusWriter | None" = None,
) -> "Flask":
    """Make the Flask application of ``make_services``."""
    from .app import make_app

    services = make_services(
        store, callers, auth=auth, request_log=request_log, clock=clock, ages=ages, census=census
    )
    return make_app(services)


class LibraryHandler:
    """Serves events with Flask and Mangum, which it loads for the first one."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._handler: Handler | None = None

    def __call__(self, event: dict[str, Any], context: object) -> dict[str, Any]:
        """Serve an event; raises an exception for an event that Mangum cannot convert."""
        return self.load()(event, context)

    def load(self) -> Handler:
        """The handler of Mangum."""
        if self._handler is None:
            from mangum import Mangum

            from .app import make_app
            from .asgi import WsgiToAsgi

            # Mangum logs each path at INFO, and a path can contain a token.
            logging.getLogger("mangum.http").setLevel(logging.WARNING)
            self._handler = Mangum(WsgiToAsgi(make_app(self._services)), lifespan="off")
        return self._handler
