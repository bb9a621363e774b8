"""Validating policies in a bundle, their bindings, and the ConfigMaps that are their parameters.

``podgraft.validation`` brings CEL with it, so it is imported only where there is a policy.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podgraft.admission import AdmissionRequest
from podgraft.lazy_dataclass import dataclass
from podgraft.policy import Cursor, Diagnostics, Policy

from .components import Component, Denial, ValidationResult
from .errors import Diagnostic
from .manifests import Manifest, Manifests

if TYPE_CHECKING:
    from podgraft.trace import Trace
    from podgraft.validation import Binding, PolicySet, ValidatingPolicy

POLICY = "ValidatingAdmissionPolicy"
BINDING = "ValidatingAdmissionPolicyBinding"


@dataclass(frozen=True, slots=True)
class PolicyValidator:
    """All validating policies of the bundle."""

    rules: PolicySet

    def __call__(self, request: AdmissionRequest, trace: Trace | None = None) -> ValidationResult:
        """Judge as kube-apiserver would."""
        found = self.rules.validate(request, trace)
        return ValidationResult(
            denials=tuple(Denial(denial.message, denial.code) for denial in found.denials),
            warnings=found.warnings,
            audit=found.audit,
        )


def compile_policies(manifests: Manifests, _policy: Policy, *, deferred: bool) -> Component:
    """Compile the policies; nothing where the bundle has none."""
    del deferred  # every review uses all of them
    policies, bindings = manifests.of_kind(POLICY), manifests.of_kind(BINDING)
    if not policies:
        return Component(errors=tuple(_find_unknown_policies(bindings, ())))
    from podgraft import validation

    faults: list[Diagnostic] = []
    compiled = [validation.parse_policy(*spec) for spec in _policy_specs(policies, faults)]
    bound = [validation.parse_binding(*spec) for spec in _policy_specs(bindings, faults)]
    config_maps = manifests.of_kind("ConfigMap")
    rules = validation.PolicySet(
        policies=tuple(sorted(compiled, key=lambda policy: policy.name)),
        bindings=validation.group_by_policy(bound),
        config_maps=validation.ConfigMapIndex.build(found.object for found in config_maps),
        namespaces=manifests.namespaces,
    )
    return Component(
        validators=(PolicyValidator(rules),),
        used_manifests=tuple(_find_parameter_config_maps(config_maps, bound)),
        errors=(
            *faults,
            *_find_unknown_policies(bindings, policies),
            *_find_missing_params(policies, compiled, rules),
        ),
    )


def _policy_specs(
    manifests: tuple[Manifest, ...], faults: list[Diagnostic]
) -> Iterator[tuple[Cursor, str]]:
    """Spec and name of each; what its reader notes becomes a fault of its file."""
    for manifest in manifests:
        notes = Diagnostics()
        yield Cursor(manifest.object.get("spec"), "/spec", notes), manifest.name
        faults.extend(
            manifest.make_diagnostic(fault.pointer, fault.problem, fault.remedy)
            for fault in notes.errors
        )


def _find_unknown_policies(
    bindings: tuple[Manifest, ...], policies: tuple[Manifest, ...]
) -> Iterator[Diagnostic]:
    names = {policy.name for policy in policies}
    for binding in bindings:
        spec = binding.object.get("spec")
        wanted = spec.get("policyName") if isinstance(spec, dict) else None
        if wanted and wanted not in names:
            problem = f"names {wanted}, and the bundle has no such {POLICY}"
            yield binding.make_diagnostic(
                "/spec/policyName", problem, "add the policy, or take this out"
            )


def _find_missing_params(
    manifests: tuple[Manifest, ...], policies: list[ValidatingPolicy], rules: PolicySet
) -> Iterator[Diagnostic]:
    for manifest, policy in zip(manifests, policies, strict=True):
        own = rules.bindings.get(policy.name, ())
        if policy.has_params and not any(binding.params for binding in own):
            problem = f"wants parameters, and no {BINDING} gives it a paramRef"
            yield manifest.make_diagnostic(
                "/spec/paramKind", problem, "add a binding with a paramRef"
            )


def _find_parameter_config_maps(
    config_maps: tuple[Manifest, ...], bindings: list[Binding]
) -> Iterator[Manifest]:
    """The ConfigMaps that are parameters of some binding; without a namespace, of any request."""
    refs = {binding.params for binding in bindings if binding.params is not None}
    named = {(ref.namespace, ref.name) for ref in refs if ref.selector is None}
    selecting = [ref for ref in refs if ref.selector is not None]
    for found in config_maps:
        if not named.isdisjoint({(found.namespace, found.name), ("", found.name)}) or any(
            ref.namespace in {"", found.namespace} and ref.selects(found.object)
            for ref in selecting
        ):
            yield found
