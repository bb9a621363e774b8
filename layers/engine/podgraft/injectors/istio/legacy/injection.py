"""Injection by SidecarInjectionSpec, up to 1.8: lists added to the pod by a fixed JSON Patch.

Source: pkg/kube/inject of 1.8 (InjectionData, createPatch) and of 1.0 (intoObject, createPatch).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from podgraft import kube, patch
from podgraft.injectors.istio import gojson, status
from podgraft.injectors.istio.config.mesh import proxy_of
from podgraft.injectors.istio.context import InjectionContext, InjectorConfig
from podgraft.injectors.istio.pod_builder import (
    CONTAINERS,
    INIT_CONTAINERS,
    PROXY,
    VALIDATION,
    PodBuilder,
    append_env,
    containers,
    find_by_name,
    find_env,
    merge_keys,
    pod_labels,
)
from podgraft.injectors.istio.postprocess import cluster, probes, prometheus
from podgraft.injectors.istio.render.rendering import TemplateCache
from podgraft.injectors.istio.request import Injection
from podgraft.jsonvalue import Object, object_at, string_at
from podgraft.patch import Add, Operation, Replace

from . import patch as specpatch
from . import pod_defaults, sidecarspec
from .patch import Addition
from .sidecarspec import SidecarSpec

_FSGROUP = 1337  # the proxy's group, which must read its token


class LegacyInjector:
    """The way of pods through one configuration's template."""

    def __init__(self, setup: InjectorConfig) -> None:
        self._setup = setup
        self._profile = setup.profile
        self._types = kube.types(setup.profile.kubernetes)
        self._cache = TemplateCache(partial(sidecarspec.decode_spec, setup.profile.kubernetes))

    def inject(self, planned: InjectionContext) -> Injection:
        """The injected pod, and the patch that makes it; raises as ``Injector.inject`` does."""
        (name,) = planned.templates
        renderer = planned.make_renderer(self._cache)
        spec = self._complete_spec(planned, renderer.render(self._setup.templates.lookup(name)))
        operations = (*self._patch_operations(planned, spec),)
        pod = patch.apply(planned.base, operations)
        assert isinstance(pod, dict)  # noqa: S101 - no operation replaces the whole
        shown = spec.status
        return Injection(
            base=planned.base,
            pod=pod,
            operations=operations,
            templates=planned.templates,
            warnings=planned.warnings,
            image=string_at(find_by_name([*spec.containers], PROXY) or {}, "image"),
            init_containers=shown.init_containers,
            containers=shown.containers,
            volumes=shown.volumes,
            image_pull_secrets=shown.image_pull_secrets,
        )

    def _complete_spec(self, planned: InjectionContext, spec: SidecarSpec) -> SidecarSpec:
        """The spec with what the pod and its surroundings add to it."""
        if self._profile.kubernetes_defaults:
            return spec if planned.is_kube_inject else _apply_defaults(spec)
        draft = PodBuilder.from_pod({"spec": {CONTAINERS: [*spec.containers]}})
        proxy = draft.sidecar(self._profile)
        if proxy is not None:
            sidecarspec.set_concurrency(proxy)
            cluster.set_environment(self._profile, draft, planned.environment)
            self._add_proxy_environment(planned, spec, proxy)
            specpatch.mount_token(object_at(planned.base, "spec"), proxy)
        return replace(spec, containers=tuple(draft.containers))

    def _add_proxy_environment(
        self, planned: InjectionContext, spec: SidecarSpec, proxy: Object
    ) -> None:
        """Tell the proxy about the application's probes and metrics."""
        if self._should_rewrite_probes(planned, spec):
            probers = probes.collect_probers(
                PodBuilder.from_pod(planned.base), planned.probe_rewriter
            )
            if probers:
                append_env(proxy, probes.ENV, gojson.encode(probers))
        scrape = prometheus.parse_scrape(self._profile, planned.annotations)
        if self._should_merge_metrics(planned) and scrape != prometheus.NO_SCRAPE:
            append_env(proxy, prometheus.ENV, scrape.to_json())

    def _should_rewrite_probes(self, planned: InjectionContext, spec: SidecarSpec) -> bool:
        has_proxy = find_by_name([*spec.containers], PROXY) is not None
        return has_proxy and probes.should_rewrite(planned.annotations, spec.rewrite_probes)

    def _should_merge_metrics(self, planned: InjectionContext) -> bool:
        return prometheus.is_enabled(planned.annotations, planned.mesh)

    def _patch_operations(
        self, planned: InjectionContext, spec: SidecarSpec
    ) -> Iterator[Operation]:
        """The whole patch, in the order of the release."""
        if self._should_rewrite_probes(planned, spec):
            yield from self._probe_operations(planned)
        yield from self._list_operations(planned, spec)
        if not self._profile.kubernetes_defaults:
            yield from self._context_operations(planned, spec)
        metadata = object_at(planned.base, "metadata")
        annotations = self._annotations(planned, spec)
        yield from specpatch.entry_operations(metadata, "annotations", annotations)
        if self._profile.labels_added:
            labels = specpatch.missing_entries(
                pod_labels(planned.base), self._labels(planned, spec)
            )
            yield from specpatch.entry_operations(metadata, "labels", labels)

    def _probe_operations(self, planned: InjectionContext) -> Iterator[Operation]:
        port = probes.agent_port(planned.annotations, planned.status_port)
        for index, container in enumerate(containers(planned.base)):
            if container.get("name") != PROXY:
                sent = probes.redirect_probes(container, planned.probe_rewriter, port)
                for key, probe in sent.items():
                    value = kube.encode(self._types["Probe"], probe)
                    path = f"/spec/containers/{index}/{key}"
                    yield Replace(op="replace", path=path, value=value)

    def _list_operations(self, planned: InjectionContext, spec: SidecarSpec) -> Iterator[Operation]:
        pod = object_at(planned.base, "spec")
        appended = planned.is_kube_inject and self._profile.by_hand_appends
        if not appended:
            yield from specpatch.removal_operations(pod, status.parse_status(planned.annotations))
        front = frozenset((VALIDATION, PROXY) if planned.hold_application else (VALIDATION,))
        if self._profile.kubernetes_defaults:
            front = frozenset[str]()
        yield from specpatch.addition_operations(
            pod, Addition(INIT_CONTAINERS, spec.init_containers, front)
        )
        yield from specpatch.addition_operations(pod, Addition(CONTAINERS, spec.containers, front))
        yield from specpatch.addition_operations(pod, Addition("volumes", spec.volumes))
        if not appended:
            secrets = Addition("imagePullSecrets", spec.image_pull_secrets)
            yield from specpatch.addition_operations(pod, secrets)

    def _context_operations(
        self, planned: InjectionContext, spec: SidecarSpec
    ) -> Iterator[Operation]:
        """DNS and the security context of the pod."""
        if spec.dns_config is not None:
            yield Add(op="add", path="/spec/dnsConfig", value=spec.dns_config)
        own = object_at(object_at(planned.base, "spec"), "securityContext")
        if self._setup.legacy_fsgroup:
            own = merge_keys(own, {"fsGroup": _FSGROUP})
        context = spec.security_context or own
        if context:
            yield Add(op="add", path="/spec/securityContext", value=context)

    def _annotations(self, planned: InjectionContext, spec: SidecarSpec) -> dict[str, str]:
        setup = self._setup
        text = status.to_json(self._profile, spec.status, setup.revision, setup.template_version)
        annotations = {status.ANNOTATION: text}
        if self._profile.kubernetes_defaults:
            return annotations
        annotations |= planned.injected_annotations
        if self._should_merge_metrics(planned):
            annotations |= prometheus.agent_annotations(
                str(proxy_of(planned.mesh).get("statusPort") or 0)
            )
        return annotations

    def _labels(self, planned: InjectionContext, spec: SidecarSpec) -> dict[str, str]:
        """The labels for a pod that does not have them: those of its canonical service."""
        own = pod_labels(planned.base)
        name = own.get("app.kubernetes.io/name") or own.get("app")
        labels = {
            "istio.io/rev": self._setup.revision,
            "security.istio.io/tlsMode": "istio",
            "service.istio.io/canonical-name": name or planned.template_data.workload.name,
            "service.istio.io/canonical-revision": own.get("app.kubernetes.io/version")
            or own.get("version")
            or "latest",
        }
        network = _find_network([*spec.containers, *spec.init_containers])
        return labels | ({cluster.NETWORK_LABEL: network} if network else {})


def _find_network(listed: list[Object]) -> str:
    entries = (find_env(container, cluster.NETWORK) for container in listed)
    return next((string_at(entry, "value") for entry in entries if entry), "")


def _apply_defaults(spec: SidecarSpec) -> SidecarSpec:
    """The spec with what the API server would fill in."""
    return replace(
        spec,
        init_containers=tuple(map(pod_defaults.default_container, spec.init_containers)),
        containers=tuple(map(pod_defaults.default_container, spec.containers)),
        volumes=tuple(map(pod_defaults.default_volume, spec.volumes)),
    )
