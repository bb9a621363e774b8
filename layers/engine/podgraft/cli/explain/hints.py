"""Hints about other ways to serve a pod, and notes about fields that kube-apiserver rejects.

Neither changes a decision: kube-apiserver and podgraft do what the stages of the trace contain.
Source of the required fields: pkg/apis/core/validation.
"""

from collections.abc import Iterator
from itertools import islice

from msgspec.structs import replace

from podgraft.base.diagnostics import find_similar
from podgraft.base.jsonvalue import Object, object_at, string_at
from podgraft.cli import annotation_remedies
from podgraft.kube import workload
from podgraft.kube.document_reader import format_value
from podgraft.kube.unknown_fields import UNKNOWN, UnknownField, find_unknown_fields

from .decision_trace import DecisionTrace, Verdict

_DATAPLANE_MODE = "istio.io/dataplane-mode"
_TEMPLATES = "inject.istio.io/templates"
_GATEWAY = "gateway"
_CALLER = "kube-apiserver"
_MAX_UNKNOWN_FIELDS = 5


def add_hints(trace: DecisionTrace, pod: Object, namespace: Object) -> DecisionTrace:
    """Return the trace with the hints for its pod as further warnings."""
    hints = (
        *_find_ambient_hints(trace, pod, namespace),
        *_find_template_hints(trace, pod),
        *_find_annotation_hints(trace),
        *_find_route_hints(trace),
    )
    return replace(trace, warnings=(*trace.warnings, *hints)) if hints else trace


def _find_ambient_hints(trace: DecisionTrace, pod: Object, namespace: Object) -> Iterator[str]:
    """Yield what Istio's CNI does with the pod (cni/pkg/util/podutil.go)."""
    own = _read_label(pod, _DATAPLANE_MODE)
    owner = "pod" if own else "namespace"
    if (own or _read_label(namespace, _DATAPLANE_MODE)) != "ambient":
        return
    label = f"the {owner} has the label {_DATAPLANE_MODE}=ambient"
    if trace.is_injected:
        yield (
            f"{label}, but a pod with a sidecar is not part of the ambient mesh; remove "
            "that label, or disable the injection"
        )
    elif trace.verdict is Verdict.SKIPPED:
        yield f"{label}: ztunnel serves the pod, which needs no sidecar"


def _find_annotation_hints(trace: DecisionTrace) -> Iterator[str]:
    """Yield a remedy for each annotation that Istio rejects; the trace contains Istio's text."""
    step = trace.deciding_step
    if step is not None:
        yield from annotation_remedies.find_remedies(step.reason)


def _find_route_hints(trace: DecisionTrace) -> Iterator[str]:
    """Yield that only a route changes the pod that a registration without options does not call."""
    if any(stage.name.startswith(_CALLER) for stage in trace.stages):
        return
    verdicts = {stage.route: stage.verdict for stage in trace.stages}
    if verdicts.get("inject") is Verdict.SKIPPED and trace.verdict is Verdict.CHANGED:
        yield (
            "/inject skips the pod, and only /mutate changes it, which needs register --mutate "
            "v1/pods; for your registration, use --webhook-config"
        )


def _find_template_hints(trace: DecisionTrace, pod: Object) -> Iterator[str]:
    templates = string_at(pod, "metadata", "annotations", _TEMPLATES)
    step = trace.deciding_step
    if step is not None and (
        remedy := annotation_remedies.find_template_remedy(f"{step.observed} {step.reason}")
    ):
        yield remedy
    if _GATEWAY not in templates.split(",") or trace.verdict is not Verdict.SKIPPED:
        return
    stages = [stage for stage in trace.stages if stage.name.startswith(_CALLER)]
    if any(step.is_deciding for stage in stages for step in stage.steps):
        yield (
            "the pod is a gateway, and no webhook matches it; without a label of the namespace, it "
            'needs the pod label sidecar.istio.io/inject: "true", or istio.io/rev with the '
            "registered revision"
        )


def _read_label(manifest: Object, key: str) -> str:
    return string_at(manifest, "metadata", "labels", key)


def find_field_notes(value: Object) -> Iterator[str]:
    """Yield a note for each unknown field of an object, and for a pod without containers."""
    yield from map(_describe_unknown, islice(find_unknown_fields(value), _MAX_UNKNOWN_FIELDS))
    path = workload.find_pod_template_path(value, workload.ALL_KINDS)
    if path is None:
        return
    if not object_at(value, *path.spec).get("containers"):
        yield f"{'.'.join(path.spec)}.containers: is missing, so kube-apiserver rejects the object"


def _describe_unknown(field: UnknownField) -> str:
    similar = find_similar(field.name, field.available)
    remedy = f"did you mean {similar}?" if similar else UNKNOWN
    return f"unknown field {format_value(field.path)}; {remedy}"
