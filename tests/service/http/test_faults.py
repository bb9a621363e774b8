"""Every fault: exact status, headers, and Status body."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest
from werkzeug.test import TestResponse, create_environ, run_wsgi_app

from podgraft.base.deadline import Deadline
from podgraft.base.jsonvalue import Object
from podgraft.core.versions.snapshot import Snapshot
from podgraft.kube import admission
from podgraft.kube.admission.request import MAX_OBJECT_BYTES
from podgraft.service.http import Auth, errors, faults
from podgraft.service.http.throttle import MAX_FAILURES, WINDOW_SECONDS
from podgraft.service.store.folder import FolderStore
from service.http.conftest import ApplicationFixture, make_application
from support.recorded_requests import load_request
from support.store_fixture import BUNDLE, CONFIG, OTHER_TOKEN, TOKEN, write_injector

GOOD = load_request("03-kubectl-run").body
WANTED = "expected an AdmissionReview of admission.k8s.io/v1 or admission.k8s.io/v1beta1"
BEARER_CHALLENGE = {"WWW_Authenticate": 'Bearer realm="podgraft"'}
RETRY_HEADER = {"Retry_After": "1"}
HEADERS = ("WWW-Authenticate", "Retry-After", "Allow")

Act: TypeAlias = Callable[[ApplicationFixture], TestResponse]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    name: str
    act: Act
    code: int
    reason: str
    message: str
    headers: Mapping[str, str]


def case(name: str, act: Act, code: int, message: str, **headers: str) -> Case:
    reasons = {
        400: "BadRequest",
        401: "Unauthorized",
        403: "Forbidden",
        404: "NotFound",
        413: "RequestEntityTooLarge",
        415: "UnsupportedMediaType",
        500: "InternalError",
        503: "ServiceUnavailable",
    }
    named = {key.replace("_", "-"): value for key, value in headers.items()}
    return Case(name=name, act=act, code=code, reason=reasons[code], message=message, headers=named)


def body(content: bytes) -> Act:
    return lambda at: at.post(content)


def post_content_type(content_type: str) -> Act:
    return lambda at: at.post(GOOD, headers={"Content-Type": content_type})


def post_with_token(token: str, path: str = "/inject") -> Act:
    return lambda at: at.post(GOOD, token=token, path=path)


def sized_body(object_bytes: int) -> bytes:
    frame = len(b'{"metadata":{},"spec":{"containers":[],"fill":""}}')
    spec: Object = {"containers": [], "fill": "x" * (object_bytes - frame)}
    pod: Object = {"metadata": {}, "spec": spec}
    review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}
    return json.dumps({**review, "request": {"uid": "u", "object": pod}}).encode()


def request_stored_injector(injector: str, files: Mapping[str, bytes], policy: str = "{}") -> Act:
    """Ask for an injector that was stored so."""

    def act(at: ApplicationFixture) -> TestResponse:
        write_injector(at.folder, injector, policy=policy, files=files)
        return at.post(GOOD, path=f"/{injector}/inject")

    return act


def unreadable(at: ApplicationFixture) -> TestResponse:
    """Reading a folder as a file fails for everybody, root included."""
    (at.folder / "default" / "policy.yaml").mkdir()
    return at.post(GOOD)


def uid_of(content: bytes) -> str:
    return admission.decode(content).uid


NO_TOKEN = "no cluster token; send it as Authorization: Bearer, or in the path as /k/<token>/…"
CASES = (
    # The caller's body
    case("empty body", body(b""), 400, f"body: is empty; {WANTED}"),
    case(
        "not JSON",
        body(b"<html>"),
        400,
        "body: invalid JSON: line 1 column 1: Expecting value",
    ),
    case(
        "invalid UTF-8",
        body(b'{"\xff": 1}'),
        400,
        "body: invalid JSON: byte 2: not UTF-8",
    ),
    case("NaN", body(b"[NaN]"), 400, "body: invalid JSON: NaN is not a JSON number"),
    case(
        "repeated keys",
        body(b'{"kind": 1, "kind": 2}'),
        400,
        "body: invalid JSON: duplicate key 'kind' in an object",
    ),
    case(
        "1,000 levels",
        body(b"[" * 1000 + b"]" * 1000),
        400,
        "body: invalid JSON: nested deeper than 200 levels",
    ),
    case(
        "no AdmissionReview",
        body(b'{"apiVersion": "v1", "kind": "Pod"}'),
        400,
        f"/kind: is not AdmissionReview; {WANTED}",
    ),
    case(
        "no request",
        body(b'{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}'),
        400,
        "/request: expected an object, got nothing",
    ),
    # Its declaration
    case(
        "text",
        post_content_type("text/plain"),
        415,
        "content type: got 'text/plain'; use application/json",
    ),
    case(
        "no content type", post_content_type(""), 415, "content type: got ''; use application/json"
    ),
    case(
        "another kind of JSON",
        post_content_type("application/problem+json"),
        415,
        "content type: got 'application/problem+json'; use application/json",
    ),
    case(
        "another charset",
        post_content_type("application/json; charset=latin-1"),
        415,
        "content type: got 'application/json; charset=latin-1'; use application/json",
    ),
    # Its size
    case(
        "an object over 3 MiB",
        body(sized_body(MAX_OBJECT_BYTES + 1)),
        413,
        "/request/object: got 3145729 bytes; send at most 3145728 bytes",
    ),
    case(
        "a request over Lambda's limit",
        body(b"x" * (admission.MAX_REQUEST_BYTES + 1)),
        413,
        "request: got 6291457 bytes; send at most 6291456 bytes",
    ),
    # Who calls
    case(
        "no token",
        lambda at: at.post(GOOD, headers={"Authorization": ""}),
        401,
        NO_TOKEN,
        **BEARER_CHALLENGE,
    ),
    case(
        "an unknown token",
        post_with_token("guess"),
        401,
        "the token belongs to no cluster",
        **BEARER_CHALLENGE,
    ),
    case(
        "an empty token in the path",
        post_with_token("", "/k//inject"),
        401,
        NO_TOKEN,
        **BEARER_CHALLENGE,
    ),
    case(
        "the tokens of two clusters",
        post_with_token(TOKEN, f"/k/{OTHER_TOKEN}/inject"),
        403,
        "the token belongs to several clusters; use a separate token for each cluster",
    ),
    # Where
    case(
        "no such path", post_with_token(TOKEN, "/nowhere"), 404, "nothing is served under this path"
    ),
    case(
        "no such injector",
        post_with_token(TOKEN, "/other/inject"),
        404,
        "injector other: the store has no folder of this name",
    ),
    case(
        "no name of an injector",
        post_with_token(TOKEN, "/auth/inject"),
        404,
        "invalid injector name in the path; to send a token, use the prefix /k/<token>/",
    ),
    # The operator's
    case(
        "an empty bundle folder",
        request_stored_injector("void", {}),
        500,
        "injector void does not load: bundle: the folder: contains no manifest; "
        "add .yaml, .yml, or .json files, as kubectl get -o yaml prints them",
    ),
    case(
        "a bundle with several faults",
        request_stored_injector(
            "broken", {"a.yaml": b"text", "b.yaml": b"{apiVersion: v1, kind: Namespace}"}
        ),
        500,
        "injector broken does not load: bundle: "
        "a.yaml: is not a Kubernetes object; add apiVersion and kind. "
        "b.yaml /metadata/name: is missing; set a name",
    ),
    case(
        "a policy with several faults",
        request_stored_injector("broken", BUNDLE, "polcy: 1\nrevision: 2"),
        500,
        "injector broken does not load: policy: "
        "/revision: expected a string, got a number; put it in quotes. "
        "/polcy: unknown key; did you mean policy?",
    ),
    # The world's
    case(
        "a store that cannot be read",
        unreadable,
        503,
        "injector default cannot be read: Is a directory (default/policy.yaml)",
        **RETRY_HEADER,
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_fault_is_a_status_that_kubectl_shows(
    case: Case, token_application: ApplicationFixture
) -> None:
    response = case.act(token_application)
    assert (response.status_code, response.content_type) == (case.code, "application/json")
    assert json.loads(response.data) == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": case.message,
        "reason": case.reason,
        "code": case.code,
    }
    named = dict(response.headers)
    assert {key: named.get(key) for key in HEADERS} == {
        key: case.headers.get(key) for key in HEADERS
    }
    assert named.keys() <= {"Content-Type", "Content-Length", *HEADERS}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_fault_leaves_one_line_with_its_origin(
    case: Case, token_application: ApplicationFixture
) -> None:
    case.act(token_application)
    if case.message == "nothing is served under this path":
        return
    [record] = token_application.records
    wanted = {500: "operator", 503: "dependency"}.get(case.code, "caller")
    assert (record["code"], record["origin"]) == (case.code, wanted)
    is_credential = case.code in {401, 403}
    assert ("message" in record) is (is_credential or "injector" in case.message)


def test_a_template_that_fails_for_this_pod_names_the_template(
    token_application: ApplicationFixture,
) -> None:
    # It works for most probe pods: otherwise it would not be in force.
    failing = '{{ if eq .Spec.ServiceAccountName "default" }}{{ index "a" 7 }}{{ end }}'
    config = CONFIG.replace("{{ .DeploymentMeta.Name }}", failing)
    write_injector(token_application.folder, files={**BUNDLE, "injector.yaml": config.encode()})
    response = token_application.post(GOOD)
    assert response.status_code == 500
    assert "sidecar:" in json.loads(response.data)["message"]
    [record] = token_application.records
    assert (record["decision"], record["reason"], record["origin"]) == (
        "fail",
        "operator",
        "operator",
    )
    assert "message" not in record
    assert str(record["place"]).startswith("sidecar:3:")


def test_an_internal_error_is_a_failed_call_with_the_uid_and_no_message_in_the_log(
    folder: Path,
) -> None:
    class Mistaken(FolderStore):
        def snapshot(
            self,
            injector: str,
            cluster: str | None,
            deadline: Deadline | None = None,
            groups: tuple[str, ...] = (),
        ) -> Snapshot:
            del injector, cluster, deadline, groups
            raise RuntimeError("s3cret value of a pod")

    at = make_application(folder, store=Mistaken(folder))
    response = at.post(GOOD)
    assert response.status_code == 500
    assert json.loads(response.data)["message"] == "internal error; see the podgraft log"
    [record] = at.records
    assert (record["event"], record["uid"]) == ("internal_error", uid_of(GOOD))
    assert str(record["trace"]).startswith("RuntimeError: ")
    assert "s3cret" not in json.dumps(record)


def test_nothing_of_an_unauthenticated_body_is_read(folder: Path) -> None:
    class Untouchable:
        def read(self, size: int = -1) -> bytes:
            raise AssertionError(f"read({size})")

    environ = create_environ("/inject", method="POST", content_type="application/json")
    environ |= {"wsgi.input": Untouchable(), "CONTENT_LENGTH": "10"}
    _, status, _ = run_wsgi_app(make_application(folder).client.application, environ)
    assert status == "401 UNAUTHORIZED"


@pytest.mark.parametrize(
    "content_type",
    ["application/json", "Application/JSON", 'application/json; charset="UTF-8"'],
)
def test_json_is_json_in_every_spelling(
    content_type: str, token_application: ApplicationFixture
) -> None:
    assert post_content_type(content_type)(token_application).status_code == 200


def test_an_object_of_3_mib_is_answered(token_application: ApplicationFixture) -> None:
    assert token_application.post(sized_body(MAX_OBJECT_BYTES)).status_code == 200


def test_an_object_of_another_kind_is_refused_by_name(
    token_application: ApplicationFixture,
) -> None:
    service = load_request("03-kubectl-run").with_value(
        "request", "object", "kind", value="Service"
    )
    response = json.loads(token_application.post(service.body).data)["response"]
    assert (response["allowed"], response["status"]["code"]) == (False, 403)
    assert response["status"]["message"] == "object: expected a Pod, got 'Service'"


def test_many_failures_of_one_source_are_answered_shortly_and_logged_no_more(
    token_application: ApplicationFixture,
) -> None:
    for _ in range(MAX_FAILURES):
        assert post_with_token("guess")(token_application).status_code == 401
    response = post_with_token("guess")(token_application)
    assert response.status_code == 429
    assert "Retry-After" not in response.headers
    assert json.loads(response.data)["reason"] == "TooManyRequests"
    assert len(token_application.records) == MAX_FAILURES
    assert post_with_token(TOKEN)(token_application).status_code == 200
    token_application.clock.seconds += WINDOW_SECONDS
    assert post_with_token("guess")(token_application).status_code == 401


def test_without_authentication_everyone_is_answered_and_the_log_states_it(folder: Path) -> None:
    at = make_application(folder, Auth.NONE)
    assert at.post(GOOD, headers={"Authorization": ""}).status_code == 200
    assert at.records[0]["level"] == "WARNING"
    assert "authentication is disabled" in str(at.records[0]["message"])


@pytest.mark.parametrize(
    "path", ["/s3cret-token/inject", "/inject/s3cret-token", "/k/s3cret-token"]
)
def test_a_misplaced_token_is_not_written(path: str, token_application: ApplicationFixture) -> None:
    response = token_application.client.post(path, data=GOOD)
    assert response.status_code in {401, 404}
    assert "s3cret" not in json.dumps(token_application.records)


def test_every_error_of_the_web_has_a_row() -> None:
    """Without a row, an error would be an internal one, and HTTP 500."""
    values = (value for value in vars(errors).values() if isinstance(value, type))
    kinds = {kind for kind in values if issubclass(kind, errors.WebError)}
    rows = {kind: faults.find_row(kind()) for kind in kinds}
    assert {kind for kind, row in rows.items() if row is faults.INTERNAL} == {
        errors.WebError,
        errors.CredentialError,
    }


def test_every_row_is_of_an_error_that_podgraft_raises() -> None:
    assert {kind.__module__.partition(".")[0] for kind in faults.TABLE} == {"podgraft"}
