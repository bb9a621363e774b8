"""The rules and the match condition that the mutating policies of a bundle need."""

from collections.abc import Iterable, Iterator
from itertools import product

from podgraft.base.jsonvalue import Object
from podgraft.cli.register.webhooks import WebhookRule, name_expression
from podgraft.core.bundle import Bundle, PolicyMutator
from podgraft.kube.cel import Program
from podgraft.kube.cel.syntax import Ident, walk
from podgraft.kube.matching.constraints import ResourceRule
from podgraft.kube.mutation import MutatingPolicy

CONDITION_NAME = "podgraft-policies"
# The variables that a webhook's match condition does not have.
_POLICY_VARIABLES = frozenset({"namespaceObject", "params", "variables"})
_ORDER = ("*", "CREATE", "UPDATE", "CONNECT")


def find_policies(bundle: Bundle | None) -> tuple[MutatingPolicy, ...]:
    """The mutating policies of a bundle that a binding puts in force."""
    mutators = () if bundle is None else bundle.object_mutators
    return tuple(
        policy
        for mutator in mutators
        if isinstance(mutator, PolicyMutator)
        for policy in mutator.policies.policies
        if mutator.policies.bindings.get(policy.name)
    )


def make_rules(policies: Iterable[MutatingPolicy]) -> list[WebhookRule]:
    """The rules of a webhook for which the policies can match, without duplicates."""
    operations: dict[tuple[str, str, str, str], set[str]] = {}
    for policy in policies:
        for rule in policy.constraints.rules:
            for key in _rule_keys(rule):
                operations.setdefault(key, set()).update(rule.operations)
    return [
        WebhookRule(group, version, resource, _sort_operations(names), scope)
        for (group, version, resource, scope), names in sorted(operations.items())
    ]


def _rule_keys(rule: ResourceRule) -> Iterator[tuple[str, str, str, str]]:
    names = ("/".join(part for part in pair if part) for pair in rule.resources)
    for group, version, name in product(rule.groups, rule.versions, names):
        yield group, version, name, str(rule.scope)


def _sort_operations(names: set[str]) -> tuple[str, ...]:
    return ("*",) if "*" in names else tuple(name for name in _ORDER if name in names)


def make_conditions(policies: Iterable[MutatingPolicy]) -> Iterator[Object]:
    """The match condition that is false if no policy matches; none if a policy matches without one.

    If no policy matches the original object, no policy changes it. So the conditions of later
    policies cannot become true.
    """
    alternatives: list[str] = []
    for policy in policies:
        programs = [condition.program for condition in policy.conditions]
        if not programs or not all(map(_is_portable, programs)):
            return
        texts = [program.text.strip() for program in programs]
        alternatives.append(" && ".join(f"({text})" for text in texts))
    if len(alternatives) > 1:
        alternatives = [f"({alternative})" for alternative in alternatives]
    if alternatives:
        yield name_expression(CONDITION_NAME, " || ".join(alternatives))


def _is_portable(program: Program) -> bool:
    """Whether an expression reads only what a webhook's match condition can read."""
    names = {node.name for node in walk(program.root) if isinstance(node, Ident)}
    return _POLICY_VARIABLES.isdisjoint(name.partition(".")[0] for name in names)
