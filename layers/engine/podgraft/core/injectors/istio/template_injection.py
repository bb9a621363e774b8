"""Injection by pod templates, since 1.9: partial pods merged into the pod, then post-processing.

Source: pkg/kube/inject/webhook.go, injectPod: render, overlay, reapply overrides, post-process.
"""

from functools import partial

from podgraft import kube
from podgraft.base.jsonvalue import JSON, Object, object_at, objects_at
from podgraft.core.injectors.errors import InjectionError, OperatorError, UserError

from . import status
from .context import InjectionContext
from .data.template_data import TemplateData, effective_proxy
from .injector_config import InjectorConfig
from .pod_builder import (
    CONTAINERS,
    CORE_DUMP,
    INIT,
    INIT_CONTAINERS,
    PROXY,
    VALIDATION,
    PodBuilder,
    containers,
    find_by_name,
)
from .postprocess import cluster, overrides, probes, prometheus
from .releases import Profile
from .render import pod_overlay, templates
from .render.overlay_editor import OverlayEditor
from .render.pod_overlay import OverlayError, PodOverlay
from .render.rendering import FAILURES, PodRenderer, TemplateCache
from .result import Injection

NATIVE_SIDECAR_ANNOTATION = "sidecar.istio.io/nativeSidecar"


class TemplateInjector:
    """Injects pods by the templates of one configuration."""

    def __init__(self, config: InjectorConfig) -> None:
        self._config = config
        self._profile = config.profile
        pod_type = kube.types(config.profile.kubernetes)["Pod"]
        self._cache = TemplateCache(
            partial(pod_overlay.decode_overlay, pod_type), partial(OverlayEditor, pod_type)
        )

    def inject(self, context: InjectionContext) -> Injection:
        """Inject the pod; raises ``UserError`` or ``OperatorError``."""
        template_pod, merged = self._apply_templates(context)
        merged = overrides.reapply_overrides(
            self._profile, context.pod, context.annotations, template_pod, merged
        )
        injection_status = status.make_status(template_pod)
        return Injection(
            base=context.base,
            pod=self._post_process(context, injection_status, merged),
            templates=context.templates,
            warnings=context.warnings,
            added=injection_status,
            is_empty=not any(template_pod.values()),
        )

    def _apply_templates(self, context: InjectionContext) -> tuple[Object, Object]:
        """The template pod, and the pod with all templates applied."""
        renderer = context.make_renderer(self._cache)
        native = self._is_native(context)
        template_pod: Object = {}
        merged = context.pod
        for name in context.templates:
            overlay = renderer.render(self._config.templates.lookup(name))
            try:
                template_pod = overlay.apply(template_pod)
            except OverlayError as error:
                raise self._make_merge_error(context, renderer, error) from error
            if native and find_by_name(containers(template_pod, INIT_CONTAINERS), PROXY):
                merged = _move_proxy_to_init(merged)
            merged = _apply_overlay(overlay, merged)
        return template_pod, merged

    def _make_merge_error(
        self, context: InjectionContext, renderer: PodRenderer[PodOverlay], error: OverlayError
    ) -> InjectionError:
        """The error of the pod's author or of the operator, for templates that do not merge."""
        names = ", ".join(context.templates)
        problem = f"failed to run injection template: {names} cannot be merged: {error}"
        selected = [*map(self._config.templates.lookup, context.templates)]
        reduced = renderer.with_reduced_limits()

        def merges(data: TemplateData) -> bool:
            template_pod: Object = {}
            try:
                for template in selected:
                    template_pod = reduced.render_without_check(template, data).apply(template_pod)
            except FAILURES:
                return False
            return True

        key = renderer.find_breaking_key(merges) if context.limits.finds_causes else None
        if key is None and templates.ANNOTATION in context.annotations:
            key = f"annotation {templates.ANNOTATION}"
        return OperatorError(problem) if key is None else UserError(f"{key}: {problem}")

    def _is_native(self, context: InjectionContext) -> bool:
        """Whether the proxy can be an init container: by the pod's annotation, else by default."""
        annotation = context.annotations.get(NATIVE_SIDECAR_ANNOTATION, "")
        native = {"true": True, "false": False}.get(annotation)
        if native is None or not self._profile.native_annotation:
            native = self._config.native_sidecars
        return native and self._profile.native_sidecars

    def _post_process(
        self, context: InjectionContext, injection_status: status.InjectionStatus, merged: Object
    ) -> Object:
        profile = self._profile
        builder = PodBuilder.from_pod(merged)
        if profile.adjusts_init_user:
            read_proxy = partial(effective_proxy, context.template_data)
            overrides.adjust_init_user(profile, context.pod, builder, read_proxy)
        cluster.set_environment(profile, builder, context.environment)
        prometheus.merge_metrics(profile, builder, context.mesh)
        prometheus.set_secure_port(profile, builder)
        self._rewrite_probes(context, builder)
        cluster.set_label(builder, context.environment)
        status_text = status.to_json(profile, injection_status, self._config.revision)
        builder.annotations[status.ANNOTATION] = status_text
        builder.annotations.update(context.injected_annotations)
        reorder_containers(profile, builder, hold=context.hold_application)
        return builder.build()

    def _rewrite_probes(self, context: InjectionContext, builder: PodBuilder) -> None:
        sidecar, default = builder.sidecar(self._profile), self._config.values.rewrite_probes
        if sidecar is not None and probes.should_rewrite(builder.annotations, default):
            probes.rewrite_probes(builder, sidecar, context.probe_rewriter)


def _apply_overlay(overlay: PodOverlay, pod: Object) -> Object:
    try:
        return overlay.apply(pod)
    except OverlayError as error:
        problem = f"failed to run injection template: it does not fit the pod: {error}"
        raise UserError(problem) from error


def _move_proxy_to_init(pod: Object) -> Object:
    """The pod with its own istio-proxy in the init containers, as in the template pod."""
    spec = object_at(pod, "spec")
    proxy = find_by_name(containers(pod), PROXY)
    if proxy is None:
        return pod
    remaining: list[JSON] = [*containers(pod)]
    remaining.remove(proxy)  # the first container of this name, which no earlier one can equal
    lists: Object = {
        CONTAINERS: remaining,
        INIT_CONTAINERS: [*objects_at(spec, INIT_CONTAINERS), proxy],
    }
    return {**pod, "spec": spec | lists}


def reorder_containers(profile: Profile, builder: PodBuilder, *, hold: bool) -> None:
    """Move Istio's containers to their positions; all others keep their order.

    ``hold`` starts the proxy first, so the network is ready when the application starts.
    """
    first, last = ((PROXY,), ()) if hold else ((), (PROXY,))
    builder.containers = _reorder(builder.containers, first, last)
    if profile.native_sidecars and find_by_name(builder.init_containers, PROXY) is not None:
        first, last = (INIT, VALIDATION, PROXY, CORE_DUMP), ()
    else:
        first, last = (VALIDATION,), (INIT, CORE_DUMP)
    builder.init_containers = _reorder(builder.init_containers, first, last)


def _reorder(
    containers: list[Object], first: tuple[str, ...], last: tuple[str, ...]
) -> list[Object]:
    """Return the containers with those of some names first and last.

    Of several containers with such a name, Istio drops all but the last one.
    """
    moved = (*first, *last)
    others = [each for each in containers if each.get("name") not in moved]
    return [*_find_last(containers, first), *others, *_find_last(containers, last)]


def _find_last(containers: list[Object], names: tuple[str, ...]) -> list[Object]:
    """Return the last container of each name."""
    found = [[each for each in containers if each.get("name") == name] for name in names]
    return [each[-1] for each in found if each]
