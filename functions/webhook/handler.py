"""AWS Lambda's entry point: settings, store and application, built once a cold start."""

import logging
import os
from collections.abc import Mapping
from contextlib import suppress

from mangum import Mangum

from podgraft import web
from podgraft.store import DirectoryCallers, DirectoryStore, StoreError


def build(environment: Mapping[str, str]) -> Mangum:
    """The handler of one environment; raises ``SettingsError`` where that is impossible."""
    settings = web.settings.read(environment)
    store = DirectoryStore(settings.folder)
    for injector in store.injectors():
        with suppress(StoreError):  # what does not load now is answered with its reason later
            store.snapshot(injector, None)
    app = web.create_app(store, DirectoryCallers(settings.folder), auth=settings.auth)
    # Mangum logs each path at INFO, and a path may hold a token.
    logging.getLogger("mangum.http").setLevel(logging.WARNING)
    return Mangum(web.InLoop(app), lifespan="off")


handler = build(os.environ)
