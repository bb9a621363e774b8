"""The configurations: complete, stable, and taken by the Kubernetes schemas of many releases."""

from collections.abc import Mapping

import pytest
from msgspec.structs import replace

import support.kube_schemas
from podgraft.cli.failure import CommandError
from podgraft.cli.register import endpoint, selectors, webhooks
from podgraft.cli.register.webhooks import FailurePolicy, Registration, Reinvocation, WebhookRule

PLAIN = Registration(
    endpoint=endpoint.parse_endpoint("https://webhook.example.com/inject/cluster/prod"),
    ca_bundle="Q0E=",
    injector="default",
)
FULL = replace(
    PLAIN,
    injector="istio",
    revision="default",
    excluded_namespaces=("podgraft",),
    namespaces=selectors.parse_selector("team=x"),
    objects=selectors.parse_selector("!legacy"),
    conditions=(webhooks.name_expression("big", "size(object.spec.containers) > 1"),),
    failure_policy=FailurePolicy.IGNORE,
    reinvocation=Reinvocation.IF_NEEDED,
    timeout_seconds=5,
)
DEPLOYMENTS = webhooks.parse_rule("apps/v1/deployments:CREATE,UPDATE")


def test_the_plain_registration_is_written_out_in_full() -> None:
    assert webhooks.make_mutating_configuration(PLAIN, inject=True, mutate=()) == {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingWebhookConfiguration",
        "metadata": {
            "labels": {
                "app.kubernetes.io/instance": "default",
                "app.kubernetes.io/name": "podgraft",
            },
            "name": "podgraft-default",
        },
        "webhooks": [
            {
                "admissionReviewVersions": ["v1", "v1beta1"],
                "clientConfig": {
                    "caBundle": "Q0E=",
                    "url": "https://webhook.example.com/inject/cluster/prod",
                },
                "failurePolicy": "Fail",
                "matchPolicy": "Equivalent",
                "name": "inject.podgraft.dev",
                "namespaceSelector": {
                    "matchExpressions": [
                        {
                            "key": "kubernetes.io/metadata.name",
                            "operator": "NotIn",
                            "values": ["kube-node-lease", "kube-public", "kube-system"],
                        }
                    ]
                },
                "objectSelector": {},
                "reinvocationPolicy": "Never",
                "rules": [
                    {
                        "apiGroups": [""],
                        "apiVersions": ["v1"],
                        "operations": ["CREATE"],
                        "resources": ["pods"],
                        "scope": "Namespaced",
                    }
                ],
                "sideEffects": "None",
                "timeoutSeconds": 10,
            }
        ],
    }


def test_a_revision_has_a_webhook_for_each_way_to_choose_it() -> None:
    made = webhooks.make_mutating_configuration(FULL, inject=True, mutate=[DEPLOYMENTS])
    assert made is not None
    listed = made["webhooks"]
    assert isinstance(listed, list)
    assert [webhook["name"] for webhook in listed if isinstance(webhook, dict)] == [
        "rev.namespace.istio.inject.podgraft.dev",
        "rev.object.istio.inject.podgraft.dev",
        "namespace.istio.inject.podgraft.dev",
        "object.istio.inject.podgraft.dev",
        "istio.mutate.podgraft.dev",
    ]
    assert made["metadata"] == {
        "labels": {
            "app.kubernetes.io/instance": "istio",
            "app.kubernetes.io/name": "podgraft",
            "istio.io/rev": "default",
        },
        "name": "podgraft-istio-default",
    }


def test_every_webhook_stays_out_of_what_the_cluster_and_the_endpoint_need() -> None:
    made = webhooks.make_mutating_configuration(FULL, inject=True, mutate=[DEPLOYMENTS])
    assert made is not None
    listed = made["webhooks"]
    assert isinstance(listed, list)
    away = ["kube-node-lease", "kube-public", "kube-system", "podgraft"]
    expected = {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": away}
    for webhook in listed:
        assert isinstance(webhook, dict)
        assert isinstance(selector := webhook["namespaceSelector"], dict)
        assert isinstance(expressions := selector["matchExpressions"], list)
        assert expected in expressions


@pytest.mark.parametrize("release", support.kube_schemas.RELEASES)
@pytest.mark.parametrize("registration", [PLAIN, FULL], ids=["plain", "full"])
def test_the_schemas_of_kubernetes_take_them(release: str, registration: Registration) -> None:
    if release < "1.27":  # before matchConditions
        registration = replace(registration, conditions=())
    for made in (
        webhooks.make_mutating_configuration(registration, inject=True, mutate=[DEPLOYMENTS]),
        webhooks.make_validating_configuration(
            registration, [DEPLOYMENTS, webhooks.parse_rule("v1/services")]
        ),
    ):
        assert made is not None
        support.kube_schemas.validate(made, release)


def test_without_a_request_nothing_is_made() -> None:
    assert webhooks.make_mutating_configuration(PLAIN, inject=False, mutate=()) is None
    assert webhooks.make_validating_configuration(PLAIN, ()) is None


RULES: Mapping[str, WebhookRule] = {
    "v1/pods": WebhookRule("", "v1", "pods"),
    "v1/pods/ephemeralcontainers:update": WebhookRule(
        "", "v1", "pods/ephemeralcontainers", ("UPDATE",)
    ),
    "apps/v1/deployments:CREATE,UPDATE": WebhookRule(
        "apps", "v1", "deployments", ("CREATE", "UPDATE")
    ),
    "batch/v1beta1/cronjobs": WebhookRule("batch", "v1beta1", "cronjobs"),
    "apps/*/deployments": WebhookRule("apps", "*", "deployments"),
}


@pytest.mark.parametrize("text", RULES)
def test_a_rule_is_read(text: str) -> None:
    assert webhooks.parse_rule(text) == RULES[text]


@pytest.mark.parametrize("text", ["", "pods", "v1", "v1/", "apps/deployments", "v1/pods:CRATE"])
def test_what_is_no_rule_is_refused(text: str) -> None:
    with pytest.raises(CommandError, match=f"rule '{text}': "):
        webhooks.parse_rule(text)


def test_a_webhook_for_everything_must_not_be_able_to_stop_everything() -> None:
    everything = webhooks.parse_rule("apps/v1/*")
    with pytest.raises(CommandError, match="would stop the whole cluster"):
        webhooks.make_validating_configuration(PLAIN, [everything])
    assert webhooks.make_validating_configuration(
        replace(PLAIN, failure_policy=FailurePolicy.IGNORE), [everything]
    )


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (replace(PLAIN, timeout_seconds=0), "a timeout of 0 s: use 1 to 30 s"),
        (replace(PLAIN, timeout_seconds=31), "a timeout of 31 s: use 1 to 30 s"),
        (replace(PLAIN, revision="Canary"), "'Canary': a name is 1 to 63 lower-case letters"),
        (replace(PLAIN, revision="1.30"), "'1.30': a name is 1 to 63 lower-case letters"),
        (replace(PLAIN, conditions=FULL.conditions * 2), "must have different names"),
        (replace(PLAIN, tag_of="default"), "--tag-of: requires --revision with the tag, got None"),
        (replace(FULL, tag_of="default"), "--tag-of: requires --revision with the tag, got 'defau"),
        (replace(PLAIN, domain="istio"), "--webhook-name: got 'istio'; use a DNS name of at least"),
        (replace(PLAIN, domain="Istio.io"), "--webhook-name: got 'Istio.io'; use a DNS name"),
        (replace(PLAIN, domain=f"{'a.' * 64}io"), "--webhook-name: got .*; use a DNS name"),
        (replace(PLAIN, domain="my.sidecar-injector.istio.io"), "istiod replaces the caBundle of"),
    ],
)
def test_what_the_api_server_would_refuse_is_refused_first(
    changed: Registration, words: str
) -> None:
    with pytest.raises(CommandError, match=words):
        webhooks.check_registration(changed)


def test_the_names_of_webhooks_end_in_the_given_domain() -> None:
    """Then istioctl reports them: it reads only names that end in istio.io."""
    registration = replace(FULL, domain="podgraft.istio.io")
    webhooks.check_registration(registration)
    made = webhooks.make_mutating_configuration(registration, inject=True, mutate=[DEPLOYMENTS])
    assert made
    names = [each["name"] for each in made["webhooks"]]  # type: ignore[index, union-attr]
    assert names[0] == "rev.namespace.istio.inject.podgraft.istio.io"
    assert names[-1] == "istio.mutate.podgraft.istio.io"


def test_a_registration_can_be_a_tag_of_istiods_revision() -> None:
    """istiod reads both labels, and then serves the Gateways of namespaces with the tag."""
    plain = replace(PLAIN, revision="podgraft")
    registration = replace(plain, tag_of="default")
    webhooks.check_registration(registration)
    labels = registration.labels
    assert (labels["istio.io/rev"], labels["istio.io/tag"]) == ("default", "podgraft")
    made = webhooks.make_mutating_configuration(registration, inject=True, mutate=())
    without = webhooks.make_mutating_configuration(plain, inject=True, mutate=())
    assert made
    assert without
    assert made["webhooks"] == without["webhooks"]


def test_good_registrations_pass() -> None:
    webhooks.check_registration(PLAIN)
    webhooks.check_registration(FULL)
