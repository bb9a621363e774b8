"""The Flask application: its routes and error handlers."""

from collections.abc import Iterable
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound

from podgraft.store import DEFAULT_INJECTOR

from . import credentials, faults
from .errors import NoRouteError, UnsupportedMethodError
from .faults import JsonResponse
from .health import ReadinessCheck
from .request_log import RequestLog, format_traceback
from .services import EXTENSION, Services
from .webhook import HANDLERS, Webhook

_JSON = "application/json"


def make_app(services: Services) -> Flask:
    """Make the application with the routes of the services."""
    app = Flask(__name__, static_folder=None)
    app.url_map.strict_slashes = False  # clients would follow a redirect with the token
    app.url_map.merge_slashes = False
    app.extensions[EXTENSION] = services.webhook
    for route in HANDLERS:
        _add_review(app, services.webhook, route)
    _add_health(app, services.readiness)
    app.register_error_handler(HTTPException, _routing_error)
    app.register_error_handler(
        Exception, lambda error: _internal_error(error, services.request_log)
    )
    app.wsgi_app = _PathTokenMiddleware(app.wsgi_app)  # pyright: ignore[reportAttributeAccessIssue]  as Flask documents it
    return app


class _PathTokenMiddleware:
    """Removes the host name, and the token from the path, before other code reads them.

    No route depends on the host. The client sets it, and Werkzeug rejects some hosts.
    """

    def __init__(self, app: WSGIApplication) -> None:
        self._app = app

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        credentials.extract_path_token(environ)
        environ.pop("HTTP_HOST", None)
        return self._app(environ, start_response)


def _add_review(app: Flask, webhook: Webhook, route: str) -> None:
    def view(injector: str = DEFAULT_INJECTOR, path: str = "") -> Response:
        return _to_flask(webhook.respond(route, injector, path, request.environ))

    for prefix in ("", "/<injector>"):
        for suffix in ("", "/<path:path>"):
            rule = f"{prefix}/{route}{suffix}"
            app.add_url_rule(rule, rule, view, methods=["POST"], provide_automatic_options=False)


def _add_health(app: Flask, readiness: ReadinessCheck) -> None:
    def ping() -> Response:
        return Response("pong", mimetype="text/plain")

    def healthz() -> Response:
        return Response("ok", mimetype="text/plain")

    def readyz() -> Response:
        return _to_flask(readiness.respond(request.environ))

    for view in (ping, healthz, readyz):
        name = view.__name__
        app.add_url_rule(f"/{name}", name, view, methods=["GET"], provide_automatic_options=False)


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
