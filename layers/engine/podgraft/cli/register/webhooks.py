"""The webhook manifests. They include every default, so GitOps tools report no differences."""

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from podgraft.base.jsonvalue import JSON, Object, string_at
from podgraft.cli.failure import CommandError, convert_errors
from podgraft.cli.register import selectors
from podgraft.cli.register.endpoint import Endpoint
from podgraft.cli.register.selectors import WebhookScope
from podgraft.core.policy import PROTECTED_SUBRESOURCES
from podgraft.kube.cel import CompileError, Environment
from podgraft.kube.names import is_dns_label
from podgraft.kube.selectors import Selector

API_VERSION = "admissionregistration.k8s.io/v1"  # since Kubernetes 1.16
DOMAIN = "podgraft.dev"
CA_ANNOTATION = "cert-manager.io/inject-ca-from"  # cainjector of cert-manager sets caBundle
# istiod replaces the caBundle of webhooks with this suffix (Istio: pkg/webhooks/webhookpatch.go).
_PATCHED_BY_ISTIOD = "sidecar-injector.istio.io"
SECONDS = range(1, 31)  # what admissionregistration.k8s.io/v1 accepts

# The variables of a match condition. The fields of objects are unknown here.
_CONDITION_VARIABLES = ("object", "oldObject", "request", "authorizer")

_VERSION = re.compile(r"v[0-9]+((alpha|beta)[0-9]+)?|\*")
_TAG_LABEL = "istio.io/tag"
_MAX_DOMAIN = 128  # the complete name has at most 253 characters
_OPERATIONS = ("CREATE", "UPDATE", "DELETE", "CONNECT", "*")


class FailurePolicy(StrEnum):
    """The failurePolicy: what happens to an object if its webhook is unreachable."""

    FAIL = "Fail"
    IGNORE = "Ignore"


class Reinvocation(StrEnum):
    """Whether a webhook is called again after a later webhook changed the object."""

    NEVER = "Never"
    IF_NEEDED = "IfNeeded"


class WebhookRule(Struct, frozen=True):
    """Which operations on which resources a webhook is called for."""

    group: str
    version: str
    resource: str
    operations: tuple[str, ...] = ("CREATE",)
    scope: str = "*"

    def manifest(self) -> Object:
        """The rule as Kubernetes writes it."""
        return {
            "apiGroups": [self.group],
            "apiVersions": [self.version],
            "operations": list(self.operations),
            "resources": [self.resource],
            "scope": self.scope,
        }


PODS = WebhookRule("", "v1", "pods", scope="Namespaced")


class Registration(Struct, frozen=True, kw_only=True):
    """Everything the webhooks of one endpoint have in common."""

    endpoint: Endpoint
    ca_bundle: str | None  # None where the server's certificate chains to public roots
    ca_certificate: str | None = None  # NAMESPACE/NAME from which cert-manager copies the CAs
    injector: str
    revision: str | None = None
    excluded_namespaces: tuple[str, ...] = ()
    namespaces: Selector = selectors.EVERYTHING
    objects: Selector = selectors.EVERYTHING
    conditions: tuple[Object, ...] = ()  # match conditions, as ``name_expression`` returns them
    failure_policy: FailurePolicy = FailurePolicy.FAIL
    reinvocation: Reinvocation = Reinvocation.NEVER
    timeout_seconds: int = 10
    is_recorded: bool = False  # whether podgraft records workloads, except of dry runs
    domain: str = DOMAIN  # the end of the names of webhooks
    tag_of: str | None = None  # the revision of istiod of which ``revision`` is a tag

    @property
    def name(self) -> str:
        """The name of the objects that are made."""
        return "-".join(("podgraft", self.injector, *([self.revision] if self.revision else ())))

    @property
    def labels(self) -> Object:
        """The labels of the objects; istioctl and istiod use the revision and the tag.

        Without a label for the tag, istiod ignores Gateways in namespaces with this tag
        (Istio: pkg/revisions/tag_watcher.go).
        """
        labels: Object = {
            "app.kubernetes.io/name": "podgraft",
            "app.kubernetes.io/instance": self.injector,
        }
        if self.tag_of:
            return {**labels, selectors.REVISION_LABEL: self.tag_of, _TAG_LABEL: self.revision}
        return labels | ({selectors.REVISION_LABEL: self.revision} if self.revision else {})

    def scopes(self) -> tuple[WebhookScope, ...]:
        """The scopes of the injecting webhooks: one, or those of a revision."""
        scopes = (
            selectors.revision_webhook_scopes(self.revision) if self.revision else (WebhookScope(),)
        )
        return tuple(self.narrow_scope(scope) for scope in scopes)

    def narrow_scope(self, scope: WebhookScope) -> WebhookScope:
        """*scope* without the excluded namespaces and within the operator's own selectors."""
        excluded = selectors.exclude_namespaces(self.excluded_namespaces)
        namespaces = (*scope.namespaces.requirements, *self.namespaces.requirements, excluded)
        objects = (*scope.objects.requirements, *self.objects.requirements)
        return WebhookScope(scope.name, Selector(namespaces), Selector(objects))


def check_registration(registration: Registration) -> None:
    """Raise ``CommandError`` for a registration that the API server would reject."""
    if registration.timeout_seconds not in SECONDS:
        raise CommandError(
            f"a timeout of {registration.timeout_seconds} s: use {SECONDS[0]} to {SECONDS[-1]} s"
        )
    name = registration.revision
    if name is not None and not is_dns_label(name):
        raise CommandError(
            f"{name!r}: a name is 1 to 63 lower-case letters, digits and -, as DNS labels are"
        )
    _check_domain(registration.domain)
    if registration.tag_of and name in {None, registration.tag_of}:
        raise CommandError(
            f"--tag-of: requires --revision with the tag, got {name!r}; set another --revision"
        )
    conditions = [string_at(condition, "name") for condition in registration.conditions]
    if len(set(conditions)) != len(conditions):
        raise CommandError("match conditions must have different names")


def _check_domain(domain: str) -> None:
    """Raise ``CommandError`` for a domain that Kubernetes rejects, or that istiod claims."""
    labels = domain.split(".")
    if len(labels) < 2 or not all(map(is_dns_label, labels)) or len(domain) > _MAX_DOMAIN:  # noqa: PLR2004
        raise CommandError(
            f"--webhook-name: got {domain!r}; use a DNS name of at least two labels, such as "
            "podgraft.istio.io"
        )
    if domain.endswith(_PATCHED_BY_ISTIOD):
        raise CommandError(
            f"--webhook-name: got {domain!r}; istiod replaces the caBundle of webhooks with this "
            "suffix; use podgraft.istio.io"
        )


def make_mutating_configuration(
    registration: Registration,
    inject: bool,
    mutate: Sequence[WebhookRule],
    conditions: Iterable[Object] = (),
    *,
    is_reinvoked: bool = False,
) -> Object | None:
    """The MutatingWebhookConfiguration: sidecars for pods, and the rules of *mutate*.

    *conditions* and *is_reinvoked* are what the policies of these rules need in addition.
    """
    webhooks: list[JSON] = []
    if inject:
        webhooks += (
            _make_webhook(registration, "inject", [PODS], scope)
            | {"reinvocationPolicy": registration.reinvocation.value}
            for scope in registration.scopes()
        )
    if mutate:
        _check_rules(registration, mutate)
        _check_subresources(mutate)
        narrowed = replace(registration, conditions=(*registration.conditions, *conditions))
        webhook = _make_webhook(
            narrowed, "mutate", mutate, registration.narrow_scope(WebhookScope())
        )
        reinvocation = Reinvocation.IF_NEEDED if is_reinvoked else registration.reinvocation
        webhooks.append({**webhook, "reinvocationPolicy": reinvocation.value})
    return _make_configuration("MutatingWebhookConfiguration", registration, webhooks)


def make_validating_configuration(
    registration: Registration, validate: Sequence[WebhookRule]
) -> Object | None:
    """The ValidatingWebhookConfiguration for the rules of *validate*."""
    if not validate:
        return None
    _check_rules(registration, validate)
    webhook = _make_webhook(
        registration, "validate", validate, registration.narrow_scope(WebhookScope())
    )
    return _make_configuration("ValidatingWebhookConfiguration", registration, [webhook])


def parse_rule(text: str) -> WebhookRule:
    """Read ``[GROUP/]VERSION/RESOURCE[/SUBRESOURCE][:OPERATION,…]``; CREATE is the default."""
    path, _, operation_list = text.partition(":")
    parts = path.split("/")
    group = "" if _VERSION.fullmatch(parts[0]) and len(parts) > 1 else parts.pop(0)
    operations = tuple(operation_list.upper().split(",")) if operation_list else ("CREATE",)
    if len(parts) < 2 or not _VERSION.fullmatch(parts[0]) or not all(parts):  # noqa: PLR2004
        raise CommandError(
            f"rule {text!r}: write [GROUP/]VERSION/RESOURCE[:OPERATION,…], such as "
            "apps/v1/deployments:CREATE,UPDATE or v1/pods"
        )
    for operation in operations:
        if operation not in _OPERATIONS:
            raise CommandError(
                f"rule {text!r}: {operation} is no operation; use {', '.join(_OPERATIONS)}"
            )
    return WebhookRule(group, parts[0], "/".join(parts[1:]), operations)


def name_expression(name: str, expression: str) -> Object:
    """A match condition or a variable in CEL."""
    return {"name": name, "expression": expression}


def parse_condition(text: str) -> Object:
    """Read ``NAME=EXPRESSION``."""
    name, equals, expression = text.partition("=")
    if not equals or not re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?", name):
        raise CommandError(f"match condition {text!r}: write NAME=CEL expression")
    with convert_errors(CompileError, place=f"match condition {name}"):
        # Only here, because it needs the extra rules.
        Environment(dict.fromkeys(_CONDITION_VARIABLES, "dyn")).compile_(expression, "bool")
    return name_expression(name, expression)


def _check_rules(registration: Registration, rules: Iterable[WebhookRule]) -> None:
    """Reject a webhook for all resources with Fail: without podgraft, no repair is possible."""
    for one in rules:
        if "*" in one.resource and registration.failure_policy is FailurePolicy.FAIL:
            raise CommandError(
                f"{one.resource} with failurePolicy Fail would stop the whole cluster while the "
                "webhook is out of reach: name the resources, or use --failure-policy Ignore"
            )


def _check_subresources(rules: Iterable[WebhookRule]) -> None:
    """Reject rules for the subresources of pods that podgraft does not change."""
    for rule in rules:
        resource, _, sub_resource = rule.resource.partition("/")
        is_protected = sub_resource == "*" or sub_resource in PROTECTED_SUBRESOURCES
        if rule.group in {"", "*"} and resource in {"pods", "*"} and is_protected:
            names = " and ".join(f"pods/{name}" for name in sorted(PROTECTED_SUBRESOURCES))
            raise CommandError(
                f"{rule.resource}: podgraft does not change {names}; name other resources"
            )


def _make_webhook(
    registration: Registration, route: str, rules: Iterable[WebhookRule], scope: WebhookScope
) -> Object:
    client = registration.endpoint.client_config(route)
    if registration.ca_bundle is not None:
        client["caBundle"] = registration.ca_bundle
    injector = f"{registration.injector}." if registration.injector != "default" else ""
    webhook: Object = {
        "name": f"{scope.name}{injector}{route}.{registration.domain}",
        "admissionReviewVersions": ["v1", "v1beta1"],
        "clientConfig": client,
        "failurePolicy": registration.failure_policy.value,
        "matchPolicy": "Equivalent",
        "namespaceSelector": selectors.selector_to_manifest(scope.namespaces),
        "objectSelector": selectors.selector_to_manifest(scope.objects),
        "rules": [one.manifest() for one in rules],
        "sideEffects": "NoneOnDryRun" if registration.is_recorded else "None",
        "timeoutSeconds": registration.timeout_seconds,
    }
    if registration.conditions:  # absent, not empty: the API server drops an empty list
        webhook["matchConditions"] = [*registration.conditions]
    return webhook


def _make_configuration(
    kind: str, registration: Registration, webhooks: list[JSON]
) -> Object | None:
    if not webhooks:
        return None
    metadata: Object = {"name": registration.name, "labels": registration.labels}
    if registration.ca_certificate is not None:
        metadata["annotations"] = {CA_ANNOTATION: registration.ca_certificate}
    return {
        "apiVersion": API_VERSION,
        "kind": kind,
        "metadata": metadata,
        "webhooks": webhooks,
    }
