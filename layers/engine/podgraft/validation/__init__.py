"""Rules that objects must keep: ValidatingAdmissionPolicy documents, unchanged.

In go documents as kubectl prints them (admissionregistration.k8s.io/v1) and what they may ask for:
namespaces and ConfigMaps of the same bundle. Out comes ``Rules``, which judges a request as
kube-apiserver 1.37 would; expressions are CEL (``podgraft.cel``). Pure: no I/O, no clock.

Different from Kubernetes: a policy that no binding names is in force with ``Deny``, as putting it
into a bundle is what binds it; ``authorizer`` is refused; parameters are ConfigMaps of the bundle;
a namespace that the bundle does not hold is null in ``namespaceObject``; all policies share the
budget that one has there.
"""

from .bindings import (
    Binding,
    ConfigMapIndex,
    ParamRef,
    ValidationAction,
    group_by_policy,
    parse_binding,
)
from .policies import ValidatingPolicy, parse_policy
from .result import Denial, ValidationResult
from .rules import PolicySet

__all__ = [
    "Binding",
    "ConfigMapIndex",
    "Denial",
    "ParamRef",
    "PolicySet",
    "ValidatingPolicy",
    "ValidationAction",
    "ValidationResult",
    "group_by_policy",
    "parse_binding",
    "parse_policy",
]
