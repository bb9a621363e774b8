"""What the two kinds of Kubernetes' admission policies share in a bundle: policy and binding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from podgraft.base.jsonvalue import string_at
from podgraft.core.policy import Policy
from podgraft.kube.types import NEWEST

from .errors import Diagnostic
from .manifests import Manifest

if TYPE_CHECKING:
    from podgraft.kube.matching.params import ParamIndex
    from podgraft.kube.validation.bindings import PolicyBinding
    from podgraft.kube.validation.policies import AdmissionPolicy


def find_unknown_policies(
    bindings: Sequence[Manifest], policies: Sequence[Manifest], kind: str
) -> Iterator[Diagnostic]:
    """An error for each binding whose policy of *kind* is not in the bundle."""
    names = {policy.name for policy in policies}
    for binding in bindings:
        name = string_at(binding.object, "spec", "policyName")
        if name and name not in names:
            problem = f"names {name}, and the bundle has no such {kind}"
            yield binding.make_diagnostic(
                "/spec/policyName", problem, "add the policy, or remove the binding"
            )


def find_oldest_release(policy: Policy) -> int:
    """The minor release of the clusters; of those that get patches, the oldest by default."""
    return policy.kubernetes_minor or NEWEST - 3


def find_missing_params(
    manifests: Sequence[Manifest],
    policies: Sequence[AdmissionPolicy],
    bindings: Mapping[str, Sequence[PolicyBinding]],
) -> Iterator[Diagnostic]:
    """An error for each policy with ``paramKind`` whose bindings have no ``paramRef``."""
    for manifest, policy in zip(manifests, policies, strict=True):
        if policy.param_kind is not None and not any(
            binding.params for binding in bindings.get(policy.name, ())
        ):
            kind = f"{manifest.kind}Binding"
            problem = f"requires parameters, and no {kind} gives it a paramRef"
            yield manifest.make_diagnostic(
                "/spec/paramKind", problem, "add a binding with a paramRef"
            )


def find_absent_params(
    manifests: Sequence[Manifest],
    policies: Sequence[AdmissionPolicy],
    bindings: Mapping[str, Sequence[PolicyBinding]],
    params: ParamIndex,
) -> Iterator[Diagnostic]:
    """A warning for each ``paramRef`` that selects no object of the bundle in any namespace."""
    by_name = {manifest.name: manifest for manifest in manifests}
    for policy in policies:
        kind = policy.param_kind
        for binding in bindings.get(policy.name, ()):
            ref = binding.params
            if kind is None or ref is None or params.can_find(kind, ref):
                continue
            result = "policy fails for each request" if ref.is_required else "binding does nothing"
            yield by_name[binding.name].make_warning(
                "/spec/paramRef",
                f"selects no {kind.kind} of the bundle, so the {result}",
                "add the object to the bundle, or correct the paramRef",
            )
