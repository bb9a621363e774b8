"""The sidecar check: an admission policy that rejects pods without their sidecar.

With failurePolicy Ignore, pods start without a sidecar if the webhook is unreachable, and nothing
reports it. kube-apiserver evaluates this policy after all mutations, without a webhook. The policy
repeats the decision of ``podgraft.core.policy.decide`` in CEL, and checks that the container
exists.
ValidatingAdmissionPolicy is stable since Kubernetes 1.30. Each injecting webhook has a binding with
the same selectors, so both match the same pods.
"""

from collections.abc import Iterable

from podgraft.base.jsonvalue import JSON, Object
from podgraft.cli.register import cel, selectors
from podgraft.cli.register.selectors import WebhookScope
from podgraft.cli.register.webhooks import API_VERSION, PODS, Registration, name_expression
from podgraft.core.policy import INJECT_KEY, DefaultPolicy, InjectionRules, InjectValueSyntax

DEFAULT_CONTAINER = "istio-proxy"

_LABELS = "object.metadata.?labels.orValue({})"
# Which values inject, and which do not.
_INJECT_VALUES = {
    InjectValueSyntax.YAML: (
        f".lowerAscii() in {cel.list_literal(('y', 'yes', 'true', 'on'))}",
        " != '' && !variables.isInjectTrue",
    ),
    InjectValueSyntax.STRICT: (" == 'true'", " == 'false'"),
}


def make_check_policy(registration: Registration, rules: InjectionRules, container: str) -> Object:
    """The ValidatingAdmissionPolicy for pods that *rules* would inject with *container*."""
    namespaces = sorted(rules.ignored_namespaces)
    return {
        "apiVersion": API_VERSION,
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": _name(registration), "labels": registration.labels},
        "spec": {
            "failurePolicy": "Fail",
            "matchConditions": [
                *registration.conditions,
                name_expression("own-network", "!object.spec.?hostNetwork.orValue(false)"),
                name_expression(
                    "not-ignored", f"!(request.namespace in {cel.list_literal(namespaces)})"
                ),
            ],
            "matchConstraints": {
                "matchPolicy": "Equivalent",
                "namespaceSelector": {},
                "objectSelector": {},
                "resourceRules": [PODS.manifest()],
            },
            "validations": [_make_validation(container)],
            "variables": [
                *(name_expression(*variable) for variable in decision_variables(rules)),
                name_expression("hasSidecar", _has_sidecar_expression(container)),
            ],
        },
    }


def make_check_bindings(registration: Registration) -> list[Object]:
    """One ValidatingAdmissionPolicyBinding for each injecting webhook."""
    return [_make_binding(registration, scope) for scope in registration.scopes()]


def _make_binding(registration: Registration, scope: WebhookScope) -> Object:
    name = _name(registration)
    suffix = f".{scope.name.rstrip('.')}" if scope.name else ""
    return {
        "apiVersion": API_VERSION,
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": f"{name}{suffix}", "labels": registration.labels},
        "spec": {
            "matchResources": {
                "matchPolicy": "Equivalent",
                "namespaceSelector": selectors.selector_to_manifest(scope.namespaces),
                "objectSelector": selectors.selector_to_manifest(scope.objects),
            },
            "policyName": name,
            "validationActions": ["Deny"],
        },
    }


def _name(registration: Registration) -> str:
    return f"{registration.name}-guard"


def decision_variables(rules: InjectionRules) -> Iterable[tuple[str, str]]:
    """Yield the steps of the decision; an expression can use the variables before it.

    The last one, ``expectsSidecar``, is the decision about a pod that can be injected.
    """
    key = cel.string_literal(INJECT_KEY)
    annotation = f"object.metadata.?annotations[?{key}].orValue('')"
    label = f"object.metadata.?labels[?{key}].orValue({annotation})"
    yield "labels", _LABELS
    yield "injectValue", label if rules.honors_label else annotation
    is_true, is_false = _INJECT_VALUES[rules.inject_values]
    yield "isInjectTrue", f"variables.injectValue{is_true}"
    yield "isInjectFalse", f"variables.injectValue{is_false}"
    yield "neverInject", cel.any_selector_expression(rules.never, "variables.labels")
    yield "alwaysInject", cel.any_selector_expression(rules.always, "variables.labels")
    yield "expectsSidecar", _expected_expression(rules)


def _expected_expression(rules: InjectionRules) -> str:
    """Return the decision of ``podgraft.core.policy`` in CEL; an unknown policy injects no pod."""
    match rules.policy:
        case DefaultPolicy.ENABLED:
            undecided = "!variables.neverInject"
        case DefaultPolicy.DISABLED:
            undecided = "!variables.neverInject && variables.alwaysInject"
        case _:
            return "false"
    return f"variables.isInjectTrue || (!variables.isInjectFalse && {undecided})"


def _has_sidecar_expression(container: str) -> str:
    here = f"exists(c, c.name == {cel.string_literal(container)})"
    native = f"object.spec.?initContainers.orValue([]).{here}"
    return f"object.spec.containers.{here} || {native}"


def _make_validation(container: str) -> Object:
    words: JSON = (
        f"the pod should carry the sidecar {container} and does not: the injecting webhook was not "
        "reached, or left it out; create the pod again, or say "
        f'{INJECT_KEY}: "false" in its labels'
    )
    return {
        "expression": "!variables.expectsSidecar || variables.hasSidecar",
        "message": words,
        "reason": "Forbidden",
    }
