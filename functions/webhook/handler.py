"""AWS Lambda's entry point: settings, stores and application, built once a cold start."""

import gc

gc.disable()  # little that a cold start makes is garbage, and looking for it takes long

import logging
import os
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from threading import Thread
from typing import Any

from podgraft import settings, store

Handler = Callable[[dict[str, Any], Any], dict[str, Any]]


def build(environment: Mapping[str, str]) -> Handler:
    """The handler for one environment; raises ``SettingsError`` where that is impossible."""
    parsed_settings = settings.parse_settings(environment)
    policies, callers = store.open_stores(parsed_settings.store_config)
    with _prefetch(policies, callers):
        # Imported here: it takes Flask about as long to be imported as AWS to answer.
        from mangum import Mangum

        from podgraft import web

        request_log = web.make_request_log(parsed_settings)
        app = web.create_app(policies, callers, auth=parsed_settings.auth, request_log=request_log)
        # Mangum logs each path at INFO, and a path may hold a token.
        logging.getLogger("mangum.http").setLevel(logging.WARNING)
        function = web.guard_handler(Mangum(web.WsgiToAsgi(app), lifespan="off"), request_log)
    with _suppress_errors:
        web.prime(policies, parsed_settings)
    # Only now: what was loaded belongs to no request that X-Ray could show.
    return web.add_tracing(function, parsed_settings)


@contextmanager
def _prefetch(policies: store.Store, callers: store.CallerStore) -> Generator[None]:
    """Load what the first review needs meanwhile, in as much time as that one would wait."""
    deadline = store.Deadline.from_timeout(None)

    def load_default_injector() -> None:
        with _suppress_errors:
            policies.snapshot(store.DEFAULT_INJECTOR, None, deadline)

    def load_callers() -> None:
        with _suppress_errors:
            callers.callers(deadline)

    threads = [Thread(target=each) for each in (load_default_injector, load_callers)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for thread in threads:
            thread.join()


# What does not load now is answered with its reason later. So is a mistake of ours: it may meet
# this injector alone, and Lambda would log its message, whatever that quotes.
_suppress_errors = suppress(Exception)

handler = build(os.environ)
gc.freeze()  # what is loaded by now stays: the collector never has to look at it again
gc.set_threshold(10_000)  # a review makes some thousand objects, and nearly all go without it
gc.enable()
