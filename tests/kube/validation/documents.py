"""Documents and requests for the tests of validation, made from the parts that matter."""

from dataclasses import dataclass, field

from podgraft.base.jsonvalue import JSON, Object
from podgraft.core.policy import Cursor, Diagnostics
from podgraft.kube import yaml
from podgraft.kube.admission import (
    AdmissionRequest,
    GroupVersionKind,
    GroupVersionResource,
    Operation,
)
from podgraft.kube.matching.params import ParamIndex
from podgraft.kube.validation import PolicySet, group_by_policy, parse_binding, parse_policy
from podgraft.kube.validation.bindings import Binding
from podgraft.kube.validation.policies import ValidatingPolicy

ALL = """
matchConstraints:
  resourceRules:
  - {apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"]}
"""
DEPLOYMENT: Object = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "labels": {"app": "web"}},
    "spec": {"replicas": 3},
}
SHOP: Object = {"metadata": {"name": "shop", "labels": {"team": "a"}}}


def document(text: str) -> JSON:
    return yaml.load(text)


def policy(spec: str, name: str = "limits") -> ValidatingPolicy:
    """A valid policy for all objects with this text in its ``spec``."""
    notes = Diagnostics()
    found = parse_policy(Cursor(document(ALL + spec), "/spec", notes), name)
    assert not notes.errors, notes.errors
    return found


def find_errors(spec: str) -> list[str]:
    """What is wrong with a policy of this ``spec``."""
    notes = Diagnostics()
    parse_policy(Cursor(document(spec), "/spec", notes), "limits")
    return [str(fault) for fault in notes.errors]


def binding(spec: str, name: str = "everywhere") -> Binding:
    notes = Diagnostics()
    found = parse_binding(Cursor(document("policyName: limits\n" + spec), "/spec", notes), name)
    assert not notes.errors, notes.errors
    return found


def rules(spec: str, *bindings: str, config_maps: tuple[Object, ...] = ()) -> PolicySet:
    return PolicySet(
        policies=(policy(spec),),
        bindings=group_by_policy(binding(each) for each in bindings),
        params=ParamIndex.build(config_maps),
        namespaces={"shop": SHOP},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestSpec:
    """A request to validate."""

    object: JSON = field(default_factory=lambda: DEPLOYMENT)
    old_object: JSON = None
    operation: Operation = Operation.CREATE
    namespace: str = "shop"
    raw: Object = field(default_factory=dict[str, JSON])

    def request(self) -> AdmissionRequest:
        return AdmissionRequest(
            api_version="admission.k8s.io/v1",
            kind=GroupVersionKind("apps", "v1", "Deployment"),
            resource=GroupVersionResource("apps", "v1", "deployments"),
            operation=self.operation,
            name="web",
            namespace=self.namespace,
            object=self.object,
            old_object=self.old_object,
            raw={"operation": str(self.operation), "namespace": self.namespace, **self.raw},
        )
