"""What is sent back: exact bytes of every kind of answer, in both versions."""

import base64
import json
from http import HTTPStatus

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from podgraft.kube import admission
from podgraft.kube.admission import AdmissionRequest
from support.recorded_requests import load_request

V1 = AdmissionRequest(api_version="admission.k8s.io/v1", uid="u-1", raw={})
V1BETA1 = replace(V1, api_version="admission.k8s.io/v1beta1")
OPERATIONS = [{"op": "add", "path": "/metadata/labels/a~1b", "value": "ö<&"}]
AUDIT = {"decision": "inject", "reason": "policy-enabled"}


def forbid(message: str) -> admission.Status:
    return admission.errored(HTTPStatus.FORBIDDEN, message)


def test_allowed_states_nothing_more() -> None:
    assert admission.encode(admission.respond(V1)) == (
        b'{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1",'
        b'"response":{"uid":"u-1","allowed":true}}'
    )


def test_patched_carries_patch_and_patch_type_together() -> None:
    answer = json.loads(admission.encode(admission.respond(V1, OPERATIONS)))
    assert answer["response"].keys() == {"uid", "allowed", "patch", "patchType"}
    assert answer["response"]["patchType"] == "JSONPatch"
    assert json.loads(base64.b64decode(answer["response"]["patch"])) == OPERATIONS


def test_a_patch_without_operations_is_no_patch() -> None:
    assert admission.respond(V1, []) == admission.respond(V1)


def test_denied_carries_code_reason_and_message_and_no_patch() -> None:
    assert admission.encode(
        admission.respond(V1, denial=forbid("annotation a: got 1;\nuse 2"))
    ) == (
        b'{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1",'
        b'"response":{"uid":"u-1","allowed":false,"status":{"status":"Failure",'
        b'"message":"annotation a: got 1; use 2","reason":"Forbidden","code":403}}}'
    )


def test_errored_is_a_v1_status_of_one_line() -> None:
    status = admission.errored(HTTPStatus.SERVICE_UNAVAILABLE, "S3 is\n unreachable\r\n")
    assert admission.encode(status) == (
        b'{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",'
        b'"message":"S3 is unreachable","reason":"ServiceUnavailable","code":503}'
    )


def test_the_response_is_in_the_requests_own_version() -> None:
    for name in ("01-deployment-pod", "18-v1beta1"):
        request = admission.decode(load_request(name).body)
        answer = json.loads(admission.encode(admission.respond(request)))
        assert answer["apiVersion"] == request.api_version
        assert answer["kind"] == "AdmissionReview"
        assert answer["response"]["uid"] == request.uid


def test_notes_are_filled_on_v1_alone() -> None:
    noted = json.loads(admission.encode(admission.respond(V1, warnings=["w"], audit=AUDIT)))
    assert noted["response"]["warnings"] == ["w"]
    assert noted["response"]["auditAnnotations"] == AUDIT
    silent = admission.encode(admission.respond(V1BETA1, warnings=["w"], audit=AUDIT))
    assert json.loads(silent)["response"] == {"uid": "u-1", "allowed": True}


def test_a_warning_is_reported_once() -> None:
    assert admission.respond(V1, warnings=["a\nb", "c", "a b"]).warnings == ("a b", "c")


@given(st.text())
def test_no_warning_and_no_message_holds_a_line_break(text: str) -> None:
    answer = admission.respond(V1, denial=forbid(text), warnings=[text])
    assert answer.status is not None
    for said in (*answer.warnings, answer.status.message):
        assert len(said.splitlines()) <= 1


@pytest.mark.parametrize("code", [code for code in HTTPStatus if code.value in {200, 302, 418}])
def test_a_code_that_no_fault_has_cannot_be_sent(code: HTTPStatus) -> None:
    with pytest.raises(KeyError):
        admission.errored(code, "never")
