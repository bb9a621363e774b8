"""The callers of all clusters, each from a separate document.

If a document does not load, its cluster keeps the last known good callers, and they are reported as
stale. The documents of the other clusters apply at once, so a revoked token stops to work.
"""

from collections.abc import Mapping

from msgspec import Struct, field

from podgraft.core.review_context import Staleness
from podgraft.core.versions.errors import NotLoadedError, StoreError

from .caller_document import Callers


class LastKnownGood(Struct, frozen=True):
    """Why stored callers are not in force, and when those in force were last the stored ones.

    ``confirmed_at`` is None if the store does not measure it.
    """

    problem: StoreError
    confirmed_at: float | None = None

    def describe(self, cluster: str, now: float) -> Staleness:
        """Return the staleness of the callers of a cluster."""
        is_invalid = isinstance(self.problem, NotLoadedError)
        if self.confirmed_at is None:
            return Staleness(str(self.problem), is_invalid)
        age = round(now - self.confirmed_at)
        subject = f"callers of cluster {cluster}, confirmed {age} s ago, are in force"
        return Staleness(f"{subject}: {self.problem}", is_invalid, age)


class CallerRegistry(Struct, frozen=True):
    """The callers in force by cluster, and the clusters whose stored document is not in force.

    ``last_known_good`` contains the clusters whose newest document does not load, ``load_errors``
    those whose document never loaded. ``outage`` is set if no document can be read, or if the store
    seems to be gone; it concerns all clusters. ``now`` is the time of the clock of the store.
    """

    callers: Mapping[str, Callers] = field(default_factory=dict[str, Callers])
    last_known_good: Mapping[str, LastKnownGood] = field(default_factory=dict[str, LastKnownGood])
    load_errors: Mapping[str, StoreError] = field(default_factory=dict[str, StoreError])
    outage: LastKnownGood | None = None
    now: float = 0.0

    @property
    def unread(self) -> StoreError | None:
        """Why newer callers can be stored than those in force.

        An unknown caller is then not rejected, but the request fails.
        """
        problems = (self.outage, *self.last_known_good.values())
        return next((each.problem for each in problems if each is not None), None)

    def find_stale(self, cluster: str) -> Staleness | None:
        """Return why the callers of a cluster can be out of date, or None."""
        for_all = self.outage if cluster in self.callers else None
        found = self.last_known_good.get(cluster, for_all)
        return None if found is None else found.describe(cluster, self.now)

    def merge(
        self, read: Mapping[str, Callers | StoreError], confirmed: float | None = None
    ) -> "CallerRegistry":
        """Return the callers after another reading; *confirmed* is the time of this one.

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
                last_known_good[cluster] = LastKnownGood(document, since)
            else:
                load_errors[cluster] = document
        return CallerRegistry(callers, last_known_good, load_errors)
