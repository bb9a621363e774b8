"""Integration with Lambda: events, the CloudWatch log and metrics, X-Ray segments, and priming."""

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from podgraft.jsonvalue import Object
from podgraft.settings import Settings
from podgraft.store import CallerStore, Store

from . import request_log
from .request_log import RequestLog

if TYPE_CHECKING:
    from .tracing import Handler

_JSON = "application/json"
_DECODER = msgspec.json.Decoder()
_CLIENT = "awslambdaric.lambda_runtime_client"
_CLIENT_CLASSES = ("BaseLambdaRuntimeClient", "LambdaRuntimeClient")  # the second in older versions


class EventMarshaller:
    """The marshaller of Lambda's runtime client with a faster decoder.

    The client decodes events with simplejson. For a pod with 256 KiB of annotations that takes
    5 ms, twice as long as the review. The decoded event is the same here. The original marshaller
    gets what msgspec refuses, for example a lone surrogate, and reports the errors.
    """

    def __init__(self, original: Any) -> None:
        self.original = original
        self.marshal_response = original.marshal_response

    def unmarshal_request(self, request: bytes | str, content_type: str = _JSON) -> Any:
        """Decode an event."""
        if content_type == _JSON:
            with suppress(msgspec.MsgspecError, UnicodeError, RecursionError):
                return _DECODER.decode(request)
        return self.original.unmarshal_request(request, content_type)


def replace_event_decoder() -> None:
    """Replace the marshaller of the runtime client, if this process runs one that has it.

    A function can do so: ``marshaller`` is an attribute of the classes of the client for that
    purpose (awslambdaric, BaseLambdaRuntimeClient).
    """
    module = sys.modules.get(_CLIENT)
    for name in _CLIENT_CLASSES:
        client = getattr(module, name, None)
        original = getattr(client, "__dict__", {}).get("marshaller")
        if client is not None and hasattr(original, "unmarshal_request"):
            client.marshaller = EventMarshaller(original)


def make_request_log(settings: Settings) -> RequestLog:
    """Return the log of Powertools on Lambda, else a log on standard output."""
    if not settings.on_lambda:
        return request_log.make_stream_log(service=settings.stack)
    # Imported here: Powertools takes a fifth of a cold start, and only Lambda needs it.
    from . import powertools

    return powertools.make_request_log(settings.stack, cluster_metrics=settings.cluster_metrics)


def respond_to_functions(
    store: Store, callers: CallerStore, write: RequestLog
) -> Callable[[object], Object | None]:
    """Return a function that responds to the events of ``functions/watch`` and of the probe."""

    def respond(event: object) -> Object | None:
        # Imported here: only these events need them.
        from . import synthetic

        if synthetic.is_synthetic(event):
            return synthetic.SyntheticReviews(store, callers, write).respond(event)
        from . import deployment_check

        if deployment_check.is_deployment_check(event):
            return deployment_check.DeploymentCheck(store, callers, write).respond(event)
        return None

    return respond


def prime(store: Store, settings: Settings) -> None:
    """Review a synthetic pod, with provisioned concurrency or SnapStart."""
    if settings.priming_enabled:
        # Imported here: an on-demand start does not need it.
        from . import priming

        priming.prime(store)


def add_tracing(handler: "Handler", settings: Settings) -> "Handler":
    """Return the handler; if tracing is enabled, one that sends segments to X-Ray."""
    if not settings.tracing_enabled:
        return handler
    # Imported here: only tracing needs the SDK of X-Ray.
    from . import tracing

    return tracing.add_tracing(handler, settings.stack)
