"""Who may call, of all clusters: each cluster's document stands alone.

One that does not load leaves its own cluster's last good callers in force, and says so. What the
others say holds at once: above all whom they no longer name.
"""

from collections.abc import Mapping
from dataclasses import field

from podgraft.lazy_dataclass import dataclass
from podgraft.review_context import Staleness

from .caller_document import Callers
from .errors import StoreError


@dataclass(frozen=True, slots=True)
class CallerRegistry:
    """The callers in force by cluster, and where they are not what is stored now.

    ``stale`` says of which clusters they may be older, ``unread`` of which there never were any
    because the document does not load. ``missing`` is set if there is no document at all and the
    store looks as if it were gone: then an unknown caller proves nothing.
    """

    callers: Mapping[str, Callers]
    stale: Mapping[str, Staleness] = field(default_factory=dict[str, Staleness])
    load_errors: Mapping[str, StoreError] = field(default_factory=dict[str, StoreError])
    missing: StoreError | None = None


@dataclass(frozen=True, slots=True)
class LastKnownGood:
    """Callers that a document did not replace, when they were last confirmed, and why."""

    confirmed_at: float
    problem: StoreError


@dataclass(frozen=True, slots=True)
class CallerDocuments:
    """One reading of all documents: what each says or, where it does not load, what it said."""

    callers: Mapping[str, Callers] = field(default_factory=dict[str, Callers])
    last_known_good: Mapping[str, LastKnownGood] = field(default_factory=dict[str, LastKnownGood])
    load_errors: Mapping[str, StoreError] = field(default_factory=dict[str, StoreError])

    def merge(
        self, read: Mapping[str, Callers | StoreError], confirmed: float = 0.0
    ) -> "CallerDocuments":
        """The pages after another reading; *confirmed* is when these were read.

        A cluster whose document is gone has no callers any more.
        """
        callers: dict[str, Callers] = {}
        kept: dict[str, LastKnownGood] = {}
        unread: dict[str, StoreError] = {}
        for cluster, found in read.items():
            if isinstance(found, Callers):
                callers[cluster] = found
            elif cluster in self.callers:
                callers[cluster] = self.callers[cluster]
                before = self.last_known_good.get(cluster)
                kept[cluster] = LastKnownGood(before.confirmed_at if before else confirmed, found)
            else:
                unread[cluster] = found
        return CallerDocuments(callers, kept, unread)
