"""Mutating policies in a bundle, their bindings, and their parameters.

``podgraft.kube.mutation`` imports CEL, so it is imported only if the bundle has a policy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from podgraft import kube
from podgraft.base import jsonvalue
from podgraft.base.field_reads import FieldRead
from podgraft.base.jsonvalue import Object
from podgraft.core.injectors.errors import PolicyDenialError, UserError
from podgraft.core.injectors.mutation import Mutation
from podgraft.core.policy import Diagnostics, Policy
from podgraft.core.review_context import ReviewContext
from podgraft.golang.reflect import GoType
from podgraft.golang.texttemplate import DEFAULT_LIMITS
from podgraft.kube.matching import constraints
from podgraft.kube.matching.reads import find_policy_reads
from podgraft.kube.types import NEWEST

from .components import Component, Mutator
from .errors import Diagnostic
from .manifests import Manifest, Manifests, read_specs
from .policy_manifests import (
    find_absent_params,
    find_missing_params,
    find_oldest_release,
    find_unknown_policies,
)

if TYPE_CHECKING:
    from podgraft.kube.mutation import MutatingPolicySet, MutationReview

POLICY = "MutatingAdmissionPolicy"
BINDING = "MutatingAdmissionPolicyBinding"
_BUDGET = 10_000_000  # Kubernetes' cost of all expressions of a policy


class PolicyMutator(Struct, frozen=True):
    """Applies all mutating policies of the bundle, in the order of their names.

    kube-apiserver applies them before it calls webhooks, and again after a webhook changed the
    object. So the review starts them before all other mutators, and ends with the second pass.
    """

    policies: MutatingPolicySet

    def __call__(self, before: Object, context: ReviewContext, /) -> Mutation:
        """Apply both passes, without other mutators between them."""
        review = self.start(before, context)
        first = _run_pass(review.admit, before)
        return first.then(_run_pass(review.readmit, first.object))

    def start(self, before: Object, context: ReviewContext) -> MutationReview:
        """Start the passes for the object of a request; without one, the object's creation."""
        request = context.request or constraints.make_create_request(before, context.namespace)
        # A candidate and a trial, with lower limits, must leave time for the rest of the review.
        budget = _BUDGET * context.limits.steps // DEFAULT_LIMITS.steps
        return self.policies.start(request, context.trace, budget)

    def find_reads(self, _type: GoType | None, /) -> Iterator[tuple[FieldRead, ...]]:
        """Yield what each policy reads."""
        for policy in self.policies.policies:
            source = f'policy "{policy.name}"'
            programs = {f"mutation of {source}": [each.program for each in policy.mutations]}
            bindings = self.policies.bindings.get(policy.name, ())
            yield tuple(find_policy_reads(source, policy, bindings, programs))


def _run_pass(mutate: Callable[[Object], Object], before: Object) -> Mutation:
    """The mutation of one pass; raises ``PolicyDenialError``, and ``UserError`` for the object."""
    from podgraft.kube.mutation import MutationDeniedError

    try:
        after = mutate(before)
    except MutationDeniedError as error:
        raise PolicyDenialError(str(error), error.code) from error
    except kube.DecodeError as error:  # managedFields, which object_check omits
        raise UserError(
            f"object {error.location_problem or f'does not decode: {error}'}"
        ) from error
    if after is before or jsonvalue.equal(after, before):
        return Mutation.from_unchanged(before)
    return Mutation.from_objects(before, after)


def apply_mutators(mutators: Sequence[Mutator], before: Object, context: ReviewContext) -> Mutation:
    """All mutations in their order, as one mutation; policies begin it, and end it."""
    mutation = Mutation.from_unchanged(before)
    review = None
    for mutate in mutators:
        if isinstance(mutate, PolicyMutator):
            review = mutate.start(before, context)
            mutation = mutation.then(_run_pass(review.admit, mutation.object))
        else:
            mutation = mutation.then(mutate(mutation.object, context))
    if review is None:
        return mutation
    return mutation.then(_run_pass(review.readmit, mutation.object))


def compile_policies(manifests: Manifests, policy: Policy, *, deferred: bool) -> Component:
    """Compile the policies; an empty component if the bundle has none."""
    policies, bindings = manifests.of_kind(POLICY), manifests.of_kind(BINDING)
    if not policies:
        return Component(errors=tuple(find_unknown_policies(bindings, (), POLICY)))
    from podgraft.kube import mutation
    from podgraft.kube.structured.custom_resources import make_schema

    from .params import find_used, parse_params

    found, release = Diagnostics(), find_oldest_release(policy)
    parsed_policies = [
        mutation.parse_policy(*spec, release) for spec in read_specs(policies, found)
    ]
    parsed_bindings = [mutation.parse_binding(*spec) for spec in read_specs(bindings, found)]
    params = parse_params(manifests)
    policy_set = mutation.MutatingPolicySet(
        policies=tuple(sorted(parsed_policies, key=lambda each: each.name)),
        bindings=mutation.group_by_policy(parsed_bindings),
        params=params.index,
        namespaces=manifests.namespaces,
        schema=make_schema(policy.kubernetes_minor or NEWEST, params.custom_kinds),
    )
    mutator = PolicyMutator(policy_set)
    config_maps = manifests.of_kind("ConfigMap")
    return Component(
        pods=(mutator,),
        objects=(mutator,),
        used_manifests=tuple(find_used(config_maps, (each.params for each in parsed_bindings))),
        errors=(*found.errors, *params.errors, *find_unknown_policies(bindings, policies, POLICY)),
        warnings=()
        if deferred or found.errors
        else (
            *found.warnings,
            *find_missing_params(policies, parsed_policies, policy_set.bindings),
            *find_absent_params(bindings, parsed_policies, policy_set.bindings, params.index),
            *_find_unbound_policies(policies, policy_set),
            *_find_defects(policies, policy_set, policy),
        ),
    )


def _find_unbound_policies(
    manifests: tuple[Manifest, ...], policies: MutatingPolicySet
) -> Iterator[Diagnostic]:
    """Policies that do nothing, because no binding names them."""
    for manifest in manifests:
        if not policies.bindings.get(manifest.name):
            yield manifest.make_diagnostic(
                "", f"has no {BINDING}, and mutates nothing", f"add a {BINDING} that names it"
            )


def _find_defects(
    manifests: tuple[Manifest, ...], policies: MutatingPolicySet, policy: Policy
) -> Iterator[Diagnostic]:
    """Fields that fail for every object, and policies whose order matters where it is random."""
    from . import apply_fields, interference  # the function does not need them

    by_name = {policy.name: policy for policy in policies.policies}
    for manifest in manifests:
        yield from apply_fields.find_errors(manifest, by_name[manifest.name], policies.schema)
    minors = (each.kubernetes_minor or 0 for _, each in policy.variants())
    if max(minors) < interference.NATIVE:
        return
    documents = {manifest.name: manifest for manifest in manifests}
    for each in interference.find_interferences(policies.policies, policies.bindings):
        yield documents[each.document].make_diagnostic(each.pointer, each.problem, each.remedy)
