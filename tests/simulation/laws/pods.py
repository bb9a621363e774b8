"""Laws about what becomes of a pod: with its sidecar, denied, or created without the webhook."""

from __future__ import annotations

from simulation.ledger import Event

from .facts import FORBIDDEN, THROTTLED, UNAUTHORIZED, UNAVAILABLE
from .functions import is_settled
from .law import Law, Review

_CALLERS = frozenset({UNAUTHORIZED, FORBIDDEN})  # which other laws judge
RETRY_SECONDS = 1.0


class Fates(Law):
    """No pod is lost, or without its sidecar, while everything works; a failure is repeated."""

    name = "32 pods"

    def see(self, event: Event) -> None:
        if event.kind != "fate":
            return
        facts, review = event.facts, event.facts["_review"]
        if facts["code"] == UNAVAILABLE and facts["left"] > RETRY_SECONDS + 0.1:
            self.violate(f"{event.lane}: {facts['uid']} was not repeated for {facts['left']:.1f} s")
        if facts["env"] == "gateway" or review["killed"] or facts["code"] in _CALLERS:
            return
        if facts["code"] == 0 and review["cold"]:
            return  # a cold start can take longer than a short timeout
        if is_settled(self.facts, facts["began"], event.time):
            self.violate(f"{event.lane}: {facts['uid']} is {facts['fate']}: {facts['code']}")


class Explained(Law):
    """A failure of a pod that an environment saw has its line in the log."""

    name = "32 pods"

    def see_review(self, review: Review) -> None:
        facts = review.event.facts
        if review.code in {0, THROTTLED} or facts["verb"] != "review":
            return
        if review.code != 200 and not facts["log"].get("fault"):
            self.violate(f"{review}; its log line has no fault: {facts['log']}")


LAWS: tuple[type[Law], ...] = (Fates, Explained)
