"""The trial of App Mesh: each mesh for a pod that it selects, and meshes that select one pod."""

from collections.abc import Iterator
from itertools import combinations

from msgspec.structs import replace

from podgraft.base.jsonvalue import Object
from podgraft.core.bundle import Bundle, Manifest
from podgraft.core.injectors.appmesh import (
    AppMesh,
    Mesh,
    MeshLabelSelector,
    MeshNamespaceSelector,
    namespaced_name,
)
from podgraft.core.review_context import ReviewContext

from . import probes
from .outcome import try_probes
from .probes import Probe
from .report import Report, make_field_diagnostic

_TEMPLATE = "/spec/awsAppMesh/sidecarPatchConfigMap"
_SELECTOR = "/spec/awsAppMesh/injectionSelector"


def try_meshes(bundle: Bundle, report: Report) -> Iterator[None]:
    """Render the template of every injecting mesh for probe pods; each step is one rendering."""
    manifests = {
        namespaced_name(manifest.object): manifest for manifest in bundle.manifests.of_kind("Mesh")
    }
    for mutator in bundle.pod_mutators:
        if isinstance(mutator, AppMesh):
            for first, second in combinations(mutator.meshes, 2):
                _check_pair(first, second, manifests[second.document], report)
            for mesh in mutator.meshes:
                alone = replace(mutator, meshes=(mesh,))
                yield from _try_mesh(alone, mesh, manifests[mesh.document], report)


def _try_mesh(alone: AppMesh, mesh: Mesh, manifest: Manifest, report: Report) -> Iterator[None]:
    for problem in mesh.check_fields():
        report.add_error(make_field_diagnostic(manifest, _TEMPLATE, problem))

    def mutate(before: Object, context: ReviewContext) -> Object:
        return alone(before, context).object

    observed = report.observe(mutate, manifest, _TEMPLATE)
    outcome = yield from try_probes(observed, _make_selected_probes(mesh))
    if outcome.fails_everywhere:
        failure = outcome.errors[0]
        problem = f"fails for every probe pod: {report.describe(failure.error)}"
        remedy = failure.remedy_in(mesh.template.source.text)
        diagnostic = manifest.make_diagnostic(_TEMPLATE, problem, remedy)
        report.add_error(replace(diagnostic, excerpt=failure.excerpt))
    for each in outcome.first_flaws:
        report.add_error(manifest.make_diagnostic(_TEMPLATE, each.problem, each.flaw.remedy))


def _make_selected_probes(mesh: Mesh) -> Iterator[Probe]:
    """Make probe pods with ports that the mesh selects."""
    labels = {mesh.node_label: "web"}
    namespace = probes.NAMESPACE
    match mesh.selector:
        case MeshLabelSelector(labels=selector_labels):
            labels |= selector_labels
        case MeshNamespaceSelector(namespaces=namespaces):
            namespace = min(namespaces, default=namespace)
    for probe in probes.PODS:
        if "containerPort" in str(probe.object):
            yield probes.with_namespace(probes.with_metadata(probe, labels=labels), namespace)


def _check_pair(first: Mesh, second: Mesh, manifest: Manifest, report: Report) -> None:
    """Report that both meshes can select one pod, which podgraft then denies.

    This is an error if one of them never selects a pod alone.
    """
    remedy = "make their selectors mutually exclusive"
    if _covers(first, second) or _covers(second, first):
        covered = second if _covers(first, second) else first
        problem = (
            f"podgraft denies every pod of mesh {covered.name}: "
            f"meshes {first.name} and {second.name} both select it"
        )
        report.add_error(manifest.make_diagnostic(_SELECTOR, problem, remedy))
    elif _overlaps(first, second):
        problem = f"podgraft denies a pod that mesh {first.name} also selects"
        report.add_warning(manifest.make_diagnostic(_SELECTOR, problem, remedy))


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
    """Whether both can select the same pod."""
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
