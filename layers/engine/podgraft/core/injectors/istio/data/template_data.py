"""Template data: a pod, its workload, and the configuration of its proxy."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import msgspec
from msgspec.structs import replace

from podgraft import kube
from podgraft.base.jsonvalue import JSON, Object, object_at
from podgraft.core.injectors.istio.config import protojson, proxyconfig
from podgraft.core.injectors.istio.config.config_map import Values
from podgraft.core.injectors.istio.config.mesh import proxy_of, with_proxy
from podgraft.core.injectors.istio.config.protojson import MESH_CONFIG, PROXY_CONFIG, Message
from podgraft.core.injectors.istio.injector_config import InjectorConfig
from podgraft.core.injectors.istio.pod_builder import pod_annotations
from podgraft.core.injectors.istio.releases import Profile
from podgraft.core.injectors.plain_text import has_only_plain_text
from podgraft.golang import reflect, sprig
from podgraft.golang.reflect import Field, GoType, Method, Pointer, Struct
from podgraft.golang.reflect.taint import Address
from podgraft.kube import QuantityError, quantity
from podgraft.kube.workload_owner import WorkloadRef

from . import mesh_types


class TemplateData(msgspec.Struct, frozen=True, kw_only=True):
    """The template data of one pod, with the ids of its proxy.

    ``pod_config`` is the proxy configuration in the pod's annotation. It is merged over
    ``base_config`` (mesh and namespace) and under ``workload_config`` (a ProxyConfig resource that
    selects the pod). ``is_merged_into_mesh`` states that the annotation is merged into the mesh
    configuration, including explicit zeros.
    """

    config: InjectorConfig
    ids: tuple[int, int]
    pod: Object
    workload: WorkloadRef
    base_config: Message
    pod_config: Message
    workload_config: Message
    is_merged_into_mesh: bool


def effective_proxy(data: TemplateData) -> Message:
    """Merge the layers of the proxy configuration."""
    schema = protojson.schema(data.config.profile)
    if data.is_merged_into_mesh:
        return proxyconfig.merge_layer(schema, data.base_config, data.pod_config)
    merged = proxyconfig.merge_layers(schema, data.base_config, data.pod_config)
    return proxyconfig.merge_layers(schema, merged, data.workload_config)


def make_dot_fields(data: TemplateData) -> Message:
    """Make the fields of the template's dot, by name."""
    config = data.config
    profile, values = config.profile, config.values
    annotations = pod_annotations(data.pod)
    proxy, mesh = _proxy_and_mesh(data)
    workload = data.workload
    identity: Object = {"name": workload.name, "namespace": workload.namespace}
    names: Object = {"Name": workload.name, "Namespace": workload.namespace}
    return {
        "TypeMeta": {"kind": workload.kind, "apiVersion": workload.api_version},
        "DeploymentMeta": names
        if profile.deployment_meta_names_only
        else workload.metadata | identity,
        "ObjectMeta": object_at(data.pod, "metadata"),
        "Spec": object_at(data.pod, "spec"),
        "ProxyConfig": proxy,
        "MeshConfig": mesh,
        "Values": values.raw,
        "Revision": config.revision,
        "EstimatedConcurrency": estimate_concurrency(values.raw, proxy, annotations)
        if profile.estimated_concurrency
        else 0,
        "ProxyImage": proxy_image(profile, values, proxy, annotations),
        "ProxyInitImage": proxy_init_image(values, annotations),
        "ProxyUID": data.ids[0],
        "ProxyGID": data.ids[1],
        "InboundTrafficPolicyMode": _inbound_mode(mesh),
        "CompliancePolicy": config.compliance_policy,
        "NativeSidecars": config.native_sidecars,
    }


def make_dot(config: InjectorConfig, fields: Message, *, mutates_data: bool = False) -> Pointer:
    """Make the dot; a template that mutates its data gets a copy of the shared values."""
    if mutates_data and "Values" in fields:
        fields = fields | {"Values": sprig.deep_copy(config.values.raw)}
    return reflect.pointer_to(dot_type(config.profile)).convert(fields)


def pod_values(data: TemplateData, fields: Message) -> list[JSON]:
    """The values of the dot's fields, without what all pods of the injector share.

    The values of Helm are shared, and the mesh without the configuration of the proxy.
    """
    values = dict(fields)
    if "Values" in values:
        values["Values"] = None
    if "MeshConfig" in values:
        mesh = object_at(values, "MeshConfig")
        values["MeshConfig"] = proxy_of(mesh) if data.is_merged_into_mesh else None
    return [*values.values()]


def find_origin(data: TemplateData, fields: Message) -> JSON:
    """Return what decides which texts of the proxy's configuration the pod's author wrote.

    Equal configurations can have different layers: the same text can be the operator's for one pod,
    and the author's for another one. ``None`` if the fields contain no text of the author's layer.
    """
    if not data.pod_config or not any(name in fields for name in _CONFIGS):
        return None
    layers = (data.base_config, data.pod_config, data.workload_config)
    return [*layers, data.is_merged_into_mesh]


def opaque_types(profile: Profile) -> frozenset[GoType]:
    """Return the types that projections treat as one value.

    These are values and mesh configurations, which many pods share, and types with a custom JSON
    form.
    """
    types = mesh_types.types(protojson.schema(profile))
    meshes = (types.pointer(PROXY_CONFIG), types.pointer(MESH_CONFIG))
    return kube.SELF_MARSHALING | {reflect.ANY_MAP, *meshes}


def replace_author_texts(
    data: TemplateData, fields: Message, change: Callable[[JSON, Address], Any]
) -> Message:
    """Return the ``fields`` with another form of all text of the pod's author: masked, or tainted.

    ``change`` receives a part of the fields, and its address.
    """
    changed = {
        name: change(fields[name], (None, name)) for name in _POD_AUTHOR_FIELDS if name in fields
    }
    if data.pod_config and any(name in fields for name in _CONFIGS):
        layer: Message = change(data.pod_config, (None, "ProxyConfig"))
        configs = zip(_CONFIGS, _proxy_and_mesh(replace(data, pod_config=layer)), strict=True)
        changed |= {name: config for name, config in configs if name in fields}
    return fields | changed


def has_only_plain_fields(data: TemplateData, fields: Message) -> bool:
    """Whether all text of the pod's author in ``fields`` is plain."""
    texts = [fields[name] for name in _POD_AUTHOR_FIELDS if name in fields]
    if any(name in fields for name in _CONFIGS):
        texts.append(data.pod_config)
    return has_only_plain_text(texts)


_CONFIGS = ("ProxyConfig", "MeshConfig")
# The fields with text of the pod's author, except the configuration of the proxy.
_POD_AUTHOR_FIELDS = (
    "TypeMeta",
    "DeploymentMeta",
    "ObjectMeta",
    "Spec",
    "EstimatedConcurrency",
    "ProxyImage",
    "ProxyInitImage",
)


def _proxy_and_mesh(data: TemplateData) -> tuple[Message, Message]:
    proxy, mesh = effective_proxy(data), data.config.mesh
    return proxy, with_proxy(mesh, proxy) if data.is_merged_into_mesh else mesh


def _inbound_mode(mesh: Message) -> str:
    mode = object_at(mesh, "inboundTrafficPolicy").get("mode")
    return "localhost" if mode == "LOCALHOST" else "passthrough"


def _print_names(names: Struct) -> str:
    return f"{names.field('Namespace')}/{names.field('Name')}"


_NAMES_ONLY = reflect.struct_type(
    "types.NamespacedName",
    {
        "String": Method(_print_names),
        **reflect.refused_methods("types.NamespacedName", "MarshalLog"),
    },
)
_NAMES_ONLY.fields = (
    Field("Namespace", reflect.STRING, "Namespace"),
    Field("Name", reflect.STRING, "Name"),
)


def _dot_field_types(profile: Profile) -> Mapping[str, tuple[GoType, bool]]:
    """The fields of the dot, each with its type and whether the release has it."""
    types = mesh_types.types(protojson.schema(profile))
    kube_types = kube.types(profile.kubernetes)
    text = reflect.STRING
    return {
        "TypeMeta": (kube_types["TypeMeta"], profile.type_data),
        "DeploymentMeta": (
            _NAMES_ONLY if profile.deployment_meta_names_only else kube_types["ObjectMeta"],
            profile.workload_data,
        ),
        "ObjectMeta": (kube_types["ObjectMeta"], True),
        "Spec": (kube_types["PodSpec"], True),
        "ProxyConfig": (types.pointer(PROXY_CONFIG), True),
        "MeshConfig": (types.pointer(MESH_CONFIG), True),
        "Values": (reflect.ANY_MAP, profile.values_data),
        "Revision": (text, profile.revision),
        "NativeSidecars": (reflect.BOOL, profile.native_flag),
        "EstimatedConcurrency": (reflect.INT, profile.estimated_concurrency),
        "ProxyImage": (text, profile.proxy_image),
        "ProxyInitImage": (text, profile.proxy_init_image),
        "ProxyUID": (reflect.INT64, profile.proxy_ids),
        "ProxyGID": (reflect.INT64, profile.proxy_ids),
        "InboundTrafficPolicyMode": (text, profile.inbound_mode),
        "CompliancePolicy": (text, profile.compliance_policy),
    }


@cache
def dot_type(profile: Profile) -> GoType:
    """The Go type of the dot of a release."""
    go_type = reflect.struct_type("inject.SidecarTemplateData")
    go_type.fields = tuple(
        Field(name, type_, name)
        for name, (type_, is_available) in _dot_field_types(profile).items()
        if is_available
    )
    return go_type


# The annotations of a pod, in order of precedence.
_CPU_ANNOTATIONS = ("sidecar.istio.io/proxyCPULimit", "sidecar.istio.io/proxyCPU")
_DEFAULT_CONCURRENCY = 2


def estimate_concurrency(values: Object, proxy: Message, annotations: Mapping[str, str]) -> int:
    """Return the configured number; from 0 down, the CPU limit or request in cores; else 2.

    A pod's annotation has precedence over the values, even if it is no quantity.
    """
    configured = proxy.get("concurrency")
    if not isinstance(configured, int):
        return _DEFAULT_CONCURRENCY
    if configured > 0:
        return configured
    for amount in _cpu_amounts(values, annotations):
        try:
            return quantity.from_json(amount).value()
        except QuantityError:
            continue
    return _DEFAULT_CONCURRENCY


def _cpu_amounts(values: Object, annotations: Mapping[str, str]) -> Iterator[str | float]:
    for name in _CPU_ANNOTATIONS:
        if name in annotations:
            yield annotations[name]
            return
    for key in ("limits", "requests"):
        amount = object_at(values, "global", "proxy", "resources", key).get("cpu")
        if isinstance(amount, str | float):
            yield amount


TYPE_ANNOTATION = "sidecar.istio.io/proxyImageType"

_DEFAULT_IMAGE = "proxyv2"
_DEFAULT_IMAGE_TYPE = "default"
_TYPE_SUFFIXES = ("-distroless", "-debug")


def proxy_image(
    profile: Profile, values: Values, proxy: Message, annotations: Mapping[str, str]
) -> str:
    """The image of istio-proxy."""
    kind = _configured_type(profile, values, proxy)
    return _format_image(values, values.proxy_image, annotations.get(TYPE_ANNOTATION, kind))


def proxy_init_image(values: Values, annotations: Mapping[str, str]) -> str:
    """The image of istio-init, which does not depend on the ProxyConfig."""
    kind = annotations.get(TYPE_ANNOTATION, values.variant)
    return _format_image(values, values.proxy_init_image, kind)


def make_tag(tag: str, kind: str) -> str:
    """Return the tag for an image type.

    >>> make_tag("1.12-debug", "distroless"), make_tag("1.11.2-asm.17-distroless", "default")
    ('1.12-distroless', '1.11.2-asm.17')
    """
    if not kind:
        return tag
    bare = next(
        (tag.removesuffix(suffix) for suffix in _TYPE_SUFFIXES if tag.endswith(suffix)), tag
    )
    return bare if kind == _DEFAULT_IMAGE_TYPE else f"{bare}-{kind}"


def _configured_type(profile: Profile, values: Values, proxy: Message) -> str:
    """The image type before annotations: ProxyConfig's, or the values' variant.

    ==================  ===============  ==============
    ProxyConfig.image   until 1.30       since 1.31
    ==================  ===============  ==============
    absent              variant          variant
    without imageType   none             variant
    with imageType      imageType        imageType
    ==================  ===============  ==============
    """
    variant = values.variant if profile.image_variant else ""
    kind = object_at(proxy, "image").get("imageType")
    if isinstance(kind, str) and kind:
        return kind
    return "" if "image" in proxy and not profile.image_type_falls_back else variant


def _format_image(values: Values, name: str, kind: str) -> str:
    return f"{values.hub}/{name or _DEFAULT_IMAGE}:{make_tag(values.tag, kind)}"
