"""MutatingAdmissionPolicy and its binding: the parsed documents, with every expression compiled.

Source: k8s.io/kubernetes 1.37, pkg/apis/admissionregistration/validation.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from podgraft.base.jsonvalue import Object
from podgraft.kube.cel import Program
from podgraft.kube.document_reader import Cursor, MappingReader, describe_choices
from podgraft.kube.matching import conditions, constraints
from podgraft.kube.matching.conditions import ExpressionCompiler, read_expressions
from podgraft.kube.matching.params import parse_param_kind, parse_param_ref
from podgraft.kube.types import NEWEST
from podgraft.kube.validation.bindings import PolicyBinding
from podgraft.kube.validation.policies import AdmissionPolicy, report_missing_constraints
from podgraft.kube.validation.variables import parse_variable

_OPERATIONS = ("*", "CREATE", "UPDATE", "CONNECT")


class PatchType(StrEnum):
    """What the expression of a mutation returns; the key of the mutation for each type."""

    APPLY_CONFIGURATION = "ApplyConfiguration"
    JSON_PATCH = "JSONPatch"

    @property
    def key(self) -> str:
        """The key of the mutation that contains the expression."""
        return self[0].lower() + self[1:] if self is not PatchType.JSON_PATCH else "jsonPatch"


# The type that an expression must have.
_RESULTS = {PatchType.APPLY_CONFIGURATION: "Object", PatchType.JSON_PATCH: "list(JSONPatch)"}


@dataclass(frozen=True, slots=True)
class MutationExpression:
    """One of ``mutations``."""

    patch_type: PatchType
    program: Program


@dataclass(frozen=True, slots=True, kw_only=True)
class MutatingPolicy(AdmissionPolicy):
    """A policy with compiled expressions; ``is_reinvoked`` is ``reinvocationPolicy: IfNeeded``."""

    mutations: tuple[MutationExpression, ...]
    is_reinvoked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MutatingBinding(PolicyBinding):
    """A binding of a mutating policy."""


def parse_policy(cursor: Cursor, name: str, release: int = NEWEST) -> MutatingPolicy:
    """Parse the ``spec`` of a policy; the cursor collects errors, with line and column in CEL.

    It collects warnings of what kube-apiserver 1.``release`` does not have.
    """
    keys = MappingReader(cursor)
    param_kind = keys.read_key("paramKind", parse_param_kind)
    compiler = ExpressionCompiler(params=param_kind is not None, release=release)
    policy = MutatingPolicy(
        name=name,
        param_kind=param_kind,
        constraints=keys.read_key("matchConstraints", _parse_constraints)
        or report_missing_constraints(cursor, "mutates"),
        fails_closed=keys.read_choice("failurePolicy", ("Fail", "Ignore")) != "Ignore",
        is_reinvoked=keys.read_choice("reinvocationPolicy", ("Never", "IfNeeded")) == "IfNeeded",
        # Match conditions cannot use variables: parse them before the variables.
        conditions=conditions.read_conditions(keys, compiler),
        variables=read_expressions(keys, "variables", parse_variable, compiler),
        mutations=read_expressions(keys, "mutations", _parse_mutation, compiler),
    )
    keys.check_unknown_keys()
    keys.require("mutations", "add a mutation", problem="is missing or empty")
    keys.require("reinvocationPolicy", "use Never or IfNeeded")
    return policy


def parse_binding(cursor: Cursor, name: str) -> MutatingBinding:
    """Parse the ``spec`` of a binding; errors are collected by the cursor."""
    keys = MappingReader(cursor)
    binding = MutatingBinding(
        name=name,
        policy=keys.read_text("policyName"),
        constraints=keys.read_key("matchResources", _parse_scope),
        params=keys.read_key("paramRef", parse_param_ref),
    )
    keys.check_unknown_keys()
    keys.require("policyName", "set the name of a MutatingAdmissionPolicy")
    return binding


def _parse_constraints(cursor: Cursor) -> constraints.MatchConstraints | None:
    parsed = _parse_scope(cursor)
    if isinstance(cursor.value, dict) and not cursor.value.get("resourceRules"):
        remedy = "set the resources that the policy mutates"
        cursor.add_key_error("resourceRules", "is missing or empty", remedy)
    return parsed


def _parse_scope(cursor: Cursor) -> constraints.MatchConstraints | None:
    """Constraints whose rules have only the operations that have an object to mutate."""
    parsed = constraints.parse_constraints(cursor)
    rules: Object = cursor.value if isinstance(cursor.value, dict) else {}
    if parsed is None:
        return None
    for index, rule in enumerate(parsed.rules):
        if "DELETE" in rule.operations:
            listed = cursor.child("resourceRules", rules.get("resourceRules")).child(index, None)
            problem = "got DELETE, which has no object to mutate"
            listed.add_key_error("operations", problem, f"use {', '.join(_OPERATIONS)}")
    return parsed


def _parse_mutation(cursor: Cursor, compiler: ExpressionCompiler) -> MutationExpression | None:
    keys = MappingReader(cursor)
    patch_type = keys.read_choice("patchType", PatchType)
    keys.require("patchType", describe_choices(PatchType))
    programs: dict[PatchType, Program | None] = {}
    for each in PatchType:
        program = keys.read_key(
            each.key, lambda child, type_=_RESULTS[each]: _parse_expression(child, compiler, type_)
        )
        if keys.raw.get(each.key) is not None:
            programs[each] = program
    keys.check_unknown_keys()
    if patch_type is None:
        return None
    for other in programs.keys() - {patch_type}:
        problem = f"must be absent with patchType {patch_type}"
        cursor.add_key_error(other.key, problem, f"remove it, or use patchType {other}")
    if patch_type not in programs:
        remedy = f"set {patch_type.key}.expression"
        return cursor.add_key_error(patch_type.key, "is missing", remedy)
    program = programs[patch_type]
    return MutationExpression(patch_type, program) if program is not None else None


def _parse_expression(cursor: Cursor, compiler: ExpressionCompiler, type_: str) -> Program | None:
    keys = MappingReader(cursor)
    program = keys.read_key(
        "expression", lambda text: compiler.expression(text, type_, patch_types=True)
    )
    keys.check_unknown_keys()
    if isinstance(cursor.value, dict) and cursor.value.get("expression") is None:
        cursor.add_key_error("expression", "is missing", "write an expression in CEL")
    return program
