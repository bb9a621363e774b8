"""Reads with the service account of a pod, as kube-apiserver answers them."""

import json
import ssl
from collections.abc import Generator
from pathlib import Path

import pytest

from podgraft.cli.certs import keys, pem
from podgraft.cli.certs.endpoint import make_client_context
from podgraft.cli.live.api_errors import ApiError, ForbiddenError, NotFoundError
from podgraft.cli.live.in_cluster import InClusterReader
from podgraft.cli.live.options import ClusterAccess
from support.pki import Authority
from support.tls_endpoint import FixedEndpoint, serve_posts

FORBIDDEN = {
    "kind": "Status",
    "reason": "Forbidden",
    "message": 'pods is forbidden: calling "https://a.example/k/t0ken/inject" failed',
}


def respond(path: str) -> tuple[int, str]:
    if "istio" in path:
        return 404, "404 page not found\n"
    return (403, json.dumps(FORBIDDEN)) if "pods" in path else (200, json.dumps({"path": path}))


@pytest.fixture
def endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[FixedEndpoint]:
    authority, key = Authority(), keys.make_key(keys.KeyType.P_256)
    (tmp_path / "ca.crt").write_bytes(pem.dump_certificates([authority.certificate]))
    (tmp_path / "token").write_text("jwt\n")
    (tmp_path / "namespace").write_text("podgraft")
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1")
    chain = [authority.server("127.0.0.1", key=key)]
    with serve_posts(chain, key, tmp_path, respond) as running:
        monkeypatch.setenv("KUBERNETES_SERVICE_PORT", str(running.port))
        yield running


def test_requests_have_the_token_of_the_pod(endpoint: FixedEndpoint, tmp_path: Path) -> None:
    reader = InClusterReader(account=tmp_path)
    assert reader.get("/api", limit="5") == {"path": "/api?limit=5"}
    assert reader.create_dry_run("/apis/a", {"kind": "A"}) == {"path": "/apis/a?dryRun=All"}
    assert endpoint.requests == [
        ("/api?limit=5", "Bearer jwt"),
        ("/apis/a?dryRun=All", {"kind": "A"}),
    ]
    assert reader.find_namespace() == "podgraft"


def test_errors_are_those_of_kubectl_without_tokens(
    endpoint: FixedEndpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ApiError, match="bind the ClusterRole") as caught:
        InClusterReader(account=tmp_path).get("/api/v1/pods")
    assert type(caught.value) is ForbiddenError
    assert "t0ken" not in str(caught.value)
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "localhost")  # not in the certificate
    with pytest.raises(ApiError, match="the cluster of this pod: cannot reach") as caught:
        InClusterReader(account=tmp_path).get("/api")
    assert type(caught.value) is ApiError
    assert endpoint.port


def test_a_resource_that_is_not_served_is_not_found(
    endpoint: FixedEndpoint, tmp_path: Path
) -> None:
    """Its response is plain text, not a Status."""
    with pytest.raises(ApiError, match="the server does not serve this path") as caught:
        InClusterReader(account=tmp_path).get("/apis/networking.istio.io/v1/sidecars")
    assert type(caught.value) is NotFoundError
    assert endpoint.port


def test_a_missing_token_has_its_remedy(endpoint: FixedEndpoint, tmp_path: Path) -> None:
    (tmp_path / "token").unlink()
    with pytest.raises(ApiError, match="set automountServiceAccountToken: true") as caught:
        InClusterReader(account=tmp_path).get("/api")
    assert type(caught.value) is ApiError
    assert endpoint.requests == []


def test_authorities_of_older_clusters_are_accepted() -> None:
    """Python 3.13 requires extensions of RFC 5280 that Go does not."""
    context = make_client_context([Authority().certificate])
    assert not context.verify_flags & ssl.VERIFY_X509_STRICT


@pytest.mark.usefixtures("endpoint")
def test_a_pod_without_kubectl_reads_its_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert isinstance(ClusterAccess().open_cluster().reader, InClusterReader)
    assert not isinstance(ClusterAccess(context="a").open_cluster().reader, InClusterReader)
