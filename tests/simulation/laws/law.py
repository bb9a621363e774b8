"""What a law is, and the response that it judges."""

from __future__ import annotations

import re
from dataclasses import dataclass

from simulation.ledger import Event, Ledger

from .facts import SKEW_SECONDS, Facts, find_expiry

_UNKNOWN_POLICY = 'policy: got "'  # a warning about a value that a person wrote


@dataclass(frozen=True, slots=True)
class Review:
    """A response that a cluster got, as the laws see it."""

    event: Event

    @property
    def env(self) -> str:
        """The environment that responded."""
        return self.event.facts["env"]

    @property
    def code(self) -> int:
        """The HTTP status; 0 without a response in time."""
        return self.event.facts["code"]

    @property
    def began(self) -> float:
        """When the cluster sent the request."""
        return self.event.facts["began"]

    @property
    def cluster(self) -> str:
        """The cluster that called."""
        return self.event.lane.removeprefix("cluster/")

    @property
    def is_expired(self) -> bool:
        """Whether the token has ended, or almost: the clocks of environments differ."""
        return self.event.time > find_expiry(self.event.facts["_token"]) - SKEW_SECONDS

    @property
    def is_marked(self) -> bool:
        """Whether the response says that an older version, or old callers, responded."""
        warnings = self.event.facts.get("warnings", [])
        return any(not each.startswith(_UNKNOWN_POLICY) for each in warnings)

    @property
    def is_marked_policy(self) -> bool:
        """Whether the response says that an older version of the policy responded."""
        return any("policy version" in each for each in self.event.facts.get("warnings", []))

    @property
    def version(self) -> int:
        """The version of the policy by the audit annotation."""
        return int(self.event.facts["audit"].get("policy-version", "0"))

    @property
    def track(self) -> str:
        """The track of the response."""
        return self.event.facts.get("track") or "stable"

    def __str__(self) -> str:
        facts = self.event.facts
        mark = "marked" if self.is_marked else "fresh"
        return (
            f"{self.env} answered {facts['uid']} with {self.code}, version "
            f"{facts.get('audit', {}).get('policy-version')}, {facts.get('policy')}, "
            f"{facts.get('bundle')}, {self.track}, {mark}"
        )


class Law:
    """A law. ``name`` is its number and its subject."""

    name = ""

    def __init__(self, facts: Facts, ledger: Ledger) -> None:
        self.facts = facts
        self._ledger = ledger

    def see(self, event: Event) -> None:
        """Judge an event; a response is also given to ``see_review``."""

    def see_review(self, review: Review) -> None:
        """Judge a response."""

    def violate(self, text: str) -> None:
        """Report a violation."""
        self._ledger.violate(self.name, re.sub(r"[0-9a-f]{40,}", "…", text))
