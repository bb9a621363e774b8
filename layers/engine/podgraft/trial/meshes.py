"""The trial of App Mesh: each mesh for a pod that it selects, and pairs that select one pod."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from podgraft.bundle import AppMeshMutator, Bundle, Manifest
from podgraft.injectors.appmesh import (
    Mesh,
    MeshLabelSelector,
    MeshNamespaceSelector,
    namespaced_name,
)
from podgraft.jsonvalue import Object
from podgraft.review_context import ReviewContext

from . import probes
from .outcome import attempts
from .probes import Probe
from .report import Report, field_fault

_TEMPLATE = "/spec/awsAppMesh/sidecarPatchConfigMap"
_SELECTOR = "/spec/awsAppMesh/injectionSelector"


def steps(bundle: Bundle, report: Report) -> Iterator[None]:
    """Try every mesh of the bundle that injects; each step is one rendering."""
    holders = {namespaced_name(found.object): found for found in bundle.manifests.of_kind("Mesh")}
    for graft in bundle.pod_mutators:
        if isinstance(graft, AppMeshMutator):
            meshes = graft.meshes.meshes
            for first, second in combinations(meshes, 2):
                _compare(first, second, holders[second.document], report)
            for mesh in meshes:
                sole = replace(graft, meshes=replace(graft.meshes, meshes=(mesh,)))
                yield from _try(sole, mesh, holders[mesh.document], report)


def _try(graft: AppMeshMutator, mesh: Mesh, holder: Manifest, report: Report) -> Iterator[None]:
    for problem in mesh.check_fields():
        report.error(field_fault(holder, _TEMPLATE, problem))

    def change(before: Object, context: ReviewContext) -> Object:
        return graft(before, context).object

    outcome = yield from attempts(change, _selected(mesh))
    if outcome.fails_everywhere:
        failure = outcome.errors[0]
        problem = f"fails for every probe pod: {report.describe_failure(failure)}"
        remedy = failure.remedy_in(mesh.template.source.text)
        fault = holder.make_diagnostic(_TEMPLATE, problem, remedy)
        report.error(replace(fault, excerpt=failure.drawing))
    for failure in outcome.first_flaws:
        if failure.flaw is not None:
            problem = f"for {failure.probe.name}, {failure.flaw.problem}"
            report.error(holder.make_diagnostic(_TEMPLATE, problem, failure.flaw.remedy))


def _selected(mesh: Mesh) -> Iterator[Probe]:
    """Probe pods that have ports, and that the mesh selects."""
    labels = {mesh.node_label: "web"}
    namespace = probes.NAMESPACE
    match mesh.selector:
        case MeshLabelSelector(labels=wanted):
            labels |= wanted
        case MeshNamespaceSelector(namespaces=namespaces):
            namespace = min(namespaces, default=namespace)
    for probe in probes.PODS:
        if "containerPort" in str(probe.object):
            yield probes.in_namespace(probes.with_metadata(probe, labels=labels), namespace)


def _compare(first: Mesh, second: Mesh, holder: Manifest, report: Report) -> None:
    """Report that both can select one pod, which podgraft denies then.

    It is an error if one of them never selects a pod alone.
    """
    remedy = "let their selectors exclude each other"
    if _covers(first, second) or _covers(second, first):
        narrow = second if _covers(first, second) else first
        problem = (
            f"podgraft denies every pod of mesh {narrow.name}: "
            f"meshes {first.name} and {second.name} both select it"
        )
        report.error(holder.make_diagnostic(_SELECTOR, problem, remedy))
    elif _overlaps(first, second):
        problem = f"podgraft denies a pod that mesh {first.name} selects as well"
        report.warning(holder.make_diagnostic(_SELECTOR, problem, remedy))


def _covers(wide: Mesh, narrow: Mesh) -> bool:
    """Whether *wide* selects each pod that *narrow* selects."""
    match wide.selector, narrow.selector:
        case MeshLabelSelector(labels=few), MeshLabelSelector(labels=many):
            return few.items() <= many.items()
        case MeshNamespaceSelector(namespaces=many), MeshNamespaceSelector(namespaces=few):
            return bool(few) and few <= many
        case MeshLabelSelector(labels=labels), MeshNamespaceSelector(namespaces=namespaces):
            return not labels and bool(namespaces)
        case _:
            return False


def _overlaps(first: Mesh, second: Mesh) -> bool:
    """Whether a pod can be selected by both."""
    match first.selector, second.selector:
        case MeshLabelSelector(labels=left), MeshLabelSelector(labels=right):
            return all(right.get(key, value) == value for key, value in left.items())
        case MeshNamespaceSelector(namespaces=left), MeshNamespaceSelector(namespaces=right):
            return bool(left & right)
        case (MeshNamespaceSelector(namespaces=names), _) | (
            _,
            MeshNamespaceSelector(namespaces=names),
        ):
            return bool(names)
        case _:
            return False
