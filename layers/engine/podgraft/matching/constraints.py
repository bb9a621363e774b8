"""``matchConstraints``: which requests an overlay or a validating policy is for.

The form is admissionregistration.k8s.io/v1 MatchResources; the rules are kube-apiserver's
(apiserver/pkg/admission/plugin/policy/matching). Different in two points: a namespace that the
bundle does not hold has the one label that Kubernetes gives every namespace, and an object that
matches as an equivalent is seen as it was sent, in its own version.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from podgraft.admission import (
    AdmissionRequest,
    GroupVersionKind,
    GroupVersionResource,
    Operation,
)
from podgraft.document_reader import (
    Cursor,
    MappingReader,
    format_value,
    parse_selector,
    parse_string,
    parse_strings,
)
from podgraft.jsonvalue import JSON, Object
from podgraft.kube import selectors

# Namespaces by name, as the bundle has them.
Namespaces = Mapping[str, Object]

NAME_LABEL = "kubernetes.io/metadata.name"
_ANY = "*"
_NAMESPACES = GroupVersionResource("", "v1", "namespaces")


class ResourceScope(StrEnum):
    """Whether a rule is for objects in namespaces, for those in none, or for all."""

    ALL = "*"
    CLUSTER = "Cluster"
    NAMESPACED = "Namespaced"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceRule:
    """One of ``resourceRules``: it matches where all of its parts do."""

    operations: frozenset[str]
    groups: frozenset[str]
    versions: frozenset[str]
    resources: tuple[tuple[str, str], ...]
    scope: ResourceScope = ResourceScope.ALL
    names: frozenset[str] = frozenset()

    def matches(self, request: AdmissionRequest, resource: GroupVersionResource) -> bool:
        """Whether the rule is for the request, taken as one of ``resource``."""
        return (
            self._matches_scope(request)
            and _matches_wildcard(self.operations, request.operation)
            and _matches_wildcard(self.groups, resource.group)
            and _matches_wildcard(self.versions, resource.version)
            and any(
                name in {_ANY, resource.resource} and sub in {_ANY, request.sub_resource}
                for name, sub in self.resources
            )
            and (not self.names or request.name in self.names)
        )

    def _matches_scope(self, request: AdmissionRequest) -> bool:
        """A Namespace is in no namespace, though its requests name one: itself."""
        clustered = not request.namespace or request.resource == _NAMESPACES
        match self.scope:
            case ResourceScope.ALL:
                return True
            case ResourceScope.CLUSTER:
                return clustered
            case ResourceScope.NAMESPACED:
                return not clustered


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Why a request does not match: the key of the document, and what was seen."""

    key: str
    observed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchConstraints:
    """All that must hold; what is not given holds always."""

    rules: tuple[ResourceRule, ...] = ()
    excluded: tuple[ResourceRule, ...] = ()
    namespaces: selectors.Selector | None = None
    objects: selectors.Selector | None = None
    equivalent: bool = True

    def mismatch(self, request: AdmissionRequest, namespaces: Namespaces) -> Mismatch | None:
        """What does not hold for the request, in kube-apiserver's order; ``None`` if it matches."""
        if self.namespaces is not None and not self._namespace_matches(request, namespaces):
            return Mismatch("namespaceSelector", f"namespace {request.namespace}")
        if self.objects is not None and not self._object_matches(request):
            return Mismatch(
                "objectSelector", f"labels {format_value(dict(_labels(request.object)))}"
            )
        if self._any_rule_matches(self.excluded, request):
            return Mismatch("excludeResourceRules", _describe_request(request))
        if self.rules and not self._any_rule_matches(self.rules, request):
            return Mismatch("resourceRules", _describe_request(request))
        return None

    def _namespace_matches(self, request: AdmissionRequest, namespaces: Namespaces) -> bool:
        assert self.namespaces is not None  # noqa: S101 - asked only then
        if self.namespaces.is_empty or not (request.namespace or request.resource == _NAMESPACES):
            return True
        return self.namespaces.matches(_namespace_labels(request, namespaces))

    def _object_matches(self, request: AdmissionRequest) -> bool:
        assert self.objects is not None  # noqa: S101 - asked only then
        return self.objects.is_empty or any(
            isinstance(each, dict) and self.objects.matches(_labels(each))
            for each in (request.object, request.old_object)
        )

    def _any_rule_matches(self, rules: tuple[ResourceRule, ...], request: AdmissionRequest) -> bool:
        return any(
            rule.matches(request, resource)
            for resource in self._resources(request)
            for rule in rules
        )

    def _resources(self, request: AdmissionRequest) -> Iterator[GroupVersionResource]:
        """The resource that the user asked for; with Equivalent, others that hold the same."""
        asked = _requested_resource(request)
        yield asked
        if self.equivalent:
            yield request.resource
            yield from _equivalents(asked)


# Resources that were served under several groups at a time; versions of one group are always
# equivalent (kube-apiserver's EquivalentResourceRegistry).
_EQUIVALENT_GROUPS: Mapping[str, frozenset[str]] = {
    "daemonsets": frozenset({"apps", "extensions"}),
    "deployments": frozenset({"apps", "extensions"}),
    "events": frozenset({"", "events.k8s.io"}),
    "ingresses": frozenset({"networking.k8s.io", "extensions"}),
    "networkpolicies": frozenset({"networking.k8s.io", "extensions"}),
    "podsecuritypolicies": frozenset({"policy", "extensions"}),
    "replicasets": frozenset({"apps", "extensions"}),
}
_VERSIONS = ("v1", "v1beta1", "v1beta2", "v1beta3", "v1alpha1", "v2", "v2beta1", "v2beta2")


def _equivalents(asked: GroupVersionResource) -> Iterator[GroupVersionResource]:
    groups = _EQUIVALENT_GROUPS.get(asked.resource, frozenset())
    for group in sorted(groups) if asked.group in groups else [asked.group]:
        for version in _VERSIONS:
            yield GroupVersionResource(group, version, asked.resource)


def parse_constraints(spot: Cursor) -> MatchConstraints | None:
    """Read ``matchConstraints`` or a binding's ``matchResources``; faults are noted."""
    keys = MappingReader(spot)
    constraints = MatchConstraints(
        rules=keys.read_key("resourceRules", _parse_rules) or (),
        excluded=keys.read_key("excludeResourceRules", _parse_rules) or (),
        namespaces=keys.read_key("namespaceSelector", parse_selector),
        objects=keys.read_key("objectSelector", parse_selector),
        equivalent=keys.read_key("matchPolicy", _match_policy) != "Exact",
    )
    keys.check_unknown_keys()
    return constraints


def _parse_rules(spot: Cursor) -> tuple[ResourceRule, ...] | None:
    items = spot.items()
    if items is None:
        return None
    return tuple(map(_parse_rule, items))


def _parse_rule(spot: Cursor) -> ResourceRule:
    keys = MappingReader(spot)
    rule = ResourceRule(
        operations=frozenset(_read_non_empty_list(spot, keys, "operations")),
        groups=frozenset(_read_non_empty_list(spot, keys, "apiGroups")),
        versions=frozenset(_read_non_empty_list(spot, keys, "apiVersions")),
        resources=tuple(map(_split_subresource, _read_non_empty_list(spot, keys, "resources"))),
        scope=keys.read_key("scope", _scope) or ResourceScope.ALL,
        names=frozenset(keys.read_key("resourceNames", parse_strings) or ()),
    )
    keys.check_unknown_keys()
    for operation in sorted(rule.operations - {_ANY, *Operation}):
        words = ", ".join(Operation)
        spot.child("operations", None).add_error(f"got {operation}", f"use * or {words}")
    return rule


def _read_non_empty_list(spot: Cursor, keys: MappingReader, key: str) -> tuple[str, ...]:
    """A list that Kubernetes wants to be there and to hold something."""
    found = keys.read_key(key, parse_strings)
    if not found:
        spot.child(key, None).add_error("is missing or empty", 'write ["*"] for all')
    return found or ()


def _split_subresource(resource: str) -> tuple[str, str]:
    name, _, sub = resource.partition("/")
    return name, sub


def _scope(spot: Cursor) -> ResourceScope | None:
    word = parse_string(spot)
    if word is None or word in set(ResourceScope):
        return None if word is None else ResourceScope(word)
    return spot.add_error(f"got {format_value(spot.value)}", f"use {', '.join(ResourceScope)}")


def _match_policy(spot: Cursor) -> str | None:
    if spot.value in {"Exact", "Equivalent"}:
        return parse_string(spot)
    return spot.add_error(f"got {format_value(spot.value)}", "use Exact or Equivalent")


def _requested_resource(request: AdmissionRequest) -> GroupVersionResource:
    """What the user addressed: a webhook registered as Equivalent gets it as another version.

    A review without a resource counts as one of pods (see ``registration``).
    """
    original = request.raw.get("requestResource")
    if isinstance(original, dict):
        parts = (original.get(key) for key in ("group", "version", "resource"))
        return GroupVersionResource(*(part if isinstance(part, str) else "" for part in parts))
    return request.resource if request.resource.resource else GroupVersionResource("", "v1", "pods")


def _matches_wildcard(wanted: frozenset[str], value: str) -> bool:
    return _ANY in wanted or value in wanted


def _namespace_labels(request: AdmissionRequest, namespaces: Namespaces) -> Mapping[str, str]:
    """Of a Namespace that is being written the new labels count, else those of the bundle."""
    writes = request.operation in {Operation.CREATE, Operation.UPDATE}
    if request.resource == _NAMESPACES and writes and not request.sub_resource:
        return {NAME_LABEL: request.name, **_labels(request.object)}
    return {NAME_LABEL: request.namespace, **_labels(namespaces.get(request.namespace))}


def _labels(value: JSON) -> Mapping[str, str]:
    metadata = value.get("metadata") if isinstance(value, dict) else None
    labels = metadata.get("labels") if isinstance(metadata, dict) else None
    if not isinstance(labels, dict):
        return {}
    return {key: label for key, label in labels.items() if isinstance(label, str)}


def _describe_request(request: AdmissionRequest) -> str:
    """«UPDATE of deployments/scale.apps/v1», «CREATE of pods.v1»."""
    asked = _requested_resource(request)
    sub = f"/{request.sub_resource}" if request.sub_resource else ""
    group = f"{asked.group}/" if asked.group else ""
    return f"{request.operation} of {asked.resource}{sub}.{group}{asked.version}"


def make_create_request(value: Object, namespace: str) -> AdmissionRequest:
    """The request that would create an object: for those who ask without a cluster.

    The resource is guessed from the kind, as kubectl does for kinds that it was not told of
    (apimachinery, meta.UnsafeGuessKindToResource).
    """
    group, _, version = str(value.get("apiVersion") or "v1").rpartition("/")
    kind = str(value.get("kind") or "Pod")
    resource = _guess_plural(kind.lower())
    metadata = value.get("metadata")
    own = metadata if isinstance(metadata, dict) else {}
    name, where = str(own.get("name") or ""), str(own.get("namespace") or namespace)
    return AdmissionRequest(
        api_version="admission.k8s.io/v1",
        kind=GroupVersionKind(group, version, kind),
        resource=GroupVersionResource(group, version, resource),
        name=name,
        namespace=where,
        object=value,
        raw={
            "kind": {"group": group, "version": version, "kind": kind},
            "resource": {"group": group, "version": version, "resource": resource},
            "operation": str(Operation.CREATE),
            "name": name,
            "namespace": where,
            "userInfo": {},
        },
    )


def _guess_plural(singular: str) -> str:
    if singular.endswith("s"):
        return singular + "es"
    return singular[:-1] + "ies" if singular.endswith("y") else singular + "s"
