"""ValidatingAdmissionPolicyBinding: the scope, actions, and parameters of a policy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from podgraft.kube import document_reader
from podgraft.kube.document_reader import Cursor, MappingReader
from podgraft.kube.matching import constraints
from podgraft.kube.matching.params import ParamRef, parse_param_ref


class ValidationAction(StrEnum):
    """The action for a failed validation."""

    DENY = "Deny"
    WARN = "Warn"
    AUDIT = "Audit"


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyBinding:
    """A binding of either kind of policy: its scope and its parameters."""

    policy: str
    name: str = ""
    constraints: constraints.MatchConstraints | None = None
    params: ParamRef | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding(PolicyBinding):
    """A binding of a policy; without ``name``, the implicit binding of an unbound policy."""

    actions: frozenset[ValidationAction] = frozenset({ValidationAction.DENY})


BindingT = TypeVar("BindingT", bound=PolicyBinding)


def group_by_policy(bindings: Iterable[BindingT]) -> Mapping[str, Sequence[BindingT]]:
    """Group bindings by policy, in the order of their names."""
    by_policy: dict[str, list[BindingT]] = {}
    for binding in sorted(bindings, key=lambda binding: binding.name):
        by_policy.setdefault(binding.policy, []).append(binding)
    return by_policy


def parse_binding(cursor: Cursor, name: str) -> Binding:
    """Parse the ``spec`` of a binding; errors are collected by the cursor."""
    keys = MappingReader(cursor)
    binding = Binding(
        name=name,
        policy=keys.read_text("policyName"),
        actions=keys.read_key("validationActions", _parse_actions) or frozenset(),
        constraints=keys.read_key("matchResources", constraints.parse_constraints),
        params=keys.read_key("paramRef", parse_param_ref),
    )
    keys.check_unknown_keys()
    keys.require("policyName", "set the name of a ValidatingAdmissionPolicy")
    actions = ", ".join(ValidationAction)
    keys.require("validationActions", f"use {actions}", problem="is missing or empty")
    return binding


def _parse_actions(cursor: Cursor) -> frozenset[ValidationAction] | None:
    names = document_reader.parse_strings(cursor)
    if names is None:
        return None
    for name in names:
        if name not in set(ValidationAction):
            cursor.add_error(f"got {name}", f"use {', '.join(ValidationAction)}")
    if {ValidationAction.DENY, ValidationAction.WARN} <= set(names):
        cursor.add_error("Deny and Warn both report the failure", "remove one of them")
    return frozenset(ValidationAction(name) for name in names if name in set(ValidationAction))
