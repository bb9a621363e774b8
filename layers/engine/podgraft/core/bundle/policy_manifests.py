"""What the two kinds of Kubernetes' admission policies share in a bundle: policy and binding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .errors import Diagnostic
from .manifests import Manifest


def find_unknown_policies(
    bindings: Sequence[Manifest], policies: Sequence[Manifest], kind: str
) -> Iterator[Diagnostic]:
    """An error for each binding whose policy of *kind* is not in the bundle."""
    names = {policy.name for policy in policies}
    for binding in bindings:
        spec = binding.object.get("spec")
        name = spec.get("policyName") if isinstance(spec, dict) else None
        if name and name not in names:
            problem = f"names {name}, and the bundle has no such {kind}"
            yield binding.make_diagnostic(
                "/spec/policyName", problem, "add the policy, or remove the binding"
            )
