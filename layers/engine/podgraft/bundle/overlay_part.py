"""Overlays in a bundle.

``podgraft.injection.overlay`` brings CEL with it, so it is imported only where there is one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podgraft.jsonvalue import Object
from podgraft.policy import Notes, Policy, Spot
from podgraft.records import dataclass

from .errors import Fault
from .manifests import Manifest, Manifests
from .parts import Call, Grafted, Part

if TYPE_CHECKING:
    from podgraft.injection.overlay import Overlays

KIND = "Overlay"


@dataclass(frozen=True, slots=True)
class OverlayGraft:
    """All overlays of the bundle, in the order of their names."""

    overlays: Overlays

    def __call__(self, before: Object, call: Call) -> Grafted:
        """The object with every overlay on it that is for it."""
        from podgraft.policy import constraints

        request = call.request or constraints.creation(before, call.namespace)
        return Grafted(base=before, object=self.overlays.over(before, request, call.trace))


def part(manifests: Manifests, _policy: Policy, *, deferred: bool) -> Part:
    """Compile the overlays; nothing where the bundle has none."""
    del deferred  # every review uses all of them
    found = manifests.of(KIND)
    if not found:
        return Part()
    from podgraft.injection import overlay

    faults: list[Fault] = []
    compiled = [overlay.read(*spec) for spec in _specs(found, faults)]
    overlays = overlay.ordered([each for each in compiled if each], manifests.namespaces)
    graft = OverlayGraft(overlays)
    return Part(
        pods=(graft,),
        objects=(graft,),
        faults=tuple(faults),
        tolerated=() if faults else tuple(_conflicting(overlays, found)),
    )


def _specs(manifests: tuple[Manifest, ...], faults: list[Fault]) -> Iterator[tuple[Spot, str]]:
    for manifest in manifests:
        notes = Notes()
        yield Spot(manifest.object.get("spec"), "/spec", notes), manifest.name
        faults.extend(
            manifest.fault(fault.path, fault.problem, fault.remedy) for fault in notes.faults
        )


def _conflicting(overlays: Overlays, manifests: tuple[Manifest, ...]) -> Iterator[Fault]:
    """Overlays that set one value differently: the last by name would win."""
    from podgraft.injection import overlay_conflicts

    holders = {manifest.name: manifest for manifest in manifests}
    for conflict in overlay_conflicts.find(overlays):
        yield holders[conflict.second].fault(
            "/spec/template",
            f"sets {conflict.path} of {conflict.kind} to {conflict.values[1]}, "
            f"where {conflict.first} sets {conflict.values[0]}",
            "let one overlay set it, or let them match different objects",
        )
