"""What is wrong with the registrations of a cluster, without a request to the endpoint."""

from collections.abc import Iterator, Mapping, Sequence

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON, Object, object_at, objects_at, string_at
from podgraft.cli.endpoint_check.faults import Fault, Finding
from podgraft.cli.live.registrations import Webhook
from podgraft.cli.live.webhook_matching import (
    OVERLAP_REMEDY,
    WebhookMatcher,
    describe_overlap,
    make_pod,
)
from podgraft.cli.policy.diff import fields
from podgraft.cli.register.selectors import ALWAYS_EXCLUDED_NAMESPACES
from podgraft.core.policy import INJECT_KEY
from podgraft.kube import selectors
from podgraft.kube.errors import SelectorError
from podgraft.kube.selectors import Requirement

_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_SCALARS = (str, int, bool)
# cert-manager and istiod write this field alone.
_INJECTED = "caBundle"


def find_changes(live: Object, expected: Object | None) -> Iterator[Finding]:
    """Yield the fields of a registration that differ from the applied ones.

    These are those of *expected*, or else those of the last ``kubectl apply``.
    """
    metadata = object_at(live, "metadata")
    place = string_at(metadata, "name")
    applied = string_at(metadata, "annotations", _LAST_APPLIED)
    before = expected or jsonvalue.load_object(applied)
    remedy = "apply the registration again"
    if before is not None:
        hooks: list[Object] = [{"webhooks": each.get("webhooks")} for each in (before, live)]
        for change in fields.find_changes(*hooks):
            if not change.is_added:
                problem = _describe_change(change)
                yield Finding(Fault.CHANGED, place, problem, remedy, breaks=False)
        return
    entries = objects_at(metadata, "managedFields")
    if any(each.get("operation") == "Apply" for each in entries):
        for entry in entries:
            names = sorted({*_find_owned(object_at(entry, "fieldsV1", "f:webhooks"))} - {_INJECTED})
            if entry.get("operation") != "Apply" and names:
                problem = f"{string_at(entry, 'manager')} changed {', '.join(names)}"
                yield Finding(Fault.CHANGED, place, problem, remedy, breaks=False)


def _describe_change(change: fields.FieldChange) -> str:
    """Return the field and its values; those of clientConfig can contain the token."""
    values = (change.before, change.after)
    if "clientConfig" in change.path:
        return f"{change.path}: differs from the applied one"
    if not all(isinstance(each, _SCALARS) for each in values):
        return f"{change.path}: {'is missing' if change.is_removed else 'differs'}"
    return f"{change.path}: expected {values[0]}, got {values[1]}"


def _find_owned(owned: JSON) -> Iterator[str]:
    """Yield the names of the fields in a ``fieldsV1``."""
    for key, value in owned.items() if isinstance(owned, dict) else ():
        if key.startswith("f:") and not value:
            yield key.removeprefix("f:")
        yield from _find_owned(value)


def select_representatives(
    webhooks: Sequence[Webhook], namespaces: Mapping[str, Object]
) -> list[str]:
    """Return one namespace for each combination of the labels that the webhooks read."""
    keys = {each.key for hook in webhooks for each in read_requirements(hook, "namespaceSelector")}
    has_conditions = any(each.manifest.get("matchConditions") for each in webhooks)
    groups: dict[tuple[JSON, ...], str] = {}
    for name in sorted(namespaces):
        labels = object_at(namespaces[name], "metadata", "labels")
        own = name if has_conditions or name in ALWAYS_EXCLUDED_NAMESPACES else ""
        groups.setdefault((own, *(labels.get(key) for key in sorted(keys))), name)
    return sorted(groups.values())


def read_requirements(webhook: Webhook, key: str) -> tuple[Requirement, ...]:
    """Return the requirements of a selector of a webhook; none if it is invalid."""
    try:
        return selectors.compile_(webhook.manifest.get(key) or {}).requirements
    except SelectorError:  # which no kube-apiserver stores
        return ()


def make_labels(webhook: Webhook) -> Object:
    """Return labels of a pod that the objectSelector requires."""
    return {
        each.key: min(each.values, default="true")
        for each in read_requirements(webhook, "objectSelector")
        if each.is_positive
    }


def find_overlaps(matcher: WebhookMatcher, names: Sequence[str]) -> Iterator[Finding]:
    """Yield the namespaces with pods that two injectors receive."""
    for name in names:
        candidates: tuple[Object, ...] = ({}, {INJECT_KEY: "true"})
        for labels in candidates:
            problem = describe_overlap(matcher.find_webhooks(make_pod(name, labels)))
            if not problem:
                continue
            place = f"namespace {name}"
            yield Finding(Fault.TWO_INJECTORS, place, problem, OVERLAP_REMEDY, breaks=False)
            break


def find_namespace_problems(
    webhooks: Sequence[Webhook], matcher: WebhookMatcher, namespaces: Mapping[str, Object]
) -> Iterator[Finding]:
    """Yield webhooks that select no namespace, and those that can stop the cluster."""
    for configuration in dict.fromkeys(each.configuration for each in webhooks):
        own = [each for each in webhooks if each.configuration == configuration]
        yield from _check_selection(configuration, own, namespaces)
    for name in ALWAYS_EXCLUDED_NAMESPACES:
        found = matcher.find_default_webhooks(name) if name in namespaces else ()
        for each in found:
            if each in webhooks and each.manifest.get("failurePolicy", "Fail") == "Fail":
                yield Finding(
                    Fault.NAMESPACES,
                    f"{each.configuration}: webhook {each.name}",
                    f"selects {name} with failurePolicy Fail, so the cluster cannot repair itself "
                    "while the endpoint is away",
                    "register again: podgraft register excludes the namespaces of the system",
                    breaks=False,
                )


def _check_selection(
    place: str, webhooks: Sequence[Webhook], namespaces: Mapping[str, Object]
) -> Iterator[Finding]:
    """Yield that no namespace has a label that a webhook requires."""
    required: dict[str, set[str]] = {}
    for webhook in webhooks:
        requirements = read_requirements(webhook, "namespaceSelector")
        positive = [each for each in requirements if each.is_positive]
        of_objects = read_requirements(webhook, "objectSelector")
        if not positive and not any(each.is_positive for each in of_objects):
            return
        for labels in (object_at(each, "metadata", "labels") for each in namespaces.values()):
            texts = {key: str(value) for key, value in labels.items()}
            if positive and all(each.matches(texts) for each in positive):
                return
        for each in positive:
            required.setdefault(each.key, set()).update(each.values)
    similar = [*_find_similar(required, namespaces)]
    selects_pods = any(make_labels(each) for each in webhooks)
    if not required or (selects_pods and not similar):
        return
    labels = " or ".join(f"{key}={','.join(sorted(values))}" for key, values in required.items())
    problem = "; ".join((f"no namespace has {labels}", *similar[:3]))
    remedy = "correct the labels of the namespaces"
    yield Finding(Fault.NAMESPACES, place, problem, remedy, breaks=False)


def _find_similar(
    required: Mapping[str, set[str]], namespaces: Mapping[str, Object]
) -> Iterator[str]:
    for name, namespace in sorted(namespaces.items()):
        labels = object_at(namespace, "metadata", "labels")
        for key in required.keys() & labels.keys():
            if labels[key] not in {"disabled", "false"}:
                yield f'{name} has "{labels[key]}"'


def find_missing_checks(webhooks: Sequence[Webhook], checks: Sequence[Object]) -> Iterator[Finding]:
    """Yield the registrations with failurePolicy Ignore whose pods no bound policy checks."""
    names = {string_at(each, "metadata", "name") for each in checks}
    bound = {string_at(each, "spec", "policyName") for each in checks} & names
    ignoring = (each for each in webhooks if each.manifest.get("failurePolicy") == "Ignore")
    for name in dict.fromkeys(each.configuration for each in ignoring):
        if f"{name}-guard" not in bound:
            yield Finding(
                Fault.NO_SIDECAR_CHECK,
                name,
                "failurePolicy is Ignore without a sidecar check, so pods can start without a "
                "sidecar",
                "register again with --sidecar-check",
                breaks=False,
            )
