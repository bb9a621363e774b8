"""Injection by pod templates, since 1.9: partial pods laid over the pod, then post-processing.

Source: pkg/kube/inject/webhook.go, injectPod: render, overlay, reapply overrides, post-process.
"""

from __future__ import annotations

from functools import partial

from podgraft import kube
from podgraft.injectors.errors import UserError
from podgraft.jsonvalue import JSON, Object, object_at, objects_at, string_at

from . import status
from .context import InjectionContext, InjectorConfig
from .data.template_data import effective_proxy
from .pod_builder import (
    CONTAINERS,
    INIT_CONTAINERS,
    PROXY,
    PodBuilder,
    containers,
    find_by_name,
    merge_keys,
)
from .postprocess import cluster, container_order, overrides, probes, prometheus
from .render import pod_overlay
from .render.pod_overlay import OverlayError, PodOverlay
from .render.rendering import PodRenderer, TemplateCache
from .request import Injection

NATIVE_SIDECAR_ANNOTATION = "sidecar.istio.io/nativeSidecar"


class TemplateInjector:
    """The way of pods through one configuration's templates."""

    def __init__(self, setup: InjectorConfig) -> None:
        self._setup = setup
        self._profile = setup.profile
        pod_type = kube.types(setup.profile.kubernetes)["Pod"]
        self._memory = TemplateCache(partial(pod_overlay.decode_overlay, pod_type))

    def inject(self, planned: InjectionContext) -> Injection:
        """The injected pod; raises ``UserError`` or ``OperatorError``."""
        template, merged = self._apply_templates(planned)
        merged = overrides.reapply_overrides(self._profile, planned.pod, template, merged)
        shown = status.make_status(template)
        listed = [*containers(template), *containers(template, INIT_CONTAINERS)]
        return Injection(
            base=planned.base,
            pod=self._post_process(planned, shown, merged),
            templates=planned.templates,
            warnings=planned.warnings,
            image=string_at(find_by_name(listed, PROXY) or {}, "image"),
            init_containers=shown.init_containers,
            containers=shown.containers,
            volumes=shown.volumes,
            image_pull_secrets=shown.image_pull_secrets,
        )

    def _apply_templates(self, planned: InjectionContext) -> tuple[Object, Object]:
        """The template pod, and the pod with all templates laid over it."""
        rendering = PodRenderer(self._memory, planned.injector_context, planned.template_data)
        native = self._is_native(planned)
        template: Object = {}
        merged = planned.pod
        for name in planned.templates:
            made = rendering.render(self._setup.templates.lookup(name))
            template = made.apply(template)
            if native and find_by_name(containers(template, INIT_CONTAINERS), PROXY):
                merged = _move_proxy_to_init(merged)
            merged = _apply_overlay(made, merged)
        return template, merged

    def _is_native(self, planned: InjectionContext) -> bool:
        """Whether the proxy may be an init container: the pod's word, else the configuration's."""
        said = {"true": True, "false": False}.get(
            planned.annotations.get(NATIVE_SIDECAR_ANNOTATION, "")
        )
        if said is None or not self._profile.native_annotation:
            said = self._setup.native_sidecars
        return said and self._profile.native_sidecars

    def _post_process(
        self, planned: InjectionContext, shown: status.InjectionStatus, merged: Object
    ) -> Object:
        profile, setup = self._profile, self._setup
        draft = PodBuilder.from_pod(merged)
        proxy = effective_proxy(profile, planned.template_data)
        if profile.adjusts_init_user:
            overrides.adjust_init_user(profile, planned.pod, draft, proxy)
        cluster.set_environment(profile, draft, planned.environment)
        prometheus.merge_metrics(profile, draft, planned.mesh)
        prometheus.set_secure_port(profile, draft)
        self._rewrite_probes(planned, draft)
        cluster.set_label(draft, planned.environment)
        draft.annotations[status.ANNOTATION] = status.to_json(profile, shown, setup.revision)
        draft.annotations.update(planned.injected_annotations)
        container_order.reorder_containers(profile, draft, hold=planned.hold_application)
        return draft.build()

    def _rewrite_probes(self, planned: InjectionContext, draft: PodBuilder) -> None:
        sidecar, default = draft.sidecar(self._profile), self._setup.values.rewrite_probes
        if sidecar is not None and probes.should_rewrite(draft.annotations, default):
            probes.rewrite_probes(draft, sidecar, planned.probe_rewriter)


def _apply_overlay(made: PodOverlay, pod: Object) -> Object:
    try:
        return made.apply(pod)
    except OverlayError as error:
        problem = f"failed to run injection template: it does not fit the pod: {error}"
        raise UserError(problem) from error


def _move_proxy_to_init(pod: Object) -> Object:
    """The pod with its own istio-proxy among the init containers, where the template has it."""
    spec = object_at(pod, "spec")
    proxy = find_by_name(containers(pod), PROXY)
    if proxy is None:
        return pod
    listed: list[JSON] = [each for each in containers(pod) if each is not proxy]
    moved: Object = {
        CONTAINERS: listed,
        INIT_CONTAINERS: [*objects_at(spec, INIT_CONTAINERS), proxy],
    }
    return merge_keys(pod, {"spec": merge_keys(spec, moved)})
