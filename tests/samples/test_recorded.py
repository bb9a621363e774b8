"""Every sample serves all recorded requests of kube-apiserver, on every route."""

import base64
import json
from pathlib import Path

import pytest

from podgraft import kube
from podgraft.base.jsonvalue import JSON, Object
from podgraft.core import review
from podgraft.core.review.results import ReviewResponse
from podgraft.core.review_context import ReviewContext
from podgraft.kube import admission, patch
from podgraft.kube.admission import AdmissionRequest
from podgraft.service.store.folder import FolderStore
from support import recorded_requests
from support.corpus import assert_corpus
from support.recorded_requests import NAMES

SAMPLES = Path(__file__).parents[2] / "samples"
STORE = FolderStore(SAMPLES)
INJECTORS = sorted(path.parent.name for path in SAMPLES.glob("*/policy.yaml"))
ROUTES = {"inject": review.inject, "mutate": review.mutate, "validate": review.validate}


def decode_request(name: str) -> AdmissionRequest:
    return admission.decode(recorded_requests.load_request(name).body)


def review_response(injector: str, route: str, request: AdmissionRequest) -> Object:
    outcome = ROUTES[route](ReviewContext(injector=injector).with_request(request), STORE)
    assert isinstance(outcome, ReviewResponse), outcome
    response: JSON = json.loads(admission.encode(outcome.response))["response"]
    assert isinstance(response, dict)
    return response


def apply_response(request: AdmissionRequest, response: Object) -> JSON:
    text = response.get("patch")
    operations: list[patch.Operation] = []
    if isinstance(text, str):
        operations = json.loads(base64.b64decode(text))
    return patch.apply(request.object, operations)


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("injector", INJECTORS)
def test_recorded_requests_are_answered_with_what_applies_and_decodes(
    injector: str, route: str
) -> None:
    def outcome(name: str) -> str:
        request = decode_request(name)
        response = review_response(injector, route, request)
        changed = apply_response(request, response)
        if request.kind.kind == "Pod" and isinstance(changed, dict):
            kube.check(kube.POD, changed)
        if route == "validate" and "patch" in response:
            return "a patch of /validate"
        return "applies and decodes"

    assert_corpus(NAMES, expected=lambda _: "applies and decodes", actual=outcome)


def test_a_recorded_deployment_is_allowed_after_it_is_annotated() -> None:
    request = decode_request("17-deployment")
    refused = review_response("allow", "validate", request)
    changed = apply_response(request, review_response("allow", "mutate", request))
    body = {"apiVersion": request.api_version, "kind": "AdmissionReview"}
    review_of = {**body, "request": {**request.raw, "object": changed}}
    again = admission.decode(json.dumps(review_of).encode())

    assert not refused["allowed"]
    assert review_response("allow", "validate", again)["allowed"]
