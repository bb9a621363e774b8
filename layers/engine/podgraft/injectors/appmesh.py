"""AWS App Mesh injection as supergloo configured it: Mesh documents and a patch template each.

A mesh with ``enableAutoInject`` selects pods by label or namespace, and names a ConfigMap. The only
entry of the ConfigMap is a Go template of containers, which are appended to the pods of the mesh.
The service ended in 2026; podgraft supports the format for existing documents.

Differences from the original: a pod with the containers is not changed, a template can add volumes
and imagePullSecrets, an unknown region is a warning, and values with YAML syntax are refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from podgraft import texttemplate, yaml
from podgraft.go.reflect import STRING, Field, Struct, struct_type
from podgraft.go.reflect.taint import Address, PlaceholderRegistry
from podgraft.jsonvalue import JSON, Object
from podgraft.patch import pointer
from podgraft.review_context import ReviewContext
from podgraft.texttemplate import DEFAULT_LIMITS, Limits

from .errors import Diagnostic, InjectionError, InvalidDocumentsError, OperatorError, UserError
from .mutation import Mutation
from .plain_text import is_plain_text, path_steps
from .structure_guard import GuardedTemplate, StructureError, find_failing_text, render_guarded

if TYPE_CHECKING:
    from podgraft.texttemplate.field_check import FieldProblem
    from podgraft.trace import Trace

API_VERSION = "supergloo.solo.io/v1"
DEFAULT_CONFIG_MAP = "sidecar-injector"

# The regions of App Mesh (docs.aws.amazon.com/general/latest/gr/appmesh.html).
REGIONS = frozenset(
    """
    af-south-1 ap-east-1 ap-northeast-1 ap-northeast-2 ap-northeast-3 ap-south-1 ap-southeast-1
    ap-southeast-2 ap-southeast-3 ca-central-1 cn-north-1 cn-northwest-1 eu-central-1 eu-north-1
    eu-south-1 eu-west-1 eu-west-2 eu-west-3 il-central-1 me-south-1 sa-east-1 us-east-1 us-east-2
    us-west-1 us-west-2
    """.split()  # noqa: SIM905 - a list of strings would be a page long
)

# The lists that a template can add to, in the order in which they are appended.
LISTS = ("containers", "initContainers", "volumes", "imagePullSecrets")

_DATA = struct_type("TemplateData")
_DATA.fields = tuple(
    Field(name, STRING, name) for name in ("MeshName", "VirtualNodeName", "AwsRegion", "AppPort")
)


_NODE, _PORTS = "VirtualNodeName", "AppPort"


class _MisshapenError(Exception):
    """A rendered template is YAML, but not a patch."""


_FAILURES = (
    texttemplate.ExecError,
    texttemplate.LimitError,
    yaml.NotYAMLError,
    _MisshapenError,
)


class MeshLabelSelector(msgspec.Struct, frozen=True):
    """``labelSelector``: pods that have all of these labels."""

    labels: Mapping[str, str]

    def selects(self, labels: Mapping[str, JSON], _namespace: str) -> bool:
        """Whether a pod with these labels is selected."""
        return all(labels.get(key) == value for key, value in self.labels.items())

    def describe(self, *, is_match: bool) -> str:
        """A sentence for people: whether the selector selects the pod."""
        labels = ", ".join(f"{key}={value}" for key, value in sorted(self.labels.items()))
        return f"{_VERBS[is_match]} the pod: labelSelector {labels or 'without labels'}"


class MeshNamespaceSelector(msgspec.Struct, frozen=True):
    """``namespaceSelector``: pods of these namespaces."""

    namespaces: frozenset[str]

    def selects(self, _labels: Mapping[str, JSON], namespace: str) -> bool:
        """Whether a pod of this namespace is selected."""
        return namespace in self.namespaces

    def describe(self, *, is_match: bool) -> str:
        """A sentence for people: whether the selector selects the pod."""
        names = ", ".join(sorted(self.namespaces))
        return f"{_VERBS[is_match]} the pod: namespaceSelector {names or 'without namespaces'}"


_VERBS = {True: "selects", False: "does not select"}


class Mesh(msgspec.Struct, frozen=True, kw_only=True):
    """A compiled mesh; ``document`` is its ``namespace/name``."""

    name: str
    document: str
    region: str
    node_label: str
    selector: MeshLabelSelector | MeshNamespaceSelector
    template: texttemplate.Program

    def check_fields(self) -> tuple[FieldProblem, ...]:
        """Return the fields that the template reads and its data cannot have."""
        return self.template.check_fields(_DATA)

    def render(self, node: str, ports: str, limits: Limits = DEFAULT_LIMITS) -> Object:
        """Render the additions to a pod: lists by name.

        Raises ``OperatorError``, or ``UserError`` if the pod's text is the cause.
        """
        template = self._make_guarded_template(node, ports, limits)
        try:
            return render_guarded(
                template, is_harmless=is_plain_text(node) and is_plain_text(ports)
            )
        except StructureError as error:
            raise UserError(
                f"{self._describe_address(error.address)}: its text would change the structure of "
                f"the patch template of mesh {self.name}; use letters, digits, dashes, and dots"
            ) from error
        except _FAILURES as error:
            raise self._classify_error(error, template) from error

    def _make_guarded_template(
        self, node: str, ports: str, limits: Limits
    ) -> GuardedTemplate[Object]:
        return GuardedTemplate(
            f"mesh {self.name}",
            self.template,
            lambda: self._make_dot(node, ports),
            lambda slots: self._taint_dot(slots, node, ports),
            _parse_additions,
            limits,
        )

    def _make_dot(self, node: str, ports: str) -> Struct:
        data: Object = {
            "MeshName": self.name,
            "VirtualNodeName": node,
            "AwsRegion": self.region,
            "AppPort": ports,
        }
        return Struct(_DATA, data)

    def _taint_dot(self, slots: PlaceholderRegistry, node: str, ports: str) -> Struct:
        return self._make_dot(
            slots.taint_string(node, (None, _NODE)), slots.taint_string(ports, (None, _PORTS))
        )

    def _classify_error(
        self, error: Exception, template: GuardedTemplate[Object]
    ) -> InjectionError:
        """The error of the pod's author or of the operator, by the cause of the failure."""
        address = find_failing_text(template, _can_parse)
        is_misshapen = isinstance(error, _MisshapenError)
        problem = f"the patch template {'gives' if is_misshapen else 'fails:'} {error}"
        if address is None or path_steps(address) != (_NODE,):  # ports are numbers
            return OperatorError(f"mesh {self.name}: {problem}")
        return UserError(f"{self._describe_address(address)}: mesh {self.name}: {problem}")

    def _describe_address(self, address: Address) -> str:
        """The place as the pod's author addresses it."""
        return (
            f"pod label {self.node_label}" if path_steps(address) == (_NODE,) else "the pod's ports"
        )


def _parse_additions(text: str) -> Object:
    rendered = yaml.load(text)
    problem = _shape_problem(rendered)
    if problem:
        raise _MisshapenError(problem)
    return rendered if isinstance(rendered, dict) else {}


def _can_parse(text: str) -> bool:
    try:
        _parse_additions(text)
    except _FAILURES:
        return False
    return True


class AppMesh(msgspec.Struct, frozen=True, kw_only=True):
    """All meshes of a bundle that inject, and the ConfigMaps of their templates."""

    meshes: tuple[Mesh, ...]
    used_config_maps: tuple[Object, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()

    def inject(self, pod: Object, context: ReviewContext) -> Mutation:
        """Add the containers of the pod's mesh; raises ``UserError`` or ``OperatorError``."""
        trace = context.trace
        mesh = self._select_mesh(pod, context.namespace, trace)
        if mesh is None:
            return Mutation.from_unchanged(pod)
        node, ports = _virtual_node(mesh, pod), _container_ports(pod)
        additions = mesh.render(node, ports, context.limits)
        spec = _object(pod.get("spec"))
        present = _container_names(additions) & _container_names(spec)
        if trace is not None:
            _add_step(trace, mesh, present)
        if present:
            return Mutation.from_unchanged(pod)
        return Mutation.from_objects(pod, {**pod, "spec": _append_containers(spec, additions)})

    def _select_mesh(self, pod: Object, request_namespace: str, trace: Trace | None) -> Mesh | None:
        metadata = _object(pod.get("metadata"))
        namespace = metadata.get("namespace")
        if not isinstance(namespace, str) or not namespace:
            namespace = request_namespace
        labels = _object(metadata.get("labels"))
        selecting = [mesh for mesh in self.meshes if mesh.selector.selects(labels, namespace)]
        if trace is not None:
            for mesh in self.meshes:
                observed = mesh.selector.describe(is_match=mesh in selecting)
                trace.add(f"mesh {mesh.name}", observed)
        if len(selecting) > 1:
            names = ", ".join(sorted(mesh.name for mesh in selecting))
            raise UserError(f"the pod matches several meshes: {names}; let one select it")
        return selecting[0] if selecting else None


def compile_(meshes: Sequence[Object], config_maps: Sequence[Object]) -> AppMesh:
    """Compile the Mesh documents that inject, and ignore others.

    Raises ``InvalidDocumentsError``; a diagnostic's ``document`` is the mesh as
    ``namespace/name``.
    """
    # Of duplicates, the first counts.
    by_name = {namespaced_name(config_map): config_map for config_map in reversed(config_maps)}
    readers = [_MeshReader(mesh, by_name, []) for mesh in meshes if _is_injecting(mesh)]
    compiled = [mesh for reader in readers if (mesh := reader.parse()) is not None]
    errors = tuple(error for reader in readers for error in reader.errors)
    warnings = tuple(warning for reader in readers for warning in reader.warnings())
    if errors:
        raise InvalidDocumentsError(errors, warnings)
    used = [used for reader in readers if (used := reader.config_map()) is not None]
    return AppMesh(meshes=tuple(compiled), used_config_maps=tuple(used), warnings=warnings)


def namespaced_name(document: Object) -> str:
    """``namespace/name`` of an object."""
    metadata = _object(document.get("metadata"))
    return f"{metadata.get('namespace', '')}/{metadata.get('name', '')}"


def _is_injecting(mesh: Object) -> bool:
    return _object(_object(mesh.get("spec")).get("awsAppMesh")).get("enableAutoInject") is True


class _MeshReader(msgspec.Struct):
    """Parses one Mesh and collects its errors."""

    mesh: Object
    config_maps: Mapping[str, Object]
    errors: list[Diagnostic]

    @property
    def _spec(self) -> Object:
        return _object(_object(self.mesh.get("spec")).get("awsAppMesh"))

    def parse(self) -> Mesh | None:
        """The mesh, or ``None`` with errors collected."""
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
        try:  # a template that fails for a harmless pod fails for every pod
            mesh.render("node", "80")
        except (OperatorError, UserError) as error:
            self._add_error("/sidecarPatchConfigMap", str(error), "correct the template there")
        return mesh

    def warnings(self) -> Iterator[Diagnostic]:
        """The problems of the mesh that can be intended."""
        region = self._spec.get("region")
        if isinstance(region, str) and region not in REGIONS:
            yield Diagnostic(
                document=namespaced_name(self.mesh),
                pointer=f"{_PATH}/region",
                problem=f"{region} is no region where App Mesh was known to be served",
                remedy=f"use one of {', '.join(sorted(REGIONS))}",
            )

    def config_map(self) -> Object | None:
        """The ConfigMap of the template: by default ``sidecar-injector``, next to the mesh."""
        return self.config_maps.get(self._config_map_name())

    def _config_map_name(self) -> str:
        reference = _object(self._spec.get("sidecarPatchConfigMap"))
        namespace = _object(self.mesh.get("metadata")).get("namespace", "")
        name = reference.get("name") or DEFAULT_CONFIG_MAP
        return f"{reference.get('namespace') or namespace}/{name}"

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
        for unsupported in ("upstreamSelector", "serviceSelector"):
            if unsupported in selector:
                return self._add_error(
                    f"{path}/{unsupported}",
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
        mesh = namespaced_name(self.mesh)
        error = Diagnostic(document=mesh, pointer=_PATH + path, problem=problem, remedy=remedy)
        self.errors.append(error)


_PATH = "/spec/awsAppMesh"


def _virtual_node(mesh: Mesh, pod: Object) -> str:
    """The virtual node in the pod's label, which is not looked up."""
    labels = _object(_object(pod.get("metadata")).get("labels"))
    node = labels.get(mesh.node_label)
    label = f"pod label {mesh.node_label}"
    if not isinstance(node, str) or not node:
        raise UserError(
            f"{label}: is missing; mesh {mesh.name} wants the virtual node's name in it"
        )
    if not is_plain_text(node):
        raise UserError(f"{label}: {node!r} is no name; use letters, digits, dashes and dots")
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
    """The problem with the shape of a rendered template; empty if it has none."""
    if not isinstance(rendered, dict):
        return "no mapping of lists"
    for key, value in rendered.items():
        if key not in LISTS:
            return f"{key}, where only {', '.join(LISTS)} are known"
        if not isinstance(value, list) or not all(isinstance(element, dict) for element in value):
            return f"no list of mappings at {pointer.escape(key)}"
    return ""


def _add_step(trace: Trace, mesh: Mesh, present: set[str]) -> None:
    if present:
        observed = f"the pod already has {', '.join(sorted(present))}"
        trace.add(f"mesh {mesh.name}, template", observed)
    else:
        trace.add(f"mesh {mesh.name}, template", "adds its containers", "injects")


def _container_names(spec: Object) -> set[str]:
    """The names of all containers."""
    return {
        name
        for key in ("containers", "initContainers")
        for container in _list(spec.get(key))
        if isinstance(name := _object(container).get("name"), str)
    }


def _append_containers(spec: Object, additions: Object) -> Object:
    lists = {key: [*_list(spec.get(key)), *_list(additions.get(key))] for key in LISTS}
    return {**spec, **{key: value for key, value in lists.items() if value != spec.get(key, [])}}


def _object(value: JSON) -> Object:
    return value if isinstance(value, dict) else {}


def _list(value: JSON) -> list[JSON]:
    return value if isinstance(value, list) else []
