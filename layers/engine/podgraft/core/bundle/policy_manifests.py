"""What the two kinds of Kubernetes' admission policies share in a bundle: policy and binding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from podgraft.core.policy import Cursor, Diagnostics

from .errors import Diagnostic
from .manifests import Manifest


def read_specs(
    manifests: Sequence[Manifest], errors: list[Diagnostic]
) -> Iterator[tuple[Cursor, str]]:
    """The spec and name of each document; errors of its reader become errors of its file."""
    for manifest in manifests:
        diagnostics = Diagnostics()
        yield Cursor(manifest.object.get("spec"), "/spec", diagnostics), manifest.name
        errors.extend(
            manifest.make_diagnostic(error.pointer, error.problem, error.remedy)
            for error in diagnostics.errors
        )


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
