"""AWS App Mesh injection as supergloo configured it: Mesh documents and a patch template each.

A mesh with ``enableAutoInject`` selects pods by label or namespace and names a ConfigMap whose only
entry is a Go template of containers; a pod of the mesh gets them appended. The service is gone
since 2026; the format is kept for those who have it.

Different from the original: a pod that has the containers is left alone, volumes and
imagePullSecrets may be given too, an unknown region is a warning, and values that could be YAML
syntax are refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from podgraft import texttemplate, yaml
from podgraft.go.reflect import STRING, Field, Struct, struct_type
from podgraft.go.reflect.taint import Address, PlaceholderRegistry
from podgraft.jsonvalue import JSON, Object
from podgraft.lazy_dataclass import dataclass
from podgraft.patch import pointer

from .errors import Diagnostic, InjectionError, InvalidDocumentsError, OperatorError, UserError
from .plain_text import is_harmless, steps
from .structure_guard import failing, failing_source, foreign

if TYPE_CHECKING:
    from podgraft.texttemplate.run.tracing import Trace as RenderingTrace

if TYPE_CHECKING:
    from podgraft.texttemplate.field_check import FieldProblem
    from podgraft.trace import Trace

API_VERSION = "supergloo.solo.io/v1"
DEFAULT_CONFIG_MAP = "sidecar-injector"

# Where App Mesh was served (docs.aws.amazon.com/general/latest/gr/appmesh.html).
REGIONS = frozenset(
    """
    af-south-1 ap-east-1 ap-northeast-1 ap-northeast-2 ap-northeast-3 ap-south-1 ap-southeast-1
    ap-southeast-2 ap-southeast-3 ca-central-1 cn-north-1 cn-northwest-1 eu-central-1 eu-north-1
    eu-south-1 eu-west-1 eu-west-2 eu-west-3 il-central-1 me-south-1 sa-east-1 us-east-1 us-east-2
    us-west-1 us-west-2
    """.split()  # noqa: SIM905 - a list of strings would be a page long
)

# What a template may give a pod, in the order in which it is appended.
LISTS = ("containers", "initContainers", "volumes", "imagePullSecrets")

_DATA = struct_type("TemplateData")
_DATA.fields = tuple(
    Field(name, STRING, name) for name in ("MeshName", "VirtualNodeName", "AwsRegion", "AppPort")
)


_NODE, _PORTS = "VirtualNodeName", "AppPort"


class _MisshapenError(Exception):
    """A rendered template is YAML of another shape than a patch has."""


_FAILURES = (
    texttemplate.ExecError,
    texttemplate.LimitError,
    yaml.NotYAMLError,
    _MisshapenError,
)


@dataclass(frozen=True, slots=True)
class MeshLabelSelector:
    """``labelSelector``: pods that have all of these labels."""

    labels: Mapping[str, str]

    def selects(self, labels: Mapping[str, JSON], _namespace: str) -> bool:
        """Whether a pod with these labels is selected."""
        return all(labels.get(key) == value for key, value in self.labels.items())

    def describe(self, *, is_match: bool) -> str:
        """Whether the selector selects the pod, in words."""
        labels = ", ".join(f"{key}={value}" for key, value in sorted(self.labels.items()))
        return f"{_VERBS[is_match]} the pod: labelSelector {labels or 'without labels'}"


@dataclass(frozen=True, slots=True)
class MeshNamespaceSelector:
    """``namespaceSelector``: pods of these namespaces."""

    namespaces: frozenset[str]

    def selects(self, _labels: Mapping[str, JSON], namespace: str) -> bool:
        """Whether a pod of this namespace is selected."""
        return namespace in self.namespaces

    def describe(self, *, is_match: bool) -> str:
        """Whether the selector selects the pod, in words."""
        names = ", ".join(sorted(self.namespaces))
        return f"{_VERBS[is_match]} the pod: namespaceSelector {names or 'without namespaces'}"


_VERBS = {True: "selects", False: "does not select"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mesh:
    """A mesh that injects; ``document`` is its ``namespace/name``."""

    name: str
    document: str
    region: str
    node_label: str
    selector: MeshLabelSelector | MeshNamespaceSelector
    template: texttemplate.Program

    def check_fields(self) -> tuple[FieldProblem, ...]:
        """Return the fields that the template reads and its data cannot have."""
        return self.template.check_fields(_DATA)

    def render(self, node: str, ports: str) -> Object:
        """What the template gives a pod: lists by name.

        Raises ``OperatorError``, or ``UserError`` if the pod's text is the cause.
        """
        slots = PlaceholderRegistry()
        try:
            if not self.template.can_create_syntax and is_harmless(node) and is_harmless(ports):
                return self._read(self.template.render(self._data(node, ports)))
            trace = self._trace(slots, node, ports)
            additions = self._read(trace.text)
        except _FAILURES as error:
            raise self._blamed(error, node, ports) from error
        place = foreign(trace)
        if place is not None:
            raise UserError(
                f"{self._name(place)}: its text would change the structure of the patch template "
                f"of mesh {self.name}; use letters, digits, dashes, and dots"
            )
        return additions

    def _data(self, node: str, ports: str) -> Struct:
        data: Object = {
            "MeshName": self.name,
            "VirtualNodeName": node,
            "AwsRegion": self.region,
            "AppPort": ports,
        }
        return Struct(_DATA, data)

    def _trace(self, slots: PlaceholderRegistry, node: str, ports: str) -> RenderingTrace:
        """What the template writes, and what of the pod it is made of."""
        data = self._data(
            slots.taint_string(node, (None, _NODE)), slots.taint_string(ports, (None, _PORTS))
        )
        return self.template.trace(data, slots)

    def _read(self, text: str) -> Object:
        rendered = yaml.load(text)
        problem = _shape_problem(rendered)
        if problem:
            raise _MisshapenError(problem)
        return rendered if isinstance(rendered, dict) else {}

    def _reads(self, text: str) -> bool:
        try:
            self._read(text)
        except _FAILURES:
            return False
        return True

    def _blamed(self, error: Exception, node: str, ports: str) -> InjectionError:
        """The cause of a failure: the text of the pod, or the template."""
        slots = PlaceholderRegistry()
        try:
            place = failing(self._trace(slots, node, ports), self._reads)
        except (texttemplate.ExecError, texttemplate.LimitError) as again:
            place = failing_source(slots, again)
        misshapen = isinstance(error, _MisshapenError)
        problem = f"the patch template {'gives' if misshapen else 'fails:'} {error}"
        if place is None or steps(place) != (_NODE,):  # ports are numbers
            return OperatorError(f"mesh {self.name}: {problem}")
        return UserError(f"{self._name(place)}: mesh {self.name}: {problem}")

    def _name(self, place: Address) -> str:
        """How the pod's author knows the place."""
        return f"pod label {self.node_label}" if steps(place) == (_NODE,) else "the pod's ports"


@dataclass(frozen=True, slots=True, kw_only=True)
class AppMesh:
    """All meshes of a bundle that inject; ``used`` are the ConfigMaps of their templates."""

    meshes: tuple[Mesh, ...]
    used_config_maps: tuple[Object, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()

    def inject(self, pod: Object, namespace: str, trace: Trace | None = None) -> Object:
        """The pod with the containers of its mesh; the same pod where there are none to add.

        ``namespace`` is the request's. Raises ``UserError`` or ``OperatorError``.
        """
        mesh = self._mesh_of(pod, namespace, trace)
        if mesh is None:
            return pod
        additions = mesh.render(_virtual_node(mesh, pod), _container_ports(pod))
        spec = _object(pod.get("spec"))
        present = _names(additions) & _names(spec)
        if trace is not None:
            _add_step(trace, mesh, present)
        if present:
            return pod
        return {**pod, "spec": _append_containers(spec, additions)}

    def _mesh_of(self, pod: Object, namespace: str, trace: Trace | None) -> Mesh | None:
        metadata = _object(pod.get("metadata"))
        own = metadata.get("namespace")
        where = own if isinstance(own, str) and own else namespace
        labels = _object(metadata.get("labels"))
        found = [mesh for mesh in self.meshes if mesh.selector.selects(labels, where)]
        if trace is not None:
            for mesh in self.meshes:
                observed = mesh.selector.describe(is_match=mesh in found)
                trace.add(f"mesh {mesh.name}", observed)
        if len(found) > 1:
            names = ", ".join(sorted(mesh.name for mesh in found))
            raise UserError(f"the pod matches several meshes: {names}; let one select it")
        return found[0] if found else None


def compile_(meshes: Sequence[Object], config_maps: Sequence[Object]) -> AppMesh:
    """Compile the Mesh documents that inject; others are left alone.

    Raises ``InvalidDocumentsError``; a fault's ``document`` is the mesh as ``namespace/name``.
    """
    known = {
        namespaced_name(each): each for each in reversed(config_maps)
    }  # of two twins the first
    readers = [_MeshReader(mesh, known, []) for mesh in meshes if _is_injecting(mesh)]
    compiled = [found for reader in readers if (found := reader.parse()) is not None]
    faults = tuple(fault for reader in readers for fault in reader.errors)
    warnings = tuple(warning for reader in readers for warning in reader.warnings())
    if faults:
        raise InvalidDocumentsError(faults, warnings)
    used = [found for reader in readers if (found := reader.config_map()) is not None]
    return AppMesh(meshes=tuple(compiled), used_config_maps=tuple(used), warnings=warnings)


def namespaced_name(document: Object) -> str:
    """``namespace/name`` of an object."""
    metadata = _object(document.get("metadata"))
    return f"{metadata.get('namespace', '')}/{metadata.get('name', '')}"


def _is_injecting(mesh: Object) -> bool:
    return _object(_object(mesh.get("spec")).get("awsAppMesh")).get("enableAutoInject") is True


@dataclass(slots=True)
class _MeshReader:
    """Reads one Mesh and notes its faults."""

    mesh: Object
    config_maps: Mapping[str, Object]
    errors: list[Diagnostic]

    @property
    def _spec(self) -> Object:
        return _object(_object(self.mesh.get("spec")).get("awsAppMesh"))

    def parse(self) -> Mesh | None:
        """The mesh; ``None`` with faults noted."""
        selector, template = self._parse_selector(), self._parse_template()
        region = self._read_string("region", "name the AWS region of the mesh")
        label = self._read_string("virtualNodeLabel", "name the label of the virtual node")
        if self.errors or selector is None or template is None:
            return None
        name = str(_object(self.mesh.get("metadata")).get("name", ""))
        mesh = Mesh(
            name=name,
            document=namespaced_name(self.mesh),
            region=region,
            node_label=label,
            selector=selector,
            template=template,
        )
        try:  # what a template cannot give for a harmless pod it gives for none
            mesh.render("node", "80")
        except (OperatorError, UserError) as error:
            self._add_error("/sidecarPatchConfigMap", str(error), "correct the template there")
        return mesh

    def warnings(self) -> Iterator[Diagnostic]:
        """What is odd about the mesh, but may be right."""
        region = self._spec.get("region")
        if isinstance(region, str) and region not in REGIONS:
            yield Diagnostic(
                document=namespaced_name(self.mesh),
                pointer=f"{_PATH}/region",
                problem=f"{region} is no region where App Mesh was known to be served",
                remedy=f"use one of {', '.join(sorted(REGIONS))}",
            )

    def config_map(self) -> Object | None:
        """The ConfigMap with the template: ``sidecar-injector`` beside the mesh by default."""
        return self.config_maps.get(self._config_map_name())

    def _config_map_name(self) -> str:
        reference = _object(self._spec.get("sidecarPatchConfigMap"))
        own = _object(self.mesh.get("metadata")).get("namespace", "")
        return f"{reference.get('namespace') or own}/{reference.get('name') or DEFAULT_CONFIG_MAP}"

    def _parse_template(self) -> texttemplate.Program | None:
        config_map = self.config_map()
        if config_map is None:
            return self._add_error(
                "/sidecarPatchConfigMap",
                f"the ConfigMap {self._config_map_name()} is not in the bundle",
                "add it, or name another",
            )
        entries = _object(config_map.get("data"))
        if len(entries) != 1:
            return self._add_error(
                "/sidecarPatchConfigMap",
                f"the ConfigMap {self._config_map_name()} has {len(entries)} entries in data",
                "give it exactly one, the template",
            )
        try:
            text = str(*entries.values())
            return texttemplate.compile_(text, name="patch", functions={})
        except (texttemplate.TemplateError, texttemplate.LimitError) as error:
            return self._add_error(
                "/sidecarPatchConfigMap",
                f"the template does not parse: {error}",
                f"correct line {error.line} of it",
            )

    def _parse_selector(self) -> MeshLabelSelector | MeshNamespaceSelector | None:
        path = "/injectionSelector"
        selector = _object(self._spec.get("injectionSelector"))
        for refused in ("upstreamSelector", "serviceSelector"):
            if refused in selector:
                return self._add_error(
                    f"{path}/{refused}",
                    "is not supported",
                    "use labelSelector or namespaceSelector",
                )
        if "labelSelector" in selector:
            labels = _object(_object(selector["labelSelector"]).get("labelsToMatch"))
            return MeshLabelSelector({key: str(value) for key, value in labels.items()})
        if "namespaceSelector" in selector:
            names = _object(selector["namespaceSelector"]).get("namespaces")
            return MeshNamespaceSelector(
                frozenset(map(str, names if isinstance(names, list) else ()))
            )
        return self._add_error(path, "is missing", "give it labelSelector or namespaceSelector")

    def _read_string(self, key: str, remedy: str) -> str:
        value = self._spec.get(key)
        if isinstance(value, str) and value:
            return value
        self._add_error(f"/{key}", "is missing", remedy)
        return ""

    def _add_error(self, path: str, problem: str, remedy: str) -> None:
        place = namespaced_name(self.mesh)
        fault = Diagnostic(document=place, pointer=_PATH + path, problem=problem, remedy=remedy)
        self.errors.append(fault)


_PATH = "/spec/awsAppMesh"


def _virtual_node(mesh: Mesh, pod: Object) -> str:
    """The virtual node that the pod's label names; it need not exist."""
    labels = _object(_object(pod.get("metadata")).get("labels"))
    node = labels.get(mesh.node_label)
    place = f"pod label {mesh.node_label}"
    if not isinstance(node, str) or not node:
        raise UserError(
            f"{place}: is missing; mesh {mesh.name} wants the virtual node's name in it"
        )
    if not is_harmless(node):
        raise UserError(f"{place}: {node!r} is no name; use letters, digits, dashes and dots")
    return node


def _container_ports(pod: Object) -> str:
    """All container ports of the pod, joined by commas."""
    ports = [
        str(_object(port).get("containerPort"))
        for container in _list(_object(pod.get("spec")).get("containers"))
        for port in _list(_object(container).get("ports"))
    ]
    if not ports:
        raise UserError("the pod has no containerPort; App Mesh needs to know what to intercept")
    return ",".join(ports)


def _shape_problem(rendered: JSON) -> str:
    """What is wrong with the shape of a rendered template; empty where nothing is."""
    if not isinstance(rendered, dict):
        return "no mapping of lists"
    for key, value in rendered.items():
        if key not in LISTS:
            return f"{key}, where only {', '.join(LISTS)} are known"
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            return f"no list of mappings at {pointer.escape(key)}"
    return ""


def _add_step(trace: Trace, mesh: Mesh, present: set[str]) -> None:
    if present:
        observed = f"the pod already has {', '.join(sorted(present))}"
        trace.add(f"mesh {mesh.name}, template", observed)
    else:
        trace.add(f"mesh {mesh.name}, template", "adds its containers", "injects")


def _names(spec: Object) -> set[str]:
    """The names of all containers."""
    return {
        name
        for key in ("containers", "initContainers")
        for container in _list(spec.get(key))
        if isinstance(name := _object(container).get("name"), str)
    }


def _append_containers(spec: Object, additions: Object) -> Object:
    more = {key: [*_list(spec.get(key)), *_list(additions.get(key))] for key in LISTS}
    return {**spec, **{key: value for key, value in more.items() if value != spec.get(key, [])}}


def _object(value: JSON) -> Object:
    return value if isinstance(value, dict) else {}


def _list(value: JSON) -> list[JSON]:
    return value if isinstance(value, list) else []
