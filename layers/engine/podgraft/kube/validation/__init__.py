"""Validation of objects by ValidatingAdmissionPolicy documents.

The input is documents as kubectl prints them (admissionregistration.k8s.io/v1), with the namespaces
and ConfigMaps of the same bundle. The result is a ``PolicySet``, which validates a request as
kube-apiserver 1.37 does; expressions are CEL (``podgraft.kube.cel``). Pure: no I/O, no clock.

Differences from Kubernetes:

- A policy without a binding applies with the action ``Deny``.
- ``authorizer`` is unsupported.
- Parameters are objects of the bundle.
- ``namespaceObject`` is null for a namespace that the bundle does not contain.
- All policies share the budget that Kubernetes allows for one policy.
"""

from .bindings import group_by_policy, parse_binding
from .policies import parse_policy
from .rules import PolicySet

__all__ = ["PolicySet", "group_by_policy", "parse_binding", "parse_policy"]
