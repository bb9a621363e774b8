"""The compiler of Mesh documents and the ConfigMaps of their templates."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from podgraft.base.jsonvalue import Object, list_at, object_at
from podgraft.core.injectors.errors import (
    Diagnostic,
    InvalidDocumentsError,
    OperatorError,
    UserError,
)
from podgraft.golang import texttemplate

from .injection import AppMesh
from .mesh import Mesh, MeshLabelSelector, MeshNamespaceSelector

DEFAULT_CONFIG_MAP = "sidecar-injector"
_PATH = "/spec/awsAppMesh"

# The regions of App Mesh (docs.aws.amazon.com/general/latest/gr/appmesh.html).
_REGIONS = frozenset(
    """
    af-south-1 ap-east-1 ap-northeast-1 ap-northeast-2 ap-northeast-3 ap-south-1 ap-southeast-1
    ap-southeast-2 ap-southeast-3 ca-central-1 cn-north-1 cn-northwest-1 eu-central-1 eu-north-1
    eu-south-1 eu-west-1 eu-west-2 eu-west-3 il-central-1 me-south-1 sa-east-1 us-east-1 us-east-2
    us-west-1 us-west-2
    """.split()  # noqa: SIM905 - a list of strings would be a page long
)


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
    metadata = object_at(document, "metadata")
    return f"{metadata.get('namespace', '')}/{metadata.get('name', '')}"


def _is_injecting(mesh: Object) -> bool:
    return object_at(mesh, "spec", "awsAppMesh").get("enableAutoInject") is True


class _MeshReader(msgspec.Struct):
    """Parses one Mesh and collects its errors."""

    mesh: Object
    config_maps: Mapping[str, Object]
    errors: list[Diagnostic]

    @property
    def _spec(self) -> Object:
        return object_at(self.mesh, "spec", "awsAppMesh")

    def parse(self) -> Mesh | None:
        """The mesh, or ``None`` with errors collected."""
        selector, template = self._parse_selector(), self._parse_template()
        region = self._read_string("region", "name the AWS region of the mesh")
        label = self._read_string("virtualNodeLabel", "name the label of the virtual node")
        if self.errors or selector is None or template is None:
            return None
        name = str(object_at(self.mesh, "metadata").get("name", ""))
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
        if isinstance(region, str) and region not in _REGIONS:
            yield Diagnostic(
                f"{region} is no region where App Mesh was known to be served",
                f"use one of {', '.join(sorted(_REGIONS))}",
                document=namespaced_name(self.mesh),
                pointer=f"{_PATH}/region",
            )

    def config_map(self) -> Object | None:
        """The ConfigMap of the template: by default ``sidecar-injector``, next to the mesh."""
        return self.config_maps.get(self._config_map_name())

    def _config_map_name(self) -> str:
        reference = object_at(self._spec, "sidecarPatchConfigMap")
        namespace = object_at(self.mesh, "metadata").get("namespace", "")
        name = reference.get("name") or DEFAULT_CONFIG_MAP
        return f"{reference.get('namespace') or namespace}/{name}"

    def _parse_template(self) -> texttemplate.Program | None:
        path, config_map = "/sidecarPatchConfigMap", self.config_map()
        if config_map is None:
            problem = f"the ConfigMap {self._config_map_name()} is not in the bundle"
            return self._add_error(path, problem, "add it, or name another")
        entries = object_at(config_map, "data")
        if len(entries) != 1:
            problem = f"the ConfigMap {self._config_map_name()} has {len(entries)} entries in data"
            return self._add_error(path, problem, "give it exactly one, the template")
        try:
            text = str(*entries.values())
            return texttemplate.compile_(text, name="patch", functions={})
        except (texttemplate.TemplateError, texttemplate.LimitError) as error:
            return self._add_error(path, f"the template does not parse: {error}", error.remedy)

    def _parse_selector(self) -> MeshLabelSelector | MeshNamespaceSelector | None:
        path = "/injectionSelector"
        selector = object_at(self._spec, "injectionSelector")
        for unsupported in ("upstreamSelector", "serviceSelector"):
            if unsupported in selector:
                remedy = "use labelSelector or namespaceSelector"
                return self._add_error(f"{path}/{unsupported}", "is not supported", remedy)
        if "labelSelector" in selector:
            labels = object_at(selector, "labelSelector", "labelsToMatch")
            return MeshLabelSelector({key: str(value) for key, value in labels.items()})
        if "namespaceSelector" in selector:
            names = list_at(selector, "namespaceSelector", "namespaces")
            return MeshNamespaceSelector(frozenset(map(str, names)))
        return self._add_error(path, "is missing", "give it labelSelector or namespaceSelector")

    def _read_string(self, key: str, remedy: str) -> str:
        value = self._spec.get(key)
        if isinstance(value, str) and value:
            return value
        self._add_error(f"/{key}", "is missing", remedy)
        return ""

    def _add_error(self, path: str, problem: str, remedy: str) -> None:
        mesh = namespaced_name(self.mesh)
        error = Diagnostic(problem, remedy, document=mesh, pointer=_PATH + path)
        self.errors.append(error)
