"""Reviews of API Gateway's HTTP API, without Mangum and Flask.

Most events of the function are such reviews, and need neither library. These serve all other
events: those of other fronts, health checks, and requests without a route. The response to an event
is the same either way; a test compares.

An event takes this path only if the libraries would decide nothing: a plain path with one of the
routes, header fields in ASCII, and a body.
"""

from base64 import b64decode
from collections.abc import Mapping
from contextlib import suppress
from io import BytesIO
from typing import Any, TypeAlias

from msgspec import Struct

from podgraft.lazy_re import lazy_compile
from podgraft.store import DEFAULT_INJECTOR

from . import credentials
from .asgi import source_address
from .faults import JsonResponse
from .webhook import HANDLERS, Webhook

Event: TypeAlias = dict[str, Any]

_ROUTES = "|".join(HANDLERS)
# Flask decides what /inject/inject and /k/inject mean, so such paths do not match.
_PATH = lazy_compile(
    rf"(?:/(?!(?:{_ROUTES}|k)/)(?P<injector>[a-z0-9-]+))?/(?P<route>{_ROUTES})"
    rf"(?:/(?P<path>(?!(?:{_ROUTES})(?:/|$))[A-Za-z0-9_.:=-]+(?:/[A-Za-z0-9_.:=-]+)*))?"
)
# What the web application reads of the header; ``web/credentials.py`` and ``web/webhook.py``.
_FIELDS = {"authorization": "HTTP_AUTHORIZATION", "content-type": "CONTENT_TYPE"}


class ReviewRequest(Struct, frozen=True):
    """What the web application needs for one review."""

    route: str
    injector: str
    path: str
    environ: dict[str, Any]


def respond(webhook: Webhook, event: Event) -> dict[str, Any] | None:
    """Respond to the event of a review; ``None`` if another path must serve the event."""
    request = None
    with suppress(AttributeError, KeyError, TypeError, ValueError):  # an event that AWS never sends
        request = parse_review(event)
    if request is None:
        return None
    response = webhook.respond(request.route, request.injector, request.path, request.environ)
    return to_event_response(response)


def parse_review(event: Event) -> ReviewRequest | None:
    """The review of an event; ``None`` if another path must serve it.

    An event that AWS never sends can also raise ``AttributeError``, ``KeyError``, ``TypeError``, or
    ``ValueError``.
    """
    request_context = event["requestContext"]
    http = request_context["http"]
    is_http_api = event["version"] == "2.0" and "elb" not in request_context
    if not is_http_api or http["method"] != "POST" or not event["rawQueryString"].isascii():
        return None
    if "%" in http["path"]:  # also before the token is taken out of the path
        return None
    environ = _make_environ(event, http)
    if not _copy_fields(event["headers"], environ):
        return None
    return find_review(environ)


def find_review(environ: dict[str, Any]) -> ReviewRequest | None:
    """The review of a POST; ``None`` if only the web application knows what its path means.

    Moves the token of the path to a key of its own.
    """
    credentials.extract_path_token(environ)
    found = _PATH.fullmatch(environ["PATH_INFO"])
    if found is None:
        return None
    return ReviewRequest(
        found["route"], found["injector"] or DEFAULT_INJECTOR, found["path"] or "", environ
    )


def _make_environ(event: Event, http: Mapping[str, Any]) -> dict[str, Any]:
    text: str = event["body"]
    body = b64decode(text) if event.get("isBase64Encoded", False) else text.encode()
    return {
        "PATH_INFO": http["path"],
        "QUERY_STRING": event["rawQueryString"],
        "REMOTE_ADDR": source_address(http["sourceIp"]),
        "CONTENT_TYPE": "",
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": BytesIO(body),
        "aws.event": event,
    }


def _copy_fields(fields: Mapping[str, str], environ: dict[str, Any]) -> bool:
    """Copy the fields that the application reads; False if one of them is unusual."""
    for name, value in fields.items():
        if not name.isascii() or "_" in name:  # WSGI cannot distinguish "_" and "-"
            return False
        key = _FIELDS.get(name.lower())
        if key is not None:
            if not value.isascii():
                return False
            environ[key] = value
    return True


def to_event_response(response: JsonResponse) -> dict[str, Any]:
    """The response in the form that Lambda returns to a front, as Mangum makes it."""
    headers = {name.lower(): value for name, value in response.headers.items()}
    headers["content-type"] = "application/json"
    headers["content-length"] = str(len(response.body))
    return {
        "statusCode": response.code,
        "headers": headers,
        "body": response.body.decode(),
        "isBase64Encoded": False,
    }
