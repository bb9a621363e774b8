"""Objects that an overlay can match, derived from its constraints and conditions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from podgraft.base.jsonvalue import JSON, Object, object_at, objects_at, string_at, strings_at
from podgraft.core.bundle import Manifest
from podgraft.kube.admission import AdmissionRequest, Operation
from podgraft.kube.matching import constraints
from podgraft.kube.matching.constraints import MatchConstraints, ResourceRule

from . import probes
from .probes import Probe

_ANY = "*"
_STRING_LITERAL = re.compile(r"'([^'\\\n]{1,200})'|\"([^\"\\\n]{1,200})\"")
_NAME = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?")
_MAX_VALUES = 6  # string literals of a condition to try as the value of an annotation or a label

# Kinds of resources that are not workloads; for other resources, the kind is guessed.
_KINDS = {
    "configmaps": "ConfigMap",
    "endpoints": "Endpoints",
    "horizontalpodautoscalers": "HorizontalPodAutoscaler",
    "ingresses": "Ingress",
    "networkpolicies": "NetworkPolicy",
    "persistentvolumeclaims": "PersistentVolumeClaim",
    "poddisruptionbudgets": "PodDisruptionBudget",
    "serviceaccounts": "ServiceAccount",
}


class Candidate(Struct, frozen=True, kw_only=True):
    """An object and its request; ``is_plain`` states that no label or annotation was added."""

    probe: Probe
    request: AdmissionRequest
    is_plain: bool


def make_candidates(
    matching: MatchConstraints, manifest: Manifest
) -> Mapping[str, list[Candidate]]:
    """Return objects by kind; if the constraints name no kind, the only key is ``object``."""
    criteria = _MatchCriteria.from_manifest(manifest)
    by_kind: dict[str, list[Candidate]] = {}
    for rule in matching.rules or (_ALL_RESOURCES,):
        for resource, sub_resource in rule.resources:
            for probe in _make_probes(rule, resource):
                kind = "object" if resource == _ANY else probe.kind
                by_kind.setdefault(kind, []).extend(
                    _make_variants(probe, rule, sub_resource, criteria)
                )
    return by_kind


_ALL_RESOURCES = ResourceRule(
    operations=frozenset({_ANY}),
    groups=frozenset({_ANY}),
    versions=frozenset({_ANY}),
    resources=((_ANY, ""),),
)


class _MatchCriteria(Struct, frozen=True, kw_only=True):
    """The labels, texts, and namespace that selectors and conditions match."""

    labels: Mapping[str, str]
    texts: tuple[str, ...]
    namespace: str

    @classmethod
    def from_manifest(cls, manifest: Manifest) -> _MatchCriteria:
        spec = object_at(manifest.object, "spec")
        conditions = objects_at(spec, "matchConditions")
        sources = [string_at(condition, "expression") for condition in conditions]
        keys = [text for text in _find_literals(string_at(spec, "template")) if "/" in text]
        literals = [text for source in sources for text in _find_literals(source)]
        names = _selected_labels(object_at(spec, "matchConstraints", "namespaceSelector"))
        return cls(
            labels=_selected_labels(object_at(spec, "matchConstraints", "objectSelector")),
            texts=tuple(dict.fromkeys((*literals, *keys))),
            namespace=names.get(constraints.NAME_LABEL, probes.NAMESPACE),
        )


def _find_literals(source: str) -> Iterator[str]:
    """Find string literals that can be the name or the value of an annotation or a label."""
    for match in _STRING_LITERAL.finditer(source):
        text = match[1] or match[2]
        if _NAME.fullmatch(text):
            yield text


def _selected_labels(selector: Object) -> dict[str, str]:
    """Labels that a selector matches."""
    labels = strings_at(selector, "matchLabels")
    for expression in objects_at(selector, "matchExpressions"):
        key, values = string_at(expression, "key"), expression.get("values")
        match expression.get("operator"), values:
            case "In", [str(first), *_]:
                labels[key] = first
            case "Exists", _:
                labels[key] = "1"
            case _:
                pass
    return labels


def _make_probes(rule: ResourceRule, resource: str) -> Iterator[Probe]:
    if resource in {_ANY, "pods"}:
        yield from probes.PODS
    for workload in probes.WORKLOADS:
        if resource in {_ANY, workload}:
            yield probes.make_workload(workload)
    if resource not in {_ANY, "pods", *probes.WORKLOADS}:
        kind = _KINDS.get(resource) or _guess_kind(resource)
        group, version = _first_value(rule.groups, ""), _first_value(rule.versions, "v1")
        api_version = f"{group}/{version}" if group else version
        yield Probe(name=f"a plain {kind}", object=probes.make_plain_object(api_version, kind))


def _first_value(values: frozenset[str], default: str) -> str:
    return default if _ANY in values else min(values, default=default)


def _guess_kind(resource: str) -> str:
    """Guess the kind of a resource (meta.UnsafeGuessKindToResource), without inner capitals."""
    if resource.endswith("ies"):
        return resource.removesuffix("ies").capitalize() + "y"
    singular = (
        resource.removesuffix("es") if resource.endswith("ses") else resource.removesuffix("s")
    )
    return singular.capitalize()


def _make_variants(
    probe: Probe, rule: ResourceRule, sub_resource: str, criteria: _MatchCriteria
) -> Iterator[Candidate]:
    """Make the plain probe, and probes with labels and annotations that conditions can match."""
    plain_probe = probes.with_namespace(probe, criteria.namespace)
    yield _make_candidate(plain_probe, rule, sub_resource, is_plain=True)
    labeled = probes.with_metadata(plain_probe, labels=criteria.labels)
    if criteria.labels:
        yield _make_candidate(labeled, rule, sub_resource, is_plain=False)
    for value in ("1", *criteria.texts[:_MAX_VALUES]) if criteria.texts else ():
        entries = dict.fromkeys(criteria.texts, value)
        annotated = probes.with_metadata(
            labeled, annotations=entries, labels={**entries, **criteria.labels}
        )
        yield _make_candidate(annotated, rule, sub_resource, is_plain=False)


def _make_candidate(
    probe: Probe, rule: ResourceRule, sub_resource: str, *, is_plain: bool
) -> Candidate:
    request = constraints.make_create_request(probe.object, probe.namespace)
    operation = Operation.CREATE
    if not rule.operations & {_ANY, Operation.CREATE}:
        operation = Operation(min(rule.operations, default=Operation.CREATE))
    if operation is not Operation.CREATE or sub_resource not in {"", _ANY}:
        raw: dict[str, JSON] = {**request.raw, "operation": str(operation)}
        request = replace(
            request,
            operation=operation,
            sub_resource="" if sub_resource == _ANY else sub_resource,
            old_object=None if operation is Operation.CREATE else probe.object,
            raw=raw,
        )
    return Candidate(probe=probe, request=request, is_plain=is_plain)
