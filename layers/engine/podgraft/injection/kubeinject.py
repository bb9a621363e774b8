"""Injection by hand, as ``istioctl kube-inject``: text in, text out.

The pod template of every workload in a YAML stream is injected in place; what is no workload is
copied. Source: pkg/kube/inject/inject.go, IntoResourceFile and IntoObject. Different from Istio in
that keys keep their order, and that what Kubernetes' types do not know survives.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from podgraft import kube
from podgraft.jsonvalue import Object
from podgraft.kube import WorkloadError, identity, workload
from podgraft.kube.identity import Identity
from podgraft.kube.workload import Place
from podgraft.policy import PolicyWord, Reason, Skip, decide

from . import istio, manifests
from .errors import UserError
from .lenient import as_text


@dataclass(frozen=True, slots=True)
class Result:
    """The stream with sidecars, and why some workloads got none."""

    text: str
    warnings: tuple[str, ...]


def inject(injector: istio.Injector, text: str) -> Result:
    """The YAML stream with every workload injected.

    Raises ``injection.UserError`` and ``injection.OperatorError`` as ``Injector.inject`` does, and
    ``kubeyaml.NotYAMLError``.
    """
    run = _Run(injector)
    return Result(manifests.rewrite(text, run.inject), tuple(run.warnings))


@dataclass(slots=True)
class _Run:
    """One stream: what is injected with, and the warnings so far."""

    injector: istio.Injector
    warnings: list[str] = field(default_factory=list[str])

    def inject(self, document: Object) -> Object:
        """The object with a sidecar in its pod; the very same where it gets none."""
        place = workload.place_of(document, istio.kinds(self.injector.profile))
        if place is None:
            return document
        typed = _with_text(document)
        pod = _pod(typed, place)
        if self._skips(typed, pod):
            return document
        whose = _identity(self.injector.profile, typed, pod)
        request = istio.Request(mode=istio.Mode.KUBE_INJECT, workload=whose)
        injection = self.injector.inject(pod, request)
        self.warnings += injection.warnings
        return workload.with_pod(typed, place, injection.pod)

    def _skips(self, document: Object, pod: Object) -> bool:
        """Whether the pod stays as it is; says why, unless it has its sidecar already."""
        profile = self.injector.profile
        rules = replace(self.injector.rules, policy=PolicyWord.ENABLED, never=(), always=())
        decision = decide(rules, pod, "")
        if not isinstance(decision, Skip):
            return istio.is_injected(profile, pod)
        reason = decision.by.reason
        if reason is not Reason.HOST_NETWORK and not profile.by_hand_decides:
            return False
        words = (
            "host networking enabled"
            if reason is Reason.HOST_NETWORK
            else "sidecar injection disabled"
        )
        shown = _shown(document, with_kind=profile.named_by_kind)
        self.warnings.append(f"===> Skipping injection because {shown} has {words}")
        return True


def _with_text(document: Object) -> Object:
    """The object with text in its metadata where Kubernetes wants text."""
    metadata = document.get("metadata")
    return document | {"metadata": as_text(kube.OBJECT_META, metadata)}


def _pod(document: Object, place: Place) -> Object:
    """The pod as typed objects hold it: text where Kubernetes wants text."""
    try:
        pod = as_text(kube.POD, workload.pod_of(document, place))
    except WorkloadError as error:
        raise UserError(f"{_shown(document, with_kind=True)}: {error}") from error
    assert isinstance(pod, dict)  # noqa: S101 - an object stays one
    return pod


def _identity(profile: istio.Profile, document: Object, pod: Object) -> Identity:
    """The workload itself; for a bare pod, in releases that look, its owner."""
    if document.get("kind") == "Pod" and profile.bare_pod_owner:
        return istio.identity_of(profile, pod)
    return identity.of_workload(document)


def _shown(document: Object, *, with_kind: bool) -> str:
    whose = identity.of_workload(document)
    if not with_kind:
        return f'"{whose.name}"'
    name = f"{whose.namespace}/{whose.name}" if whose.namespace else whose.name
    return f'{whose.kind} "{name}"'
