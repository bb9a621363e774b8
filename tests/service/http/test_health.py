"""GET /readyz: a status for every client; versions and errors for callers."""

import json
from pathlib import Path

import pytest

from podgraft.service.http import Auth
from podgraft.service.http.health import LOG_INTERVAL_SECONDS
from podgraft.service.http.throttle import MAX_FAILURES
from service.http.conftest import ApplicationFixture, make_application
from support.store_fixture import SUBJECT, TOKEN

CALLER = {"Authorization": f"Bearer {TOKEN}"}


def test_readiness_names_the_versions(token_application: ApplicationFixture) -> None:
    response = token_application.client.get("/readyz", headers=CALLER)
    assert response.status_code == 200
    ready = json.loads(response.data)["injectors"]
    assert ready.keys() == {"default", "istio"}
    assert ready["default"]["policy"] == "none"
    assert ready["istio"]["bundle"].startswith("sha256:")


@pytest.mark.parametrize("path", ["/readyz", "/readyz/", "/readyz?token=x"])
def test_readiness_without_credentials_is_a_status_alone(
    path: str, token_application: ApplicationFixture
) -> None:
    response = token_application.client.get(path)
    assert (response.status_code, json.loads(response.data)) == (200, {"ready": True})
    assert token_application.records == []


def test_invalid_credentials_are_rejected_and_counted(
    token_application: ApplicationFixture,
) -> None:
    def get(headers: dict[str, str]) -> int:
        return token_application.client.get("/readyz", headers=headers).status_code

    for _ in range(MAX_FAILURES):
        assert get({"Authorization": "Bearer guess"}) == 401
    assert get({"Authorization": "Bearer guess"}) == 429
    assert (get({}), get(CALLER)) == (200, 200)
    assert len(token_application.records) == MAX_FAILURES
    record = token_application.records[0]
    assert (record["route"], record["fault"]) == ("readyz", "UnauthenticatedError")


def test_readiness_by_certificate(folder: Path) -> None:
    """A token is no credential in this mode, and a certificate is none in the other."""
    at = make_application(folder, Auth.MTLS)
    event = {"requestContext": {"authentication": {"clientCert": {"subjectDN": SUBJECT}}}}
    response = at.client.get("/readyz", environ_overrides={"aws.event": event})
    assert json.loads(response.data)["injectors"].keys() == {"default", "istio"}
    assert json.loads(at.client.get("/readyz", headers=CALLER).data) == {"ready": True}
    token = make_application(folder).client.get("/readyz", environ_overrides={"aws.event": event})
    assert json.loads(token.data) == {"ready": True}


def test_readiness_fails_with_what_does_not_load(token_application: ApplicationFixture) -> None:
    policy = token_application.folder / "istio" / "policy.yaml"
    policy.write_text("polcy: enabled")
    response = token_application.client.get("/readyz", headers=CALLER)
    assert response.status_code == 500
    message = json.loads(response.data)["message"]
    assert message.startswith("injector istio does not load: policy: /polcy: unknown key")
    [record] = token_application.records
    assert (record["event"], record["message"]) == ("not_ready", message)
    response = token_application.client.get("/readyz")
    assert response.status_code == 500
    assert json.loads(response.data)["message"] == (
        "the configuration does not load; see the podgraft log"
    )


def test_a_store_of_nothing_is_not_ready(tmp_path: Path) -> None:
    response = make_application(tmp_path).client.get("/readyz")
    assert response.status_code == 404
    assert "default" not in json.loads(response.data)["message"]
    response = make_application(tmp_path, Auth.NONE).client.get("/readyz")
    assert json.loads(response.data)["message"].startswith("injector default: ")


def test_readiness_reports_a_stale_snapshot(token_application: ApplicationFixture) -> None:
    token_application.client.get("/readyz", headers=CALLER)
    (token_application.folder / "istio" / "policy.yaml").write_text("polcy: enabled")
    ready = json.loads(token_application.client.get("/readyz", headers=CALLER).data)["injectors"]
    assert ready["istio"]["stale"].startswith("injector istio does not load")
    assert "stale" not in ready["default"]


def test_a_failure_is_logged_once_in_a_minute(token_application: ApplicationFixture) -> None:
    at = token_application
    (at.folder / "istio" / "policy.yaml").write_text("polcy: enabled")
    for seconds, lines in ((0, 1), (LOG_INTERVAL_SECONDS - 1, 1), (LOG_INTERVAL_SECONDS, 2)):
        at.clock.seconds = seconds
        assert at.client.get("/readyz").status_code == 500
        assert len(at.records) == lines
