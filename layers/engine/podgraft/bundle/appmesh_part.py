"""App Mesh in a bundle: Mesh documents, and the ConfigMaps that hold their templates.

``podgraft.injection.appmesh`` is imported only where there is one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from podgraft.injection import Fault as DocumentFault
from podgraft.injection import InvalidDocumentsError
from podgraft.jsonvalue import Object
from podgraft.policy import Policy
from podgraft.records import dataclass

from .errors import Fault
from .manifests import Manifest, Manifests
from .parts import Call, Grafted, Part

if TYPE_CHECKING:
    from podgraft.injection import appmesh


@dataclass(frozen=True, slots=True)
class AppMeshGraft:
    """The containers of the pod's mesh."""

    meshes: appmesh.AppMesh

    def __call__(self, before: Object, call: Call) -> Grafted:
        """Inject as supergloo's webhook would."""
        injected = self.meshes.inject(before, call.namespace, call.trace)
        return Grafted(base=before, object=injected)


def part(manifests: Manifests, _policy: Policy, *, deferred: bool) -> Part:
    """Compile the meshes that inject; nothing where the bundle has none."""
    del deferred  # every review uses all of them
    meshes = manifests.of("Mesh")
    if not meshes:
        return Part()
    from podgraft.injection import appmesh

    config_maps = manifests.of("ConfigMap")
    try:
        compiled = appmesh.compile_(
            [mesh.object for mesh in meshes], [found.object for found in config_maps]
        )
    except InvalidDocumentsError as error:
        return Part(
            used=config_maps,
            faults=_placed(error.faults, meshes),
            tolerated=_placed(error.warnings, meshes),
        )
    used = set(map(id, compiled.used))
    return Part(
        pods=(AppMeshGraft(compiled),) if compiled.meshes else (),
        used=tuple(found for found in config_maps if id(found.object) in used),
        tolerated=_placed(compiled.warnings, meshes),
    )


def _placed(faults: Iterable[DocumentFault], meshes: Iterable[Manifest]) -> tuple[Fault, ...]:
    """Faults of meshes as faults of the files that hold them."""
    from podgraft.injection import appmesh

    holders = {appmesh.identity(mesh.object): mesh for mesh in meshes}
    return tuple(
        holders[fault.document].fault(fault.path, fault.problem, fault.remedy) for fault in faults
    )
