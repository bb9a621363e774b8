"""The entry point of AWS Lambda: it makes settings, stores, and application at a cold start."""

import gc

gc.disable()  # a cold start creates little garbage, and a collection takes long

import os
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from threading import Thread
from typing import Any

from podgraft import settings, store

Handler = Callable[[dict[str, Any], Any], dict[str, Any]]


def build(environment: Mapping[str, str]) -> Handler:
    """Make the handler for an environment; raises ``SettingsError`` if it is invalid."""
    parsed_settings = settings.parse_settings(environment)
    policies, callers = store.open_stores(parsed_settings.store_config, parsed_settings.verifier)
    with _prefetch(policies, callers):
        # Imported here, while the threads wait for AWS.
        from podgraft import web

        request_log = web.make_request_log(parsed_settings)
        services = web.make_services(
            policies,
            callers,
            auth=parsed_settings.auth,
            request_log=request_log,
            census=store.open_census(parsed_settings.store_config),
        )
        others = web.LibraryHandler(services)
        function = web.guard_handler(
            others,
            services.webhook,
            request_log,
            web.respond_to_functions(policies, callers, request_log),
        )
    if parsed_settings.priming_enabled:
        others.load()
    with _suppress_errors:
        web.prime(policies, parsed_settings)
    web.replace_event_decoder()
    if parsed_settings.priming_enabled:
        store.expire_stores(policies, callers)
    # Added last: requests during init belong to no segment of X-Ray.
    return web.add_tracing(function, parsed_settings)


@contextmanager
def _prefetch(policies: store.Store, callers: store.CallerStore) -> Generator[None]:
    """Load the policy, the bundle, and the callers in threads, with the deadline of a review."""
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


# If something does not load, the reviews that need it fail with the reason. The same applies to an
# internal error: it can affect only one injector, and Lambda would log its complete message.
_suppress_errors = suppress(Exception)

handler = build(os.environ)
gc.freeze()  # all loaded objects stay alive, so the collector can skip them
gc.set_threshold(10_000)  # a review creates about a thousand objects, nearly all without cycles
gc.enable()
