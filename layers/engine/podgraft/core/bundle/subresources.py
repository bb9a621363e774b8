"""Overlays for subresources of pods that podgraft does not change: resize, ephemeralcontainers."""

from collections.abc import Iterator

from podgraft.base.diagnostics import Diagnostic, Severity
from podgraft.base.jsonvalue import object_at, objects_at
from podgraft.core.policy import PROTECTED_SUBRESOURCES

from .manifests import Manifests


def find_warnings(manifests: Manifests) -> Iterator[Diagnostic]:
    """Return a warning for each overlay that names such a subresource."""
    for manifest in manifests.of_kind("Overlay"):
        constraints = object_at(manifest.object, "spec", "matchConstraints")
        for index, rule in enumerate(objects_at(constraints, "resourceRules")):
            resources = rule.get("resources")
            for name in resources if isinstance(resources, list) else ():
                if name in {f"pods/{each}" for each in PROTECTED_SUBRESOURCES}:
                    yield Diagnostic(
                        document=manifest.file,
                        pointer=f"{manifest.path}/spec/matchConstraints/resourceRules/{index}",
                        problem=f"podgraft does not change {name}",
                        remedy=f"remove {name} from resources",
                        severity=Severity.WARNING,
                    )
