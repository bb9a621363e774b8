"""The options of ``podgraft register`` that repeat the webhooks of istiod."""

from typing import Any

import pytest

from podgraft.base.jsonvalue import Object
from podgraft.cli.imports import registration
from podgraft.cli.live.registrations import Webhook, parse_webhooks
from podgraft.cli.register import selectors

RULE: Object = {
    "apiGroups": [""],
    "apiVersions": ["v1"],
    "operations": ["CREATE"],
    "resources": ["pods"],
}
SCOPE = selectors.revision_webhook_scopes("default")[2]
STOCK: Object = {
    "name": "namespace.sidecar-injector.istio.io",
    "clientConfig": {"service": {"namespace": "istio-system", "name": "istiod", "path": "/inject"}},
    "failurePolicy": "Fail",
    "namespaceSelector": selectors.selector_to_manifest(SCOPE.namespaces),
    "objectSelector": selectors.selector_to_manifest(SCOPE.objects),
    "rules": [RULE],
    "timeoutSeconds": 10,
}


def webhooks(*changes: Any) -> list[Webhook]:
    configuration: Object = {
        "kind": "MutatingWebhookConfiguration",
        "metadata": {"name": "istio-sidecar-injector", "labels": {"istio.io/rev": "default"}},
        "webhooks": [{**STOCK, **change} for change in changes],
    }
    return parse_webhooks([configuration])


OPTIONS: Any = (
    ({}, {}, ""),
    ({"failurePolicy": "Ignore"}, {}, " --failure-policy Ignore"),
    ({"reinvocationPolicy": "IfNeeded"}, {}, " --reinvocation-policy IfNeeded"),
    ({"timeoutSeconds": 30}, {}, " --timeout 30"),
    ({}, {"ISTIO_META_CLUSTER_ID": "c1", "ISTIO_META_NETWORK": "n 1", "X": "1"},
     " --istio-cluster-id c1 --istio-network 'n 1' --env X=1"),
)  # fmt: skip


@pytest.mark.parametrize(("change", "variables", "expected"), OPTIONS)
def test_options(change: Any, variables: dict[str, str], expected: str) -> None:
    options = registration.make_register_options(webhooks(change), "default", variables)
    assert " ".join(options) == f"--revision default{expected}"


DIFFERENCES: Any = (
    ((), "no webhook of istiod has revision default"),
    (({"namespaceSelector": {"matchLabels": {"a": "b"}}},), "its selectors are not those of"),
    (({"matchConditions": [{"name": "a"}]},), "has matchConditions; repeat them"),
    (({"rules": [{**RULE, "operations": ["CREATE", "UPDATE"]}]},), "has other rules than new pods"),
    (({}, {"failurePolicy": "Ignore"}), "have different failure policies"),
)


@pytest.mark.parametrize(("changes", "expected"), DIFFERENCES)
def test_differences(changes: tuple[Any, ...], expected: str) -> None:
    (warning,) = registration.find_differences(webhooks(*changes), "default")
    assert expected in warning


def test_stock_webhooks_are_repeated_exactly() -> None:
    """matchLabels and matchExpressions with one value are equal."""
    labels = {"matchLabels": {"istio-injection": "enabled"}}
    assert [
        *registration.find_differences(webhooks({}, {"namespaceSelector": labels}), "default")
    ] == []
