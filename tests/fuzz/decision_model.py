"""The decision table of the documentation, written down a second time.

It shares no code with the engine. It follows docs/concepts.md, docs/overlays.md, and the rules of
Kubernetes for selectors and resource rules, so that a difference is a defect of one of the two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Document: TypeAlias = Mapping[str, Any]

INJECT = "sidecar.istio.io/inject"
DEFAULT_IGNORED = ("kube-system", "kube-public", "kube-node-lease", "local-path-storage")
NAME_LABEL = "kubernetes.io/metadata.name"


def read_mapping(document: Document, key: str) -> dict[str, Any]:
    """The map under a key; empty if it is absent or null."""
    return document.get(key) or {}


def selects(selector: Document, labels: Mapping[str, str]) -> bool:
    """Whether a LabelSelector selects an object with these labels (an empty one selects all)."""
    for key, value in read_mapping(selector, "matchLabels").items():
        if labels.get(key) != value:
            return False
    return all(_holds(term, labels) for term in selector.get("matchExpressions") or ())


def _holds(term: Document, labels: Mapping[str, str]) -> bool:
    key, values = term["key"], term.get("values") or ()
    match term["operator"]:
        case "In":
            return key in labels and labels[key] in values
        case "NotIn":
            return key not in labels or labels[key] not in values
        case "Exists":
            return key in labels
        case _:
            return key not in labels


def is_empty(selector: Document) -> bool:
    """Whether a selector has no requirement."""
    return not selector.get("matchLabels") and not selector.get("matchExpressions")


def should_inject(policy: Document, config: Document, request: Document, cluster: str) -> bool:
    """Whether the table says that the pod of a request gets its sidecar.

    ``config`` contains the keys of the bundle, with ``injectValues`` as its Istio release has it.
    """
    if not _creates_a_pod(request):
        return False
    pod = request["object"]
    rules: dict[str, Any] = {**config, **{k: v for k, v in policy.items() if k != "clusters"}}
    rules |= read_mapping(read_mapping(policy, "clusters"), cluster)
    metadata = pod["metadata"]
    namespace = metadata.get("namespace") or request.get("namespace", "")
    if pod["spec"].get("hostNetwork") is True:
        return False
    if namespace in rules.get("ignoredNamespaces", DEFAULT_IGNORED):
        return False
    if rules["policy"] not in ("enabled", "disabled"):
        return False
    labels = read_mapping(metadata, "labels")
    wish = _wish(rules["injectValues"], labels, read_mapping(metadata, "annotations"))
    if wish is not None:
        return wish
    if _any_selects(rules.get("neverInjectSelector"), labels):
        return False
    if _any_selects(rules.get("alwaysInjectSelector"), labels):
        return True
    return rules["policy"] == "enabled"


def _creates_a_pod(request: Document) -> bool:
    resource = read_mapping(request, "resource")
    return (
        (resource.get("group", ""), resource.get("resource") or "pods") == ("", "pods")
        and not request.get("subResource")
        and read_mapping(request, "kind").get("kind", "") in ("", "Pod")
        and request.get("operation") == "CREATE"
    )


def _wish(syntax: str, labels: Mapping[str, str], annotations: Mapping[str, str]) -> bool | None:
    text = labels[INJECT] if INJECT in labels else annotations.get(INJECT, "")
    if text == "":
        return None
    if syntax == "strict":
        return {"true": True, "false": False}.get(text)
    return text.lower() in ("y", "yes", "true", "on")


def _any_selects(selectors: Sequence[Document] | None, labels: Mapping[str, str]) -> bool:
    return any(not is_empty(each) and selects(each, labels) for each in selectors or ())


def is_constrained(constraints: Document, request: Document) -> bool:
    """Whether ``matchConstraints`` with ``matchPolicy: Exact`` are about a request."""
    namespace = request.get("namespace", "")
    selector = constraints.get("namespaceSelector")
    if selector is not None and namespace and not selects(selector, {NAME_LABEL: namespace}):
        return False
    selector = constraints.get("objectSelector")
    if selector is not None and not is_empty(selector) and not _selects_either(selector, request):
        return False
    if any(_rule_matches(rule, request) for rule in constraints.get("excludeResourceRules") or ()):
        return False
    rules = constraints.get("resourceRules") or ()
    return not rules or any(_rule_matches(rule, request) for rule in rules)


def _selects_either(selector: Document, request: Document) -> bool:
    objects = (request.get("object"), request.get("oldObject"))
    return any(
        selects(selector, read_mapping(read_mapping(each, "metadata"), "labels"))
        for each in objects
        if each is not None
    )


def _rule_matches(rule: Document, request: Document) -> bool:
    resource, sub = request["resource"], request.get("subResource", "")
    scope = rule.get("scope", "*")
    return (
        _lists(rule["operations"], request["operation"])
        and _lists(rule["apiGroups"], resource["group"])
        and _lists(rule["apiVersions"], resource["version"])
        and any(_names(pattern, resource["resource"], sub) for pattern in rule["resources"])
        and (scope == "*" or (scope == "Namespaced") == bool(request.get("namespace")))
        and (not rule.get("resourceNames") or request.get("name", "") in rule["resourceNames"])
    )


def _lists(values: Sequence[str], value: str) -> bool:
    return "*" in values or value in values


def _names(pattern: str, resource: str, sub: str) -> bool:
    """Whether ``pods``, ``pods/log``, ``*/log``, ``pods/*``, or ``*/*`` names a resource."""
    wanted, _, wanted_sub = pattern.partition("/")
    return wanted in ("*", resource) and wanted_sub in ("*", sub)
