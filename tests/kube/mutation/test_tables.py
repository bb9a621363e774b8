"""The tables of Kubernetes' unit tests of patches: the same objects, and the same errors."""

from typing import Any

import pytest
from msgspec.structs import replace

from oracle import program
from oracle.mutation.tables import FIXTURE
from podgraft.base.jsonvalue import Object, equal
from podgraft.kube.defaults import complete
from podgraft.kube.document_reader import Cursor, Diagnostics
from podgraft.kube.matching.constraints import make_create_request
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


def mutate(expression: str, before: Object, old: Object | None = None) -> Object:
    """The object after one mutation; raises ``MutationDeniedError`` or ``AssertionError``."""
    is_patch = "JSONPatch" in expression
    mutation = {
        "patchType": "JSONPatch" if is_patch else "ApplyConfiguration",
        "jsonPatch" if is_patch else "applyConfiguration": {"expression": expression},
    }
    rule = {"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"]}
    spec: Any = {
        "matchConstraints": {"resourceRules": [rule]},
        "reinvocationPolicy": "Never",
        "mutations": [mutation],
    }
    diagnostics = Diagnostics()
    policy = parse_policy(Cursor(spec, "/spec", diagnostics), "p")
    binding = parse_binding(Cursor({"policyName": "p"}, "/spec", diagnostics), "b")
    assert not diagnostics.errors, "\n".join(map(str, diagnostics.errors))
    policies = MutatingPolicySet(policies=(policy,), bindings=group_by_policy([binding]))
    request = replace(make_create_request(before, "default"), old_object=old)
    return policies.start(request).admit(before)


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row["name"] != UNDEFAULTED], ids=lambda row: row["name"]
)
def test_a_row_of_kubernetes_holds(row: program.Row) -> None:
    head: Object = {"apiVersion": "apps/v1", "kind": "Deployment"}
    before: Object = {**row["object"], **head}
    if row["error"]:
        with pytest.raises((MutationDeniedError, AssertionError)) as failure:
            mutate(row["expression"], before)
        assert row["error"] in str(failure.value)
        return
    after = mutate(row["expression"], before, row["old"])
    expected: Object = {**row["after"], **head}
    assert equal(complete(after), complete(expected))


def test_all_rows_are_there() -> None:
    assert len(ROWS) == 59
