"""Reading an AdmissionReview: every recorded request, and every way a body can be wrong."""

import json
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgraft.base.jsonvalue import JSON
from podgraft.kube import admission
from podgraft.kube.admission import (
    AdmissionRequest,
    GroupVersionKind,
    GroupVersionResource,
    Operation,
)
from podgraft.kube.admission.request import MAX_OBJECT_BYTES
from support.recorded_requests import NAMES, load_request

V1 = "admission.k8s.io/v1"
WANTED = "expected an AdmissionReview of admission.k8s.io/v1 or admission.k8s.io/v1beta1"
POD = GroupVersionKind("", "v1", "Pod")
PODS = GroupVersionResource("", "v1", "pods")


@pytest.mark.parametrize("namespace", ["", "a", "1", "kube-system", "a--b", "x" * 63])
def test_a_namespace_is_a_dns_label(namespace: str) -> None:
    assert admission.decode(review({"namespace": namespace})).namespace == namespace


@pytest.mark.parametrize(
    "namespace",
    ["A", "-a", "a-", "-", "a.b", "a/b", "a b", "a\n- b", "x: y", "é", "²", "x" * 64, "\u2028a"],
)
def test_a_text_that_is_no_namespace_is_refused(namespace: str) -> None:
    """Templates write it without quotes; kube-apiserver never sends such a text."""
    with pytest.raises(admission.ReviewError, match=r"^/request/namespace: must be a DNS label$"):
        admission.decode(review({"namespace": namespace}))


@pytest.mark.parametrize("name", NAMES)
def test_every_recorded_request_is_read_as_sent(name: str) -> None:
    sent = load_request(name)
    request = admission.decode(sent.body)
    wire = sent.review["request"]
    assert isinstance(wire, dict)
    assert request.api_version == sent.review["apiVersion"]
    assert request.raw == wire
    assert (request.uid, request.namespace, request.operation) == (
        wire["uid"],
        wire["namespace"],
        wire["operation"],
    )
    assert (request.name, request.sub_resource) == (
        wire.get("name", ""),
        wire.get("subResource", ""),
    )
    assert (request.object, request.old_object) == (wire["object"], wire["oldObject"])
    assert request.dry_run is wire["dryRun"]


@dataclass(frozen=True, slots=True)
class ExpectedRequest:
    name: str
    kind: GroupVersionKind
    resource: GroupVersionResource
    sub_resource: str = ""
    operation: Operation = Operation.CREATE
    dry_run: bool = False


SEEN = (
    ExpectedRequest("01-deployment-pod", POD, PODS),
    ExpectedRequest("15-dry-run", POD, PODS, dry_run=True),
    ExpectedRequest("16-update", POD, PODS, operation=Operation.UPDATE),
    ExpectedRequest("16c-ephemeralcontainers", POD, PODS, "ephemeralcontainers", Operation.UPDATE),
    ExpectedRequest("16d-eviction", GroupVersionKind("policy", "v1", "Eviction"), PODS, "eviction"),
    ExpectedRequest(
        "16e-exec", GroupVersionKind("", "v1", "PodExecOptions"), PODS, "exec", Operation.CONNECT
    ),
    ExpectedRequest("16f-delete", POD, PODS, operation=Operation.DELETE),
    ExpectedRequest(
        "17-deployment",
        GroupVersionKind("apps", "v1", "Deployment"),
        GroupVersionResource("apps", "v1", "deployments"),
    ),
)


@pytest.mark.parametrize("case", SEEN, ids=lambda case: case.name)
def test_kind_resource_and_operation_are_distinguished(case: ExpectedRequest) -> None:
    request = admission.decode(load_request(case.name).body)
    assert request.kind == case.kind
    assert request.resource == case.resource
    assert (request.sub_resource, request.operation) == (case.sub_resource, case.operation)
    assert request.dry_run is case.dry_run


def test_a_bare_request_is_the_creation_of_its_object() -> None:
    """Istio's own tests send nothing but an object and a namespace."""
    pod: JSON = {"metadata": {"name": "web"}}
    request = admission.decode(review({"object": pod, "namespace": "shop"}))
    assert request == AdmissionRequest(
        api_version=V1,
        namespace="shop",
        object=pod,
        raw={"object": pod, "namespace": "shop"},
    )
    assert request.operation is Operation.CREATE


def review(request: JSON, **fields: JSON) -> bytes:
    fields = {"apiVersion": V1, "kind": "AdmissionReview", **fields}
    return json.dumps({**fields, "request": request}).encode()


def nested_review(levels: int) -> bytes:
    """A review whose deepest value stands under this many brackets."""
    inner = levels - 3
    return review({"object": {"deep": None}}).replace(b"null", b"[" * inner + b"]" * inner)


@dataclass(frozen=True, slots=True)
class InvalidCase:
    name: str
    body: bytes
    message: str


TOO_DEEP = "body: invalid JSON: nested deeper than 200 levels"
ERRORS = (
    # No JSON
    InvalidCase("empty", b"", f"body: is empty; {WANTED}"),
    InvalidCase("white space", b" \n", "body: invalid JSON: line 2 column 1: Expecting value"),
    InvalidCase("HTML", b"<html>", "body: invalid JSON: line 1 column 1: Expecting value"),
    InvalidCase("cut off", b'{"a": ', "body: invalid JSON: line 1 column 7: Expecting value"),
    InvalidCase("two values", b"{} {}", "body: invalid JSON: line 1 column 4: Extra data"),
    InvalidCase("invalid UTF-8", b'{"a": "\xff"}', "body: invalid JSON: byte 7: not UTF-8"),
    InvalidCase("NaN", b'{"a": NaN}', "body: invalid JSON: NaN is not a JSON number"),
    InvalidCase(
        "infinity",
        b'{"a": -Infinity}',
        "body: invalid JSON: -Infinity is not a JSON number",
    ),
    InvalidCase(
        "beyond float64",
        b'{"a": 1e999}',
        "body: invalid JSON: 1e999 is outside the range of a 64-bit float",
    ),
    InvalidCase(
        "repeated key",
        b'{"kind": "a", "kind": "b"}',
        "body: invalid JSON: duplicate key 'kind' in an object",
    ),
    InvalidCase(
        "half a surrogate pair",
        b'{"a": "\\ud83d"}',
        "body: invalid JSON: a string contains a lone surrogate",
    ),
    # Nested too deeply
    InvalidCase("201 levels", nested_review(201), TOO_DEEP),
    InvalidCase("1,000 levels", nested_review(1_000), TOO_DEEP),
    InvalidCase("100,000 levels", nested_review(100_000), TOO_DEEP),
    # No AdmissionReview
    InvalidCase("a string", b'"x"', f"body: is a string; {WANTED}"),
    InvalidCase("a list", b"[]", f"body: is a list; {WANTED}"),
    InvalidCase("a number", b"1", f"body: is a number; {WANTED}"),
    InvalidCase("null", b"null", f"body: is nothing; {WANTED}"),
    InvalidCase("nothing inside", b"{}", f"/kind: is not AdmissionReview; {WANTED}"),
    InvalidCase(
        "a Pod",
        b'{"apiVersion": "v1", "kind": "Pod"}',
        f"/kind: is not AdmissionReview; {WANTED}",
    ),
    InvalidCase(
        "an unknown version",
        review({}, apiVersion="admission.k8s.io/v2"),
        f"/apiVersion: is unsupported; {WANTED}",
    ),
    InvalidCase("kind a number", b'{"kind": 1}', "/kind: expected a string, got a number"),
    # No usable request
    InvalidCase(
        "no request",
        b'{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}',
        "/request: expected an object, got nothing",
    ),
    InvalidCase("request null", review(None), "/request: expected an object, got nothing"),
    InvalidCase("request a list", review([]), "/request: expected an object, got a list"),
    InvalidCase(
        "uid a number", review({"uid": 1}), "/request/uid: expected a string, got a number"
    ),
    InvalidCase(
        "uid an object", review({"uid": {}}), "/request/uid: expected a string, got an object"
    ),
    InvalidCase(
        "uid a boolean", review({"uid": True}), "/request/uid: expected a string, got a boolean"
    ),
    InvalidCase(
        "kind a string", review({"kind": "Pod"}), "/request/kind: expected an object, got a string"
    ),
    InvalidCase(
        "resource.resource a list",
        review({"resource": {"resource": []}}),
        "/request/resource/resource: expected a string, got a list",
    ),
    InvalidCase(
        "dryRun a string",
        review({"dryRun": "true"}),
        "/request/dryRun: expected a boolean, got a string",
    ),
    InvalidCase(
        "an unknown operation",
        review({"operation": "create"}),
        "/request/operation: is unknown; use one of CREATE, UPDATE, DELETE, CONNECT",
    ),
)


@pytest.mark.parametrize("case", ERRORS, ids=lambda case: case.name)
def test_a_body_that_is_no_review_states_the_location_and_the_reason(case: InvalidCase) -> None:
    with pytest.raises(admission.NotAReviewError) as error:
        admission.decode(case.body)
    assert str(error.value) == case.message


def test_a_number_too_long_for_python_is_the_callers_fault() -> None:
    with pytest.raises(admission.NotAReviewError, match="invalid JSON: a number is too"):
        admission.decode(b"9" * 5000)


def test_two_hundred_levels_are_read() -> None:
    assert admission.decode(nested_review(200)).uid == ""


def sized_review(object_bytes: int) -> bytes:
    """A review whose object is this long as compact JSON."""
    frame = len(b'{"fill":""}')
    return review({"object": {"fill": "x" * (object_bytes - frame)}})


def test_an_object_of_3_mib_is_read_and_one_byte_more_is_not() -> None:
    request = admission.decode(sized_review(MAX_OBJECT_BYTES))
    assert isinstance(request.object, dict)
    with pytest.raises(admission.TooLargeError) as error:
        admission.decode(sized_review(MAX_OBJECT_BYTES + 1))
    assert str(error.value) == "/request/object: got 3145729 bytes; send at most 3145728 bytes"


def test_two_objects_of_less_than_3_mib_each_are_read() -> None:
    half: JSON = {"fill": "x" * (2 * 1024 * 1024)}
    assert admission.decode(review({"object": half, "oldObject": half})).object == half


def test_a_request_over_lambdas_limit_is_not_parsed() -> None:
    with pytest.raises(admission.TooLargeError) as error:
        admission.decode(b"x" * (admission.MAX_REQUEST_BYTES + 1))
    assert str(error.value) == "request: got 6291457 bytes; send at most 6291456 bytes"


@given(st.binary(max_size=200))
def test_no_body_raises_anything_but_a_fault_of_the_caller(body: bytes) -> None:
    with pytest.raises(admission.ReviewError):
        admission.decode(body)
