"""What a template reads of a pod, as paths in the pod instead of paths in the template's data."""

from podgraft.base.field_reads import FieldRead, Path
from podgraft.core.injectors.istio.config import proxyconfig
from podgraft.core.injectors.istio.releases import Profile
from podgraft.golang.texttemplate import Program

from . import template_data
from .template_data import dot_type, opaque_types

# The fields of the dot that are parts of the pod. DeploymentMeta is the pod's metadata in releases
# before 1.22, and contains only names since then.
_PARTS: dict[str, Path] = {
    "DeploymentMeta": ("metadata",),
    "ObjectMeta": ("metadata",),
    "Spec": ("spec",),
}
_IMAGES = ("ProxyImage", "ProxyInitImage")
_CONFIGS = ("ProxyConfig", "MeshConfig")


def find_pod_reads(program: Program, name: str, profile: Profile) -> tuple[FieldRead, ...]:
    """Return the reads of the pod by a template; the rest of its data is the operator's."""
    source = f'template "{name}"'
    reads: list[FieldRead] = []
    for read in program.find_reads(dot_type(profile), opaque_types(profile)):
        path = _find_pod_path(read.path, profile)
        if path is not None:
            reads.append(FieldRead(source, path, read.kind, read.line))
    return tuple(dict.fromkeys(reads))


def _find_pod_path(path: Path, profile: Profile) -> Path | None:
    if not path:
        return ()
    first, *rest = path
    if first == "DeploymentMeta" and profile.deployment_meta_names_only:
        rest = [str(name).lower() for name in rest]  # the fields have no JSON names
    if first in _PARTS:
        return (*_PARTS[first], *rest)
    if first in _CONFIGS:
        return ("metadata", "annotations", proxyconfig.annotation_name(profile))
    if first in _IMAGES:
        return ("metadata", "annotations", template_data.TYPE_ANNOTATION)
    return None
