"""An injector compiled once, and the way of one pod through it.

Source: pkg/kube/inject/webhook.go, injectPod: render, overlay, reapply overrides, post-process.
"""

from __future__ import annotations

from collections.abc import Mapping

from podgraft import kube
from podgraft.injection.errors import Fault, UserError
from podgraft.jsonvalue import JSON, Object
from podgraft.policy import Rules

from . import cluster, order, overrides, paths, probes, prometheus, status
from .draft import (
    CONTAINERS,
    INIT_CONTAINERS,
    PROXY,
    Draft,
    changed,
    containers,
    named,
    object_at,
    objects_at,
    text_at,
)
from .overlay import Overlay, OverlayError
from .plan import Plan, Setup, plan
from .releases import Profile
from .rendering import Memory, Rendering, Template
from .request import Injection, Request
from .subject import effective_proxy

NATIVE = "sidecar.istio.io/nativeSidecar"

_CLUSTER_DNS = "ClusterFirst"


class Injector:
    """Istio's sidecar injector for one configuration; several threads may share it."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._memory = Memory(kube.types(setup.profile.kubernetes)["Pod"])

    @property
    def profile(self) -> Profile:
        """Whose behaviour is followed."""
        return self._setup.profile

    @property
    def rules(self) -> Rules:
        """What the configuration says about whom to inject."""
        return self._setup.rules

    @property
    def warnings(self) -> tuple[Fault, ...]:
        """What is wrong in the documents but does not stop the injector."""
        return self._setup.warnings

    def environment(self, tail: str) -> Mapping[str, str]:
        """The proxy's variables from the URL's path behind ``/inject/``."""
        return paths.environment(self.profile, tail)

    def inject(self, pod: Object, request: Request) -> Injection:
        """The injected pod; ``pod`` is left as it is.

        Whether it shall be injected is for ``policy.decide`` to say. Raises ``UserError`` for what
        the pod's author can change, ``OperatorError`` for what only the operator can.
        """
        planned = plan(self._setup, pod, request)
        template, merged = self._overlaid(planned)
        merged = overrides.reapply(self.profile, planned.base, template, merged)
        return _injection(planned, template, self._finished(planned, template, merged))

    def _overlaid(self, planned: Plan) -> tuple[Object, Object]:
        """The template pod, and the pod with all templates laid over it."""
        rendering = Rendering(self._memory, planned.facts, planned.subject)
        native = self._is_native(planned)
        template: Object = {}
        merged = planned.base
        for name in planned.templates:
            overlay = rendering.overlay(self._template(name))
            template = overlay.over(template)
            if native and named(containers(template, INIT_CONTAINERS), PROXY):
                merged = _proxy_moved(merged)
            merged = _laid_over(overlay, merged)
        return template, merged

    def _template(self, name: str) -> Template:
        known = self._setup.templates
        return Template(name, known.programs[name], name in known.decoding)

    def _is_native(self, planned: Plan) -> bool:
        """Whether the proxy may be an init container: the pod's word, else the configuration's."""
        said = {"true": True, "false": False}.get(planned.annotations.get(NATIVE, ""))
        if said is None or not self.profile.native_annotation:
            said = self._setup.native_sidecars
        return said and self.profile.native_sidecars

    def _finished(self, planned: Plan, template: Object, merged: Object) -> Object:
        profile, setup = self.profile, self._setup
        draft = Draft.of(merged)
        proxy = effective_proxy(profile, planned.subject)
        if profile.adjusts_init_user:
            overrides.adjust_init_user(profile, planned.base, draft, proxy)
        cluster.set_environment(profile, draft, planned.environment)
        prometheus.merge(profile, draft, planned.mesh)
        prometheus.set_secure_port(profile, draft)
        self._rewrite_probes(planned, draft)
        cluster.set_label(draft, planned.environment)
        shown = status.of_pod(template)
        draft.annotations[status.ANNOTATION] = status.to_json(profile, shown, setup.revision)
        if not planned.by_hand:
            draft.annotations.update(setup.injected_annotations)
        held = planned.held.get("holdApplicationUntilProxyStarts") is True
        order.reorder(profile, draft, hold=held or setup.values.hold_application)
        return draft.finish()

    def _rewrite_probes(self, planned: Plan, draft: Draft) -> None:
        profile, sidecar = self.profile, draft.sidecar(self.profile)
        if sidecar is not None and probes.wanted(
            draft.annotations, self._setup.values.rewrite_probes
        ):
            probes.rewrite(
                draft,
                sidecar,
                probes.Rewriting(
                    profile=profile, mesh_port=planned.status_port, tcp=self._setup.tcp_probes
                ),
            )


def _laid_over(overlay: Overlay, pod: Object) -> Object:
    try:
        return overlay.over(pod)
    except OverlayError as error:
        raise UserError(
            f"failed to run injection template: it does not fit the pod: {error}"
        ) from error


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


def _injection(planned: Plan, template: Object, pod: Object) -> Injection:
    shown = status.of_pod(template)
    listed = [*containers(template), *containers(template, INIT_CONTAINERS)]
    return Injection(
        base=planned.base,
        pod=pod,
        templates=planned.templates,
        warnings=tuple(_warnings(planned)),
        image=text_at(named(listed, PROXY) or {}, "image"),
        init_containers=shown.init_containers,
        containers=shown.containers,
        volumes=shown.volumes,
        image_pull_secrets=shown.image_pull_secrets,
    )


def _warnings(planned: Plan) -> list[str]:
    """What the pod's author should know though the pod is injected."""
    found: list[str] = []
    policy = text_at(object_at(planned.base, "spec"), "dnsPolicy")
    if policy not in ("", _CLUSTER_DNS):
        found.append(
            f'dnsPolicy is "{policy}", not "{_CLUSTER_DNS}": '
            "the sidecar may not be able to connect to the control plane"
        )
    metadata = object_at(planned.subject.layer, "proxyMetadata")
    if planned.facts.profile.dns_auto_allocate_warned and _AUTO_ALLOCATE in metadata:
        found.append(f"{_AUTO_ALLOCATE} in annotation proxy.istio.io/config has no effect")
    return found


_AUTO_ALLOCATE = "ISTIO_META_DNS_AUTO_ALLOCATE"
