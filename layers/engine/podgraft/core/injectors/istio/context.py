"""The context of one injection: what follows from the pod and the request before any change."""

from collections.abc import Iterator, Mapping
from functools import partial, reduce
from typing import TypeVar

from msgspec import Struct

from podgraft import kube
from podgraft.base.jsonvalue import Object, object_at, string_at, without_keys
from podgraft.core.injectors.object_check import check_decodes
from podgraft.core.review_context import ReviewContext
from podgraft.golang.texttemplate import Limits
from podgraft.kube.workload_owner import WorkloadRef

from . import annotations
from . import status as statuses
from .config import mesh, protojson, proxyconfig
from .config.protojson import Message
from .data.template_data import TemplateData
from .injector_config import InjectorConfig
from .pod_builder import CONTAINERS, INIT_CONTAINERS, containers, pod_annotations, pod_labels
from .postprocess import cluster, openshift, overrides, prometheus
from .postprocess.probes import ProbeRewriter
from .releases import Profile
from .render.rendering import PodRenderer, TemplateCache
from .workloads import without_config_label, workload_of

T = TypeVar("T")

_HOLD = "holdApplicationUntilProxyStarts"
_AUTO_ALLOCATE = "ISTIO_META_DNS_AUTO_ALLOCATE"

# istio.io/api, annotation/annotations.yaml: deprecated for the annotation that replaces it.
_DEPRECATED = {"traffic.sidecar.istio.io/kubevirtInterfaces": "istio.io/reroute-virtual-interfaces"}
_CLUSTER_DNS = "ClusterFirst"


class InjectionContext(Struct, frozen=True, kw_only=True):
    """One pod, the request for it, and what follows from both.

    ``base`` is the pod from which the patch starts, ``pod`` the pod to inject: without OpenShift's
    ids. ``mesh`` is the mesh configuration of post-processing, with the ``status_port`` of the
    agent. ``hold_application`` is whether the application waits for the proxy. ``limits`` bound
    each rendering.
    """

    base: Object
    pod: Object
    annotations: Mapping[str, str]
    is_kube_inject: bool
    mesh: Message
    status_port: int
    template_data: TemplateData
    environment: Mapping[str, str]
    templates: tuple[str, ...]
    injected_annotations: Mapping[str, str]
    hold_application: bool
    limits: Limits

    def make_renderer(self, cache: TemplateCache[T]) -> PodRenderer[T]:
        """The renderer of the pod's templates."""
        return PodRenderer(cache, self.template_data, self.limits)

    @property
    def profile(self) -> Profile:
        """The behaviors of the release."""
        return self.template_data.config.profile

    @property
    def probe_rewriter(self) -> ProbeRewriter:
        """The rewriter of the application's probes."""
        config = self.template_data.config
        return ProbeRewriter(
            profile=config.profile, mesh_port=self.status_port, tcp=config.tcp_probes
        )

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings for the pod's author."""
        return tuple(_warnings(self))


def prepare(
    config: InjectorConfig, pod: Object, review: ReviewContext, template_of: WorkloadRef | None
) -> InjectionContext:
    """Check the pod and make the context of its injection; raises ``UserError``."""
    profile, is_kube_inject = config.profile, template_of is not None
    base = _patch_base(config, pod, review.namespace, is_kube_inject=is_kube_inject)
    workload = template_of or workload_of(profile, base)
    if not is_kube_inject or profile.bare_pod_owner:
        base = without_config_label(profile, base, workload)
    pod = _injected_pod(config, base, is_kube_inject=is_kube_inject)
    own_annotations = pod_annotations(base)
    annotations.check_annotations(profile, own_annotations)
    layer = _pod_proxy_config(config, own_annotations)
    mesh_proxy = mesh.proxy_of(config.mesh)
    proxy = proxyconfig.merge_layer(protojson.schema(profile), mesh_proxy, layer)
    is_mesh_merged = profile.annotation_after_rendering or (is_kube_inject and profile.proxy_layers)
    pod_mesh = mesh.with_proxy(config.mesh, proxy) if is_mesh_merged else config.mesh
    status_port = mesh.status_port(pod_mesh)
    visible = _visible_pod(profile, pod, own_annotations, str(status_port))
    templates = config.templates.for_kube_inject() if is_kube_inject else config.templates
    return InjectionContext(
        base=base,
        pod=pod,
        annotations=own_annotations,
        is_kube_inject=is_kube_inject,
        mesh=pod_mesh,
        status_port=status_port,
        template_data=_make_template_data(
            config, pod, visible, layer, workload, is_kube_inject=is_kube_inject
        ),
        environment=_make_environment(config, base, review.environment),
        templates=templates.select(own_annotations),
        injected_annotations={} if is_kube_inject else config.injected_annotations,
        hold_application=profile.hold_application
        and (_holds_application(profile, own_annotations, proxy) or config.values.hold_application),
        limits=review.limits,
    )


def _make_environment(
    config: InjectorConfig, base: Object, environment: Mapping[str, str]
) -> Mapping[str, str]:
    if not config.profile.cluster_of_values:
        return environment
    return cluster.cluster_environment(config.values, environment, pod_labels(base))


def _patch_base(
    config: InjectorConfig, pod: Object, namespace: str, *, is_kube_inject: bool
) -> Object:
    """The pod from which the patch starts; raises ``UserError`` if it does not decode."""
    if is_kube_inject:
        check_decodes(kube.POD, pod)
        return pod
    metadata = object_at(pod, "metadata")
    if "metadata" not in pod:
        pod = {**pod, "metadata": metadata}
    if config.profile.namespace_filled and not metadata.get("namespace"):
        metadata = {**metadata, "namespace": namespace}
        pod = {**pod, "metadata": metadata}
    return pod


def _injected_pod(config: InjectorConfig, base: Object, *, is_kube_inject: bool) -> Object:
    """The pod without the ids that OpenShift wrote into its sidecar.

    Istio computes its patch from this pod, so there the ids stay in the cluster's pod. Here, the
    patch starts from the pod as received and removes them.
    """
    if is_kube_inject or not config.openshift or not config.profile.openshift_ids_cleared:
        return base
    return openshift.clear_proxy_ids(config.profile, base)


def _proxy_ids(config: InjectorConfig, base: Object, *, is_kube_inject: bool) -> tuple[int, int]:
    """The user and group id of the proxy."""
    if is_kube_inject or not config.openshift:
        return openshift.DEFAULT_ID, openshift.DEFAULT_ID
    namespace = string_at(base, "metadata", "namespace")
    return openshift.proxy_ids(config.namespaces.get(namespace))


def _make_template_data(
    config: InjectorConfig,
    base: Object,
    visible: Object,
    layer: Message,
    workload: WorkloadRef,
    *,
    is_kube_inject: bool,
) -> TemplateData:
    """What templates can read. With kube-inject, no object of a cluster is looked up."""
    base_config = mesh.proxy_of(config.mesh)
    workload_layer: Message = {}
    in_mesh = is_kube_inject or not config.profile.proxy_layers
    if not in_mesh:
        schema = protojson.schema(config.profile)
        *layers, workload_layer = _select_proxy_configs(config, base)
        base_config = reduce(partial(proxyconfig.merge_layers, schema), layers, config.proxy)
        layer = protojson.normalize(schema, protojson.PROXY_CONFIG, layer)
    return TemplateData(
        config=config,
        ids=_proxy_ids(config, base, is_kube_inject=is_kube_inject),
        pod=visible,
        workload=workload,
        base_config=base_config,
        pod_config=layer,
        workload_config=workload_layer,
        is_merged_into_mesh=in_mesh,
    )


def _holds_application(
    profile: Profile, own_annotations: Mapping[str, str], proxy: Message
) -> bool:
    """Whether the proxy's configuration makes the application wait for the proxy."""
    by_annotation = proxyconfig.annotation_name(profile) in own_annotations
    return proxy.get(_HOLD) is True and (profile.hold_by_mesh or by_annotation)


def _pod_proxy_config(config: InjectorConfig, own_annotations: Mapping[str, str]) -> Message:
    """The pod's own proxy configuration, which the check of its annotations has parsed."""
    text = own_annotations.get(proxyconfig.annotation_name(config.profile))
    if not text or not config.profile.proxy_annotation:
        return {}
    return proxyconfig.parse_layer(protojson.schema(config.profile), text)


def _select_proxy_configs(config: InjectorConfig, base: Object) -> list[Message]:
    """The layers of the ProxyConfig resources of the mesh, the namespace, and the workload."""
    if not config.proxy_configs:
        return [{}, {}, {}]
    schema = protojson.schema(config.profile)
    namespace = string_at(base, "metadata", "namespace")
    resources = proxyconfig.select_resources(
        config.proxy_configs, namespace, string_at(config.mesh, "rootNamespace"), pod_labels(base)
    )
    return [proxyconfig.layer_from_resource(schema, each) if each else {} for each in resources]


def _visible_pod(
    profile: Profile, base: Object, own_annotations: Mapping[str, str], status_port: str
) -> Object:
    """The pod as templates can read it, without managed fields.

    The additions of an earlier injection are removed, and the original elements of the user are
    inserted again.
    """
    metadata = object_at(base, "metadata")
    if profile.managed_fields_dropped and "managedFields" in metadata:
        metadata = {key: metadata[key] for key in metadata if key != "managedFields"}
    base = {"metadata": metadata, "spec": object_at(base, "spec")}
    if not profile.pod_templates:
        return base
    earlier = statuses.parse_status(own_annotations)
    if earlier is not None:
        base = _remove_earlier_injection(profile, base, earlier, status_port)
    return overrides.reinsert_containers(base, overrides.parse_overrides(own_annotations))


def _remove_earlier_injection(
    profile: Profile, base: Object, earlier: statuses.InjectionStatus, port: str
) -> Object:
    metadata, spec = object_at(base, "metadata"), object_at(base, "spec")
    own_annotations = object_at(metadata, "annotations")
    removed = {statuses.ANNOTATION}
    settings = prometheus.find_settings(profile, own_annotations)
    if prometheus.points_at_agent(settings, port):
        removed.update(*settings.values())
    remaining = without_keys(own_annotations, *removed)
    lists: Object = {
        key: [each for each in containers(base, key) if each.get("name") not in names]
        for key, names in (
            (CONTAINERS, earlier.containers),
            (INIT_CONTAINERS, earlier.init_containers),
        )
        if key in spec
    }
    shown: Object = {**metadata, "annotations": remaining}
    return {**base, "metadata": shown, "spec": spec | lists}


def _warnings(context: InjectionContext) -> Iterator[str]:
    policy = string_at(context.base, "spec", "dnsPolicy")
    if policy not in ("", _CLUSTER_DNS):
        yield (
            f'dnsPolicy is "{policy}", not "{_CLUSTER_DNS}": '
            "the sidecar may not be able to connect to the control plane"
        )
    profile = context.template_data.config.profile
    if profile.interfaces_checked:
        for name in sorted(_DEPRECATED.keys() & context.annotations.keys()):
            yield f"annotation {name} is deprecated; use {_DEPRECATED[name]}"
    metadata = object_at(context.template_data.pod_config, "proxyMetadata")
    if profile.dns_auto_allocate_warned and _AUTO_ALLOCATE in metadata:
        yield f"{_AUTO_ALLOCATE} in annotation {proxyconfig.ANNOTATION} has no effect"
