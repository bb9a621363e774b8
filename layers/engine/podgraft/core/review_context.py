"""The context of one review: made once, and passed to everything that works on the review.

It is a value. No code on a review's path reads anything about the review from another place: no
context variable, no global, no environment.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from podgraft.base.deadline import Deadline
from podgraft.base.trace import Trace
from podgraft.golang.texttemplate import DEFAULT_LIMITS, Limits
from podgraft.kube.admission import AdmissionRequest


class Staleness(Struct, frozen=True):
    """Why a loaded version may be older than the stored one.

    ``is_invalid``: the store read a newer version, and it does not load. ``age_seconds`` is the
    time since the loaded version was last the stored one, if the store measures it.
    """

    reason: str
    is_invalid: bool
    age_seconds: int = 0


class ReviewContext(Struct, frozen=True, kw_only=True):
    """One review: what it is about, who sends it, and how long it can take.

    ``groups`` are those of the cluster: of the registry, and from the snapshot on those of the
    policy, in their order. ``url_path`` is the URL's path after the route, and ``environment``
    contains the proxy's variables in it, which the review parses once by the release of the
    injector. ``staleness`` is that of the caller list. ``request`` is ``None`` if there is no
    admission request, as in a trial. ``limits`` bound each rendering. ``trace`` records the steps
    for ``podgraft explain``.
    """

    injector: str = ""
    cluster: str | None = None
    groups: tuple[str, ...] = ()
    namespace: str = ""
    url_path: str = ""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    deadline: Deadline | None = None
    staleness: Staleness | None = None
    request: AdmissionRequest | None = None
    limits: Limits = DEFAULT_LIMITS
    trace: Trace | None = None

    def with_request(self, request: AdmissionRequest, trace: Trace | None = None) -> ReviewContext:
        """The context of another request from the same caller."""
        return replace(self, request=request, namespace=request.namespace, trace=trace)
