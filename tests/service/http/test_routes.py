"""The routes: what answers where, by which method, and that nothing ever redirects."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from podgraft.base.deadline import Deadline
from podgraft.core.versions.snapshot import Snapshot
from podgraft.service.store.folder import FolderStore
from service.http.conftest import ApplicationFixture, make_application
from support.recorded_requests import NAMES, load_request
from support.store_fixture import PATH_TOKEN, TOKEN

POD = load_request("24-bearer-token")
SERVED = tuple(
    (f"{token}{injector}/{route}{tail}", route)
    for token in ("", f"/k/{PATH_TOKEN}")
    for injector in ("", "/istio", "/default")
    for route in ("inject", "mutate", "validate")
    for tail in (
        "",
        "/",
        "/cluster/prod-eu",
        "/:ENV:cluster=prod-eu:ENV:net=n1",
        "/net/a--slash--b",
    )
)


@pytest.mark.parametrize(("path", "route"), SERVED)
def test_every_review_route_responds_with_and_without_injector_and_token(
    path: str, route: str, token_application: ApplicationFixture
) -> None:
    response = token_application.send(POD, path)
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/json"
    assert json.loads(response.data)["response"]["allowed"] is True
    [record] = token_application.records
    assert (record["route"], record["cluster"]) == (route, "prod-eu")
    assert record["injector"] == ("istio" if "/istio" in path else "default")


def test_each_injector_has_its_own_policy(token_application: ApplicationFixture) -> None:
    for path, decision in (("/inject", "inject"), ("/istio/inject", "skip")):
        answer = json.loads(token_application.send(POD, path).data)
        assert answer["response"]["auditAnnotations"]["decision"] == decision


@pytest.mark.parametrize("name", NAMES)
def test_every_recording_that_shows_a_token_is_answered(
    name: str, token_application: ApplicationFixture
) -> None:
    """Recordings without a credential are refused: nothing else may depend on their body."""
    sent = load_request(name)
    response = token_application.send(sent)
    known = sent.header("Authorization") == f"Bearer {TOKEN}" or sent.path.startswith("/k/")
    if "/goodpatch/" in sent.path or "/otherpatch/" in sent.path:
        assert response.status_code == 404
    else:
        assert response.status_code == (200 if known else 401)


NOWHERE = (
    "/",
    "/injects",
    "/a/b/inject",
    "/k",
    "/k/token",
    "/favicon.ico",
    "/istio",
    "/static/x",
    "//inject",
    "/ping/x",
)


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("path", NOWHERE)
def test_no_other_path_is_served(
    path: str, method: str, token_application: ApplicationFixture
) -> None:
    response = token_application.client.open(path, method=method)
    assert response.status_code in {404, 405}
    assert "Location" not in response.headers


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_a_review_is_posted(method: str, token_application: ApplicationFixture) -> None:
    response = token_application.client.open("/inject", method=method)
    assert (response.status_code, response.headers["Allow"]) == (405, "POST")
    if method != "HEAD":
        assert json.loads(response.data) == {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": f"{method} is not served here; use POST",
            "reason": "MethodNotAllowed",
            "code": 405,
        }


def test_ping_responds_with_pong(token_application: ApplicationFixture) -> None:
    response = token_application.client.get("/ping")
    assert (response.status_code, response.data) == (200, b"pong")
    assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert token_application.client.get("/healthz").data == b"ok"
    refused = token_application.client.post("/ping")
    assert (refused.status_code, refused.headers["Allow"]) == (405, "GET, HEAD")


def test_an_internal_error_is_a_status_on_every_route(folder: Path) -> None:
    class Mistaken(FolderStore):
        def injectors(self, deadline: Deadline | None = None) -> tuple[str, ...]:
            del deadline
            raise RuntimeError("s3cret")

    response = make_application(folder, store=Mistaken(folder)).client.get("/readyz")
    assert response.status_code == 500
    assert json.loads(response.data)["message"] == "internal error; see the podgraft log"


TIMEOUTS = (
    ("timeout=10s", 10.0),
    ("timeout=30s", 30.0),
    ("timeout=1m", 60.0),
    ("timeout=1.5s", 1.5),
    ("timeout=500ms", 0.5),
    ("x=1&timeout=3s&y=2", 3.0),
    ("", None),
    ("timeout=", None),
    ("timeout=10", None),
    ("timeout=-1s", None),
    ("timeout=soon", None),
    ("mytimeout=10s", None),
)


@pytest.mark.parametrize(("query", "seconds"), TIMEOUTS)
def test_the_stores_have_until_the_caller_stops_waiting(
    query: str, seconds: float | None, folder: Path
) -> None:
    given: list[Deadline | None] = []

    class Asked(FolderStore):
        def snapshot(
            self,
            injector: str,
            cluster: str | None,
            deadline: Deadline | None = None,
            groups: tuple[str, ...] = (),
        ) -> Snapshot:
            given.append(deadline)
            return super().snapshot(injector, cluster, deadline, groups)

    at = make_application(folder, store=Asked(folder))
    assert at.send(replace(POD, query=query)).status_code == 200
    assert given == [Deadline.from_timeout(seconds, at.clock)]
