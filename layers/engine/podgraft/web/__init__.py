"""The HTTP face: a Flask application that answers kube-apiserver's calls.

``create_app`` puts it over a store; ``InLoop`` is what Mangum needs. Every POST is authenticated
before its body is read, every fault is answered as a Kubernetes ``Status`` by one table
(faults.py), and every call leaves one line in the journal.
"""

from podgraft.settings import Auth

from .app import create_app
from .asgi import WsgiToAsgi
from .events import guard_handler
from .lambda_runtime import add_tracing, make_request_log, prime
from .request_log import RequestLog, format_traceback

__all__ = [
    "Auth",
    "RequestLog",
    "WsgiToAsgi",
    "add_tracing",
    "create_app",
    "format_traceback",
    "guard_handler",
    "make_request_log",
    "prime",
]
