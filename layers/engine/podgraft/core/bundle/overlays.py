"""Overlays in a bundle.

``podgraft.core.injectors.overlay.overlay`` imports CEL, so it is imported only if the bundle has an
overlay.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podgraft.core.policy import Diagnostics, Policy

from .components import Component
from .errors import Diagnostic
from .manifests import Manifest, Manifests, read_specs

if TYPE_CHECKING:
    from podgraft.core.injectors.overlay.overlay_set import OverlaySet

KIND = "Overlay"


def compile_overlays(manifests: Manifests, _policy: Policy, *, deferred: bool) -> Component:
    """Compile the overlays; an empty component if the bundle has none.

    If ``deferred``, a template is compiled for the first object that matches, and conflicts are not
    searched: the function does not report warnings.
    """
    documents = manifests.of_kind(KIND)
    if not documents:
        return Component()
    from podgraft.core.injectors.overlay import overlay, overlay_set

    found = Diagnostics()
    parsed = [
        overlay.parse_overlay(*spec, deferred=deferred) for spec in read_specs(documents, found)
    ]
    valid = [overlay_ for overlay_ in parsed if overlay_ is not None]
    overlays = overlay_set.sort_overlays(valid, manifests.namespaces)
    return Component(
        pods=(overlays,),
        objects=(overlays,),
        errors=tuple(found.errors),
        warnings=() if found.errors or deferred else tuple(_find_conflicts(overlays, documents)),
    )


def _find_conflicts(overlays: OverlaySet, manifests: tuple[Manifest, ...]) -> Iterator[Diagnostic]:
    """Overlays that set one value differently: the last by name overrides the others."""
    from podgraft.core.injectors.overlay import conflicts

    by_name = {manifest.name: manifest for manifest in manifests}
    for conflict in conflicts.find_conflicts(overlays):
        yield by_name[conflict.second].make_diagnostic(
            "/spec/template",
            f"sets {conflict.path} of {conflict.kind} to {conflict.values[1]}, "
            f"where {conflict.first} sets {conflict.values[0]}",
            "let one overlay set it, or let them match different objects",
        )
