"""Injection by pod templates, since 1.9: partial pods laid over the pod, then post-processing.

Source: pkg/kube/inject/webhook.go, injectPod: render, overlay, reapply overrides, post-process.
"""

from __future__ import annotations

from functools import partial

from podgraft import kube
from podgraft.injection.errors import UserError
from podgraft.jsonvalue import JSON, Object, object_at, objects_at, text_at

from . import cluster, order, overlay, overrides, probes, prometheus, status
from .draft import CONTAINERS, INIT_CONTAINERS, PROXY, Draft, changed, containers, named
from .overlay import Overlay, OverlayError
from .plan import Plan, Setup
from .rendering import Memory, Rendering
from .request import Injection
from .subject import effective_proxy

NATIVE = "sidecar.istio.io/nativeSidecar"


class PodTemplates:
    """The way of pods through one configuration's templates."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._profile = setup.profile
        pod_type = kube.types(setup.profile.kubernetes)["Pod"]
        self._memory = Memory(partial(overlay.read, pod_type))

    def inject(self, planned: Plan) -> Injection:
        """The injected pod; raises ``UserError`` or ``OperatorError``."""
        template, merged = self._overlaid(planned)
        merged = overrides.reapply(self._profile, planned.pod, template, merged)
        shown = status.of_pod(template)
        listed = [*containers(template), *containers(template, INIT_CONTAINERS)]
        return Injection(
            base=planned.base,
            pod=self._finished(planned, shown, merged),
            templates=planned.templates,
            warnings=planned.warnings,
            image=text_at(named(listed, PROXY) or {}, "image"),
            init_containers=shown.init_containers,
            containers=shown.containers,
            volumes=shown.volumes,
            image_pull_secrets=shown.image_pull_secrets,
        )

    def _overlaid(self, planned: Plan) -> tuple[Object, Object]:
        """The template pod, and the pod with all templates laid over it."""
        rendering = Rendering(self._memory, planned.facts, planned.subject)
        native = self._is_native(planned)
        template: Object = {}
        merged = planned.pod
        for name in planned.templates:
            made = rendering.made(self._setup.templates.named(name))
            template = made.over(template)
            if native and named(containers(template, INIT_CONTAINERS), PROXY):
                merged = _proxy_moved(merged)
            merged = _laid_over(made, merged)
        return template, merged

    def _is_native(self, planned: Plan) -> bool:
        """Whether the proxy may be an init container: the pod's word, else the configuration's."""
        said = {"true": True, "false": False}.get(planned.annotations.get(NATIVE, ""))
        if said is None or not self._profile.native_annotation:
            said = self._setup.native_sidecars
        return said and self._profile.native_sidecars

    def _finished(self, planned: Plan, shown: status.Status, merged: Object) -> Object:
        profile, setup = self._profile, self._setup
        draft = Draft.of(merged)
        proxy = effective_proxy(profile, planned.subject)
        if profile.adjusts_init_user:
            overrides.adjust_init_user(profile, planned.pod, draft, proxy)
        cluster.set_environment(profile, draft, planned.environment)
        prometheus.merge(profile, draft, planned.mesh)
        prometheus.set_secure_port(profile, draft)
        self._rewrite_probes(planned, draft)
        cluster.set_label(draft, planned.environment)
        draft.annotations[status.ANNOTATION] = status.to_json(profile, shown, setup.revision)
        draft.annotations.update(planned.injected_annotations)
        order.reorder(profile, draft, hold=planned.hold)
        return draft.finish()

    def _rewrite_probes(self, planned: Plan, draft: Draft) -> None:
        sidecar, default = draft.sidecar(self._profile), self._setup.values.rewrite_probes
        if sidecar is not None and probes.wanted(draft.annotations, default):
            probes.rewrite(draft, sidecar, planned.rewriting)


def _laid_over(made: Overlay, pod: Object) -> Object:
    try:
        return made.over(pod)
    except OverlayError as error:
        problem = f"failed to run injection template: it does not fit the pod: {error}"
        raise UserError(problem) from error


def _proxy_moved(pod: Object) -> Object:
    """The pod with its own istio-proxy among the init containers, where the template has it."""
    spec = object_at(pod, "spec")
    proxy = named(containers(pod), PROXY)
    if proxy is None:
        return pod
    listed: list[JSON] = [each for each in containers(pod) if each is not proxy]
    moved: Object = {
        CONTAINERS: listed,
        INIT_CONTAINERS: [*objects_at(spec, INIT_CONTAINERS), proxy],
    }
    return changed(pod, {"spec": changed(spec, moved)})
