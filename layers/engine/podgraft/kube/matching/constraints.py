"""``matchConstraints``: the requests that an overlay or a validation policy matches.

The format is admissionregistration.k8s.io/v1 MatchResources. The rules are kube-apiserver's
(apiserver/pkg/admission/plugin/policy/matching), with two differences: a namespace that is missing
in the bundle has only the label that Kubernetes adds to every namespace, and an object that matches
as an equivalent is not converted to another version.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from podgraft.base.jsonvalue import JSON, Object, object_at, strings_at
from podgraft.kube import selectors
from podgraft.kube.admission import (
    AdmissionRequest,
    GroupVersionKind,
    GroupVersionResource,
    Operation,
)
from podgraft.kube.document_reader import (
    Cursor,
    MappingReader,
    format_value,
    make_list_parser,
    parse_selector,
    parse_string,
    parse_strings,
)

# The namespaces of the bundle, by name.
Namespaces = Mapping[str, Object]

NAME_LABEL = "kubernetes.io/metadata.name"
_ANY = "*"
_NAMESPACES = GroupVersionResource("", "v1", "namespaces")


class ResourceScope(StrEnum):
    """Whether a rule matches namespaced objects, cluster-scoped objects, or both."""

    ALL = "*"
    CLUSTER = "Cluster"
    NAMESPACED = "Namespaced"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceRule:
    """One of ``resourceRules``; it matches if all its parts match."""

    operations: frozenset[str]
    groups: frozenset[str]
    versions: frozenset[str]
    resources: tuple[tuple[str, str], ...]
    scope: ResourceScope = ResourceScope.ALL
    names: frozenset[str] = frozenset()

    def matches(self, request: AdmissionRequest, resource: GroupVersionResource) -> bool:
        """Whether the rule matches the request as a request for ``resource``."""
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
        """Whether the scope matches; a Namespace is cluster-scoped, but its requests name it."""
        clustered = not request.namespace or request.resource == _NAMESPACES
        match self.scope:
            case ResourceScope.ALL:
                return True
            case ResourceScope.CLUSTER:
                return clustered
            case ResourceScope.NAMESPACED:
                return not clustered


# By key: the words between it and the observed value.
_MISMATCHES = {
    "namespaceSelector": " does not select",
    "objectSelector": " does not select",
    "excludeResourceRules": " contain",
    "resourceRules": " do not contain",
    "rules": " do not contain",
}


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The reason of a mismatch: the key in the document, and the observed value."""

    key: str
    observed: str

    def describe(self) -> str:
        """The mismatch as a clause: «resourceRules do not contain CREATE of pods.v1»."""
        return f"{self.key}{_MISMATCHES.get(self.key, ':')} {self.observed}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchConstraints:
    """Constraints that must all match; an absent constraint always matches."""

    rules: tuple[ResourceRule, ...] = ()
    excluded: tuple[ResourceRule, ...] = ()
    namespaces: selectors.Selector | None = None
    objects: selectors.Selector | None = None
    equivalent: bool = True

    def mismatch(self, request: AdmissionRequest, namespaces: Namespaces) -> Mismatch | None:
        """The first mismatch in kube-apiserver's order; ``None`` if the request matches."""
        key = self._find_mismatch(request, namespaces)
        match key:
            case None:
                return None
            case "namespaceSelector":
                observed = f"namespace {request.namespace}"
            case "objectSelector":
                observed = f"labels {format_value(dict(labels_of(request.object)))}"
            case _:
                observed = _describe_request(request)
        return Mismatch(key, observed)

    def matches(self, request: AdmissionRequest, namespaces: Namespaces) -> bool:
        """Whether the request matches, without a description of a mismatch."""
        return self._find_mismatch(request, namespaces) is None

    def _find_mismatch(self, request: AdmissionRequest, namespaces: Namespaces) -> str | None:
        if self.namespaces is not None and not self._namespace_matches(request, namespaces):
            return "namespaceSelector"
        if self.objects is not None and not self._object_matches(request):
            return "objectSelector"
        if self._any_rule_matches(self.excluded, request):
            return "excludeResourceRules"
        if self.rules and not self._any_rule_matches(self.rules, request):
            return "resourceRules"
        return None

    def _namespace_matches(self, request: AdmissionRequest, namespaces: Namespaces) -> bool:
        assert self.namespaces is not None  # noqa: S101 - the caller checks it
        if self.namespaces.is_empty or not has_namespace(request):
            return True
        return self.namespaces.matches(namespace_labels(request, namespaces))

    def _object_matches(self, request: AdmissionRequest) -> bool:
        assert self.objects is not None  # noqa: S101 - the caller checks it
        return self.objects.is_empty or any(
            isinstance(value, dict) and self.objects.matches(labels_of(value))
            for value in (request.object, request.old_object)
        )

    def _any_rule_matches(self, rules: tuple[ResourceRule, ...], request: AdmissionRequest) -> bool:
        return any(
            rule.matches(request, resource)
            for resource in self._resources(request)
            for rule in rules
        )

    def _resources(self, request: AdmissionRequest) -> Iterator[GroupVersionResource]:
        """The requested resource; with Equivalent, also the equivalent resources."""
        requested = requested_resource(request)
        yield requested
        if self.equivalent:
            yield request.resource
            yield from _equivalents(requested)


# Resources that several groups served. Versions of one group are always equivalent
# (kube-apiserver's EquivalentResourceRegistry).
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


def _equivalents(requested: GroupVersionResource) -> Iterator[GroupVersionResource]:
    groups = _EQUIVALENT_GROUPS.get(requested.resource, frozenset())
    for group in sorted(groups) if requested.group in groups else [requested.group]:
        for version in _VERSIONS:
            yield GroupVersionResource(group, version, requested.resource)


def parse_constraints(cursor: Cursor) -> MatchConstraints | None:
    """Parse ``matchConstraints`` or ``matchResources``; adds errors to the diagnostics."""
    keys = MappingReader(cursor)
    constraints = MatchConstraints(
        rules=keys.read_key("resourceRules", make_list_parser(_parse_rule)) or (),
        excluded=keys.read_key("excludeResourceRules", make_list_parser(_parse_rule)) or (),
        namespaces=keys.read_key("namespaceSelector", parse_selector),
        objects=keys.read_key("objectSelector", parse_selector),
        equivalent=keys.read_choice("matchPolicy", ("Exact", "Equivalent")) != "Exact",
    )
    keys.check_unknown_keys()
    return constraints


def _parse_rule(cursor: Cursor) -> ResourceRule:
    keys = MappingReader(cursor)
    rule = ResourceRule(
        operations=frozenset(_read_non_empty_list(cursor, keys, "operations")),
        groups=frozenset(_read_non_empty_list(cursor, keys, "apiGroups")),
        versions=frozenset(_read_non_empty_list(cursor, keys, "apiVersions")),
        resources=tuple(map(_split_subresource, _read_non_empty_list(cursor, keys, "resources"))),
        scope=keys.read_key("scope", _scope) or ResourceScope.ALL,
        names=frozenset(keys.read_key("resourceNames", parse_strings) or ()),
    )
    keys.check_unknown_keys()
    for operation in sorted(rule.operations - {_ANY, *Operation}):
        operations = ", ".join(Operation)
        cursor.add_key_error("operations", f"got {operation}", f"use * or {operations}")
    return rule


def _read_non_empty_list(cursor: Cursor, keys: MappingReader, key: str) -> tuple[str, ...]:
    values = keys.read_key(key, parse_strings)
    if not values:
        cursor.add_key_error(key, "is missing or empty", 'write ["*"] for all')
    return values or ()


def _split_subresource(resource: str) -> tuple[str, str]:
    name, _, sub = resource.partition("/")
    return name, sub


def _scope(cursor: Cursor) -> ResourceScope | None:
    scope = parse_string(cursor)
    if scope is None or scope in set(ResourceScope):
        return None if scope is None else ResourceScope(scope)
    return cursor.refuse(f"use {', '.join(ResourceScope)}")


def requested_resource(request: AdmissionRequest) -> GroupVersionResource:
    """The requested resource, which can differ from the resource of an Equivalent webhook.

    A request without a resource counts as a request for pods.
    """
    original = request.raw.get("requestResource")
    if isinstance(original, dict):
        parts = (original.get(key) for key in ("group", "version", "resource"))
        return GroupVersionResource(*(part if isinstance(part, str) else "" for part in parts))
    return request.resource if request.resource.resource else GroupVersionResource("", "v1", "pods")


def _matches_wildcard(patterns: frozenset[str], value: str) -> bool:
    return _ANY in patterns or value in patterns


def has_namespace(request: AdmissionRequest) -> bool:
    """Whether namespaceSelector applies: to namespaced objects and to Namespaces."""
    return bool(request.namespace) or request.resource == _NAMESPACES


def namespace_labels(request: AdmissionRequest, namespaces: Namespaces) -> Mapping[str, str]:
    """The new labels for a write of a Namespace; otherwise, the labels in the bundle."""
    writes = request.operation in {Operation.CREATE, Operation.UPDATE}
    if request.resource == _NAMESPACES and writes and not request.sub_resource:
        return {NAME_LABEL: request.name, **labels_of(request.object)}
    return {NAME_LABEL: request.namespace, **labels_of(namespaces.get(request.namespace))}


def find_namespace(name: str, namespaces: Namespaces) -> Object:
    """The Namespace of the bundle, with the name and the label that every Namespace has."""
    namespace = namespaces.get(name, {})
    labels: Object = {NAME_LABEL: name, **object_at(namespace, "metadata", "labels")}
    metadata: Object = {"name": name, **object_at(namespace, "metadata"), "labels": labels}
    return {**namespace, "metadata": metadata}


def labels_of(value: JSON) -> Mapping[str, str]:
    """The labels of an object, without invalid ones."""
    return strings_at(value, "metadata", "labels") if isinstance(value, dict) else {}


def _describe_request(request: AdmissionRequest) -> str:
    """«UPDATE of deployments/scale.apps/v1», «CREATE of pods.v1»."""
    requested = requested_resource(request)
    sub = f"/{request.sub_resource}" if request.sub_resource else ""
    group = f"{requested.group}/" if requested.group else ""
    return f"{request.operation} of {requested.resource}{sub}.{group}{requested.version}"


def make_create_request(value: Object, namespace: str) -> AdmissionRequest:
    """Make a request that creates an object, for commands without a cluster.

    The resource is derived from the kind, as kubectl does for unknown kinds
    (apimachinery, meta.UnsafeGuessKindToResource).
    """
    group, _, version = str(value.get("apiVersion") or "v1").rpartition("/")
    kind = str(value.get("kind") or "Pod")
    resource = guess_plural(kind.lower())
    metadata = object_at(value, "metadata")
    name = str(metadata.get("name") or "")
    object_namespace = str(metadata.get("namespace") or namespace)
    return AdmissionRequest(
        api_version="admission.k8s.io/v1",
        kind=GroupVersionKind(group, version, kind),
        resource=GroupVersionResource(group, version, resource),
        name=name,
        namespace=object_namespace,
        object=value,
        raw={
            "kind": {"group": group, "version": version, "kind": kind},
            "resource": {"group": group, "version": version, "resource": resource},
            "operation": str(Operation.CREATE),
            "name": name,
            "namespace": object_namespace,
            "userInfo": {},
        },
    )


def guess_plural(singular: str) -> str:
    """The resource of a kind in lowercase, as kubectl guesses it."""
    if singular.endswith("endpoints"):
        return singular
    if singular.endswith("s"):
        return singular + "es"
    return singular[:-1] + "ies" if singular.endswith("y") else singular + "s"
