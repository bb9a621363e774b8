"""The shared-cluster recipe: one policy document between a mesh for all and one for those who ask.

A labelled namespace is full of running workloads. With policy ``disabled`` only pods whose
template asks get the sidecar: foo-v1 does, its twin foo-v2 does not.
"""

import base64
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from werkzeug.test import Client

from podgraft import cli
from podgraft.base.jsonvalue import Object
from podgraft.kube import patch
from podgraft.service.http import Auth, create_app
from podgraft.service.store.folder import FolderCallers, FolderStore
from support.store_fixture import write_injector

INJECT_TRUE: Object = {"sidecar.istio.io/inject": "true"}


def pod(name: str, labels: Object | None = None) -> Object:
    """A pod of a Deployment, as kube-apiserver creates it."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "shared",
            "labels": {"app": "foo", **(labels or {})},
        },
        "spec": {"containers": [{"name": "foo", "image": "foo:1"}]},
    }


@pytest.fixture
def client(tmp_path: Path) -> Client:
    """The web application over the files in ``tmp_path``."""
    write_injector(tmp_path, policy="policy: enabled\n")
    app = create_app(FolderStore(tmp_path), FolderCallers(tmp_path), auth=Auth.NONE)
    return Client(app)


def send_review(client: Client, value: Object, operation: str = "CREATE") -> Object:
    """The webhook's response."""
    request: Object = {
        "uid": "1",
        "kind": {"group": "", "version": "v1", "kind": "Pod"},
        "resource": {"group": "", "version": "v1", "resource": "pods"},
        "operation": operation,
        "namespace": "shared",
        "object": value,
    }
    review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}
    answer = client.post("/inject", json=review)
    assert answer.status_code == 200, answer.text
    return json.loads(answer.data)["response"]


def names(response: Object, value: Object) -> Iterator[str]:
    """The containers that the pod has in the end."""
    text = response.get("patch")
    made = (
        patch.apply(value, json.loads(base64.b64decode(text))) if isinstance(text, str) else value
    )
    assert isinstance(made, dict)
    spec = made["spec"]
    assert isinstance(spec, dict)
    listed = spec["containers"]
    assert isinstance(listed, list)
    yield from (each["name"] for each in listed if isinstance(each, dict))  # type: ignore[misc] - names are text


def test_only_the_policy_document_is_edited(tmp_path: Path, client: Client) -> None:
    foo_v1, foo_v2 = pod("foo-v1", INJECT_TRUE), pod("foo-v2")
    for each in (foo_v1, foo_v2):
        assert "istio-proxy" in names(send_review(client, each), each)
    before = {p: p.read_bytes() for p in (tmp_path / "default" / "bundle").iterdir()}

    write_injector(tmp_path, policy="policy: disabled\n", files={})

    assert "istio-proxy" in names(send_review(client, foo_v1), foo_v1)
    refused = send_review(client, foo_v2)
    assert [*names(refused, foo_v2)] == ["foo"]
    assert refused["allowed"] is True
    audit = refused["auditAnnotations"]
    assert isinstance(audit, dict)
    assert audit["decision"] == "skip"
    assert before == {p: p.read_bytes() for p in before}


def test_running_pods_are_left_alone(client: Client) -> None:
    assert "patch" not in send_review(client, pod("foo-v1", INJECT_TRUE), "UPDATE")


def test_explain_reports_the_same(tmp_path: Path, client: Client) -> None:
    del client
    policy = tmp_path / "default" / "policy.yaml"
    policy.write_text("policy: disabled\n")
    for name, labels, status in (("foo-v1", INJECT_TRUE, 0), ("foo-v2", None, 3)):
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(pod(name, labels)))
        given = ["explain", "-f", str(path), "--config", str(tmp_path / "default")]
        assert cli.main(given) == status
