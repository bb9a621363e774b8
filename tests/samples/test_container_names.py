"""Every DNS label is a container's name in every sample, whatever YAML takes it for."""

from __future__ import annotations

import pytest

from podgraft.base.jsonvalue import Object

from .test_samples import SAMPLES, check_object, make_review, patch_operations, review_with_engine

NAMES = [
    "1",
    "123",
    "0x1",
    "1e3",
    "0o7",
    "0b1",
    "00",
    "true",
    "on",
    "yes",
    "no",
    "y",
    "n",
    "off",
    "null",
    "nul",
    "app",
]
INJECTORS = sorted(path.name for path in SAMPLES.iterdir() if (path / "bundle").is_dir())


def a_pod(name: str) -> Object:
    """A pod for which all samples do what they can."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "p",
            "labels": {"app": "checkout", "virtual-node": "node", "tags.datadoghq.com/env": "e"},
            "annotations": {
                "secrets.example.com/role": "r",
                "logging.example.com/path": "/var/log/app",
                "metrics.example.com/port": "9102",
                "sidecar.opentelemetry.io/inject": "true",
            },
        },
        "spec": {
            "containers": [
                {
                    "name": name,
                    "image": "registry.example.com/nginx:1",
                    "ports": [{"containerPort": 80}],
                    "resources": {"limits": {"cpu": "1", "memory": "1Mi"}},
                }
            ]
        },
    }


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("injector", INJECTORS)
def test_a_name_is_a_name(injector: str, name: str) -> None:
    for route in ("inject", "mutate"):
        response = check_object(
            review_with_engine(injector, route, make_review(a_pod(name)))["response"]
        )
        plain = check_object(
            review_with_engine(injector, route, make_review(a_pod("plain")))["response"]
        )

        assert response["allowed"], response
        assert [operation["op"] for operation in patch_operations(response)] == [
            operation["op"] for operation in patch_operations(plain)
        ]
