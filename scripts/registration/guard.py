"""The admission policy that rejects pods which should carry the sidecar but do not.

With failurePolicy Ignore, a webhook that cannot be reached lets pods through bare, and nobody is
told. This policy is evaluated inside kube-apiserver, after all mutation, and needs no webhook: it
takes the decision of ``podgraft.policy.decide`` once more, in CEL, and looks whether the container
is there. A ValidatingAdmissionPolicy is stable since Kubernetes 1.30. A binding stands for each
injecting webhook, with that webhook's own selectors, so that both are for the same pods.
"""

from collections.abc import Iterable

from podgraft.jsonvalue import JSON, Object
from podgraft.policy import INJECT_MARK, InjectValues, PolicyWord, Rules
from registration import cel, selectors
from registration.selectors import Scope
from registration.webhooks import API_VERSION, PODS, Registration

DEFAULT_CONTAINER = "istio-proxy"

_LABELS = "object.metadata.?labels.orValue({})"
_YES = ("y", "yes", "true", "on")


def policy(registration: Registration, rules: Rules, container: str) -> Object:
    """The ValidatingAdmissionPolicy for pods that *rules* would inject with *container*."""
    namespaces = sorted(rules.ignored_namespaces)
    conditions = [one.manifest() for one in registration.conditions]
    return {
        "apiVersion": API_VERSION,
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": _name(registration), "labels": registration.labels},
        "spec": {
            "failurePolicy": "Fail",
            "matchConditions": [
                *conditions,
                _named("own-network", "!object.spec.?hostNetwork.orValue(false)"),
                _named("not-ignored", f"!(request.namespace in {cel.texts(namespaces)})"),
            ],
            "matchConstraints": {
                "matchPolicy": "Equivalent",
                "namespaceSelector": {},
                "objectSelector": {},
                "resourceRules": [PODS.manifest()],
            },
            "validations": [_validation(container)],
            "variables": [_named(name, text) for name, text in _variables(rules, container)],
        },
    }


def bindings(registration: Registration) -> list[Object]:
    """One ValidatingAdmissionPolicyBinding for each injecting webhook."""
    return [_binding(registration, scope) for scope in registration.scopes()]


def _binding(registration: Registration, scope: Scope) -> Object:
    name = _name(registration)
    suffix = f".{scope.name.rstrip('.')}" if scope.name else ""
    return {
        "apiVersion": API_VERSION,
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": f"{name}{suffix}", "labels": registration.labels},
        "spec": {
            "matchResources": {
                "matchPolicy": "Equivalent",
                "namespaceSelector": selectors.manifest(scope.namespaces),
                "objectSelector": selectors.manifest(scope.objects),
            },
            "policyName": name,
            "validationActions": ["Deny"],
        },
    }


def _name(registration: Registration) -> str:
    return f"{registration.name}-guard"


def _named(name: str, expression: str) -> Object:
    return {"name": name, "expression": expression}


def _variables(rules: Rules, container: str) -> Iterable[tuple[str, str]]:
    """The steps of the decision, each an expression over the ones before."""
    mark = cel.text(INJECT_MARK)
    annotation = f"object.metadata.?annotations[?{mark}].orValue('')"
    label = f"object.metadata.?labels[?{mark}].orValue({annotation})"
    yield "labels", _LABELS
    yield "mark", label if rules.label_mark else annotation
    yield "marked", _marked(rules.inject_values)
    yield "refused", _refused(rules.inject_values)
    yield "never", cel.any_selector(rules.never, "variables.labels")
    yield "always", cel.any_selector(rules.always, "variables.labels")
    yield "expected", _expected(rules)
    yield "carried", _carried(container)


def _marked(values: InjectValues) -> str:
    match values:
        case InjectValues.YAML:
            return f"variables.mark.lowerAscii() in {cel.texts(_YES)}"
        case InjectValues.STRICT:
            return "variables.mark == 'true'"


def _refused(values: InjectValues) -> str:
    match values:
        case InjectValues.YAML:
            return "variables.mark != '' && !variables.marked"
        case InjectValues.STRICT:
            return "variables.mark == 'false'"


def _expected(rules: Rules) -> str:
    """The order of design §1.3; a policy that is neither word injects nothing."""
    match rules.policy:
        case PolicyWord.ENABLED:
            undecided = "!variables.never"
        case PolicyWord.DISABLED:
            undecided = "!variables.never && variables.always"
        case _:
            return "false"
    return f"variables.marked || (!variables.refused && {undecided})"


def _carried(container: str) -> str:
    here = f"exists(c, c.name == {cel.text(container)})"
    native = f"object.spec.?initContainers.orValue([]).{here}"
    return f"object.spec.containers.{here} || {native}"


def _validation(container: str) -> Object:
    words: JSON = (
        f"the pod should carry the sidecar {container} and does not: the injecting webhook was not "
        "reached, or left it out; create the pod again, or say "
        f'{INJECT_MARK}: "false" in its labels'
    )
    return {
        "expression": "!variables.expected || variables.carried",
        "message": words,
        "reason": "Forbidden",
    }
