"""The entry point of AWS Lambda: settings, stores, the Flask application, and Mangum around it."""

import gc

gc.disable()  # a cold start creates little garbage, and a collection takes long

import os

from podgraft.service import settings, store

configuration = settings.parse_settings(os.environ)
policies, callers = store.open_stores(configuration.store_config, configuration.verifier)
loading = store.start_loading(policies, callers)  # AWS responds during the imports below

from mangum import Mangum

from podgraft.service import http as web

request_log = web.make_request_log(configuration, callers)
app = web.create_app(
    policies,
    callers,
    auth=configuration.auth,
    request_log=request_log,
    census=store.open_census(configuration.store_config),
)
for thread in loading:
    thread.join()
web.prime(policies, callers, configuration)
handler = web.catch_errors(
    Mangum(web.WsgiToAsgi(app), lifespan="off"),
    request_log,
    web.respond_to_functions(policies, callers, request_log),
)
# Added last: requests during init belong to no segment of X-Ray.
handler = web.add_tracing(handler, configuration)

gc.freeze()  # all loaded objects stay alive, so the collector can skip them
gc.set_threshold(10_000)  # a review creates about a thousand objects, nearly all without cycles
gc.enable()
