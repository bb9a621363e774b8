"""The Flask application: its routes and error handlers."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any
from wsgiref.types import StartResponse, WSGIApplication

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound
from werkzeug.routing import BaseConverter, ValidationError

from podgraft.base import system
from podgraft.core.versions.snapshot import Store
from podgraft.service import paths
from podgraft.service.paths import Target
from podgraft.service.settings import Auth
from podgraft.service.store import CallerStore

from . import faults
from .authentication import CallerGate
from .errors import NoRouteError, UnsupportedMethodError
from .faults import JsonResponse
from .health import ReadinessCheck
from .request import Request, hide_token, read_request
from .request_log import RequestLog, format_traceback, make_stream_log
from .webhook import Webhook

if TYPE_CHECKING:
    from podgraft.service.store.census import CensusWriter

_JSON = "application/json"
_EXTENSION = "podgraft"  # the key of the ``CallerGate`` in the extensions of the application
_AUTH_DISABLED_WARNING = (
    "PODGRAFT_AUTH=none: authentication is disabled; use this setting only for local tests"
)


def create_app(  # noqa: PLR0913 — both clocks, for tests
    store: Store,
    callers: CallerStore,
    *,
    auth: Auth = Auth.TOKEN,
    request_log: RequestLog | None = None,
    clock: Callable[[], float] = system.monotonic,
    ages: Callable[[], float] = system.age_clock,
    census: "CensusWriter | None" = None,
) -> Flask:
    """Make the application for a store; *callers* contains the clusters that can call it.

    *clock* measures durations and deadlines, and *ages* what is older (``podgraft.base.system``).
    With *census*, the application records the workloads of injectors that have a census.
    """
    write = request_log or make_stream_log()
    if auth is Auth.NONE:
        write({"event": "auth_disabled", "level": "WARNING", "message": _AUTH_DISABLED_WARNING})
    gate = CallerGate(auth, callers, ages)
    webhook = Webhook(store, gate.authenticate, write, clock, census)
    app = Flask(__name__, static_folder=None)
    app.url_map.strict_slashes = False  # clients would follow a redirect with the token
    app.url_map.merge_slashes = False
    app.url_map.converters["review"] = _ReviewConverter
    app.extensions[_EXTENSION] = gate
    app.wsgi_app = _PathTokenMiddleware(app.wsgi_app)  # pyright: ignore[reportAttributeAccessIssue]  as Flask documents it
    _add_routes(app, webhook, ReadinessCheck(store, gate, write, ages), gate)
    app.register_error_handler(HTTPException, _routing_error)
    app.register_error_handler(Exception, lambda error: _internal_error(error, write))
    return app


def admits_body(app: Flask, environ: Mapping[str, Any]) -> bool:
    """Whether the client of a request may send a large body, by the head of the request."""
    gate: CallerGate = app.extensions[_EXTENSION]
    head = dict(environ)
    hide_token(head)
    return gate.admits(read_request(head, certificates=gate.reads_certificates))


def _add_routes(app: Flask, webhook: Webhook, readiness: ReadinessCheck, gate: CallerGate) -> None:
    def read() -> Request:
        return read_request(request.environ, certificates=gate.reads_certificates)

    def get(rule: str) -> Callable[[Callable[..., Response]], Callable[..., Response]]:
        return app.route(rule, methods=["GET"], provide_automatic_options=False)

    @app.route("/<review:target>", methods=["POST"], provide_automatic_options=False)
    def review(target: Target) -> Response:
        return _to_flask(webhook.respond(target, read()))

    @get("/ping")
    def ping() -> Response:
        return Response("pong", mimetype="text/plain")

    @get("/healthz")
    def healthz() -> Response:
        return Response("ok", mimetype="text/plain")

    @get("/readyz")
    def readyz() -> Response:
        return _to_flask(readiness.respond(read()))

    del review, ping, healthz, readyz  # Flask has them


class _ReviewConverter(BaseConverter):
    """The path of a review, as ``paths.py`` defines it."""

    regex = paths.REVIEW
    part_isolating = False

    def to_python(self, value: str) -> Target:
        target = paths.parse(f"/{value}")
        if target is None:
            raise ValidationError
        return target


class _PathTokenMiddleware:
    """Removes the host name, and the token from the path, before other code reads them.

    No route depends on the host. The client sets it, and Werkzeug rejects some hosts. Werkzeug
    removes all slashes at the start of a path, so a path must start with exactly one.
    """

    def __init__(self, app: WSGIApplication) -> None:
        self._app = app

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        hide_token(environ)
        path: str = environ["PATH_INFO"]
        environ["PATH_INFO"] = path if path.startswith("/") and path[1:2] != "/" else "/"
        environ.pop("HTTP_HOST", None)
        return self._app(environ, start_response)


def _routing_error(error: HTTPException) -> Response:
    """The response to a path or method without a route."""
    match error:
        case NotFound():
            return _to_flask(
                faults.fault_response(NoRouteError("nothing is served under this path"))
            )
        case MethodNotAllowed():
            allowed = ", ".join(sorted(error.valid_methods or ()))
            method_error = UnsupportedMethodError(
                f"{request.method} is not served here; use {allowed}"
            )
            response = _to_flask(faults.fault_response(method_error))
            response.headers["Allow"] = allowed
            return response
        case _:
            return _to_flask(faults.fault_response(error))


def _internal_error(error: Exception, write: RequestLog) -> Response:
    """Log an internal error outside reviews, without its message, which can quote secrets."""
    write(
        {
            "event": "internal_error",
            "level": "ERROR",
            "endpoint": request.endpoint,
            "trace": format_traceback(error),
        }
    )
    return _to_flask(faults.fault_response(error))


def _to_flask(response: JsonResponse) -> Response:
    return Response(response.body, response.code, response.headers, content_type=_JSON)
