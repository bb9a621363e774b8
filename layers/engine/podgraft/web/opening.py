"""What the settings name: the stores, and the journal of the place where this runs."""

import os
from typing import TYPE_CHECKING, assert_never

from podgraft.store import CallerStore, DirectoryCallers, DirectoryStore, Store

from . import journal
from .journal import Journal
from .settings import Aws, Backing, Folder, Settings

if TYPE_CHECKING:
    from .tracing import Handler

# Looking at the files takes a twentieth of a review; a change may wait as long as a blink.
_LOOKS_SECONDS = 0.1


def opened(backing: Backing) -> tuple[Store, CallerStore]:
    """The store of policies and bundles, and the one of callers; nothing is read yet.

    Stores defer what they can of their first load: so the function starts.
    """
    match backing:
        case Folder(path):
            return (
                DirectoryStore(path, deferred=True, seconds=_LOOKS_SECONDS),
                DirectoryCallers(path, seconds=_LOOKS_SECONDS),
            )
        case Aws():
            return _aws(backing)
        case _:
            assert_never(backing)


def journal_of(settings: Settings) -> Journal:
    """On Lambda a log and metrics that CloudWatch reads, elsewhere lines on standard output."""
    if not settings.on_lambda:
        return journal.to()
    # Imported here: Powertools is a fifth of a cold start, and nobody else needs it.
    from . import powertools

    return powertools.journal()


def traced(handler: "Handler", settings: Settings) -> "Handler":
    """The handler, in segments for X-Ray where the settings ask for them."""
    if not settings.traced:
        return handler
    # Imported here: the SDK of X-Ray would be paid for by those who never trace.
    from . import tracing

    return tracing.traced(handler)


def _aws(backing: Aws) -> tuple[Store, CallerStore]:
    # Imported here: a folder needs none of it.
    from podgraft.store.aws import clients
    from podgraft.store.cached import CachedCallers, CachedStore
    from podgraft.store.s3 import Bundles
    from podgraft.store.ssm import Parameters

    ssm, s3 = clients(os.environ, botocore=backing.botocore)
    parameters = Parameters(ssm, backing.parameter_prefix)
    bundles = Bundles(s3, backing.bucket, backing.bundle_prefix)
    return (
        CachedStore(parameters, bundles, backing.refresh_seconds, deferred=True),
        CachedCallers(parameters, backing.refresh_seconds),
    )
