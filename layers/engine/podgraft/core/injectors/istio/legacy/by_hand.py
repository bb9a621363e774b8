"""Injection into files of Istio 1.1 to 1.7: lists are appended to the pod, without a patch.

Source: pkg/kube/inject/inject.go of 1.1 to 1.7, intoObject.
"""

from podgraft import kube
from podgraft.base.jsonvalue import JSON, Object, object_at, objects_at, string_at
from podgraft.core.injectors.istio.context import InjectionContext
from podgraft.core.injectors.istio.pod_builder import PROXY, append_env, find_by_name
from podgraft.core.injectors.istio.postprocess import probes as probe_names
from podgraft.core.injectors.istio.postprocess import prometheus
from podgraft.core.injectors.istio.releases import Profile

from . import probes, sidecarspec
from .sidecarspec import SidecarSpec

_TLS_MODE = "security.istio.io/tlsMode"
_REVISION = "istio.io/rev"
_CNI_NETWORKS = "k8s.v1.cni.cncf.io/networks"
_REDIRECTED = ("sidecar.istio.io/", "traffic.sidecar.istio.io/", "status.sidecar.istio.io/")


def inject(planned: InjectionContext, spec: SidecarSpec, status: Object, revision: str) -> Object:
    """Return the pod with the additions of the sidecar; *status* is the status annotation."""
    profile = planned.profile
    pod_spec = object_at(planned.base, "spec")
    merged_spec = pod_spec | _lists(profile, planned, spec, pod_spec)
    merged_spec.pop("dnsConfig", None)
    if spec.dns_config is not None:
        merged_spec["dnsConfig"] = spec.dns_config
    _rewrite_probes(planned, spec, merged_spec)
    context = sidecarspec.make_security_context(
        profile, planned.mesh, object_at(pod_spec, "securityContext")
    )
    if context:
        merged_spec["securityContext"] = context
    metadata = object_at(planned.base, "metadata")
    changed: Object = {
        "annotations": object_at(metadata, "annotations") | _annotations(planned, spec) | status
    }
    labels = object_at(metadata, "labels") | _labels(profile, metadata, revision)
    if labels:
        changed["labels"] = labels
    return {**planned.base, "metadata": metadata | changed, "spec": merged_spec}


def _lists(
    profile: Profile, planned: InjectionContext, spec: SidecarSpec, pod_spec: Object
) -> Object:
    proxy = find_by_name([*spec.containers], PROXY) if planned.hold_application else None
    first = [proxy] if proxy is not None else []
    rest = [each for each in spec.containers if each is not proxy]
    additions: dict[str, list[Object]] = {
        "initContainers": [*objects_at(pod_spec, "initContainers"), *spec.init_containers],
        "containers": [*first, *objects_at(pod_spec, "containers"), *rest],
        "volumes": [*objects_at(pod_spec, "volumes"), *spec.volumes],
    }
    if profile.by_hand_adds_secrets:
        secrets = [*objects_at(pod_spec, "imagePullSecrets"), *spec.image_pull_secrets]
        additions["imagePullSecrets"] = secrets
    return {key: [*entries] for key, entries in additions.items() if entries}


def _rewrite_probes(planned: InjectionContext, spec: SidecarSpec, pod_spec: Object) -> None:
    """Redirect the probes of the containers in *pod_spec* to the agent."""
    profile = planned.profile
    all_containers = objects_at(pod_spec, "containers")
    sidecar = find_by_name(all_containers, PROXY)
    rewrite = probes.should_rewrite(profile, planned.annotations, default=spec.rewrite_probes)
    if not rewrite or sidecar is None or probes.find_agent_port(planned, sidecar) is None:
        return
    proxy = dict(sidecar)
    text = probes.probers_text(planned)
    if text:
        append_env(proxy, probe_names.ENV, text)
    replaced: dict[int, Object] = {all_containers.index(sidecar): proxy}
    shift = 1 if planned.hold_application and all_containers[0] is sidecar else 0
    encoded = kube.types(profile.kubernetes)["Probe"]
    for index, key, probe in probes.rewritten_probes(planned, sidecar):
        position = index + shift
        container = replaced.get(position, all_containers[position])
        replaced[position] = {**container, key: kube.encode(encoded, probe)}
    containers: list[JSON] = [replaced.get(at, each) for at, each in enumerate(all_containers)]
    pod_spec["containers"] = containers


def _annotations(planned: InjectionContext, spec: SidecarSpec) -> Object:
    profile = planned.profile
    annotations: Object = {}
    if profile.by_hand_announces_metrics and prometheus.is_enabled(
        planned.annotations, planned.mesh
    ):
        annotations |= prometheus.agent_annotations(str(planned.status_port))
    if profile.by_hand_redirects:
        copied_keys = (
            (*_REDIRECTED, _CNI_NETWORKS) if profile.by_hand_redirects_networks else _REDIRECTED
        )
        annotations |= {
            name: text
            for name, text in spec.redirect_annotations.items()
            if text and name.startswith(copied_keys)
        }
    return annotations


def _labels(profile: Profile, metadata: Object, revision: str) -> Object:
    if not profile.labels_added:
        return {}
    labels: Object = {_REVISION: revision} if profile.revision_label else {}
    present = string_at(metadata, "labels", _TLS_MODE)
    return labels if present else labels | {_TLS_MODE: "istio"}
