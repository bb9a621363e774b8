"""The webhooks of a cluster, and the program that each calls."""

from typing import Any

import pytest

from podgraft.cli.live.registrations import InjectorKind, parse_webhooks

RULE = {"apiGroups": [""], "operations": ["CREATE"], "resources": ["pods"]}
PODGRAFT = {"app.kubernetes.io/name": "podgraft"}
TOKEN = "s3cr3t-t0ken"
SERVICE = {"namespace": "istio-system", "name": "istiod-canary", "path": "/inject/cluster/c1"}

WEBHOOKS: Any = (
    ("a.inject.podgraft.dev", {}, {"url": f"https://h:8443/k/{TOKEN}/mesh/inject/net/n1"},
     InjectorKind.PODGRAFT, "h:8443", "mesh", "net/n1"),
    ("mine", PODGRAFT, {"url": "https://u:p@h/inject"}, InjectorKind.PODGRAFT, "h", "default", ""),
    ("x.mutate.podgraft.dev", {}, {"url": "https://h/mutate"},
     InjectorKind.PODGRAFT, "h", "default", ""),
    ("sidecar-injector.istio.io", {}, {"service": SERVICE}, InjectorKind.ISTIOD,
     "service istio-system/istiod-canary", "default", "cluster/c1"),
    ("custom", {}, {"service": SERVICE}, InjectorKind.ISTIOD,
     "service istio-system/istiod-canary", "default", "cluster/c1"),
    ("vault.hashicorp.com", {}, {"service": {"namespace": "vault", "name": "v", "path": "/mutate"}},
     InjectorKind.OTHER, "service vault/v", "default", ""),
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "labels", "client", "kind", "address", "injector", "path"), WEBHOOKS
)
def test_webhooks(  # noqa: PLR0913, PLR0917
    name: str,
    labels: Any,
    client: Any,
    kind: InjectorKind,
    address: str,
    injector: str,
    path: str,
) -> None:
    configuration: Any = {
        "kind": "MutatingWebhookConfiguration",
        "metadata": {"name": "a", "labels": labels},
        "webhooks": [{"name": name, "clientConfig": client, "rules": [RULE]}],
    }
    (webhook,) = parse_webhooks([configuration])
    assert (webhook.kind, webhook.address) == (kind, address)
    assert (webhook.injector, webhook.url_path) == (injector, path)
    assert webhook.is_injecting is (webhook.route == "inject")
    if kind is InjectorKind.PODGRAFT:
        assert webhook.describe() == f"podgraft ({injector}) at {address}"
    assert TOKEN not in webhook.describe()


def test_the_order_is_that_of_kube_apiserver() -> None:
    """Mutating configurations by name, then the validating ones."""
    names = (("Validating", "a"), ("Mutating", "z"), ("Mutating", "b"))
    configurations: Any = [
        {"kind": f"{kind}WebhookConfiguration", "metadata": {"name": name}, "webhooks": [{}]}
        for kind, name in names
    ]
    parsed = parse_webhooks(configurations)
    assert [each.configuration for each in parsed] == ["b", "z", "a"]
    assert not any(each.is_injecting for each in parsed)
