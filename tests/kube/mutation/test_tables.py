"""The tables of Kubernetes' tests of mutating policies: the same objects, and the same errors."""

from typing import Any

import pytest
from msgspec.structs import replace

from oracle import program
from oracle.mutation.tables import FIXTURE
from podgraft.base.jsonvalue import Object, equal
from podgraft.kube.defaults import complete
from podgraft.kube.document_reader import Cursor, Diagnostics
from podgraft.kube.matching.constraints import make_create_request
from podgraft.kube.matching.params import ParamIndex
from podgraft.kube.mutation import (
    MutatingPolicySet,
    MutationDeniedError,
    group_by_policy,
    parse_binding,
    parse_policy,
)

ROWS = program.load_rows(FIXTURE)
# Its volume has no source, and each cluster sets one before it evaluates policies.
UNDEFAULTED = "apply configuration update listType=map entry"
# Only the cluster can authorize users.
REFUSED = "authorizer check"
RULE: Any = {"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"]}
OPTIONAL: Any = {
    "matchConstraints": {"resourceRules": [RULE]},
    "reinvocationPolicy": "Never",
}


def make_policy(expression: str) -> Any:
    """A policy with one mutation."""
    is_patch = "JSONPatch" in expression
    mutation = {
        "patchType": "JSONPatch" if is_patch else "ApplyConfiguration",
        "jsonPatch" if is_patch else "applyConfiguration": {"expression": expression},
    }
    return {"metadata": {"name": "p"}, "spec": {"mutations": [mutation]}}


def mutate(row: program.Row) -> Object:
    """The object after the first pass; raises ``MutationDeniedError`` or ``AssertionError``."""
    diagnostics = Diagnostics()
    documents = row.get("policies") or [make_policy(row["expression"])]
    ref: Any = {"name": "params", "namespace": "default"}
    policies = [
        parse_policy(
            Cursor({**OPTIONAL, **each["spec"]}, "/spec", diagnostics), each["metadata"]["name"]
        )
        for each in documents
    ]
    bound: Any = row.get("bindings") or [
        {
            "metadata": {"name": "b"},
            "spec": {
                "policyName": each["metadata"]["name"],
                **({"paramRef": ref} if "paramKind" in each["spec"] else {}),
            },
        }
        for each in documents
    ]
    bindings = [
        parse_binding(Cursor(each["spec"], "/spec", diagnostics), each["metadata"]["name"])
        for each in bound
    ]
    assert not diagnostics.errors, "\n".join(map(str, diagnostics.errors))
    params: Any = [each for each in row.get("params") or () if each]
    namespace: Any = row.get("namespace") or {"metadata": {"name": "default"}}
    name = namespace["metadata"]["name"]
    head: Any = {"apiVersion": "v1", "kind": "ConfigMap"}
    policy_set = MutatingPolicySet(
        policies=tuple(policies),
        bindings=group_by_policy(bindings),
        params=ParamIndex.build(
            {**head, **each, "metadata": {**ref, **each["metadata"]}} for each in params
        ),
        namespaces={name: namespace},
    )
    before: Object = {**row["object"], "apiVersion": "apps/v1", "kind": "Deployment"}
    request = replace(make_create_request(before, name), old_object=row["old"])
    return policy_set.start(request).admit(before)


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row["name"] != UNDEFAULTED], ids=lambda row: row["name"]
)
def test_a_row_of_kubernetes_holds(row: program.Row) -> None:
    error = "authorizer" if row["name"] == REFUSED else row["error"]
    if error:
        with pytest.raises((MutationDeniedError, AssertionError)) as failure:
            mutate(row)
        assert error in str(failure.value)
        return
    expected: Object = {**row["after"], "apiVersion": "apps/v1", "kind": "Deployment"}
    assert equal(complete(mutate(row)), complete(expected))


def test_all_rows_are_there() -> None:
    """59 of patches, 14 of the compilation, and 5 of the dispatcher."""
    assert len(ROWS) == 59 + 14 + 5
