"""The options of ``podgraft register`` that repeat the webhooks of istiod."""

from collections.abc import Iterator, Sequence
from shlex import quote

from podgraft.base.jsonvalue import JSON, Object, objects_at, string_at
from podgraft.cli.live.registrations import LiveWebhook
from podgraft.cli.register import selectors
from podgraft.core.injectors.istio import CLUSTER_ID

_DEFAULT_TIMEOUT = "10"
_NETWORK = "ISTIO_META_NETWORK"
# By variable of the URL: the option of register.
_OPTIONS = {CLUSTER_ID: "--istio-cluster-id", _NETWORK: "--istio-network"}


def make_register_options(
    webhooks: Sequence[LiveWebhook], revision: str, variables: dict[str, str]
) -> tuple[str, ...]:
    """Return the options; *variables* are those of the webhooks' URL paths."""
    options = ["--revision", revision]
    for name, value in sorted(variables.items()):
        option = _OPTIONS.get(name)
        options += (option, quote(value)) if option else ("--env", quote(f"{name}={value}"))
    policies = {string_at(webhook.manifest, "failurePolicy") for webhook in webhooks}
    if policies == {"Ignore"}:
        options += ("--failure-policy", "Ignore")
    if any(webhook.manifest.get("reinvocationPolicy") == "IfNeeded" for webhook in webhooks):
        options += ("--reinvocation-policy", "IfNeeded")
    timeouts = {str(webhook.manifest.get("timeoutSeconds")) for webhook in webhooks}
    if len(timeouts) == 1 and timeouts.isdisjoint({"None", _DEFAULT_TIMEOUT}):
        options += ("--timeout", timeouts.pop())
    return tuple(options)


def find_differences(webhooks: Sequence[LiveWebhook], revision: str) -> Iterator[str]:
    """Yield a warning for each property of the webhooks that ``register`` does not repeat."""
    if not webhooks:
        yield (
            f"webhooks: no webhook of istiod has revision {revision}; check which namespaces it "
            "injects before you register podgraft"
        )
        return
    expected = [
        (
            selectors.selector_to_manifest(scope.namespaces),
            selectors.selector_to_manifest(scope.objects),
        )
        for scope in selectors.revision_webhook_scopes(revision)
    ]
    names = {_normalize_selectors(namespaces, objects) for namespaces, objects in expected}
    for webhook in webhooks:
        location = f"{webhook.configuration}: webhook {webhook.name}"
        manifest = webhook.manifest
        selected = _normalize_selectors(
            manifest.get("namespaceSelector"), manifest.get("objectSelector")
        )
        if selected not in names:
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


def _normalize_selectors(namespaces: JSON, objects: JSON) -> str:
    """Return both selectors in one form: requirements as sorted text."""
    return f"{_normalize_selector(namespaces)} {_normalize_selector(objects)}"


def _normalize_selector(selector: JSON) -> list[str]:
    if not isinstance(selector, dict):
        return []
    labels = selector.get("matchLabels")
    pairs = labels.items() if isinstance(labels, dict) else ()
    equal = [
        _format_requirement({"key": key, "operator": "In", "values": [value]})
        for key, value in pairs
    ]
    return sorted([*equal, *map(_format_requirement, objects_at(selector, "matchExpressions"))])


def _format_requirement(requirement: Object) -> str:
    values = requirement.get("values")
    names = sorted(str(value) for value in values) if isinstance(values, list) else []
    return f"{requirement.get('key')} {requirement.get('operator')} {names}"
