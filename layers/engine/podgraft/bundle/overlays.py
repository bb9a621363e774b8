"""Overlays in a bundle.

``podgraft.injectors.overlay.overlay`` brings CEL with it, so it is imported only where there is one.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podgraft.jsonvalue import Object
from podgraft.lazy_dataclass import dataclass
from podgraft.policy import Cursor, Diagnostics, Policy

from .components import Component, Mutation, MutationContext
from .errors import Diagnostic
from .manifests import Manifest, Manifests

if TYPE_CHECKING:
    from podgraft.injectors.overlay.overlay import OverlaySet

KIND = "Overlay"


@dataclass(frozen=True, slots=True)
class OverlayMutator:
    """All overlays of the bundle, in the order of their names."""

    overlays: OverlaySet

    def __call__(self, before: Object, call: MutationContext) -> Mutation:
        """The object with every overlay on it that is for it."""
        from podgraft.matching import constraints

        request = call.request or constraints.make_create_request(before, call.namespace)
        return Mutation(patch_base=before, object=self.overlays.apply(before, request, call.trace))


def compile_overlays(manifests: Manifests, _policy: Policy, *, deferred: bool) -> Component:
    """Compile the overlays; nothing where the bundle has none."""
    del deferred  # every review uses all of them
    found = manifests.of_kind(KIND)
    if not found:
        return Component()
    from podgraft.injectors.overlay import overlay

    faults: list[Diagnostic] = []
    compiled = [overlay.parse_overlay(*spec) for spec in _overlay_specs(found, faults)]
    overlays = overlay.sort_overlays([each for each in compiled if each], manifests.namespaces)
    graft = OverlayMutator(overlays)
    return Component(
        pods=(graft,),
        objects=(graft,),
        errors=tuple(faults),
        warnings=() if faults else tuple(_find_conflicts(overlays, found)),
    )


def _overlay_specs(
    manifests: tuple[Manifest, ...], faults: list[Diagnostic]
) -> Iterator[tuple[Cursor, str]]:
    for manifest in manifests:
        notes = Diagnostics()
        yield Cursor(manifest.object.get("spec"), "/spec", notes), manifest.name
        faults.extend(
            manifest.make_diagnostic(fault.pointer, fault.problem, fault.remedy)
            for fault in notes.errors
        )


def _find_conflicts(overlays: OverlaySet, manifests: tuple[Manifest, ...]) -> Iterator[Diagnostic]:
    """Overlays that set one value differently: the last by name would win."""
    from podgraft.injectors.overlay import conflicts

    holders = {manifest.name: manifest for manifest in manifests}
    for conflict in conflicts.find_conflicts(overlays):
        yield holders[conflict.second].make_diagnostic(
            "/spec/template",
            f"sets {conflict.path} of {conflict.kind} to {conflict.values[1]}, "
            f"where {conflict.first} sets {conflict.values[0]}",
            "let one overlay set it, or let them match different objects",
        )
