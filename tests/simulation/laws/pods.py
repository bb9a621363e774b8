"""Laws about what becomes of a pod: with its sidecar, denied, or created without the webhook."""

from __future__ import annotations

import json
from typing import Any

from simulation.ledger import Event
from simulation.names import OTHER_WEBHOOK, REINVOKED

from .facts import FORBIDDEN, OK, THROTTLED, UNAUTHORIZED, UNAVAILABLE
from .functions import is_settled
from .law import Law, Review
from .serving import find_shares
from .states import as_object

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

    name = "32 explained pods"

    def see_review(self, review: Review) -> None:
        facts = review.event.facts
        if review.code in {0, THROTTLED} or facts["verb"] != "review":
            return
        if review.code != 200 and not facts["log"].get("fault"):
            self.violate(f"{review}; its log line has no fault: {facts['log']}")


class Repeated(Law):
    """The same request again, and a reinvocation, change nothing more, and keep the track."""

    name = "27 repeated requests"

    def see(self, event: Event) -> None:
        facts = event.facts
        if event.kind != "review" or facts["verb"] != "again" or facts["code"] != OK:
            return
        first = facts["_first"]
        if REINVOKED in facts["uid"]:
            self._judge_track(event.lane.removeprefix("cluster/"), first, facts)
        if _find_source(first) != _find_source(facts):
            return  # another version came into force, or a brake
        number = int(facts["audit"].get("policy-version", "0"))
        if len(self.facts.find_versions(number, "")) > 1:
            return  # two parameters had a version with this number
        before, after = json.loads(first["_patched"]), json.loads(facts["_patched"])
        for name in OTHER_WEBHOOK:
            after["metadata"].get("labels", {}).pop(name, None)
        if after != before:
            self.violate(f"{facts['uid']} changes more than the first request")

    def _judge_track(self, cluster: str, first: dict[str, Any], facts: dict[str, Any]) -> None:
        """Judge whether the pod of a rollout keeps its track, also if another share is in force."""
        before, after = self._find_rollout(first), self._find_rollout(facts)
        is_same = bool(before) and before.get("id") == after.get("id")
        is_due = is_same and min(find_shares(after, cluster)) > 0
        is_due = is_due and facts["log"].get("candidate") in {"same", "changed", "outside"}
        if is_due and facts["track"] != first["track"]:
            self.violate(f"{facts['uid']} has the track {facts['track']}, not {first['track']}")

    def _find_rollout(self, facts: dict[str, Any]) -> dict[str, Any]:
        """Return the rollout of a response in mode share; empty without one."""
        number = int(facts["audit"].get("policy-version", "0"))
        version = self.facts.find_version(number, facts["policy"]) if facts["policy"] else None
        rollout = as_object(version.fields.get("rollout") if version else None)
        return rollout if rollout.get("mode") == "share" else {}


def _find_source(facts: dict[str, Any]) -> list[Any]:
    """Return what decides about a response: the version, the bundle, groups, and candidate."""
    audit, log = facts["audit"], facts["log"]
    names = ("candidate", "groups", "policy_version")
    return [audit.get("policy-version"), audit.get("bundle"), *(log.get(each) for each in names)]


LAWS: tuple[type[Law], ...] = (Fates, Explained, Repeated)
