"""A pod that should be injected, skipped, or denied is, whatever its labels look like."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from fuzz import decision_model, inputs
from fuzz.application import TOKENS, Application, load, read_patch
from fuzz.byte_source import ByteRandom
from fuzz.harness import check_claim

_TEMPLATE = "spec:\n  containers:\n  - name: istio-proxy\n    image: hub/proxy\n"
_DENIED = "the registry evil is denied"
# From 1.27 on, Istio reads only "true" and "false" (docs/concepts.md; injectValues of the policy).
_RELEASES = (("1.30.3", "strict"), ("1.27.0", "strict"), ("1.26.8", "yaml"), ("1.13.9", "yaml"))
_EXPRESSION = (
    "!(object.spec.containers"
    " + (has(object.spec.initContainers) ? object.spec.initContainers : []))"
    ".exists(c, c.image.startsWith('evil/'))"
)


@cache
def _application() -> Application:
    return Application()


def fuzz(data: bytes) -> str:
    """Compare the response to a review with the decision of the model."""
    random = ByteRandom(data)
    if random.random() < 0.7:
        return _compare_injection(random)
    return _compare_denial(random)


def _compare_injection(random: ByteRandom) -> str:
    config = inputs.make_rules(random, complete=True)
    tag, syntax = random.choice(_RELEASES)
    policy = inputs.make_policy(random, tuple(TOKENS))
    request = inputs.make_request(random)
    cluster = random.choice(tuple(TOKENS))
    application = _application()
    application.store.snapshots["default"] = load(json.dumps(policy), _injector_files(config, tag))
    code, answer = application.review("inject", cluster, inputs.make_review(request))
    expected = decision_model.should_inject(
        policy, {**config, "injectValues": syntax}, request, cluster
    )
    seen = ("policy", policy, "config", config, "cluster", cluster, "request", request)
    check_claim(code == 200, f"HTTP {code}", answer, *seen)
    check_claim(answer["response"]["allowed"], "not allowed", answer, *seen)
    injected = any(_adds_proxy(operation) for operation in read_patch(answer))
    check_claim(injected == expected, f"injected: {injected}; the model: {expected}", *seen)
    return "injected" if injected else "skipped"


def _injector_files(config: dict[str, Any], tag: str) -> dict[str, bytes]:
    text = json.dumps({**config, "templates": {"sidecar": _TEMPLATE}})
    config_map = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "istio-sidecar-injector", "namespace": "istio-system"},
        "data": {"config": text, "values": json.dumps({"global": {"tag": tag}})},
    }
    return {"injector.json": json.dumps(config_map).encode()}


def _adds_proxy(operation: dict[str, Any]) -> bool:
    return "istio-proxy" in json.dumps(operation.get("value")) and "container" in operation["path"]


def _compare_denial(random: ByteRandom) -> str:
    constraints = inputs.make_constraints(random)
    request = inputs.make_request(random)
    if request["operation"] == "DELETE":
        request |= {"oldObject": request["object"]}
    application = _application()
    application.store.snapshots["default"] = load("{}", _policy_files(constraints))
    code, answer = application.review("validate", "prod", inputs.make_review(request))
    seen = ("constraints", constraints, "request", request)
    check_claim(code == 200, f"HTTP {code}", answer, *seen)
    expected = decision_model.is_constrained(constraints, request) and _is_denied(request["object"])
    denied = not answer["response"]["allowed"]
    check_claim(denied == expected, f"denied: {denied}; the model: {expected}", *seen)
    return "denied" if denied else "allowed"


def _policy_files(constraints: dict[str, Any]) -> dict[str, bytes]:
    header = {"apiVersion": "admissionregistration.k8s.io/v1"}
    policy = {
        **header,
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": "registry"},
        "spec": {
            "matchConstraints": constraints,
            "validations": [{"expression": _EXPRESSION, "message": _DENIED}],
        },
    }
    return {"policy.json": json.dumps(policy).encode()}


def _is_denied(pod: dict[str, Any]) -> bool:
    spec = pod["spec"]
    containers = [*spec["containers"], *spec.get("initContainers", [])]
    return any(each["image"].startswith("evil/") for each in containers)
