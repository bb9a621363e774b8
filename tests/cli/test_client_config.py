"""One reader of ``clientConfig``: for ``explain``, ``status``, ``certs``, and ``check``."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from podgraft.base.jsonvalue import Object
from podgraft.cli.client_config import Destination, read_destination, read_url_paths
from podgraft.service.paths import Target

PRIVATE = "7ce8508d-vpce-0a1b2c3d4e5f67890.execute-api.eu-central-1.amazonaws.com"
SERVICE = {"namespace": "pods", "name": "podgraft"}
READ: Mapping[str, tuple[Object, Destination]] = {
    "a URL": (
        {"url": "https://a.example:8443/istio/inject/cluster/prod"},
        Destination(
            address="a.example:8443",
            host="a.example",
            target=Target("inject", "istio", "cluster/prod"),
        ),
    ),
    "a token": (
        {"url": "https://a.example/k/t0k3n/validate"},
        Destination(
            address="a.example", host="a.example", token="t0k3n", target=Target("validate")
        ),
    ),
    "a user, who is never shown": (
        {"url": "https://me:secret@a.example/inject"},
        Destination(address="a.example", host="a.example", target=Target("inject")),
    ),
    "a path that kube-apiserver decodes": (
        {"url": "https://a.example/inject/net/a%20b"},
        Destination(address="a.example", host="a.example", target=Target("inject", tail="net/a b")),
    ),
    "a route, not the injector mutate": (
        {"url": "https://a.example/mutate/inject"},
        Destination(address="a.example", host="a.example", target=Target("mutate", tail="inject")),
    ),
    "the stage of a private API": (
        {"url": f"https://{PRIVATE}/live/k/t0k3n/istio/inject"},
        Destination(address=PRIVATE, host=PRIVATE, token="t0k3n", target=Target("inject", "istio")),
    ),
    "a Service": (
        {"service": {**SERVICE, "path": "/istio/inject"}},
        Destination(
            address="service pods/podgraft",
            host="podgraft.pods.svc",
            target=Target("inject", "istio"),
        ),
    ),
    "another route": (
        {"url": "https://a.example/other"},
        Destination(address="a.example", host="a.example"),
    ),
    "a URL that kube-apiserver refuses": (
        {"url": "https://[::1/inject"},
        Destination(address="", host=""),
    ),
}


@pytest.mark.parametrize("name", READ)
def test_a_destination_is_read(name: str) -> None:
    client, expected = READ[name]
    assert read_destination(client) == expected


def test_the_paths_of_a_registration_have_the_places_of_their_webhooks(tmp_path: Path) -> None:
    file = tmp_path / "webhooks.yaml"
    file.write_text(
        "kind: MutatingWebhookConfiguration\nmetadata: {name: pods}\nwebhooks:\n"
        "- clientConfig: {url: https://a.example/istio/inject/cluster/prod}\n"
        "- clientConfig: {url: https://a.example/mutate/inject/cluster/other}\n"
        "- clientConfig: {url: https://a.example/inject/cluster/two}\n"
    )
    found = [(each.tail, each.path) for each in read_url_paths(file)]
    assert found == [
        ("cluster/prod", "/webhooks/0/clientConfig"),
        ("cluster/two", "/webhooks/2/clientConfig"),
    ]
    [own] = read_url_paths(file, "istio")
    assert own.tail == "cluster/prod"
