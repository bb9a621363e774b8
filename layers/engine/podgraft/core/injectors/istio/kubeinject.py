"""Injection into files, as ``istioctl kube-inject`` does: text in, text out.

The pod template of every workload in a YAML stream is injected in place; other objects are copied.
Source: pkg/kube/inject/inject.go, IntoResourceFile and IntoObject. Differences from Istio: keys
keep their order, unknown fields are preserved, and an injection that adds nothing is an error.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from msgspec.structs import replace

from podgraft import kube
from podgraft.base.jsonvalue import JSON, Object
from podgraft.core.injectors import istio
from podgraft.core.injectors.errors import OperatorError, UserError
from podgraft.core.policy import DefaultPolicy, Reason, decide
from podgraft.core.review_context import ReviewContext
from podgraft.golang.reflect import GoType, Kind, fields_by_key
from podgraft.kube import WorkloadError, workload, workload_owner
from podgraft.kube.workload import PodTemplatePath
from podgraft.kube.workload_owner import WorkloadRef

from . import yaml_stream
from .annotations import check_proxy_config
from .pod_builder import pod_annotations


@dataclass(frozen=True, slots=True)
class KubeInjectResult:
    """The stream with sidecars, warnings for skipped workloads, and the number of workloads."""

    text: str
    warnings: tuple[str, ...]
    injected: int = 0
    workloads: int = 0


def inject(
    injector: istio.Injector, text: str, environment: Mapping[str, str] | None = None
) -> KubeInjectResult:
    """Inject every workload of a YAML stream; *environment* is for the proxies.

    Raises ``UserError`` and ``OperatorError`` as ``Injector.inject`` does, and
    ``yaml.NotYAMLError``.
    """
    run = _KubeInjection(injector, environment or {})
    rewritten = yaml_stream.rewrite_objects(text, run.inject)
    return KubeInjectResult(rewritten, tuple(run.warnings), run.injected, run.workloads)


@dataclass(slots=True)
class _KubeInjection:
    """The injection into one stream, with the warnings and counts so far."""

    injector: istio.Injector
    environment: Mapping[str, str]
    warnings: list[str] = field(default_factory=list[str])
    injected: int = 0
    workloads: int = 0

    def inject(self, document: Object) -> Object:
        """Return the object with a sidecar in its pod, or the same object if it gets none."""
        template_path = workload.find_pod_template_path(document)
        if template_path is None:
            self._count_unsupported(document)
            return document
        self.workloads += 1
        metadata = coerce_to_string(kube.OBJECT_META, document.get("metadata"))
        coerced = document | {"metadata": metadata}
        pod = _coerce_pod(coerced, template_path)
        reason = self._reason_to_skip(pod)
        if reason:
            label = _workload_label(coerced, with_kind=self.injector.profile.named_by_kind)
            self._add_skip_warning(f"{label} has {reason}")
            return document
        injection = self._inject_pod(coerced, pod)
        self.warnings += injection.warnings
        self.injected += 1
        return workload.with_pod(coerced, template_path, injection.pod)

    def _inject_pod(self, document: Object, pod: Object) -> istio.Injection:
        profile = self.injector.profile
        owner = _workload_ref(profile, document, pod)
        review = ReviewContext(environment=self.environment)
        injection = self.injector.inject(pod, review, owner)
        if injection.is_empty:
            templates = ", ".join(injection.templates) or "none"
            raise OperatorError(
                f"{_workload_label(document, with_kind=True)}: the templates ({templates}) add "
                f"nothing as Istio {profile.release} renders them; check that the configuration "
                "is of this release, and that annotation inject.istio.io/templates names a sidecar"
            )
        return injection

    def _count_unsupported(self, document: Object) -> None:
        """Count an object with a pod template of a kind that Istio does not inject."""
        if workload.has_pod(document):
            self.workloads += 1
            label = _workload_label(document, with_kind=True)
            self._add_skip_warning(f"{label} is of a kind that Istio does not inject into files")

    def _add_skip_warning(self, reason: str) -> None:
        self.warnings.append(f"===> Skipping injection because {reason}")

    def _reason_to_skip(self, pod: Object) -> str:
        """The reason not to inject the pod; empty if it is injected."""
        profile = self.injector.profile
        rules = replace(
            self.injector.config.rules, policy=DefaultPolicy.ENABLED, never=(), always=()
        )
        decision = decide(rules, pod, "")
        if decision.injects:
            return (
                'injected "istio-proxy" sidecar already' if istio.is_injected(profile, pod) else ""
            )
        if decision.deciding_step.reason is Reason.HOST_NETWORK:
            return "host networking enabled"
        if profile.proxy_layers:  # these releases parse it before they decide
            check_proxy_config(profile, pod_annotations(pod))
        return "sidecar injection disabled" if profile.by_hand_decides else ""


def _coerce_pod(document: Object, template_path: PodTemplatePath) -> Object:
    """Return the pod, with values converted to the strings that Kubernetes expects."""
    try:
        pod = coerce_to_string(kube.POD, workload.pod_of(document, template_path))
    except WorkloadError as error:
        raise UserError(f"{_workload_label(document, with_kind=True)}: {error}") from error
    assert isinstance(pod, dict)  # noqa: S101 - coercion of an object returns an object
    return pod


def _workload_ref(profile: istio.Profile, document: Object, pod: Object) -> WorkloadRef:
    """The workload itself; for a bare pod, its owner in releases that look it up."""
    if document.get("kind") == "Pod" and profile.bare_pod_owner:
        return istio.workload_of(profile, pod)
    return workload_owner.workload_of_manifest(document)


def _workload_label(document: Object, *, with_kind: bool) -> str:
    ref = workload_owner.workload_of_manifest(document)
    if not with_kind:
        return f'"{ref.name}"'
    name = f"{ref.namespace}/{ref.name}" if ref.namespace else ref.name
    return f'{ref.kind} "{name}"'


def coerce_to_string(type_: GoType, value: JSON) -> JSON:
    """Return ``value`` with numbers and booleans as text if ``type_`` has strings there.

    Unknown fields stay unchanged.
    """
    target = type_.elem if type_.kind is Kind.POINTER and type_.elem else type_
    match target.kind, value:
        case Kind.STRING, bool() | int() | float():
            return kube.decode(target, value, lenient=True)
        case Kind.STRUCT, dict():
            fields = fields_by_key(target)
            return {
                key: coerce_to_string(fields[key].type, each) if key in fields else each
                for key, each in value.items()
            }
        case Kind.MAP, dict() if target.elem:
            elem = target.elem
            return {key: coerce_to_string(elem, element) for key, element in value.items()}
        case Kind.SLICE, list() if target.elem:
            elem = target.elem
            return [coerce_to_string(elem, element) for element in value]
        case _:
            return value
