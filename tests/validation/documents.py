"""Documents and requests for the tests of validation, made from the parts that matter."""

from dataclasses import dataclass, field

from podgraft import kubeyaml
from podgraft.admission import AdmissionRequest, GroupVersionKind, GroupVersionResource, Operation
from podgraft.jsonvalue import JSON, Object
from podgraft.policy import Notes, Spot
from podgraft.validation import (
    Binding,
    ConfigMaps,
    Rules,
    ValidatingPolicy,
    by_policy,
    read_binding,
    read_policy,
)

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
    return kubeyaml.load(text)


def policy(spec: str, name: str = "limits") -> ValidatingPolicy:
    """A policy for all objects with this in its ``spec``, that has no fault."""
    notes = Notes()
    found = read_policy(Spot(document(ALL + spec), "/spec", notes), name)
    assert not notes.faults, notes.faults
    return found


def faults(spec: str) -> list[str]:
    """What is wrong with a policy of this ``spec``."""
    notes = Notes()
    read_policy(Spot(document(spec), "/spec", notes), "limits")
    return [str(fault) for fault in notes.faults]


def binding(spec: str, name: str = "everywhere") -> Binding:
    notes = Notes()
    found = read_binding(Spot(document("policyName: limits\n" + spec), "/spec", notes), name)
    assert not notes.faults, notes.faults
    return found


def rules(spec: str, *bindings: str, config_maps: tuple[Object, ...] = ()) -> Rules:
    return Rules(
        policies=(policy(spec),),
        bindings=by_policy(binding(each) for each in bindings),
        config_maps=ConfigMaps.of(config_maps),
        namespaces={"shop": SHOP},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A request to judge."""

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
