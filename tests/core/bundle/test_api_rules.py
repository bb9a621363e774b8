"""Documents that podgraft accepts, and that the API of Kubernetes refuses: errors of a check.

The fixture has documents with the errors of kube-apiserver 1.37 (tests/oracle/documents).
"""

import re
from typing import Any

import pytest

from oracle import program
from oracle.documents.record import (
    BINDING,
    DEFINITION,
    FIXTURE,
    MUTATING_BINDING,
    POLICY,
    RULE,
    change,
    define,
    make_documents,
)
from podgraft.base.diagnostics import Diagnostic
from podgraft.base.jsonvalue import Object
from podgraft.core.bundle import api_rules, manifests
from podgraft.kube import yaml
from podgraft.kube.patch import pointer
from support.corpus import assert_corpus

ROWS = program.load_rows(FIXTURE)


def find_errors(document: Object) -> list[Diagnostic]:
    parsed = manifests.parse_manifests({"p.yaml": yaml.dump(document).encode()})
    return [*api_rules.find_errors(parsed)]


def find_pointers(row: program.Row) -> set[str]:
    return {error.pointer for error in find_errors(row["document"])}


def kubernetes_pointers(row: program.Row) -> set[str]:
    """The paths of the errors of kube-apiserver as JSON Pointers.

    It moves the only schema of a definition to ``spec.validation`` before it checks it.
    """
    paths = [
        re.sub(r"^spec\.validation\b", "spec.versions[0].schema", path)
        for path in row.get("paths", ())
    ]
    tokens = [re.findall(r"(?<=\[)[^\]]*(?=\])|[^.\[\]]+", path) for path in paths]
    return {"".join(f"/{pointer.escape(token)}" for token in each) for each in tokens}


def has_the_same_path(ours: Any, kubernetes: Any) -> bool:
    """Whether both have no error, or both an error at the same path, or in the same list."""
    lists = {re.sub(r"/\d+$", "", path) for path in kubernetes}
    return bool(ours) == bool(kubernetes) and (not ours or bool(ours & (kubernetes | lists)))


def test_the_api_refuses_the_same_documents() -> None:
    assert_corpus(ROWS, expected=kubernetes_pointers, actual=find_pointers, same=has_the_same_path)


def test_the_fixture_has_all_documents() -> None:
    assert [row["document"] for row in ROWS] == [*make_documents()]
    assert sum("paths" in row for row in ROWS) > 150


def rule(changed: str) -> str:
    return f"{{spec: {{matchConstraints: {{resourceRules: [{RULE[:-1]}, {changed}}}]}}}}}}"


def conditions(*names: str) -> str:
    return f"{{spec: {{matchConditions: [{', '.join(f'{{name: {n}}}' for n in names)}]}}}}"


NAME = 'use small letters, digits, "-" and ".", with a letter or digit at both ends'
MIXED = "has a wildcard, and values that it includes; remove the wildcard, or the values"
REFUSED = (
    (POLICY, "{metadata: {name: P_x}}", f'/metadata/name: got "P_x"; {NAME}'),
    (POLICY, f"{{metadata: {{name: {'a' * 254}}}}}", "got 254 characters; use at most 253"),
    (BINDING, "{metadata: {name: a/b}}", f'/metadata/name: got "a/b"; {NAME}'),
    (POLICY, "{metadata: {labels: {a: 1}}}", "/metadata/labels/a: expected a string, got a number"),
    (BINDING, "{metadata: {annotations: {a/b: on}}}", "expected a string, got true or false"),
    (POLICY, "{metadata: {namespace: x}}", "/metadata/namespace: is set, and policies have none"),
    (POLICY, conditions("c", "d", "c"), '/spec/matchConditions/2/name: got "c", which another'),
    (POLICY, conditions("a b"), '/spec/matchConditions/0/name: got "a b"; use letters'),
    (POLICY, conditions(*(f"c{n}" for n in range(65))), "has 65 conditions; use at most 64"),
    (POLICY, rule("apiGroups: ['*', apps]").replace("apiGroups: [''], ", ""), MIXED),
    (POLICY, rule("apiVersions: ['*', v1]").replace("apiVersions: [v1], ", ""), MIXED),
    (POLICY, rule("operations: ['*', CREATE]").replace("operations: [CREATE], ", ""), MIXED),
    (POLICY, rule("resources: ['*', pods]").replace("resources: [pods], ", ""), MIXED),
    (POLICY, rule("resources: ['*/*', pods]").replace("resources: [pods], ", ""), MIXED),
    (
        POLICY,
        '{spec: {validations: [{expression: "true", message: "a\\nb"}]}}',
        "/spec/validations/0/message: has a line break; write it in one line",
    ),
    (DEFINITION, "{spec: {scope: [Cluster]}}", "/spec/scope: is invalid; use Cluster or"),
    (
        MUTATING_BINDING,
        "{spec: {paramRef: {name: a}}}",
        "/spec/paramRef/parameterNotFoundAction: is missing; use Deny or Allow",
    ),
    (
        BINDING,
        "{spec: {validationActions: [Deny, Deny]}}",
        "/spec/validationActions/1: has Deny twice; remove one of the two",
    ),
)
FIELD = "/spec/versions/0/schema/openAPIV3Schema/properties/f"
DEFINITIONS = (
    ("{type: text}", 'type: got "text"; use array, boolean, integer, number, object, string'),
    (
        "{type: array, x-kubernetes-list-type: map, items: {type: object}}",
        "x-kubernetes-list-map-keys: is missing; name the fields that identify an element",
    ),
    ("{type: integer, default: a}", 'default: must be of type integer, got "a"; correct the'),
    ("{type: object, default: {a: 1}}", "default: has a, which the schema does not define; define"),
    # Lists where the API requires a text.
    ("{type: [string]}", "type: got a list; use array, boolean, integer, number, object, string"),
    (
        "{type: array, x-kubernetes-list-type: [set], items: {type: string}}",
        "x-kubernetes-list-type: got a list; use atomic or set or map",
    ),
)


@pytest.mark.parametrize(("document", "changed", "message"), REFUSED)
def test_what_the_api_refuses_is_an_error(document: str, changed: str, message: str) -> None:
    (error,) = find_errors(change(document, changed))
    assert message in str(error)


@pytest.mark.parametrize(("field", "message"), DEFINITIONS)
def test_a_field_of_a_definition_names_its_location_and_remedy(field: str, message: str) -> None:
    (error,) = find_errors(define(f"{{type: object, properties: {{f: {field}}}}}"))
    assert str(error).startswith(f"p.yaml {FIELD}/{message}")
