"""What Lambda adds: a log and metrics for CloudWatch, segments for X-Ray, starts ahead of need."""

from typing import TYPE_CHECKING

from podgraft.settings import Settings
from podgraft.store import Store

from . import request_log
from .request_log import RequestLog

if TYPE_CHECKING:
    from .tracing import Handler


def make_request_log(settings: Settings) -> RequestLog:
    """Powertools' on Lambda, elsewhere lines on standard output."""
    if not settings.on_lambda:
        return request_log.make_stream_log()
    # Imported here: Powertools is a fifth of a cold start, and nobody else needs it.
    from . import powertools

    return powertools.make_request_log(settings.stack)


def prime(store: Store, settings: Settings) -> None:
    """Review a pod that is nobody's, where nobody waits for the start."""
    if settings.priming_enabled:
        # Imported here: no start on demand does this.
        from . import priming

        priming.prime(store)


def add_tracing(handler: "Handler", settings: Settings) -> "Handler":
    """The handler, in segments for X-Ray where the settings ask for them."""
    if not settings.tracing_enabled:
        return handler
    # Imported here: the SDK of X-Ray would be paid for by those who never trace.
    from . import tracing

    return tracing.add_tracing(handler, settings.stack)
