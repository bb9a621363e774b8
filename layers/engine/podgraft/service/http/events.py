"""Errors of the handler: every event of Lambda gets a response, and none raises an exception.

Mangum converts the events of AWS, and raises an exception for others. Anyone with the permission
``lambda:InvokeFunction`` can send other events, and any client can send headers that Mangum cannot
parse. An exception would be a Lambda error, with a traceback in the log and an alarm.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias, cast

from podgraft.kube.admission import NotAReviewError

from . import faults
from .request_log import RequestLog, format_traceback

Event: TypeAlias = dict[str, Any]
# The function that Lambda calls with an event and its context.
Handler: TypeAlias = Callable[[Event, Any], dict[str, Any]]

# Mangum derives the unused address of the server from these two. It raises an exception for an
# IPv6 address, for two ports, and for a port that is not a number.
_ADDRESS = frozenset({"host", "x-forwarded-port"})
_PROBLEM = NotAReviewError(
    "event", "is not an HTTP request of API Gateway, a function URL, or a load balancer"
)


def catch_errors(
    handler: Handler,
    request_log: RequestLog,
    respond_to_function: Callable[[Event], dict[str, Any] | None] = lambda _: None,
) -> Handler:
    """Return a handler that responds with 400 to an invalid event, and logs it.

    *respond_to_function* responds to the events of other functions, which are no HTTP requests.
    """

    def handle(event: Event, context: object) -> dict[str, Any]:
        try:
            response = None if "requestContext" in event else respond_to_function(event)
            return handler(_prepare_event(event), context) if response is None else response
        except Exception as error:  # noqa: BLE001  the application handles its own errors
            return _make_fault_response(error, request_log)

    return handle


def _prepare_event(event: Event) -> Event:
    """Return the event without unused headers; raises an exception if it has no path."""
    for text in _texts(event):
        # JSON can contain half of a surrogate pair, or no text. Mangum would log a traceback.
        text.encode()
    changed = {
        name: {
            field: value
            for field, value in cast("Mapping[str, Any]", fields).items()
            if field.lower() not in _ADDRESS
        }
        for name in ("headers", "multiValueHeaders")
        if isinstance(fields := event.get(name), dict)
    }
    return {**event, **changed}


def _texts(event: Event) -> Iterator[str]:
    """The paths and the methods of an event, which must be text."""
    http = event["requestContext"].get("http", {})
    for mapping, names in ((event, ("path", "httpMethod")), (http, ("path", "method"))):
        for name in names:
            if name in mapping:
                yield mapping[name]


def _make_fault_response(error: Exception, request_log: RequestLog) -> dict[str, Any]:
    """Return the response, and log where the conversion failed."""
    reply = faults.fault_response(_PROBLEM)
    request_log(
        {
            "event": "fault",
            "level": "WARNING",
            "origin": "caller",
            "fault": type(_PROBLEM).__name__,
            "code": reply.code,
            "trace": format_traceback(error),
        }
    )
    headers = {"content-type": "application/json", "content-length": str(len(reply.body))}
    body = reply.body.decode()
    return {"statusCode": reply.code, "headers": headers, "body": body, "isBase64Encoded": False}
