"""Injection by SidecarInjectionSpec, up to 1.8: lists added to the pod by a fixed JSON Patch.

Source: pkg/kube/inject of 1.8 (InjectionData, createPatch) and of 1.0 (intoObject, createPatch).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from podgraft import kube, patch
from podgraft.jsonvalue import Object, object_at, text_at
from podgraft.patch import Add, Operation, Replace

from . import cluster, gojson, poddefaults, probes, prometheus, sidecarspec, specpatch, status
from .draft import (
    CONTAINERS,
    INIT_CONTAINERS,
    PROXY,
    VALIDATION,
    Draft,
    append_env,
    changed,
    containers,
    env_of,
    labels_of,
    named,
)
from .mesh import proxy_of
from .plan import Plan, Setup
from .rendering import Memory, Rendering
from .request import Injection
from .sidecarspec import SidecarSpec
from .specpatch import Addition

_FSGROUP = 1337  # the proxy's group, which must read its token


class SidecarSpecs:
    """The way of pods through one configuration's template."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._profile = setup.profile
        self._types = kube.types(setup.profile.kubernetes)
        self._memory = Memory(partial(sidecarspec.read, setup.profile.kubernetes))

    def inject(self, planned: Plan) -> Injection:
        """The injected pod, and the patch that makes it; raises as ``Injector.inject`` does."""
        (name,) = planned.templates
        rendering = Rendering(self._memory, planned.facts, planned.subject)
        spec = self._completed(planned, rendering.made(self._setup.templates.named(name)))
        operations = (*self._operations(planned, spec),)
        pod = patch.apply(planned.base, operations)
        assert isinstance(pod, dict)  # noqa: S101 - no operation replaces the whole
        shown = spec.status
        return Injection(
            base=planned.base,
            pod=pod,
            operations=operations,
            templates=planned.templates,
            warnings=planned.warnings,
            image=text_at(named([*spec.containers], PROXY) or {}, "image"),
            init_containers=shown.init_containers,
            containers=shown.containers,
            volumes=shown.volumes,
            image_pull_secrets=shown.image_pull_secrets,
        )

    def _completed(self, planned: Plan, spec: SidecarSpec) -> SidecarSpec:
        """The spec with what the pod and its surroundings add to it."""
        if self._profile.kubernetes_defaults:
            return spec if planned.by_hand else _defaulted(spec)
        draft = Draft.of({"spec": {CONTAINERS: [*spec.containers]}})
        proxy = draft.sidecar(self._profile)
        if proxy is not None:
            sidecarspec.set_concurrency(proxy)
            cluster.set_environment(self._profile, draft, planned.environment)
            self._add_environment(planned, spec, proxy)
            specpatch.mount_token(object_at(planned.base, "spec"), proxy)
        return replace(spec, containers=tuple(draft.containers))

    def _add_environment(self, planned: Plan, spec: SidecarSpec, proxy: Object) -> None:
        """Tell the proxy about the application's probes and metrics."""
        if self._rewrites(planned, spec):
            probers = probes.collect(Draft.of(planned.base), planned.rewriting)
            if probers:
                append_env(proxy, probes.ENV, gojson.encode(probers))
        scrape = prometheus.read(self._profile, planned.annotations)
        if self._merges(planned) and scrape != prometheus.NOTHING:
            append_env(proxy, prometheus.ENV, scrape.to_json())

    def _rewrites(self, planned: Plan, spec: SidecarSpec) -> bool:
        has_proxy = named([*spec.containers], PROXY) is not None
        return has_proxy and probes.wanted(planned.annotations, spec.rewrite_probes)

    def _merges(self, planned: Plan) -> bool:
        return prometheus.is_enabled(planned.annotations, planned.mesh)

    def _operations(self, planned: Plan, spec: SidecarSpec) -> Iterator[Operation]:
        """The whole patch, in the order of the release."""
        if self._rewrites(planned, spec):
            yield from self._probes(planned)
        yield from self._lists(planned, spec)
        if not self._profile.kubernetes_defaults:
            yield from self._contexts(planned, spec)
        metadata = object_at(planned.base, "metadata")
        annotations = self._annotations(planned, spec)
        yield from specpatch.entries(metadata, "annotations", annotations)
        if self._profile.labels_added:
            labels = specpatch.missing(labels_of(planned.base), self._labels(planned, spec))
            yield from specpatch.entries(metadata, "labels", labels)

    def _probes(self, planned: Plan) -> Iterator[Operation]:
        port = probes.target_port(planned.annotations, planned.status_port)
        for index, container in enumerate(containers(planned.base)):
            if container.get("name") != PROXY:
                sent = probes.redirected(container, planned.rewriting, port)
                for key, probe in sent.items():
                    value = kube.encode(self._types["Probe"], probe)
                    path = f"/spec/containers/{index}/{key}"
                    yield Replace(op="replace", path=path, value=value)

    def _lists(self, planned: Plan, spec: SidecarSpec) -> Iterator[Operation]:
        pod = object_at(planned.base, "spec")
        appended = planned.by_hand and self._profile.by_hand_appends
        if not appended:
            yield from specpatch.removals(pod, status.read(planned.annotations))
        front = frozenset((VALIDATION, PROXY) if planned.hold else (VALIDATION,))
        if self._profile.kubernetes_defaults:
            front = frozenset[str]()
        yield from specpatch.additions(pod, Addition(INIT_CONTAINERS, spec.init_containers, front))
        yield from specpatch.additions(pod, Addition(CONTAINERS, spec.containers, front))
        yield from specpatch.additions(pod, Addition("volumes", spec.volumes))
        if not appended:
            secrets = Addition("imagePullSecrets", spec.image_pull_secrets)
            yield from specpatch.additions(pod, secrets)

    def _contexts(self, planned: Plan, spec: SidecarSpec) -> Iterator[Operation]:
        """DNS and the security context of the pod."""
        if spec.dns_config is not None:
            yield Add(op="add", path="/spec/dnsConfig", value=spec.dns_config)
        own = object_at(object_at(planned.base, "spec"), "securityContext")
        if self._setup.legacy_fsgroup:
            own = changed(own, {"fsGroup": _FSGROUP})
        context = spec.security_context or own
        if context:
            yield Add(op="add", path="/spec/securityContext", value=context)

    def _annotations(self, planned: Plan, spec: SidecarSpec) -> dict[str, str]:
        setup = self._setup
        text = status.to_json(self._profile, spec.status, setup.revision, setup.template_version)
        annotations = {status.ANNOTATION: text}
        if self._profile.kubernetes_defaults:
            return annotations
        annotations |= planned.injected_annotations
        if self._merges(planned):
            annotations |= prometheus.of_agent(str(proxy_of(planned.mesh).get("statusPort") or 0))
        return annotations

    def _labels(self, planned: Plan, spec: SidecarSpec) -> dict[str, str]:
        """The labels for a pod that does not have them: those of its canonical service."""
        own = labels_of(planned.base)
        name = own.get("app.kubernetes.io/name") or own.get("app")
        labels = {
            "istio.io/rev": self._setup.revision,
            "security.istio.io/tlsMode": "istio",
            "service.istio.io/canonical-name": name or planned.subject.workload.name,
            "service.istio.io/canonical-revision": own.get("app.kubernetes.io/version")
            or own.get("version")
            or "latest",
        }
        network = _network([*spec.containers, *spec.init_containers])
        return labels | ({cluster.NETWORK_LABEL: network} if network else {})


def _network(listed: list[Object]) -> str:
    entries = (env_of(container, cluster.NETWORK) for container in listed)
    return next((text_at(entry, "value") for entry in entries if entry), "")


def _defaulted(spec: SidecarSpec) -> SidecarSpec:
    """The spec with what the API server would fill in."""
    return replace(
        spec,
        init_containers=tuple(map(poddefaults.container, spec.init_containers)),
        containers=tuple(map(poddefaults.container, spec.containers)),
        volumes=tuple(map(poddefaults.volume, spec.volumes)),
    )
