"""AWS Lambda's entry point: settings, stores and application, built once a cold start."""

import gc

gc.disable()  # little that a cold start makes is garbage, and looking for it takes long

import logging
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from mangum import Mangum

from podgraft import web

Handler = Callable[[dict[str, Any], Any], dict[str, Any]]


def build(environment: Mapping[str, str]) -> Handler:
    """The handler for one environment; raises ``SettingsError`` where that is impossible."""
    settings = web.settings.read(environment)
    store, callers = web.opened(settings.backing)
    journal = web.journal_of(settings)
    app = web.create_app(store, callers, auth=settings.auth, journal=journal)
    # What does not load now is answered with its reason later. So is a mistake of ours: it may meet
    # this injector alone, and Lambda would log its message, whatever that quotes.
    with suppress(Exception):
        store.snapshot(web.DEFAULT_INJECTOR, None)
    # Mangum logs each path at INFO, and a path may hold a token.
    logging.getLogger("mangum.http").setLevel(logging.WARNING)
    return web.traced(Mangum(web.InLoop(app), lifespan="off"), settings)


handler = build(os.environ)
gc.freeze()  # what is loaded by now stays: the collector never has to look at it again
gc.set_threshold(10_000)  # a review makes some thousand objects, and nearly all go without it
gc.enable()
