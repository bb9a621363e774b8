"""App Mesh in a bundle: Mesh documents, and the ConfigMaps that hold their templates.

``podgraft.injectors.appmesh`` is imported only where there is one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from podgraft.injectors import InvalidDocumentsError
from podgraft.jsonvalue import Object
from podgraft.lazy_dataclass import dataclass
from podgraft.policy import Policy

from .components import Component, Mutation, MutationContext
from .errors import Diagnostic
from .manifests import Manifest, Manifests

if TYPE_CHECKING:
    from podgraft.injectors import appmesh


@dataclass(frozen=True, slots=True)
class AppMeshMutator:
    """The containers of the pod's mesh."""

    meshes: appmesh.AppMesh

    def __call__(self, before: Object, call: MutationContext) -> Mutation:
        """Inject as supergloo's webhook would."""
        injected = self.meshes.inject(before, call.namespace, call.trace)
        return Mutation(patch_base=before, object=injected)


def compile_appmesh(manifests: Manifests, _policy: Policy, *, deferred: bool) -> Component:
    """Compile the meshes that inject; nothing where the bundle has none."""
    del deferred  # every review uses all of them
    meshes = manifests.of_kind("Mesh")
    if not meshes:
        return Component()
    from podgraft.injectors import appmesh

    config_maps = manifests.of_kind("ConfigMap")
    try:
        compiled = appmesh.compile_(
            [mesh.object for mesh in meshes], [found.object for found in config_maps]
        )
    except InvalidDocumentsError as error:
        return Component(
            used_manifests=config_maps,
            errors=_locate_errors(error.errors, meshes),
            warnings=_locate_errors(error.warnings, meshes),
        )
    used = set(map(id, compiled.used_config_maps))
    return Component(
        pods=(AppMeshMutator(compiled),) if compiled.meshes else (),
        used_manifests=tuple(found for found in config_maps if id(found.object) in used),
        warnings=_locate_errors(compiled.warnings, meshes),
    )


def _locate_errors(
    faults: Iterable[Diagnostic], meshes: Iterable[Manifest]
) -> tuple[Diagnostic, ...]:
    """Faults of meshes as faults of the files that hold them."""
    from podgraft.injectors import appmesh

    holders = {appmesh.namespaced_name(mesh.object): mesh for mesh in meshes}
    return tuple(
        holders[fault.document].make_diagnostic(fault.pointer, fault.problem, fault.remedy)
        for fault in faults
    )
