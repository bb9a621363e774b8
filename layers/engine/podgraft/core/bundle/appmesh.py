"""App Mesh in a bundle: Mesh documents, and the ConfigMaps that contain their templates.

``podgraft.core.injectors.appmesh`` is imported only if the bundle has a Mesh.
"""

from __future__ import annotations

from collections.abc import Iterable

from podgraft.core.injectors.errors import InvalidDocumentsError
from podgraft.core.policy import Policy

from .components import Component
from .errors import Diagnostic
from .manifests import Manifest, Manifests


def compile_appmesh(manifests: Manifests, _policy: Policy, *, deferred: bool) -> Component:
    """Compile the meshes that inject; an empty component if the bundle has none."""
    del deferred  # every review uses all of them
    meshes = manifests.of_kind("Mesh")
    if not meshes:
        return Component()
    from podgraft.core.injectors import appmesh

    config_maps = manifests.of_kind("ConfigMap")
    try:
        compiled = appmesh.compile_(
            [mesh.object for mesh in meshes], [config_map.object for config_map in config_maps]
        )
    except InvalidDocumentsError as error:
        return Component(
            used_manifests=config_maps,
            errors=_locate_errors(error.errors, meshes),
            warnings=_locate_errors(error.warnings, meshes),
        )
    used = set(map(appmesh.namespaced_name, compiled.used_config_maps))
    return Component(
        pods=(compiled,) if compiled.meshes else (),
        used_manifests=tuple(
            config_map
            for config_map in config_maps
            if appmesh.namespaced_name(config_map.object) in used
        ),
        warnings=_locate_errors(compiled.warnings, meshes),
    )


def _locate_errors(
    diagnostics: Iterable[Diagnostic], meshes: Iterable[Manifest]
) -> tuple[Diagnostic, ...]:
    """The diagnostics of meshes, located in the files that contain the meshes."""
    from podgraft.core.injectors import appmesh

    manifests = {appmesh.namespaced_name(mesh.object): mesh for mesh in meshes}
    return tuple(manifests[each.document].locate(each) for each in diagnostics)
