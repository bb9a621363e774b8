"""Validating policies in a bundle, their bindings, and the ConfigMaps that are their parameters.

``podgraft.validation`` brings CEL with it, so it is imported only where there is a policy.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podgraft.admission import AdmissionRequest
from podgraft.policy import Notes, Policy, Spot
from podgraft.records import dataclass

from .errors import Fault
from .manifests import Manifest, Manifests
from .parts import Denial, Judgement, Part

if TYPE_CHECKING:
    from podgraft.trace import Trace
    from podgraft.validation import Binding, Rules, ValidatingPolicy

POLICY = "ValidatingAdmissionPolicy"
BINDING = "ValidatingAdmissionPolicyBinding"


@dataclass(frozen=True, slots=True)
class RulesJudge:
    """All validating policies of the bundle."""

    rules: Rules

    def __call__(self, request: AdmissionRequest, trace: Trace | None = None) -> Judgement:
        """Judge as kube-apiserver would."""
        found = self.rules.judge(request, trace)
        return Judgement(
            denials=tuple(Denial(denial.message, denial.code) for denial in found.denials),
            warnings=found.warnings,
            audit=found.audit,
        )


def part(manifests: Manifests, _policy: Policy, *, deferred: bool) -> Part:
    """Compile the policies; nothing where the bundle has none."""
    del deferred  # every review uses all of them
    policies, bindings = manifests.of(POLICY), manifests.of(BINDING)
    if not policies:
        return Part(faults=tuple(_unknown(bindings, ())))
    from podgraft import validation

    faults: list[Fault] = []
    compiled = [validation.read_policy(*spec) for spec in _specs(policies, faults)]
    bound = [validation.read_binding(*spec) for spec in _specs(bindings, faults)]
    config_maps = manifests.of("ConfigMap")
    rules = validation.Rules(
        policies=tuple(sorted(compiled, key=lambda policy: policy.name)),
        bindings=validation.by_policy(bound),
        config_maps=validation.ConfigMaps.of(found.object for found in config_maps),
        namespaces=manifests.namespaces,
    )
    return Part(
        judges=(RulesJudge(rules),),
        used=tuple(_serving(config_maps, bound)),
        faults=(*faults, *_unknown(bindings, policies), *_unbound(policies, compiled, rules)),
    )


def _specs(manifests: tuple[Manifest, ...], faults: list[Fault]) -> Iterator[tuple[Spot, str]]:
    """Spec and name of each; what its reader notes becomes a fault of its file."""
    for manifest in manifests:
        notes = Notes()
        yield Spot(manifest.object.get("spec"), "/spec", notes), manifest.name
        faults.extend(
            manifest.fault(fault.path, fault.problem, fault.remedy) for fault in notes.faults
        )


def _unknown(bindings: tuple[Manifest, ...], policies: tuple[Manifest, ...]) -> Iterator[Fault]:
    names = {policy.name for policy in policies}
    for binding in bindings:
        spec = binding.object.get("spec")
        wanted = spec.get("policyName") if isinstance(spec, dict) else None
        if wanted and wanted not in names:
            problem = f"names {wanted}, and the bundle has no such {POLICY}"
            yield binding.fault("/spec/policyName", problem, "add the policy, or take this out")


def _unbound(
    manifests: tuple[Manifest, ...], policies: list[ValidatingPolicy], rules: Rules
) -> Iterator[Fault]:
    for manifest, policy in zip(manifests, policies, strict=True):
        own = rules.bindings.get(policy.name, ())
        if policy.wants_params and not any(binding.params for binding in own):
            problem = f"wants parameters, and no {BINDING} gives it a paramRef"
            yield manifest.fault("/spec/paramKind", problem, "add a binding with a paramRef")


def _serving(config_maps: tuple[Manifest, ...], bindings: list[Binding]) -> Iterator[Manifest]:
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
