"""Generated policies, selectors, pods, and requests, with the edge cases that matter for them."""

from __future__ import annotations

import json
from typing import Any

from fuzz.byte_source import ByteRandom
from fuzz.decision_model import INJECT, NAME_LABEL

KEYS = ("app", "tier", "never", "example.com/app", "a.b/c_d")
VALUES = ("web", "db", "", "true", "a.b-c_d", "WEB", "web-1")
NAMESPACES = ("shop", "kube-system", "kube-public", "kube-system-2", "shop-kube-system", "")
# What people write there, and spellings that look like it.
WISHES = (
    *("true", "false", "", "yes", "no", "on", "off", "y", "n", "TRUE", "True", "False", "enabled"),
    *(
        " true",
        "true ",
        "true\n",
        "1",
        "0",
        "ｔｒｕｅ",
        "\u0442rue",
        "null",
        "~",
        "t",
        "oN",
        "TRUE\x00",
    ),
)
# Keys that only look like the key of the inject label.
LOOKALIKES = (
    *("Sidecar.istio.io/inject", "sidecar.istio.io/Inject", "sidecar.istio.io/inject ", "inject"),
    *("istio.io/inject", "sidecar.istio.io/injec", "sidecar.istio.io//inject", "sidecar.istio.io"),
)
OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
OPERATIONS = ("CREATE", "CREATE", "CREATE", "UPDATE", "DELETE", "CONNECT")
RESOURCES = (
    *(("", "v1", "pods", "Pod"), ("", "v1", "pods", "Pod"), ("", "v1", "pods", "Pod")),
    *(("apps", "v1", "deployments", "Deployment"), ("", "v1", "nodes", "Node")),
    *(("example.com", "v1", "pods", "Pod"), ("", "v1", "podtemplates", "PodTemplate")),
)
SUBRESOURCES = ("", "", "", "", "status", "ephemeralcontainers", "exec")


def make_labels(random: ByteRandom, *, wishes: bool = True) -> dict[str, str]:
    """Labels or annotations of a pod, perhaps with the one that asks for a sidecar."""
    labels = {key: random.choice(VALUES) for key in random.sample(KEYS, random.randrange(4))}
    if wishes and random.random() < 0.5:
        labels[INJECT] = random.choice(WISHES)
    if wishes and random.random() < 0.15:
        labels[random.choice(LOOKALIKES)] = random.choice(WISHES)
    return labels


def make_selector(random: ByteRandom) -> dict[str, Any]:
    """A valid selector, which can be empty."""
    selector: dict[str, Any] = {}
    if random.random() < 0.6:
        keys = random.sample(KEYS, random.randrange(3))
        selector["matchLabels"] = {key: random.choice(VALUES) for key in keys}
    if random.random() < 0.5:
        selector["matchExpressions"] = [_make_term(random) for _ in range(random.randrange(3))]
    return selector


def _make_term(random: ByteRandom) -> dict[str, Any]:
    operator = random.choice(OPERATORS)
    key = INJECT if random.random() < 0.1 else random.choice(KEYS)
    values = random.sample(VALUES, random.choice((1, 2)))
    return {"key": key, "operator": operator, **({"values": values} if "In" in operator else {})}


def make_rules(random: ByteRandom, *, complete: bool) -> dict[str, Any]:
    """Keys of a policy document or of Istio's configuration."""
    rules: dict[str, Any] = {}
    if complete or random.random() < 0.5:
        rules["policy"] = random.choice(("enabled", "disabled"))
    for key in ("neverInjectSelector", "alwaysInjectSelector"):
        if random.random() < 0.4:
            rules[key] = [make_selector(random) for _ in range(random.randrange(3))]
    return rules


def make_policy(random: ByteRandom, clusters: tuple[str, ...]) -> dict[str, Any]:
    """A policy document with overrides for some clusters."""
    policy = make_policy_keys(random)
    overridden = [name for name in clusters if random.random() < 0.3]
    if overridden:
        policy["clusters"] = {name: make_policy_keys(random) for name in overridden}
    return policy


def make_policy_keys(random: ByteRandom) -> dict[str, Any]:
    """The keys that decide, each of them or not."""
    keys = make_rules(random, complete=False)
    if random.random() < 0.3:
        keys["ignoredNamespaces"] = random.sample(NAMESPACES[:5], random.randrange(3))
    if random.random() < 0.4:
        keys["injectValues"] = random.choice(("yaml", "strict"))
    return keys


def make_pod(random: ByteRandom) -> dict[str, Any]:
    """A pod that decodes; each of its fields that decide can have any legal value."""
    metadata: dict[str, Any] = {"name": "p"}
    for key in ("labels", "annotations"):
        if random.random() < 0.8:
            metadata[key] = make_labels(random)
        elif random.random() < 0.3:
            metadata[key] = None
    if random.random() < 0.4:
        metadata["namespace"] = random.choice(NAMESPACES)
    spec: dict[str, Any] = {"containers": [{"name": "app", "image": make_image(random)}]}
    if random.random() < 0.15:
        spec["hostNetwork"] = random.random() < 0.6
    if random.random() < 0.3:
        spec["initContainers"] = [{"name": "first", "image": make_image(random)}]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def make_image(random: ByteRandom) -> str:
    """An image, perhaps of the registry that rules deny."""
    return random.choice(("hub/app", "evil/app", "Evil/app", "hub/evil/app", " evil/app"))


def make_request(random: ByteRandom) -> dict[str, Any]:
    """A request of an admission review; most create a pod."""
    plain = random.random() < 0.6
    group, version, resource, kind = RESOURCES[0] if plain else random.choice(RESOURCES)
    return {
        "uid": "u-1",
        "kind": {"group": group, "version": version, "kind": kind},
        "resource": {"group": group, "version": version, "resource": resource},
        "subResource": "" if plain else random.choice(SUBRESOURCES),
        "name": random.choice(("p", "", "other")),
        "namespace": random.choice(NAMESPACES),
        "operation": "CREATE" if plain else random.choice(OPERATIONS),
        "userInfo": {"username": "u"},
        "object": make_pod(random),
    }


def make_constraints(random: ByteRandom) -> dict[str, Any]:
    """``matchConstraints``, exact ones."""
    constraints: dict[str, Any] = {"matchPolicy": "Exact"}
    for key in ("resourceRules", "excludeResourceRules"):
        if random.random() < (0.9 if key == "resourceRules" else 0.2):
            count = random.choice((1, 1, 2))
            constraints[key] = [_make_resource_rule(random) for _ in range(count)]
    if random.random() < 0.3:
        constraints["objectSelector"] = make_selector(random)
    if random.random() < 0.3:
        names = random.sample(NAMESPACES[:3], random.choice((1, 2)))
        operator = random.choice(("In", "NotIn"))
        terms = [{"key": NAME_LABEL, "operator": operator, "values": names}]
        constraints["namespaceSelector"] = {"matchExpressions": terms}
    return constraints


def _make_resource_rule(random: ByteRandom) -> dict[str, Any]:
    rule: dict[str, Any] = {
        "operations": random.choice((["CREATE"], ["*"], ["CREATE", "UPDATE"], ["DELETE"])),
        "apiGroups": random.choice(([""], [""], ["*"], ["apps"], ["", "example.com"])),
        "apiVersions": random.choice((["v1"], ["*"], ["v2"])),
        "resources": random.choice(
            (["pods"], ["pods"], ["*"], ["pods/*"], ["*/*"], ["nodes", "pods/status"], ["*/status"])
        ),
    }
    if random.random() < 0.2:
        rule["scope"] = random.choice(("*", "Namespaced", "Cluster"))
    if random.random() < 0.15:
        rule["resourceNames"] = ["p"]
    return rule


def make_review(request: dict[str, Any]) -> bytes:
    """The body of an admission review."""
    review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}
    return json.dumps(review).encode()
