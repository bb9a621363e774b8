"""The web server: a Flask application that serves the requests of kube-apiserver.

``create_app`` makes the application for a store. ``WsgiToAsgi`` adapts it to Mangum. Every POST is
authenticated before its body is read. ``faults.py`` maps every fault to a Kubernetes ``Status``.
Every request writes one log line.
"""

from podgraft.service.settings import Auth

from .app import admits_body, create_app
from .asgi import WsgiToAsgi
from .events import catch_errors
from .lambda_runtime import add_tracing, make_request_log, prime, respond_to_functions
from .request_log import RequestLog, format_traceback

__all__ = [
    "Auth",
    "RequestLog",
    "WsgiToAsgi",
    "add_tracing",
    "admits_body",
    "catch_errors",
    "create_app",
    "format_traceback",
    "make_request_log",
    "prime",
    "respond_to_functions",
]
