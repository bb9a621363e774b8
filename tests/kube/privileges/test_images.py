"""Image references, and prefixes of them."""

import pytest

from podgraft.kube.privileges import is_below, normalize_image


@pytest.mark.parametrize(
    ("image", "complete"),
    [
        ("nginx", "docker.io/library/nginx"),
        ("nginx:1", "docker.io/library/nginx:1"),
        ("istio/proxyv2:1.30.3", "docker.io/istio/proxyv2:1.30.3"),
        ("docker.io/nginx", "docker.io/library/nginx"),
        ("index.docker.io/istio/proxyv2", "docker.io/istio/proxyv2"),
        ("localhost/a", "localhost/a"),
        ("localhost:5000/a", "localhost:5000/a"),
        ("registry.example.com/a/b@sha256:00", "registry.example.com/a/b@sha256:00"),
        ("registry/a", "docker.io/registry/a"),
        ("REGISTRY/a", "REGISTRY/a"),
    ],
)
def test_the_complete_reference(image: str, complete: str) -> None:
    assert normalize_image(image) == complete


@pytest.mark.parametrize(
    ("image", "prefix", "expected"),
    [
        ("istio/proxyv2:1", "docker.io/istio/", True),
        ("istio/proxyv2:1", "docker.io/istio", True),
        ("istio/proxyv2:1", "docker.io/istio/proxyv2", True),
        ("istio/proxyv2:1", "docker.io/istio/proxyv2:1", True),
        ("istio/proxyv2@sha256:00", "docker.io/istio/proxyv2", True),
        ("istio/proxyv2:1.30", "docker.io/istio/proxyv2:1", False),
        ("istio-fork/proxyv2:1", "docker.io/istio", False),
        ("evil.example.com/docker.io/istio/proxyv2", "docker.io/istio", False),
        ("docker.io.evil.example.com/istio/x", "docker.io", False),
    ],
)
def test_a_prefix_ends_with_a_part(image: str, prefix: str, expected: bool) -> None:
    assert is_below(image, prefix) is expected
