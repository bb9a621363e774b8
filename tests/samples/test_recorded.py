"""Every sample answers everything that kube-apiserver was recorded to send, by every route."""

import base64
import json
from pathlib import Path

import pytest

from events.recorded import NAMES, recorded
from podgraft import admission, kube, patch, review
from podgraft.admission import AdmissionRequest
from podgraft.jsonvalue import JSON, Object
from podgraft.review import Answered, Caller
from podgraft.store import DirectoryStore

SAMPLES = Path(__file__).parents[2] / "samples"
STORE = DirectoryStore(SAMPLES)
INJECTORS = sorted(path.parent.name for path in SAMPLES.glob("*/policy.yaml"))
ROUTES = {"inject": review.inject, "mutate": review.mutate, "validate": review.validate}


def asked(name: str) -> AdmissionRequest:
    return admission.decode(recorded(name).body)


def answered(injector: str, route: str, request: AdmissionRequest) -> Object:
    outcome = ROUTES[route](request, STORE, Caller(injector=injector))
    assert isinstance(outcome, Answered), outcome
    response: JSON = json.loads(admission.encode(outcome.response))["response"]
    assert isinstance(response, dict)
    return response


def after(request: AdmissionRequest, response: Object) -> JSON:
    text = response.get("patch")
    operations: list[patch.Operation] = []
    if isinstance(text, str):
        operations = json.loads(base64.b64decode(text))
    return patch.apply(request.object, operations)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("injector", INJECTORS)
def test_a_recorded_request_is_answered_with_what_applies_and_decodes(
    injector: str, name: str
) -> None:
    request = asked(name)
    for route in ROUTES:
        response = answered(injector, route, request)
        changed = after(request, response)
        if request.kind.kind == "Pod" and isinstance(changed, dict):
            kube.check(kube.POD, changed)
        if route == "validate":
            assert "patch" not in response


def test_a_recorded_deployment_is_allowed_in_once_it_is_annotated() -> None:
    request = asked("17-deployment")
    refused = answered("allow", "validate", request)
    changed = after(request, answered("allow", "mutate", request))
    body = {"apiVersion": request.api_version, "kind": "AdmissionReview"}
    review_of = {**body, "request": {**request.raw, "object": changed}}
    again = admission.decode(json.dumps(review_of).encode())

    assert not refused["allowed"]
    assert answered("allow", "validate", again)["allowed"]
