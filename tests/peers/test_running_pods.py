"""Guarantee: a running pod can be resized and debugged, whatever overlays and registrations are.

Incidents: openkruise/kruise #2366 and openkruise/agents #537 (a webhook changes an in-place resize,
and kube-apiserver then rejects it).
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from podgraft import cli
from podgraft.base.jsonvalue import JSON
from podgraft.core import review
from podgraft.core.review.results import ReviewResponse, ReviewResult
from podgraft.core.review_context import ReviewContext
from podgraft.core.versions.snapshot import Store
from podgraft.kube import admission
from podgraft.kube.admission import AdmissionRequest
from podgraft.service.store.folder import FolderStore
from support.recorded_requests import load_request

OVERLAY = """
apiVersion: podgraft.dev/v1
kind: Overlay
metadata: {name: team}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: [%s]}
  template: "metadata: {labels: {team: a}}"
"""


@pytest.fixture
def store(tmp_path: Path) -> FolderStore:
    """A store with an overlay that matches everything."""
    bundle = tmp_path / "default" / "bundle"
    bundle.mkdir(parents=True)
    (bundle / "overlay.yaml").write_text(OVERLAY % '"*/*"')
    return FolderStore(tmp_path)


def make_request(sub_resource: str, resource: str = "pods") -> AdmissionRequest:
    sent = load_request("16c-ephemeralcontainers")
    names: dict[str, JSON] = {"group": "", "version": "v1", "resource": resource}
    for key in ("resource", "requestResource"):
        sent = sent.with_value("request", key, value=names)
    for key in ("subResource", "requestSubResource"):
        sent = sent.with_value("request", key, value=sub_resource)
    return admission.decode(sent.body)


ROUTES: Mapping[str, Callable[[ReviewContext, Store], ReviewResult]] = {
    "inject": review.inject,
    "mutate": review.mutate,
}


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("sub_resource", ["resize", "ephemeralcontainers"])
def test_no_route_changes_a_running_pod(store: FolderStore, sub_resource: str, route: str) -> None:
    context = ReviewContext(injector="default").with_request(make_request(sub_resource))
    outcome = ROUTES[route](context, store)

    assert isinstance(outcome, ReviewResponse)
    assert (outcome.response.allowed, outcome.response.patch) == (True, b"")
    assert outcome.record.reason == "subresource"
    assert f"pods/{sub_resource}" in outcome.response.warnings[0]


@pytest.mark.parametrize(
    ("sub_resource", "resource"), [("", "pods"), ("status", "pods"), ("resize", "others")]
)
def test_other_resources_are_changed(store: FolderStore, sub_resource: str, resource: str) -> None:
    context = ReviewContext(injector="default").with_request(make_request(sub_resource, resource))
    outcome = review.mutate(context, store)

    assert isinstance(outcome, ReviewResponse)
    assert json.loads(outcome.response.patch)


@pytest.mark.parametrize(
    "rule",
    [
        "v1/pods/resize:UPDATE",
        "v1/pods/ephemeralcontainers:UPDATE",
        "v1/pods/*:UPDATE",
        "v1/*/*:UPDATE",
    ],
)
def test_a_registration_for_running_pods_is_refused(
    rule: str, capsys: pytest.CaptureFixture[str]
) -> None:
    line = [
        "register",
        "--url",
        "https://a.example",
        "--failure-policy",
        "Ignore",
        "--namespace-selector",
        "inject=enabled",
    ]

    assert cli.main([*line, "--mutate", rule]) == 1
    assert "podgraft does not change pods/ephemeralcontainers and pods/resize" in (
        capsys.readouterr().err
    )
    assert cli.main([*line, "--validate", rule]) == 0  # rules can judge a resize
    assert cli.main([*line, "--mutate", "apps/v1/deployments/scale:UPDATE"]) == 0


def test_an_overlay_for_running_pods_is_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bundle").mkdir()
    path = tmp_path / "bundle" / "overlay.yaml"
    path.write_text(OVERLAY % "pods, pods/resize")

    assert cli.main(["policy", "check", str(tmp_path)]) == 0
    assert (
        "overlay.yaml /spec/matchConstraints/resourceRules/0: podgraft does not change "
        "pods/resize; remove pods/resize from resources"
    ) in capsys.readouterr().err
