"""Overlays for subresources of pods that podgraft does not change: resize, ephemeralcontainers."""

from collections.abc import Iterator

from podgraft.base.diagnostics import Diagnostic
from podgraft.base.jsonvalue import list_at, object_at, objects_at
from podgraft.core.policy import PROTECTED_SUBRESOURCES

from .manifests import Manifests


def find_warnings(manifests: Manifests) -> Iterator[Diagnostic]:
    """Return a warning for each overlay that names such a subresource."""
    for manifest in manifests.of_kind("Overlay"):
        constraints = object_at(manifest.object, "spec", "matchConstraints")
        for index, rule in enumerate(objects_at(constraints, "resourceRules")):
            for name in list_at(rule, "resources"):
                if name in {f"pods/{each}" for each in PROTECTED_SUBRESOURCES}:
                    yield manifest.make_warning(
                        f"/spec/matchConstraints/resourceRules/{index}",
                        f"podgraft does not change {name}",
                        f"remove {name} from resources",
                    )
