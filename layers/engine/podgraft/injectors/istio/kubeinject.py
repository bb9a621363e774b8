"""Injection into files, as ``istioctl kube-inject``: text in, text out.

The pod template of every workload in a YAML stream is injected in place; other objects are copied.
Source: pkg/kube/inject/inject.go, IntoResourceFile and IntoObject. Different from Istio in that
keys keep their order, that fields unknown to Kubernetes' types survive, and that an injection
without containers is an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from podgraft import kube
from podgraft.injectors import istio
from podgraft.injectors.coerce import coerce_to_string
from podgraft.injectors.errors import OperatorError, UserError
from podgraft.jsonvalue import Object
from podgraft.kube import WorkloadError, workload, workload_owner
from podgraft.kube.workload import PodTemplatePath
from podgraft.kube.workload_owner import WorkloadRef
from podgraft.policy import DefaultPolicy, Reason, Skip, decide

from . import yaml_stream


@dataclass(frozen=True, slots=True)
class KubeInjectResult:
    """The stream with sidecars, why some workloads got none, and how many there are."""

    text: str
    warnings: tuple[str, ...]
    injected: int = 0
    workloads: int = 0


def inject(
    injector: istio.Injector, text: str, environment: Mapping[str, str] | None = None
) -> KubeInjectResult:
    """The YAML stream with every workload injected; *environment* is for the proxies.

    Raises ``injection.UserError`` and ``injection.OperatorError`` as ``Injector.inject`` does, and
    ``kubeyaml.NotYAMLError``.
    """
    run = _KubeInjection(injector, environment or {})
    rewritten = yaml_stream.rewrite_objects(text, run.inject)
    return KubeInjectResult(rewritten, tuple(run.warnings), run.injected, run.workloads)


@dataclass(slots=True)
class _KubeInjection:
    """One stream: what is injected with, and the warnings and counts so far."""

    injector: istio.Injector
    environment: Mapping[str, str]
    warnings: list[str] = field(default_factory=list[str])
    injected: int = 0
    workloads: int = 0

    def inject(self, document: Object) -> Object:
        """The object with a sidecar in its pod; the very same where it gets none."""
        place = workload.find_pod_template_path(document)
        if place is None:
            self._note_other(document)
            return document
        self.workloads += 1
        typed = _coerce_metadata(document)
        pod = _coerce_pod(typed, place)
        words = self._reason_to_skip(pod)
        if words:
            shown = _workload_label(typed, with_kind=self.injector.profile.named_by_kind)
            self._note_skipped(f"{shown} has {words}")
            return document
        injection = self._injected(typed, pod)
        self.warnings += injection.warnings
        self.injected += 1
        return workload.with_pod(typed, place, injection.pod)

    def _injected(self, document: Object, pod: Object) -> istio.Injection:
        profile = self.injector.profile
        request = istio.InjectionRequest(
            mode=istio.Mode.KUBE_INJECT,
            workload=_workload_ref(profile, document, pod),
            environment=self.environment,
        )
        injection = self.injector.inject(pod, request)
        if not injection.containers and not injection.init_containers:
            templates = ", ".join(injection.templates) or "none"
            raise OperatorError(
                f"{_workload_label(document, with_kind=True)}: the templates ({templates}) add no container "
                f"as Istio {profile.release} renders them; check that the configuration is of this "
                "release, and that annotation inject.istio.io/templates names a sidecar"
            )
        return injection

    def _note_other(self, document: Object) -> None:
        """Count an object that has a pod, and is of a kind that is not injected."""
        if workload.has_pod(document):
            self.workloads += 1
            shown = _workload_label(document, with_kind=True)
            self._note_skipped(f"{shown} is of a kind that Istio does not inject into files")

    def _note_skipped(self, words: str) -> None:
        self.warnings.append(f"===> Skipping injection because {words}")

    def _reason_to_skip(self, pod: Object) -> str:
        """What the pod has that keeps it as it is; empty if it is injected."""
        profile = self.injector.profile
        rules = replace(self.injector.rules, policy=DefaultPolicy.ENABLED, never=(), always=())
        decision = decide(rules, pod, "")
        if not isinstance(decision, Skip):
            return (
                'injected "istio-proxy" sidecar already' if istio.is_injected(profile, pod) else ""
            )
        if decision.deciding_step.reason is Reason.HOST_NETWORK:
            return "host networking enabled"
        return "sidecar injection disabled" if profile.by_hand_decides else ""


def _coerce_metadata(document: Object) -> Object:
    """The object with text in its metadata where Kubernetes wants text."""
    metadata = document.get("metadata")
    return document | {"metadata": coerce_to_string(kube.OBJECT_META, metadata)}


def _coerce_pod(document: Object, place: PodTemplatePath) -> Object:
    """The pod as typed objects hold it: text where Kubernetes wants text."""
    try:
        pod = coerce_to_string(kube.POD, workload.pod_of(document, place))
    except WorkloadError as error:
        raise UserError(f"{_workload_label(document, with_kind=True)}: {error}") from error
    assert isinstance(pod, dict)  # noqa: S101 - an object stays one
    return pod


def _workload_ref(profile: istio.Profile, document: Object, pod: Object) -> WorkloadRef:
    """The workload itself; for a bare pod, in releases that look, its owner."""
    if document.get("kind") == "Pod" and profile.bare_pod_owner:
        return istio.workload_of(profile, pod)
    return workload_owner.workload_of_manifest(document)


def _workload_label(document: Object, *, with_kind: bool) -> str:
    whose = workload_owner.workload_of_manifest(document)
    if not with_kind:
        return f'"{whose.name}"'
    name = f"{whose.namespace}/{whose.name}" if whose.namespace else whose.name
    return f'{whose.kind} "{name}"'
