"""The callers of all clusters, each from a separate document.

If a document does not load, its cluster keeps the last known good callers, and they are reported as
stale. The documents of the other clusters apply at once, so a revoked token stops to work.
"""

from collections.abc import Mapping

from msgspec import Struct, field

from podgraft.core.review_context import Staleness
from podgraft.core.versions.errors import StoreError

from .caller_document import Callers


class CallerRegistry(Struct, frozen=True):
    """The callers in force by cluster, and the clusters whose stored document is not in force.

    ``stale`` contains clusters whose callers can be out of date, ``load_errors`` those whose
    document never loaded. ``unread`` is set if newer callers can be stored than those in force, or
    if the store seems to be gone. An unknown caller is then not rejected, but the request fails.
    """

    callers: Mapping[str, Callers]
    stale: Mapping[str, Staleness] = field(default_factory=dict[str, Staleness])
    load_errors: Mapping[str, StoreError] = field(default_factory=dict[str, StoreError])
    unread: StoreError | None = None


class LastKnownGood(Struct, frozen=True):
    """Why a document did not replace the callers of a cluster, and when they were confirmed."""

    confirmed_at: float
    problem: StoreError


class CallerDocuments(Struct, frozen=True):
    """All documents, as read at one time; the last known good callers if one does not load."""

    callers: Mapping[str, Callers] = field(default_factory=dict[str, Callers])
    last_known_good: Mapping[str, LastKnownGood] = field(default_factory=dict[str, LastKnownGood])
    load_errors: Mapping[str, StoreError] = field(default_factory=dict[str, StoreError])

    @property
    def unread(self) -> StoreError | None:
        """Why the newest document of a cluster is not in force."""
        return next((each.problem for each in self.last_known_good.values()), None)

    def merge(
        self, read: Mapping[str, Callers | StoreError], confirmed: float = 0.0
    ) -> "CallerDocuments":
        """Return the documents after another reading; *confirmed* is the time of this one.

        A cluster without a document has no callers.
        """
        callers: dict[str, Callers] = {}
        last_known_good: dict[str, LastKnownGood] = {}
        load_errors: dict[str, StoreError] = {}
        for cluster, document in read.items():
            if isinstance(document, Callers):
                callers[cluster] = document
            elif cluster in self.callers:
                callers[cluster] = self.callers[cluster]
                before = self.last_known_good.get(cluster)
                since = before.confirmed_at if before else confirmed
                last_known_good[cluster] = LastKnownGood(since, document)
            else:
                load_errors[cluster] = document
        return CallerDocuments(callers, last_known_good, load_errors)
