"""The web server: a Flask application that serves the requests of kube-apiserver.

``create_app`` makes the application for a store. ``WsgiToAsgi`` adapts it to Mangum. Every POST is
authenticated before its body is read. ``faults.py`` maps every fault to a Kubernetes ``Status``.
Every request writes one log line.
"""

from podgraft.settings import Auth

from .asgi import WsgiToAsgi
from .direct_reviews import ReviewRequest, find_review
from .events import guard_handler
from .faults import JsonResponse
from .lambda_runtime import (
    add_tracing,
    make_request_log,
    prime,
    replace_event_decoder,
    respond_to_functions,
)
from .libraries import LibraryHandler, create_app
from .request_log import RequestLog, format_traceback
from .services import find_webhook, make_services
from .webhook import Webhook

__all__ = [
    "Auth",
    "JsonResponse",
    "LibraryHandler",
    "RequestLog",
    "ReviewRequest",
    "Webhook",
    "WsgiToAsgi",
    "add_tracing",
    "create_app",
    "find_review",
    "find_webhook",
    "format_traceback",
    "guard_handler",
    "make_request_log",
    "make_services",
    "prime",
    "replace_event_decoder",
    "respond_to_functions",
]
