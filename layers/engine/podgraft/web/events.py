"""Lambda's events, made safe for Mangum: whatever the event, there is a response and no exception.

Mangum converts events as AWS sends them, and raises for others. Anyone with the permission
``lambda:InvokeFunction`` can send others, and any client can send header fields that Mangum cannot
read: an exception would be a Lambda error, with a traceback in the log and an alarm.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, cast

from podgraft.admission import NotAReviewError

from . import faults
from .request_log import RequestLog, format_traceback

Event: TypeAlias = dict[str, Any]
# What Lambda calls with an event and its context.
Handler: TypeAlias = Callable[[Event, Any], dict[str, Any]]

# Mangum derives the server's address from these two, which nothing uses, and raises for an IPv6
# address, for two ports, and for a port that is not a number.
_ADDRESS = frozenset({"host", "x-forwarded-port"})
_PROBLEM = NotAReviewError(
    "event", "is not an HTTP request of API Gateway, a function URL or a load balancer"
)


def guard_handler(handler: Handler, journal: RequestLog) -> Handler:
    """The handler, with a response of 400 and one log line for events that are no HTTP request."""

    def answer(event: Event, context: object) -> dict[str, Any]:
        try:
            return handler(_prepare_event(event), context)
        except Exception as error:  # noqa: BLE001  the application answers its own: it is the event
            return _make_fault_response(error, journal)

    return answer


def _prepare_event(event: Event) -> Event:
    """The event without the header fields that nothing uses; raises for one without a path."""
    for path in _paths(event):
        # Half of a surrogate pair, which JSON can hold: Mangum would log it with a traceback.
        path.encode()
    changed = {
        name: _without_address(cast("Mapping[str, Any]", fields))
        for name in ("headers", "multiValueHeaders")
        if isinstance(fields := event.get(name), dict)
    }
    return {**event, **changed}


def _paths(event: Event) -> tuple[str, ...]:
    http = event["requestContext"].get("http", {})
    return tuple(holder["path"] for holder in (event, http) if "path" in holder)


def _without_address(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name.lower() not in _ADDRESS}


def _make_fault_response(error: Exception, journal: RequestLog) -> dict[str, Any]:
    """The response, and a log line that names the place where the conversion ended."""
    reply = faults.fault_response(_PROBLEM)
    journal(
        {
            "event": "fault",
            "level": "WARNING",
            "origin": "caller",
            "fault": type(_PROBLEM).__name__,
            "code": reply.code,
            "trace": format_traceback(error),
        }
    )
    return {
        "statusCode": reply.code,
        "headers": {"content-type": "application/json"},
        "body": reply.body.decode(),
        "isBase64Encoded": False,
    }
