"""What is found out about a pod before anything changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from podgraft import kube
from podgraft.injection.errors import Fault, UserError
from podgraft.jsonvalue import JSON, Object, object_at, text_at
from podgraft.kube.identity import Identity
from podgraft.policy import Rules
from podgraft.records import dataclass

from . import annotations, cluster, mesh, messages, openshift, overrides, prometheus, proxyconfig
from . import status as statuses
from .draft import CONTAINERS, INIT_CONTAINERS, annotations_of, changed, containers, labels_of
from .messages import Message
from .probes import Rewriting
from .releases import Profile
from .request import Mode, Request
from .settings import Values
from .subject import Facts, Subject
from .templates import Templates
from .workloads import identity_of, without_config_label

_HOLD = "holdApplicationUntilProxyStarts"
_AUTO_ALLOCATE = "ISTIO_META_DNS_AUTO_ALLOCATE"

# istio.io/api, annotation/annotations.yaml: deprecated for the annotation that took its place.
_DEPRECATED = {"traffic.sidecar.istio.io/kubevirtInterfaces": "istio.io/reroute-virtual-interfaces"}
_CLUSTER_DNS = "ClusterFirst"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What an injector is made of, the same for all pods.

    ``proxy`` is the lowest layer of the webhook's proxy configurations: that of the mesh.
    """

    profile: Profile
    rules: Rules
    values: Values
    mesh: Message
    proxy: Message
    templates: Templates
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
    warnings: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One pod, the request for it, and what follows from both.

    ``base`` is the pod that the patch starts from, ``pod`` the pod that is injected: OpenShift's
    ids are cleared in it. ``mesh`` is the mesh configuration of post-processing. ``hold`` states
    whether the application waits for the proxy.
    """

    base: Object
    pod: Object
    annotations: Mapping[str, str]
    by_hand: bool
    mesh: Message
    facts: Facts
    subject: Subject
    environment: Mapping[str, str]
    templates: tuple[str, ...]
    injected_annotations: Mapping[str, str]
    hold: bool
    tcp_probes: bool

    @property
    def status_port(self) -> int:
        """The agent's port."""
        port = mesh.proxy_of(self.mesh).get("statusPort")
        return port if isinstance(port, int) else 0

    @property
    def rewriting(self) -> Rewriting:
        """What the application's probes are rewritten by."""
        profile = self.facts.profile
        return Rewriting(profile=profile, mesh_port=self.status_port, tcp=self.tcp_probes)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the pod's author should know though the pod is injected."""
        return tuple(_warnings(self))


def plan(setup: Setup, pod: Object, request: Request) -> Plan:
    """Check the pod and gather what its injection needs; raises ``UserError``."""
    profile = setup.profile
    by_hand = request.mode is Mode.KUBE_INJECT
    base = _base(setup, pod, request)
    workload = request.workload or identity_of(profile, base)
    if request.workload is None or profile.bare_pod_owner:
        base = without_config_label(profile, base, workload)
    pod = _injected_pod(setup, base, by_hand=by_hand)
    said = annotations_of(base)
    annotations.check(profile, said)
    held = proxyconfig.merge(
        messages.schema(profile), mesh.proxy_of(setup.mesh), _layer(setup, said)
    )
    merged = by_hand or not profile.proxy_layers
    later = profile.annotation_after_rendering or (by_hand and profile.proxy_layers)
    seen = mesh.with_proxy(setup.mesh, held) if later else setup.mesh
    return Plan(
        base=base,
        pod=pod,
        annotations=said,
        by_hand=by_hand,
        mesh=seen,
        facts=_facts(setup, base, merged=merged, by_hand=by_hand),
        subject=_subject(setup, pod, said, seen, request, workload),
        environment=cluster.environment(setup.values, request.environment, labels_of(base)),
        templates=(setup.templates.by_hand() if by_hand else setup.templates).chosen(said),
        injected_annotations={} if by_hand else setup.injected_annotations,
        hold=_holds(profile, said, held) or setup.values.hold_application,
        tcp_probes=setup.tcp_probes,
    )


def _base(setup: Setup, pod: Object, request: Request) -> Object:
    """The pod that the patch starts from; raises ``UserError`` if it is none."""
    if not request.checked:
        _check(pod)
    if request.mode is Mode.KUBE_INJECT:
        return pod
    metadata = object_at(pod, "metadata")
    if "metadata" not in pod:
        pod = changed(pod, {"metadata": metadata})
    if setup.profile.namespace_filled and not metadata.get("namespace"):
        named = changed(metadata, {"namespace": request.namespace})
        pod = changed(pod, {"metadata": named})
    return pod


def _injected_pod(setup: Setup, base: Object, *, by_hand: bool) -> Object:
    """The pod without the ids that OpenShift wrote into its sidecar.

    Istio computes its patch from this pod, so there the ids stay in the cluster's pod. Here, the
    patch starts from the pod as received and removes them.
    """
    if by_hand or not setup.openshift or not setup.profile.openshift_ids_cleared:
        return base
    return openshift.without_ids(setup.profile, base)


def _check(pod: Object) -> None:
    """Raise ``UserError`` if the pod is none; the API server itself wrote the managed fields."""
    metadata = pod.get("metadata")
    if isinstance(metadata, dict):
        own: Object = {key: each for key, each in metadata.items() if key != "managedFields"}
        pod = changed(pod, {"metadata": own})
    try:
        kube.check(kube.POD, pod)
    except kube.DecodeError as error:
        raise UserError(f"the object does not decode as a pod: {error}") from error


def _facts(setup: Setup, base: Object, *, merged: bool, by_hand: bool) -> Facts:
    ids = (openshift.DEFAULT_ID, openshift.DEFAULT_ID)
    if setup.openshift and not by_hand:
        namespace = text_at(object_at(base, "metadata"), "namespace")
        ids = openshift.proxy_ids(setup.namespaces.get(namespace))
    return Facts(
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


def _subject(
    setup: Setup,
    base: Object,
    said: Mapping[str, str],
    seen: Message,
    request: Request,
    workload: Identity,
) -> Subject:
    """What templates can read. With kube-inject, nothing is looked up in a cluster."""
    schema, proxy = messages.schema(setup.profile), mesh.proxy_of(setup.mesh)
    layer = _layer(setup, said)
    top: Message = {}
    in_mesh = request.mode is Mode.KUBE_INJECT or not setup.profile.proxy_layers
    if not in_mesh:
        root, own, top = _resources(setup, base)
        proxy = proxyconfig.merge_layers(schema, setup.proxy, root)
        proxy = proxyconfig.merge_layers(schema, proxy, own)
        layer = proxyconfig.without_zeros(schema, layer)
    port = str(mesh.proxy_of(seen).get("statusPort") or 0)
    return Subject(
        pod=_shown(setup.profile, base, said, port),
        workload=workload,
        base=proxy,
        layer=layer,
        top=top,
        in_mesh=in_mesh,
    )


def _holds(profile: Profile, said: Mapping[str, str], held: Message) -> bool:
    """Whether the proxy's configuration, *held*, makes the application wait for the proxy."""
    return held.get(_HOLD) is True and (profile.hold_by_mesh or proxyconfig.ANNOTATION in said)


def _layer(setup: Setup, said: Mapping[str, str]) -> Message:
    """The pod's own proxy configuration, which the check of its annotations has read before."""
    text = said.get(proxyconfig.ANNOTATION)
    if not text or not setup.profile.proxy_annotation:
        return {}
    return proxyconfig.read(messages.schema(setup.profile), text)


def _resources(setup: Setup, base: Object) -> tuple[Message, Message, Message]:
    """What ProxyConfig resources say: the mesh's, the namespace's, the workload's."""
    if not setup.proxy_configs:
        return {}, {}, {}
    schema = messages.schema(setup.profile)
    namespace = text_at(object_at(base, "metadata"), "namespace")
    found = proxyconfig.select(
        setup.proxy_configs, namespace, text_at(setup.mesh, "rootNamespace"), labels_of(base)
    )
    mesh_wide, own, workload = (
        proxyconfig.layer_of(schema, resource) if resource else {} for resource in found
    )
    return mesh_wide, own, workload


def _shown(profile: Profile, base: Object, said: Mapping[str, str], status_port: str) -> Object:
    """The pod as templates see it: without what an earlier injection added, but with what the
    user wrote under the injected names. Who manages which field is never looked at.
    """
    metadata = object_at(base, "metadata")
    if profile.managed_fields_dropped and "managedFields" in metadata:
        metadata = {key: each for key, each in metadata.items() if key != "managedFields"}
    base = {"metadata": metadata, "spec": object_at(base, "spec")}
    if not profile.pod_templates:
        return base
    before = statuses.read(said)
    shown = base if before is None else _stripped(profile, base, before, status_port)
    return overrides.reinserted(shown, overrides.read(said))


def _stripped(profile: Profile, base: Object, before: statuses.Status, port: str) -> Object:
    metadata, spec = object_at(base, "metadata"), object_at(base, "spec")
    said = object_at(metadata, "annotations")
    dropped = {statuses.ANNOTATION}
    if prometheus.points_at(profile, said, port):
        dropped.update(prometheus.scrape_annotations(profile, said))
    kept: Object = {name: value for name, value in said.items() if name not in dropped}
    lists: Object = {
        key: _without(containers(base, key), names)
        for key, names in (
            (CONTAINERS, before.containers),
            (INIT_CONTAINERS, before.init_containers),
        )
        if key in spec
    }
    shown = changed(metadata, {"annotations": kept})
    return changed(base, {"metadata": shown, "spec": changed(spec, lists)})


def _without(listed: list[Object], names: tuple[str, ...]) -> list[JSON]:
    return [each for each in listed if each.get("name") not in names]


def _warnings(planned: Plan) -> Iterator[str]:
    policy = text_at(object_at(planned.base, "spec"), "dnsPolicy")
    if policy not in ("", _CLUSTER_DNS):
        yield (
            f'dnsPolicy is "{policy}", not "{_CLUSTER_DNS}": '
            "the sidecar may not be able to connect to the control plane"
        )
    if planned.facts.profile.interfaces_checked:
        for name in sorted(_DEPRECATED.keys() & planned.annotations.keys()):
            yield f"annotation {name} is deprecated; use {_DEPRECATED[name]}"
    metadata = object_at(planned.subject.layer, "proxyMetadata")
    if planned.facts.profile.dns_auto_allocate_warned and _AUTO_ALLOCATE in metadata:
        yield f"{_AUTO_ALLOCATE} in annotation {proxyconfig.ANNOTATION} has no effect"
