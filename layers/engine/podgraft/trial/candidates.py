"""Objects that an overlay can match, made from what its constraints and conditions ask for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from podgraft.admission import AdmissionRequest, Operation
from podgraft.bundle import Manifest
from podgraft.jsonvalue import JSON, Object, object_at, objects_at, string_at, strings_at
from podgraft.lazy_dataclass import dataclass
from podgraft.lazy_re import lazy_compile
from podgraft.matching import constraints
from podgraft.matching.constraints import MatchConstraints, ResourceRule

from . import probes
from .probes import Probe

_ANY = "*"
_TEXT = lazy_compile(r"'([^'\\\n]{1,200})'|\"([^\"\\\n]{1,200})\"")
_NAME = lazy_compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?")
_MOST_VALUES = 6  # texts of a condition that are tried as the value of an annotation or label

# Kinds of resources that are no workloads; of others the kind is guessed.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An object, and the request that brings it; ``is_plain`` if nothing was added to match."""

    probe: Probe
    request: AdmissionRequest
    is_plain: bool


def candidates(matching: MatchConstraints, holder: Manifest) -> Mapping[str, list[Candidate]]:
    """Return objects by their kind; all kinds as one if the constraints name none."""
    wanted = _Wanted.of(holder)
    by_kind: dict[str, list[Candidate]] = {}
    for rule in matching.rules or (_ALL,):
        for resource, sub in rule.resources:
            for probe in _probes(rule, resource):
                kind = "object" if resource == _ANY else probe.kind
                by_kind.setdefault(kind, []).extend(_variants(probe, rule, sub, wanted))
    return by_kind


_ALL = ResourceRule(
    operations=frozenset({_ANY}),
    groups=frozenset({_ANY}),
    versions=frozenset({_ANY}),
    resources=((_ANY, ""),),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """What selectors and conditions ask for."""

    labels: Mapping[str, str]
    texts: tuple[str, ...]
    namespace: str

    @classmethod
    def of(cls, holder: Manifest) -> _Wanted:
        spec = object_at(holder.object, "spec")
        matching = object_at(spec, "matchConstraints")
        conditions = objects_at(spec, "matchConditions")
        sources = [string_at(condition, "expression") for condition in conditions]
        keys = [text for text in _literals(string_at(spec, "template")) if "/" in text]
        found = [text for source in sources for text in _literals(source)]
        names = _selected(object_at(matching, "namespaceSelector"))
        return cls(
            labels=_selected(object_at(matching, "objectSelector")),
            texts=tuple(dict.fromkeys((*found, *keys))),
            namespace=names.get(constraints.NAME_LABEL, probes.NAMESPACE),
        )


def _literals(source: str) -> Iterator[str]:
    """The texts in quotes that can be the name or the value of an annotation or a label."""
    for match in _TEXT.finditer(source):
        text = match[1] or match[2]
        if _NAME.fullmatch(text):
            yield text


def _selected(selector: Object) -> dict[str, str]:
    """Labels that a selector selects."""
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


def _probes(rule: ResourceRule, resource: str) -> Iterator[Probe]:
    if resource in {_ANY, "pods"}:
        yield from probes.PODS
    for workload in probes.WORKLOADS:
        if resource in {_ANY, workload}:
            yield probes.workload(workload)
    if resource not in {_ANY, "pods", *probes.WORKLOADS}:
        kind = _KINDS.get(resource) or _guessed(resource)
        group, version = _first(rule.groups, ""), _first(rule.versions, "v1")
        api_version = f"{group}/{version}" if group else version
        yield Probe(name=f"a plain {kind}", object=probes.plain(api_version, kind))


def _first(words: frozenset[str], otherwise: str) -> str:
    return otherwise if _ANY in words else min(words, default=otherwise)


def _guessed(resource: str) -> str:
    """The kind of a resource, but for capitals inside of it (meta.UnsafeGuessKindToResource)."""
    if resource.endswith("ies"):
        return resource.removesuffix("ies").capitalize() + "y"
    singular = (
        resource.removesuffix("es") if resource.endswith("ses") else resource.removesuffix("s")
    )
    return singular.capitalize()


def _variants(probe: Probe, rule: ResourceRule, sub: str, wanted: _Wanted) -> Iterator[Candidate]:
    """The probe as it is, and with annotations and labels that conditions may ask for."""
    placed = probes.in_namespace(probe, wanted.namespace)
    yield _candidate(placed, rule, sub, is_plain=True)
    labeled = probes.with_metadata(placed, labels=wanted.labels)
    if wanted.labels:
        yield _candidate(labeled, rule, sub, is_plain=False)
    for value in ("1", *wanted.texts[:_MOST_VALUES]) if wanted.texts else ():
        entries = dict.fromkeys(wanted.texts, value)
        more = probes.with_metadata(
            labeled, annotations=entries, labels={**entries, **wanted.labels}
        )
        yield _candidate(more, rule, sub, is_plain=False)


def _candidate(probe: Probe, rule: ResourceRule, sub: str, *, is_plain: bool) -> Candidate:
    request = constraints.make_create_request(probe.object, probe.namespace)
    operation = Operation.CREATE
    if not rule.operations & {_ANY, Operation.CREATE}:
        operation = Operation(min(rule.operations, default=Operation.CREATE))
    if operation is not Operation.CREATE or sub not in {"", _ANY}:
        raw: dict[str, JSON] = {**request.raw, "operation": str(operation)}
        request = replace(
            request,
            operation=operation,
            sub_resource="" if sub == _ANY else sub,
            old_object=None if operation is Operation.CREATE else probe.object,
            raw=raw,
        )
    return Candidate(probe=probe, request=request, is_plain=is_plain)
