"""Injection with a SidecarInjectionSpec, up to Istio 1.8: a JSON Patch adds lists to the pod.

Source: pkg/kube/inject of 1.0 to 1.8 (InjectionData, createPatch, intoObject).
"""

from collections.abc import Iterator
from functools import partial

from msgspec.structs import replace

from podgraft import kube
from podgraft.base.jsonvalue import Object, object_at, string_at
from podgraft.core.injectors.istio import status
from podgraft.core.injectors.istio.context import InjectionContext
from podgraft.core.injectors.istio.injector_config import InjectorConfig
from podgraft.core.injectors.istio.pod_builder import (
    CONTAINERS,
    INIT_CONTAINERS,
    PROXY,
    VALIDATION,
    PodBuilder,
    append_env,
    containers,
    find_by_name,
    find_env,
    pod_labels,
)
from podgraft.core.injectors.istio.postprocess import cluster, prometheus
from podgraft.core.injectors.istio.postprocess.probes import ENV
from podgraft.core.injectors.istio.render.rendering import TemplateCache
from podgraft.core.injectors.istio.result import Injection
from podgraft.kube import defaults, patch
from podgraft.kube.patch import Add, Operation, Replace

from . import by_hand, probes, sidecarspec
from . import patch as specpatch
from .sidecarspec import SidecarSpec


class LegacyInjector:
    """The injector of one configuration."""

    def __init__(self, setup: InjectorConfig) -> None:
        self._setup = setup
        self._profile = setup.profile
        self._types = kube.types(setup.profile.kubernetes)
        self._cache = TemplateCache(partial(sidecarspec.decode_spec, setup.profile.kubernetes))

    def inject(self, planned: InjectionContext) -> Injection:
        """Return the injected pod and its patch; raises as ``Injector.inject``."""
        (name,) = planned.templates
        renderer = planned.make_renderer(self._cache)
        spec = self._complete_spec(planned, renderer.render(self._setup.templates.lookup(name)))
        operations, pod = self._apply(planned, spec)
        added = spec.status
        return Injection(
            base=planned.base,
            pod=pod,
            operations=operations,
            templates=planned.templates,
            warnings=planned.warnings,
            added=added,
            is_empty=not (added.containers or added.init_containers or added.volumes),
        )

    def _apply(
        self, planned: InjectionContext, spec: SidecarSpec
    ) -> tuple[tuple[Operation, ...] | None, Object]:
        """Return the patch, or ``None`` if the release makes none, and the injected pod."""
        profile = self._profile
        appends = profile.by_hand_appends and not profile.kubernetes_defaults
        if planned.is_kube_inject and appends:
            annotations: Object = {status.ANNOTATION: self._status(spec)}
            return None, by_hand.inject(planned, spec, annotations, self._setup.revision)
        operations = (*self._patch_operations(planned, spec),)
        has_spec = isinstance(planned.base.get("spec"), dict)
        base = planned.base if has_spec else {**planned.base, "spec": {}}
        pod = patch.apply(base, operations)
        assert isinstance(pod, dict)  # noqa: S101 - no operation replaces the complete document
        return operations, pod

    def _complete_spec(self, planned: InjectionContext, spec: SidecarSpec) -> SidecarSpec:
        """Complete the spec with the values of the pod and of the cluster."""
        if self._profile.kubernetes_defaults:
            return spec if planned.is_kube_inject else self._apply_defaults(spec)
        draft = PodBuilder.from_pod({"spec": {CONTAINERS: [*spec.containers]}})
        proxy = draft.sidecar(self._profile)
        if proxy is not None:
            sidecarspec.set_concurrency(proxy)
            cluster.set_environment(self._profile, draft, planned.environment)
            if not (planned.is_kube_inject and self._profile.by_hand_appends):
                self._add_proxy_environment(planned, spec, proxy)
                specpatch.mount_token(object_at(planned.base, "spec"), proxy)
        return replace(spec, containers=tuple(draft.containers))

    def _add_proxy_environment(
        self, planned: InjectionContext, spec: SidecarSpec, proxy: Object
    ) -> None:
        """Set the environment variables for the probes and the metrics of the application."""
        if self._should_rewrite_probes(planned, spec):
            text = probes.probers_text(planned)
            if text:
                append_env(proxy, ENV, text)
        scrape = prometheus.parse_scrape(
            prometheus.find_settings(self._profile, planned.annotations)
        )
        if self._should_merge_metrics(planned) and scrape != prometheus.NO_SCRAPE:
            append_env(proxy, prometheus.ENV, scrape.to_json())

    def _should_rewrite_probes(self, planned: InjectionContext, spec: SidecarSpec) -> bool:
        has_proxy = find_by_name([*spec.containers], PROXY) is not None
        return has_proxy and probes.should_rewrite(
            self._profile, planned.annotations, default=spec.rewrite_probes
        )

    def _should_merge_metrics(self, planned: InjectionContext) -> bool:
        return self._profile.metrics_merged and prometheus.is_enabled(
            planned.annotations, planned.mesh
        )

    def _patch_operations(
        self, planned: InjectionContext, spec: SidecarSpec
    ) -> Iterator[Operation]:
        """Yield the complete patch, in the order of the release."""
        rewrites = (
            [*self._probe_operations(planned, spec)]
            if self._should_rewrite_probes(planned, spec)
            else []
        )
        # Before 1.7, the rewrites are last, with the indices of the original pod. After a removal,
        # the indices are wrong: the API server rejects the patch, or another container gets the
        # probe. podgraft makes the same patch.
        first = (
            self._profile.probes_first or find_by_name(containers(planned.base), PROXY) is not None
        )
        if first:
            yield from rewrites
        yield from self._list_operations(planned, spec)
        if not self._profile.kubernetes_defaults:
            yield from self._context_operations(planned, spec)
        metadata = object_at(planned.base, "metadata")
        annotations = self._annotations(planned, spec)
        yield from specpatch.entry_operations(metadata, "annotations", annotations)
        if self._profile.labels_added:
            own, labels = pod_labels(planned.base), self._labels(planned, spec)
            missing = {name: label for name, label in labels.items() if not own.get(name)}
            yield from specpatch.entry_operations(metadata, "labels", missing)
        if not first:
            yield from rewrites

    def _probe_operations(
        self, planned: InjectionContext, spec: SidecarSpec
    ) -> Iterator[Operation]:
        sidecar = find_by_name([*spec.containers], PROXY)
        for index, key, probe in probes.rewritten_probes(planned, sidecar):
            value = kube.encode(self._types["Probe"], probe)
            path = f"/spec/containers/{index}/{key}"
            if not self._profile.copies_complete_probes:
                path, value = f"{path}/httpGet", object_at({"": value}, "", "httpGet")
            yield Replace(op="replace", path=path, value=value)

    def _list_operations(self, planned: InjectionContext, spec: SidecarSpec) -> Iterator[Operation]:
        pod = object_at(planned.base, "spec")
        appended = planned.is_kube_inject and self._profile.by_hand_appends
        if not appended:
            yield from specpatch.removal_operations(pod, status.parse_status(planned.annotations))
        front = frozenset(
            ([VALIDATION] if self._profile.validation_first else [])
            + ([PROXY] if planned.hold_application else [])
        )
        additions = {
            INIT_CONTAINERS: spec.init_containers,
            CONTAINERS: spec.containers,
            "volumes": spec.volumes,
            "imagePullSecrets": () if appended else spec.image_pull_secrets,
        }
        for key, elements in additions.items():
            front_names = front if key in (INIT_CONTAINERS, CONTAINERS) else ()
            yield from specpatch.addition_operations(pod, key, elements, front_names)

    def _context_operations(
        self, planned: InjectionContext, spec: SidecarSpec
    ) -> Iterator[Operation]:
        """Yield the operations for DNS and the security context of the pod."""
        if spec.dns_config is not None:
            yield Add(op="add", path="/spec/dnsConfig", value=spec.dns_config)
        own = object_at(planned.base, "spec", "securityContext")
        context = spec.security_context or sidecarspec.make_security_context(
            self._profile, planned.mesh, own, switch=self._setup.legacy_fsgroup
        )
        if context:
            yield Add(op="add", path="/spec/securityContext", value=context)

    def _annotations(self, planned: InjectionContext, spec: SidecarSpec) -> dict[str, str]:
        annotations = {status.ANNOTATION: self._status(spec)}
        if self._profile.injected_annotations:
            annotations |= planned.injected_annotations
        if self._should_merge_metrics(planned):
            annotations |= prometheus.agent_annotations(str(planned.status_port))
        return annotations

    def _status(self, spec: SidecarSpec) -> str:
        setup = self._setup
        return status.to_json(self._profile, spec.status, setup.revision, setup.template_version)

    def _labels(self, planned: InjectionContext, spec: SidecarSpec) -> dict[str, str]:
        """Return the labels to add if the pod does not have them."""
        own = pod_labels(planned.base)
        name = own.get("app.kubernetes.io/name") or own.get("app")
        labels = {"security.istio.io/tlsMode": "istio"}
        if self._profile.canonical_labels:
            revision = own.get("app.kubernetes.io/version") or own.get("version") or "latest"
            labels |= {
                "service.istio.io/canonical-name": name or planned.template_data.workload.name,
                "service.istio.io/canonical-revision": revision,
            }
        if self._profile.revision_label:
            labels["istio.io/rev"] = self._setup.revision
        network = _find_network([*spec.containers, *spec.init_containers])
        if network and self._profile.network_label:
            labels[cluster.NETWORK_LABEL] = network
        return labels

    def _apply_defaults(self, spec: SidecarSpec) -> SidecarSpec:
        """Add the defaults of the API server to the spec."""
        return replace(
            spec,
            init_containers=self._fill("Container", spec.init_containers),
            containers=self._fill("Container", spec.containers),
            volumes=self._fill("Volume", spec.volumes),
        )

    def _fill(self, type_name: str, values: tuple[Object, ...]) -> tuple[Object, ...]:
        minor = self._profile.kubernetes
        return tuple(defaults.fill(self._types[type_name], each, minor) for each in values)


def _find_network(networks: list[Object]) -> str:
    entries = (find_env(container, cluster.NETWORK) for container in networks)
    return next((string_at(entry, "value") for entry in entries if entry), "")
