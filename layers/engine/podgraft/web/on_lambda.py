"""What Lambda adds: a log and metrics for CloudWatch, segments for X-Ray, starts ahead of need."""

from typing import TYPE_CHECKING

from podgraft.settings import Settings
from podgraft.store import Store

from . import journal
from .journal import Journal

if TYPE_CHECKING:
    from .tracing import Handler


def journal_of(settings: Settings) -> Journal:
    """Powertools' on Lambda, elsewhere lines on standard output."""
    if not settings.on_lambda:
        return journal.to()
    # Imported here: Powertools is a fifth of a cold start, and nobody else needs it.
    from . import powertools

    return powertools.journal(settings.stack)


def rehearse(store: Store, settings: Settings) -> None:
    """Review a pod that is nobody's, where nobody waits for the start."""
    if settings.ahead:
        # Imported here: no start on demand does this.
        from . import rehearsal

        rehearsal.rehearse(store)


def traced(handler: "Handler", settings: Settings) -> "Handler":
    """The handler, in segments for X-Ray where the settings ask for them."""
    if not settings.traced:
        return handler
    # Imported here: the SDK of X-Ray would be paid for by those who never trace.
    from . import tracing

    return tracing.traced(handler, settings.stack)
