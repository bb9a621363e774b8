"""Bundles of one MutatingAdmissionPolicy with its binding."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

HEAD = "admissionregistration.k8s.io/v1"


def make_bundle(
    *expressions: str,
    resources: Sequence[str] = ("pods",),
    condition: str = "",
    **spec: Any,
) -> Mapping[str, bytes]:
    """The documents of a policy with these mutations, by the type of each expression."""
    group = "apps" if "deployments" in resources else ""
    rule = {
        "apiGroups": [group],
        "apiVersions": ["v1"],
        "operations": ["CREATE"],
        "resources": list(resources),
    }
    conditions = [{"name": "c", "expression": condition}] if condition else []
    policy: Any = {
        "matchConstraints": {"resourceRules": [rule]},
        "matchConditions": conditions,
        "reinvocationPolicy": "Never",
        "mutations": [_make_mutation(text) for text in expressions],
        **spec,
    }
    documents: tuple[Any, ...] = (
        {"kind": "MutatingAdmissionPolicy", "metadata": {"name": "p"}, "spec": policy},
        {
            "kind": "MutatingAdmissionPolicyBinding",
            "metadata": {"name": "b"},
            "spec": {"policyName": "p"},
        },
    )
    text = "\n---\n".join(json.dumps({"apiVersion": HEAD, **each}) for each in documents)
    return {"policy.yaml": text.encode()}


def _make_mutation(text: str) -> Mapping[str, Any]:
    if text.startswith("["):
        return {"patchType": "JSONPatch", "jsonPatch": {"expression": text}}
    return {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": text}}


def label(key: str, value: str) -> str:
    """An apply configuration that sets a label to the value of an expression."""
    return f"Object{{metadata: Object.metadata{{labels: {{'{key}': {value}}}}}}}"


def each_container(fields: str) -> str:
    """An apply configuration that sets fields of each container."""
    fields = fields.replace("@", "Object.spec.containers")
    return (
        "Object{spec: Object.spec{containers: object.spec.containers.map(c, "
        f"Object.spec.containers{{name: c.name, {fields}}})}}}}"
    )


PRIVILEGED = each_container("securityContext: @.securityContext{privileged: true}")
