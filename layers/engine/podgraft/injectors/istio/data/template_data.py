"""What templates see: one pod, who it belongs to, and the configuration of its proxy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from podgraft import kube, sprig
from podgraft.go import reflect
from podgraft.go.reflect import Field, GoType, Struct
from podgraft.go.reflect.taint import PlaceholderRegistry
from podgraft.go.reflect.tainted_values import taint_json
from podgraft.injectors.istio.config import protojson, proxyconfig
from podgraft.injectors.istio.config.config_map import Values
from podgraft.injectors.istio.config.mesh import proxy_of, with_proxy
from podgraft.injectors.istio.config.protojson import MESH_CONFIG, PROXY_CONFIG, Message
from podgraft.injectors.istio.pod_builder import pod_annotations
from podgraft.injectors.istio.releases import Profile
from podgraft.injectors.masking import Masker
from podgraft.injectors.plain_text import holds_harmless
from podgraft.jsonvalue import Object, object_at
from podgraft.kube.workload_owner import WorkloadRef
from podgraft.lazy_dataclass import dataclass

from . import concurrency, images, mesh_types


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateData:
    """One pod as templates see it.

    ``layer`` is the pod's own part of its proxy's configuration, between ``base`` (the mesh's, the
    namespace's) and ``top`` (a ProxyConfig resource that selects the pod). ``in_mesh`` states that
    the layer is merged into the mesh's text, explicit zeros included.
    """

    pod: Object
    workload: WorkloadRef
    base_config: Message
    pod_config: Message
    workload_config: Message
    in_mesh: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectorContext:
    """What the data of all pods has in common; ``proxy`` is the lowest layer of the webhook."""

    profile: Profile
    values: Values
    mesh: Message
    proxy: Message
    revision: str
    native_sidecars: bool
    compliance_policy: str
    merged_into_mesh: bool  # whether .MeshConfig.DefaultConfig shows the pod's own configuration
    ids: tuple[int, int]


def effective_proxy(profile: Profile, subject: TemplateData) -> Message:
    """The effective ProxyConfig."""
    schema = protojson.schema(profile)
    if subject.in_mesh:
        return proxyconfig.merge_layer(schema, subject.base_config, subject.pod_config)
    merged = proxyconfig.merge_layers(schema, subject.base_config, subject.pod_config)
    return proxyconfig.merge_layers(schema, merged, subject.workload_config)


def dot_fields(facts: InjectorContext, subject: TemplateData) -> Message:
    """What the template's dot shows, by the names of its fields."""
    profile, values = facts.profile, facts.values
    annotations = pod_annotations(subject.pod)
    configs = _mesh_and_proxy_config(facts, subject)
    proxy, mesh = object_at(configs, "ProxyConfig"), object_at(configs, "MeshConfig")
    workload = subject.workload
    identity: Object = {"name": workload.name, "namespace": workload.namespace}
    return {
        "TypeMeta": {"kind": workload.kind, "apiVersion": workload.api_version},
        "DeploymentMeta": workload.metadata | identity,
        "ObjectMeta": object_at(subject.pod, "metadata"),
        "Spec": object_at(subject.pod, "spec"),
        **configs,
        "Values": values.raw,
        "Revision": facts.revision,
        "EstimatedConcurrency": concurrency.estimate_concurrency(values.raw, proxy, annotations)
        if profile.estimated_concurrency
        else 0,
        "ProxyImage": images.proxy_image(profile, values, proxy, annotations),
        "ProxyInitImage": images.proxy_init_image(values, annotations),
        "ProxyUID": facts.ids[0],
        "ProxyGID": facts.ids[1],
        "InboundTrafficPolicyMode": _inbound_mode(mesh),
        "CompliancePolicy": facts.compliance_policy,
        "NativeSidecars": facts.native_sidecars,
    }


def make_dot(facts: InjectorContext, raw: Message, *, changing: bool = False) -> Struct:
    """The dot itself; a ``changing`` template gets a copy of the values, which all pods share."""
    if changing and "Values" in raw:
        raw = raw | {"Values": sprig.deep_copy(facts.values.raw)}
    return Struct(dot_type(facts.profile), raw)


def shared_values(facts: InjectorContext) -> tuple[Message, ...]:
    """What ``data`` shows of every pod of an injector as the very same object."""
    return facts.values.raw, facts.mesh, proxy_of(facts.mesh), facts.proxy


def opaque_types(profile: Profile) -> frozenset[GoType]:
    """The types in the data not to look into: values and meshes, which many pods share, and
    those whose Go values are not made of their JSON as it stands.
    """
    types = mesh_types.types(protojson.schema(profile))
    meshes = (types.pointer(PROXY_CONFIG), types.pointer(MESH_CONFIG))
    return kube.SELF_MARSHALING | {reflect.ANY_MAP, *meshes}


def mask_fields(
    facts: InjectorContext, subject: TemplateData, seen: Message, masking: Masker
) -> Message:
    """``seen`` data of the subject with all that the pod's author wrote masked; the very same where
    nothing needs that.
    """
    own: Object = {name: seen[name] for name in _POD_AUTHOR_FIELDS if name in seen}
    hidden = masking.mask(own)
    layer = masking.mask(subject.pod_config, (None, "ProxyConfig"))
    changes = hidden if isinstance(hidden, dict) and hidden is not own else {}
    if isinstance(layer, dict) and layer is not subject.pod_config:
        configs = _mesh_and_proxy_config(facts, replace(subject, pod_config=layer))
        changes = changes | {name: configs[name] for name in configs if name in seen}
    return seen | changes if changes else seen


def is_harmless(subject: TemplateData, seen: Message) -> bool:
    """Whether all that the pod's author wrote in ``seen`` data of the subject is harmless."""
    return all(holds_harmless(seen[name]) for name in _POD_AUTHOR_FIELDS if name in seen) and (
        not any(name in seen for name in _CONFIGS) or holds_harmless(subject.pod_config)
    )


def tainted(
    facts: InjectorContext, subject: TemplateData, seen: Message, slots: PlaceholderRegistry
) -> Message:
    """``seen`` data of the subject with taint on all that the pod's author wrote."""
    own = {
        name: taint_json(slots, seen[name], (None, name))
        for name in _POD_AUTHOR_FIELDS
        if name in seen
    }
    if subject.pod_config and any(name in seen for name in _CONFIGS):
        layer = taint_json(slots, subject.pod_config, (None, "ProxyConfig"))
        configs = _mesh_and_proxy_config(facts, replace(subject, pod_config=layer))
        own |= {name: configs[name] for name in _CONFIGS if name in seen}
    return seen | own


_CONFIGS = ("ProxyConfig", "MeshConfig")
# What the pod's author has a hand in, but for the configuration of the proxy.
_POD_AUTHOR_FIELDS = (
    "TypeMeta",
    "DeploymentMeta",
    "ObjectMeta",
    "Spec",
    "ProxyImage",
    "ProxyInitImage",
)


def _mesh_and_proxy_config(facts: InjectorContext, subject: TemplateData) -> Message:
    proxy = effective_proxy(facts.profile, subject)
    mesh = with_proxy(facts.mesh, proxy) if facts.merged_into_mesh else facts.mesh
    return {"ProxyConfig": proxy, "MeshConfig": mesh}


def _inbound_mode(mesh: Message) -> str:
    mode = object_at(mesh, "inboundTrafficPolicy").get("mode")
    return "localhost" if mode == "LOCALHOST" else "passthrough"


_NAMES_ONLY = reflect.struct_type("types.NamespacedName")
_NAMES_ONLY.fields = (
    Field("Namespace", reflect.STRING, "namespace"),
    Field("Name", reflect.STRING, "name"),
)


def _dot_field_types(profile: Profile) -> Mapping[str, tuple[GoType, bool]]:
    """The fields of the data, each with its type and whether the release has it."""
    types = mesh_types.types(protojson.schema(profile))
    known = kube.types(profile.kubernetes)
    text = reflect.STRING
    return {
        "TypeMeta": (known["TypeMeta"], profile.workload_data),
        "DeploymentMeta": (
            _NAMES_ONLY if profile.deployment_meta_names_only else known["ObjectMeta"],
            profile.workload_data,
        ),
        "ObjectMeta": (known["ObjectMeta"], True),
        "Spec": (known["PodSpec"], True),
        "ProxyConfig": (types.pointer(PROXY_CONFIG), True),
        "MeshConfig": (types.pointer(MESH_CONFIG), True),
        "Values": (reflect.ANY_MAP, profile.workload_data),
        "Revision": (text, profile.revision),
        "EstimatedConcurrency": (reflect.INT, profile.estimated_concurrency),
        "ProxyImage": (text, profile.proxy_image),
        "ProxyInitImage": (text, profile.proxy_init_image),
        "ProxyUID": (reflect.INT64, profile.proxy_ids),
        "ProxyGID": (reflect.INT64, profile.proxy_ids),
        "InboundTrafficPolicyMode": (text, profile.inbound_mode),
        "CompliancePolicy": (text, profile.compliance_policy),
        "NativeSidecars": (reflect.BOOL, profile.native_flag),
    }


@cache
def dot_type(profile: Profile) -> GoType:
    """The type of the dot, which differs between releases."""
    made = reflect.struct_type("inject.SidecarTemplateData")
    made.fields = tuple(
        Field(name, type_, name)
        for name, (type_, known) in _dot_field_types(profile).items()
        if known
    )
    return made
