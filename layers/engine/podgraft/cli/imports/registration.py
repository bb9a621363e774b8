"""The options of ``podgraft register`` that repeat the webhooks of istiod."""

from collections.abc import Iterator, Sequence
from shlex import quote

from msgspec.structs import replace

from podgraft.base.jsonvalue import object_at, objects_at, string_at
from podgraft.cli.live.registrations import Webhook
from podgraft.cli.register import selectors
from podgraft.core.injectors.istio import CLUSTER_ID
from podgraft.kube.selectors import Operator, Requirement, Selector, compile_

_DEFAULT_TIMEOUT = "10"
_NETWORK = "ISTIO_META_NETWORK"
# By variable of the URL: the option of register.
_OPTIONS = {CLUSTER_ID: "--istio-cluster-id", _NETWORK: "--istio-network"}


def make_register_options(
    webhooks: Sequence[Webhook], revision: str, variables: dict[str, str]
) -> tuple[str, ...]:
    """Return the options; *variables* are those of the webhooks' URL paths."""
    options = ["--revision", revision]
    for name, value in sorted(variables.items()):
        option = _OPTIONS.get(name)
        options += (option, value) if option else ("--env", f"{name}={value}")
    policies = {string_at(webhook.manifest, "failurePolicy") for webhook in webhooks}
    if policies == {"Ignore"}:
        options += ("--failure-policy", "Ignore")
    if any(webhook.manifest.get("reinvocationPolicy") == "IfNeeded" for webhook in webhooks):
        options += ("--reinvocation-policy", "IfNeeded")
    timeouts = {str(webhook.manifest.get("timeoutSeconds")) for webhook in webhooks}
    if len(timeouts) == 1 and timeouts.isdisjoint({"None", _DEFAULT_TIMEOUT}):
        options += ("--timeout", timeouts.pop())
    return tuple(map(quote, options))


def find_differences(webhooks: Sequence[Webhook], revision: str) -> Iterator[str]:
    """Yield a warning for each property of the webhooks that ``register`` does not repeat."""
    if not webhooks:
        yield (
            f"webhooks: no webhook of istiod has revision {revision}; check which namespaces it "
            "injects before you register podgraft"
        )
        return
    expected = {
        (_list_requirements(scope.namespaces), _list_requirements(scope.objects))
        for scope in selectors.revision_webhook_scopes(revision)
    }
    for webhook in webhooks:
        location = f"{webhook.configuration}: webhook {webhook.name}"
        manifest = webhook.manifest
        own = (object_at(manifest, key) for key in ("namespaceSelector", "objectSelector"))
        if tuple(_list_requirements(compile_(each)) for each in own) not in expected:
            yield (
                f"{location}: its selectors are not those of register --revision {revision}; "
                "repeat them with --namespace-selector and --object-selector"
            )
        if manifest.get("matchConditions"):
            yield f"{location}: has matchConditions; repeat them with --match-condition"
        rules = objects_at(manifest, "rules")
        if any(
            rule.get("resources") != ["pods"] or rule.get("operations") != ["CREATE"]
            for rule in rules
        ):
            yield f"{location}: has other rules than new pods; register has no such rule"
    policies = {string_at(webhook.manifest, "failurePolicy") for webhook in webhooks}
    if len(policies) > 1:
        yield "webhooks: have different failure policies; register uses one, Fail by default"


def _list_requirements(selector: Selector) -> frozenset[Requirement]:
    """Return the requirements; an entry of ``matchLabels`` equals one of ``matchExpressions``."""
    return frozenset(
        replace(each, operator=Operator.IN) if each.operator is Operator.EQUALS else each
        for each in selector.requirements
    )
