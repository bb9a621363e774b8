"""What is found out about a pod before anything changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from podgraft import kube
from podgraft.injectors.errors import Diagnostic, UserError
from podgraft.jsonvalue import JSON, Object, object_at, string_at
from podgraft.kube.workload_owner import WorkloadRef
from podgraft.lazy_dataclass import dataclass
from podgraft.policy import InjectionRules

from . import annotations
from . import status as statuses
from .config import mesh, protojson, proxyconfig
from .config.config_map import Values
from .config.protojson import Message
from .data.template_data import InjectorContext, TemplateData
from .pod_builder import (
    CONTAINERS,
    INIT_CONTAINERS,
    containers,
    merge_keys,
    pod_annotations,
    pod_labels,
)
from .postprocess import cluster, openshift, overrides, prometheus
from .postprocess.probes import ProbeRewriter
from .releases import Profile
from .render.templates import TemplateSet
from .request import InjectionRequest, Mode
from .workloads import without_config_label, workload_of

_HOLD = "holdApplicationUntilProxyStarts"
_AUTO_ALLOCATE = "ISTIO_META_DNS_AUTO_ALLOCATE"

# istio.io/api, annotation/annotations.yaml: deprecated for the annotation that took its place.
_DEPRECATED = {"traffic.sidecar.istio.io/kubevirtInterfaces": "istio.io/reroute-virtual-interfaces"}
_CLUSTER_DNS = "ClusterFirst"


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectorConfig:
    """What an injector is made of, the same for all pods.

    ``proxy`` is the lowest layer of the webhook's proxy configurations: that of the mesh.
    """

    profile: Profile
    rules: InjectionRules
    values: Values
    mesh: Message
    proxy: Message
    templates: TemplateSet
    injected_annotations: Mapping[str, str]
    proxy_configs: tuple[Object, ...]
    namespaces: Mapping[str, Object]
    revision: str
    native_sidecars: bool
    openshift: bool
    compliance_policy: str
    tcp_probes: bool
    legacy_fsgroup: bool
    template_version: str
    warnings: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionContext:
    """One pod, the request for it, and what follows from both.

    ``base`` is the pod that the patch starts from, ``pod`` the pod that is injected: OpenShift's
    ids are cleared in it. ``mesh`` is the mesh configuration of post-processing. ``hold`` states
    whether the application waits for the proxy.
    """

    base: Object
    pod: Object
    annotations: Mapping[str, str]
    is_kube_inject: bool
    mesh: Message
    injector_context: InjectorContext
    template_data: TemplateData
    environment: Mapping[str, str]
    templates: tuple[str, ...]
    injected_annotations: Mapping[str, str]
    hold_application: bool
    tcp_probes: bool

    @property
    def status_port(self) -> int:
        """The agent's port."""
        port = mesh.proxy_of(self.mesh).get("statusPort")
        return port if isinstance(port, int) else 0

    @property
    def probe_rewriter(self) -> ProbeRewriter:
        """What the application's probes are rewritten by."""
        profile = self.injector_context.profile
        return ProbeRewriter(profile=profile, mesh_port=self.status_port, tcp=self.tcp_probes)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the pod's author should know though the pod is injected."""
        return tuple(_warnings(self))


def prepare(setup: InjectorConfig, pod: Object, request: InjectionRequest) -> InjectionContext:
    """Check the pod and gather what its injection needs; raises ``UserError``."""
    profile = setup.profile
    by_hand = request.mode is Mode.KUBE_INJECT
    base = _patch_base(setup, pod, request)
    workload = request.workload or workload_of(profile, base)
    if request.workload is None or profile.bare_pod_owner:
        base = without_config_label(profile, base, workload)
    pod = _injected_pod(setup, base, by_hand=by_hand)
    said = pod_annotations(base)
    annotations.check_annotations(profile, said)
    held = proxyconfig.merge_layer(
        protojson.schema(profile), mesh.proxy_of(setup.mesh), _pod_proxy_config(setup, said)
    )
    merged = by_hand or not profile.proxy_layers
    later = profile.annotation_after_rendering or (by_hand and profile.proxy_layers)
    seen = mesh.with_proxy(setup.mesh, held) if later else setup.mesh
    return InjectionContext(
        base=base,
        pod=pod,
        annotations=said,
        is_kube_inject=by_hand,
        mesh=seen,
        injector_context=_make_injector_context(setup, base, merged=merged, by_hand=by_hand),
        template_data=_make_template_data(setup, pod, said, seen, request, workload),
        environment=cluster.cluster_environment(setup.values, request.environment, pod_labels(base))
        if profile.cluster_of_values
        else request.environment,
        templates=(setup.templates.for_kube_inject() if by_hand else setup.templates).select(said),
        injected_annotations={} if by_hand else setup.injected_annotations,
        hold_application=profile.hold_application
        and (_holds(profile, said, held) or setup.values.hold_application),
        tcp_probes=setup.tcp_probes,
    )


def _patch_base(setup: InjectorConfig, pod: Object, request: InjectionRequest) -> Object:
    """The pod that the patch starts from; raises ``UserError`` if it is none."""
    if not request.is_validated:
        _check_pod(pod)
    if request.mode is Mode.KUBE_INJECT:
        return pod
    metadata = object_at(pod, "metadata")
    if "metadata" not in pod:
        pod = merge_keys(pod, {"metadata": metadata})
    if setup.profile.namespace_filled and not metadata.get("namespace"):
        named = merge_keys(metadata, {"namespace": request.namespace})
        pod = merge_keys(pod, {"metadata": named})
    return pod


def _injected_pod(setup: InjectorConfig, base: Object, *, by_hand: bool) -> Object:
    """The pod without the ids that OpenShift wrote into its sidecar.

    Istio computes its patch from this pod, so there the ids stay in the cluster's pod. Here, the
    patch starts from the pod as received and removes them.
    """
    if by_hand or not setup.openshift or not setup.profile.openshift_ids_cleared:
        return base
    return openshift.clear_proxy_ids(setup.profile, base)


def _check_pod(pod: Object) -> None:
    """Raise ``UserError`` if the pod is none; the API server itself wrote the managed fields."""
    metadata = pod.get("metadata")
    if isinstance(metadata, dict):
        own: Object = {key: each for key, each in metadata.items() if key != "managedFields"}
        pod = merge_keys(pod, {"metadata": own})
    try:
        kube.check(kube.POD, pod)
    except kube.DecodeError as error:
        raise UserError(f"the object does not decode as a pod: {error}") from error


def _make_injector_context(
    setup: InjectorConfig, base: Object, *, merged: bool, by_hand: bool
) -> InjectorContext:
    ids = (openshift.DEFAULT_ID, openshift.DEFAULT_ID)
    if setup.openshift and not by_hand:
        namespace = string_at(object_at(base, "metadata"), "namespace")
        ids = openshift.proxy_ids(setup.namespaces.get(namespace))
    return InjectorContext(
        profile=setup.profile,
        values=setup.values,
        mesh=setup.mesh,
        proxy=setup.proxy,
        revision=setup.revision,
        native_sidecars=setup.native_sidecars,
        compliance_policy=setup.compliance_policy,
        merged_into_mesh=merged,
        ids=ids,
    )


def _make_template_data(
    setup: InjectorConfig,
    base: Object,
    said: Mapping[str, str],
    seen: Message,
    request: InjectionRequest,
    workload: WorkloadRef,
) -> TemplateData:
    """What templates can read. With kube-inject, nothing is looked up in a cluster."""
    schema, proxy = protojson.schema(setup.profile), mesh.proxy_of(setup.mesh)
    layer = _pod_proxy_config(setup, said)
    top: Message = {}
    in_mesh = request.mode is Mode.KUBE_INJECT or not setup.profile.proxy_layers
    if not in_mesh:
        root, own, top = _select_proxy_configs(setup, base)
        proxy = proxyconfig.merge_layers(schema, setup.proxy, root)
        proxy = proxyconfig.merge_layers(schema, proxy, own)
        layer = proxyconfig.without_zeros(schema, layer)
    port = str(mesh.proxy_of(seen).get("statusPort") or 0)
    return TemplateData(
        pod=_visible_pod(setup.profile, base, said, port),
        workload=workload,
        base_config=proxy,
        pod_config=layer,
        workload_config=top,
        in_mesh=in_mesh,
    )


def _holds(profile: Profile, said: Mapping[str, str], held: Message) -> bool:
    """Whether the proxy's configuration, *held*, makes the application wait for the proxy."""
    return held.get(_HOLD) is True and (profile.hold_by_mesh or proxyconfig.ANNOTATION in said)


def _pod_proxy_config(setup: InjectorConfig, said: Mapping[str, str]) -> Message:
    """The pod's own proxy configuration, which the check of its annotations has read before."""
    text = said.get(proxyconfig.ANNOTATION)
    if not text or not setup.profile.proxy_annotation:
        return {}
    return proxyconfig.parse_layer(protojson.schema(setup.profile), text)


def _select_proxy_configs(setup: InjectorConfig, base: Object) -> tuple[Message, Message, Message]:
    """What ProxyConfig resources say: the mesh's, the namespace's, the workload's."""
    if not setup.proxy_configs:
        return {}, {}, {}
    schema = protojson.schema(setup.profile)
    namespace = string_at(object_at(base, "metadata"), "namespace")
    found = proxyconfig.select_resources(
        setup.proxy_configs, namespace, string_at(setup.mesh, "rootNamespace"), pod_labels(base)
    )
    mesh_wide, own, workload = (
        proxyconfig.layer_from_resource(schema, resource) if resource else {} for resource in found
    )
    return mesh_wide, own, workload


def _visible_pod(
    profile: Profile, base: Object, said: Mapping[str, str], status_port: str
) -> Object:
    """The pod as templates see it: without what an earlier injection added, but with what the
    user wrote under the injected names. Who manages which field is never looked at.
    """
    metadata = object_at(base, "metadata")
    if profile.managed_fields_dropped and "managedFields" in metadata:
        metadata = {key: each for key, each in metadata.items() if key != "managedFields"}
    base = {"metadata": metadata, "spec": object_at(base, "spec")}
    if not profile.pod_templates:
        return base
    before = statuses.parse_status(said)
    shown = (
        base if before is None else _remove_earlier_injection(profile, base, before, status_port)
    )
    return overrides.reinsert_containers(shown, overrides.parse_overrides(said))


def _remove_earlier_injection(
    profile: Profile, base: Object, before: statuses.InjectionStatus, port: str
) -> Object:
    metadata, spec = object_at(base, "metadata"), object_at(base, "spec")
    said = object_at(metadata, "annotations")
    dropped = {statuses.ANNOTATION}
    if prometheus.points_at_agent(profile, said, port):
        dropped.update(prometheus.scrape_annotations(profile, said))
    kept: Object = {name: value for name, value in said.items() if name not in dropped}
    lists: Object = {
        key: _remove_named(containers(base, key), names)
        for key, names in (
            (CONTAINERS, before.containers),
            (INIT_CONTAINERS, before.init_containers),
        )
        if key in spec
    }
    shown = merge_keys(metadata, {"annotations": kept})
    return merge_keys(base, {"metadata": shown, "spec": merge_keys(spec, lists)})


def _remove_named(listed: list[Object], names: tuple[str, ...]) -> list[JSON]:
    return [each for each in listed if each.get("name") not in names]


def _warnings(planned: InjectionContext) -> Iterator[str]:
    policy = string_at(object_at(planned.base, "spec"), "dnsPolicy")
    if policy not in ("", _CLUSTER_DNS):
        yield (
            f'dnsPolicy is "{policy}", not "{_CLUSTER_DNS}": '
            "the sidecar may not be able to connect to the control plane"
        )
    if planned.injector_context.profile.interfaces_checked:
        for name in sorted(_DEPRECATED.keys() & planned.annotations.keys()):
            yield f"annotation {name} is deprecated; use {_DEPRECATED[name]}"
    metadata = object_at(planned.template_data.pod_config, "proxyMetadata")
    if planned.injector_context.profile.dns_auto_allocate_warned and _AUTO_ALLOCATE in metadata:
        yield f"{_AUTO_ALLOCATE} in annotation {proxyconfig.ANNOTATION} has no effect"
