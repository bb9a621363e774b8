"""Laws about two versions of the function during a gradual deployment."""

from __future__ import annotations

from typing import Any

from simulation.ledger import Event

from .facts import OVERRIDES_DOCUMENTS, POINTER, POLICY
from .law import Law, Review
from .states import load

REGISTRY_DOCUMENTS = 2


class Readable(Law):
    """No command stores what a version to which the alias routes cannot read."""

    name = "40 documents"

    def see(self, event: Event) -> None:
        if event.kind != "parameter" or not event.facts["by"].startswith("operator/"):
            return
        read = min((each["documents"] for each in self.facts.releases), default=OVERRIDES_DOCUMENTS)
        name, text = event.facts["name"], event.facts["_text"] or ""
        version = self.facts.versions.get(event.facts["version"]) if name == POLICY else None
        if version is not None and version.overrides and read < OVERRIDES_DOCUMENTS:
            self.violate(f"{event.facts['by']} stored overrides; a version reads documents {read}")
        if name == POINTER and text and read < REGISTRY_DOCUMENTS and not load(text).get("copies"):
            self.violate(f"{event.facts['by']} stored a registry alone; a version reads none")


class Routed(Law):
    """Only versions respond to which the alias routes."""

    name = "41 routes"

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._routes: list[tuple[float, set[int]]] = [(-1.0, {1})]
        self._releases: dict[str, int] = {}

    def see(self, event: Event) -> None:
        if event.kind == "alias":
            numbers = {each["release"] for each in event.facts["releases"] if each["weight"]}
            self._routes.append((event.time, numbers))
        elif event.kind == "init":
            self._releases[event.lane] = event.facts["release"]

    def see_review(self, review: Review) -> None:
        number = self._releases.get(review.env)
        if number is None:
            return
        before = [each for each in self._routes if each[0] <= review.began][-1]
        routed = [before, *(each for each in self._routes if each[0] > review.began)]
        if not any(number in numbers for _, numbers in routed):
            self.violate(f"{review}; the alias does not route to version {number} of the code")


LAWS: tuple[type[Law], ...] = (Readable, Routed)
