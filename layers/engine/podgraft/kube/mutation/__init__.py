"""Mutation of objects by MutatingAdmissionPolicy documents.

The input is documents as kubectl prints them (admissionregistration.k8s.io/v1, v1beta1, v1alpha1),
with the namespaces, parameters, and CustomResourceDefinitions of the same bundle. The result is a
``MutatingPolicySet``, which mutates the object of a request as kube-apiserver 1.37 does. Pure: no
I/O, no clock.

Differences from Kubernetes:

- Policies run in the order of their names, their bindings and parameters too. Kubernetes has no
  order of policies.
- ``authorizer`` is unsupported.
- Parameters are objects of the bundle.
- All mutations share the budget that Kubernetes allows for one.
- An object that matches as an equivalent is not converted to another version.
- The kinds without Go types are not defaulted between mutations (``kube.defaults``).
"""

from podgraft.kube.validation.bindings import group_by_policy

from .documents import MutatingBinding, MutatingPolicy, PatchType, parse_binding, parse_policy
from .errors import MutationDeniedError
from .policy_set import MutatingPolicySet, MutationReview

__all__ = [
    "MutatingBinding",
    "MutatingPolicy",
    "MutatingPolicySet",
    "MutationDeniedError",
    "MutationReview",
    "PatchType",
    "group_by_policy",
    "parse_binding",
    "parse_policy",
]
