"""The injection of one pod: the mesh that selects it, and the containers of the mesh's template."""

from collections.abc import Iterator

import msgspec

from podgraft.base.field_reads import FieldRead
from podgraft.base.jsonvalue import Object, list_at, object_at, objects_at
from podgraft.base.trace import Trace
from podgraft.core.injectors.errors import Diagnostic, UserError
from podgraft.core.injectors.mutation import Mutation
from podgraft.core.injectors.plain_text import is_plain_text
from podgraft.core.review_context import ReviewContext
from podgraft.golang.reflect import GoType

from .mesh import LISTS, Mesh


class AppMesh(msgspec.Struct, frozen=True, kw_only=True):
    """All meshes of a bundle that inject, and the ConfigMaps of their templates."""

    meshes: tuple[Mesh, ...]
    used_config_maps: tuple[Object, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()

    def __call__(self, pod: Object, context: ReviewContext, /) -> Mutation:
        """Add the containers of the pod's mesh; raises ``UserError`` or ``OperatorError``."""
        trace = context.trace
        mesh = self._select_mesh(pod, context.namespace, trace)
        if mesh is None:
            return Mutation.from_unchanged(pod)
        node, ports = _virtual_node(mesh, pod), _container_ports(pod)
        additions = mesh.render(node, ports, context.limits)
        spec = object_at(pod, "spec")
        present = _container_names(additions) & _container_names(spec)
        if trace is not None:
            _amend_step(trace, mesh, present)
        if present:
            return Mutation.from_unchanged(pod)
        lists = {key: [*list_at(spec, key), *list_at(additions, key)] for key in LISTS}
        changed = {key: value for key, value in lists.items() if value != spec.get(key, [])}
        return Mutation.from_objects(pod, {**pod, "spec": {**spec, **changed}})

    def find_reads(self, _type: GoType | None, /) -> Iterator[tuple[FieldRead, ...]]:
        """Yield the labels that the meshes read."""
        yield tuple(
            FieldRead(f"mesh {mesh.document}", ("metadata", "labels", key))
            for mesh in self.meshes
            for key in (mesh.node_label, *getattr(mesh.selector, "labels", ()))
        )

    def _select_mesh(self, pod: Object, request_namespace: str, trace: Trace | None) -> Mesh | None:
        metadata = object_at(pod, "metadata")
        namespace = metadata.get("namespace")
        if not isinstance(namespace, str) or not namespace:
            namespace = request_namespace
        labels = object_at(metadata, "labels")
        selecting = [mesh for mesh in self.meshes if mesh.selector.selects(labels, namespace)]
        if trace is not None:
            for mesh in self.meshes:
                observed = mesh.selector.describe(is_match=mesh in selecting)
                trace.add(f"mesh {mesh.name}", observed)
        if len(selecting) > 1:
            names = ", ".join(sorted(mesh.name for mesh in selecting))
            raise UserError(f"the pod matches several meshes: {names}; let one select it")
        return selecting[0] if selecting else None


def _virtual_node(mesh: Mesh, pod: Object) -> str:
    """The virtual node in the pod's label, which is not looked up."""
    labels = object_at(pod, "metadata", "labels")
    node = labels.get(mesh.node_label)
    label = f"pod label {mesh.node_label}"
    if not isinstance(node, str) or not node:
        raise UserError(
            f"{label}: is missing; set it to the name of the virtual node, for mesh {mesh.name}"
        )
    if not is_plain_text(node):
        raise UserError(f"{label}: {node!r} is not a name; use letters, digits, dashes, and dots")
    return node


def _container_ports(pod: Object) -> str:
    """All container ports of the pod, joined by commas."""
    ports = [
        str(port.get("containerPort"))
        for container in objects_at(pod, "spec", "containers")
        for port in objects_at(container, "ports")
    ]
    if not ports:
        raise UserError("the pod has no containerPort; add the ports that App Mesh intercepts")
    return ",".join(ports)


def _amend_step(trace: Trace, mesh: Mesh, present: set[str]) -> None:
    selection = mesh.selector.describe(is_match=True)
    if present:
        observed = f"{selection}; the pod already has {', '.join(sorted(present))}"
        trace.amend(f"mesh {mesh.name}", observed)
    else:
        trace.amend(f"mesh {mesh.name}", f"{selection}, and adds its containers", "injects")


def _container_names(spec: Object) -> set[str]:
    """The names of all containers."""
    return {
        name
        for key in ("containers", "initContainers")
        for container in objects_at(spec, key)
        if isinstance(name := container.get("name"), str)
    }
