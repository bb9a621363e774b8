"""What differs between two responses: names of fields, and never a value."""

import json
from base64 import b64encode
from typing import Any

import jsonpatch
import pytest

from podgraft.service.http.response_changes import BYTES, find_response_changes

SECRET = "sesame-of-the-test"
POD: Any = {
    "metadata": {"name": "web", "labels": {"app": "web"}},
    "spec": {"containers": [{"name": "app", "image": "app:1"}, {"name": "side/car"}]},
}
PROXY = {"name": "proxy", "image": "proxy:1", "env": [{"name": "TOKEN", "value": "a"}]}


def respond(*operations: Any, code: int = 200, **fields: Any) -> dict[str, Any]:
    review: dict[str, Any] = {"uid": "1", "allowed": True, **fields}
    if operations:
        review["patch"] = b64encode(json.dumps(operations).encode()).decode()
    return {"code": code, "body": json.dumps({"kind": "AdmissionReview", "response": review})}


def add(**changes: Any) -> Any:
    return {"op": "add", "path": "/spec/containers/1", "value": {**PROXY, **changes}}


CASES: tuple[tuple[dict[str, Any], dict[str, Any], tuple[str, ...]], ...] = (
    (
        respond(add()),
        respond(add(image=SECRET)),
        ("replace object.spec.containers[proxy].image",),
    ),
    (
        respond(add()),
        respond(add(env=[{"name": "TOKEN", "value": SECRET}])),
        ("replace object.spec.containers[proxy].env[TOKEN].value",),
    ),
    (respond(add()), respond(), ("remove object.spec.containers[proxy]",)),
    (respond(), respond(code=500), ("replace code",)),
    (respond(), respond(allowed=False), ("replace response.allowed",)),
    (respond(), respond(warnings=[SECRET]), ("add response.warnings",)),
    (
        respond(auditAnnotations={"reason": "a"}),
        respond(auditAnnotations={"reason": SECRET}),
        ("replace response.auditAnnotations.reason",),
    ),
    # Another order of operations has the same result.
    (
        respond(
            {"op": "remove", "path": "/metadata/labels"}, {"op": "remove", "path": "/metadata/name"}
        ),
        respond(
            {"op": "remove", "path": "/metadata/name"}, {"op": "remove", "path": "/metadata/labels"}
        ),
        (BYTES,),
    ),
    (
        respond(),
        {"code": 200, "body": SECRET},
        ("add unreadable", "remove object", "remove response", "remove review"),
    ),
    (
        respond(),
        respond({"op": "remove", "path": f"/{SECRET}"}),
        ("add unreadable", "remove object", "remove response", "remove review"),
    ),
    ({"code": 200, "body": "a"}, {"code": 200, "body": SECRET}, ("replace unreadable",)),
)


@pytest.mark.parametrize(("before", "after", "lines"), CASES)
def test_changes_are_names(
    before: dict[str, Any], after: dict[str, Any], lines: tuple[str, ...]
) -> None:
    assert find_response_changes(POD, before, after) == lines
    assert POD["metadata"]["name"] == "web"


OPERATIONS: tuple[list[Any], ...] = (
    [add()],
    [{"op": "add", "path": "/spec/containers/-", "value": PROXY}],
    [{"op": "replace", "path": "/spec/containers/0", "value": PROXY}],
    [{"op": "remove", "path": "/spec/containers/0"}],
    [{"op": "add", "path": "/metadata/labels/a~1b~0c", "value": "1"}],
    [{"op": "replace", "path": "", "value": {"a": 1}}],
    [{"op": "remove", "path": "/spec"}, {"op": "add", "path": "/spec", "value": {}}],
)


@pytest.mark.parametrize("operations", OPERATIONS, ids=json.dumps)
def test_a_patch_applies_as_with_the_library(operations: list[Any]) -> None:
    """Two patches with the same object differ in nothing but their bytes."""
    result: Any = jsonpatch.apply_patch(POD, operations)
    whole = {"op": "replace", "path": "", "value": result}
    assert find_response_changes(POD, respond(*operations), respond(whole)) in {
        (BYTES,),
        (),
    }


def test_a_list_that_is_not_one_is_unreadable() -> None:
    changed = find_response_changes(POD, respond(), {"code": 200, "body": "[]"})
    assert "add unreadable" in changed
