"""Validating policies in a bundle, their bindings, and their parameters.

``podgraft.kube.validation`` imports CEL, so it is imported only if the bundle has a policy.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from podgraft.base.field_reads import FieldRead
from podgraft.core.policy import Diagnostics, Policy
from podgraft.kube.admission import AdmissionRequest
from podgraft.kube.admission.validation_result import ValidationResult
from podgraft.kube.matching.reads import find_policy_reads
from podgraft.kube.types import NEWEST

from .components import Component
from .manifests import Manifests, read_specs
from .policy_manifests import (
    find_absent_params,
    find_missing_params,
    find_oldest_release,
    find_unknown_policies,
)

if TYPE_CHECKING:
    from podgraft.base.trace import Trace
    from podgraft.kube.validation import PolicySet

POLICY = "ValidatingAdmissionPolicy"
BINDING = "ValidatingAdmissionPolicyBinding"


class PolicyValidator(Struct, frozen=True):
    """Evaluates all validating policies of the bundle."""

    rules: PolicySet

    def __call__(
        self, request: AdmissionRequest, trace: Trace | None = None, /
    ) -> ValidationResult:
        """Validate as kube-apiserver does."""
        return self.rules.validate(request, trace)

    def find_reads(self) -> Iterator[tuple[FieldRead, ...]]:
        """Yield what each rule reads."""
        for policy in self.rules.policies:
            source = f'rule "{policy.name}"'
            programs = [each.program for each in (*policy.validations, *policy.audit)]
            messages = (each.message_program for each in policy.validations)
            programs += [each for each in messages if each is not None]
            bindings = self.rules.bindings.get(policy.name, ())
            yield tuple(find_policy_reads(source, policy, bindings, {source: programs}))


def compile_policies(manifests: Manifests, policy: Policy, *, deferred: bool) -> Component:
    """Compile the policies; an empty component if the bundle has none."""
    policies, bindings = manifests.of_kind(POLICY), manifests.of_kind(BINDING)
    if not policies:
        return Component(errors=tuple(find_unknown_policies(bindings, (), POLICY)))
    from podgraft.kube import validation

    from .params import find_used, parse_params

    found, release = Diagnostics(), find_oldest_release(policy)
    parsed_policies = [
        validation.parse_policy(*spec, release) for spec in read_specs(policies, found)
    ]
    parsed_bindings = [validation.parse_binding(*spec) for spec in read_specs(bindings, found)]
    config_maps = manifests.of_kind("ConfigMap")
    params = parse_params(manifests)
    rules = validation.PolicySet(
        policies=tuple(sorted(parsed_policies, key=lambda policy: policy.name)),
        bindings=validation.group_by_policy(parsed_bindings),
        params=params.index,
        namespaces=manifests.namespaces,
        release=policy.kubernetes_minor or NEWEST,
    )
    return Component(
        validators=(PolicyValidator(rules),),
        used_manifests=tuple(find_used(config_maps, (each.params for each in parsed_bindings))),
        errors=(
            *found.errors,
            *params.errors,
            *find_unknown_policies(bindings, policies, POLICY),
            *find_missing_params(policies, parsed_policies, rules.bindings),
        ),
        warnings=()
        if deferred or found.errors
        else (
            *found.warnings,
            *find_absent_params(bindings, parsed_policies, rules.bindings, rules.params),
        ),
    )
