"""ValidatingAdmissionPolicy: a document read, with every expression compiled."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from podgraft import document_reader
from podgraft.cel import Program
from podgraft.matching import conditions, constraints
from podgraft.matching.conditions import ExpressionCompiler
from podgraft.policy import Cursor, MappingReader

from .result import REASONS
from .variables import PolicyVariable

T = TypeVar("T")

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_CONFIG_MAP = ("v1", "ConfigMap")


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """A rule: true is well; else ``words`` or ``message`` say what is wrong."""

    program: Program
    message: str
    message_program: Program | None
    reason: str


@dataclass(frozen=True, slots=True)
class AuditAnnotation:
    """Text for the audit log; null or blank leaves it out."""

    key: str
    program: Program


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidatingPolicy:
    """A policy whose expressions are compiled.

    ``fails`` is ``failurePolicy: Fail``: an expression that cannot be evaluated refuses.
    ``wants_params`` says that it has a ``paramKind``.
    """

    name: str
    constraints: constraints.MatchConstraints
    conditions: tuple[conditions.Condition, ...]
    variables: tuple[PolicyVariable, ...]
    validations: tuple[Validation, ...]
    audit: tuple[AuditAnnotation, ...]
    fails_closed: bool
    wants_params: bool


def parse_policy(spot: Cursor, name: str) -> ValidatingPolicy:
    """Read a policy's ``spec``; faults are noted, an expression's with line and column."""
    keys = MappingReader(spot)
    wants_params = keys.read_key("paramKind", _parse_param_kind) is not None
    compiler = ExpressionCompiler(params=wants_params)
    policy = ValidatingPolicy(
        name=name,
        wants_params=wants_params,
        constraints=keys.read_key("matchConstraints", constraints.parse_constraints)
        or _report_missing_constraints(spot),
        fails_closed=keys.read_key("failurePolicy", _parse_failure_policy) != "Ignore",
        # Match conditions see no variables (KEP-3488): they are read before those are declared.
        conditions=keys.read_key(
            "matchConditions", lambda each: conditions.parse_conditions(each, compiler)
        )
        or (),
        variables=keys.read_key("variables", _list_reader(_parse_variable, compiler)) or (),
        validations=keys.read_key("validations", _list_reader(_parse_validation, compiler)) or (),
        audit=keys.read_key("auditAnnotations", _list_reader(_parse_audit_annotation, compiler))
        or (),
    )
    keys.check_unknown_keys()
    given = spot.value if isinstance(spot.value, dict) else {}
    if not (given.get("validations") or given.get("auditAnnotations")):
        spot.add_error("has neither validations nor auditAnnotations", "give one of them")
    return policy


def _report_missing_constraints(spot: Cursor) -> constraints.MatchConstraints:
    spot.child("matchConstraints", None).add_error(
        "is missing", "say which objects the rules are for"
    )
    return constraints.MatchConstraints()


def _list_reader(
    read: Callable[[Cursor, ExpressionCompiler], T | None], compiler: ExpressionCompiler
) -> Callable[[Cursor], tuple[T, ...] | None]:
    """A reader of lists of expressions, in their order: later ones may see earlier ones."""

    def items(spot: Cursor) -> tuple[T, ...] | None:
        spots = spot.items()
        if spots is None:
            return None
        return tuple(found for each in spots if (found := read(each, compiler)) is not None)

    return items


def _parse_variable(spot: Cursor, compiler: ExpressionCompiler) -> PolicyVariable | None:
    keys = MappingReader(spot)
    name = keys.read_key("name", document_reader.parse_string) or ""
    program = conditions.read_required_expression(spot, keys, "expression", compiler)
    keys.check_unknown_keys()
    if not _IDENTIFIER.fullmatch(name):
        return spot.child("name", name).add_error(
            f"got {document_reader.format_value(name)}", "use a CEL identifier"
        )
    compiler.declare(name, program)
    return PolicyVariable(name, program) if program else None


def _parse_validation(spot: Cursor, compiler: ExpressionCompiler) -> Validation | None:
    keys = MappingReader(spot)
    program = conditions.read_required_expression(spot, keys, "expression", compiler, "bool")
    words = keys.read_key("messageExpression", lambda text: compiler.expression(text, "string"))
    message = keys.read_key("message", document_reader.parse_string) or ""
    reason = keys.read_key("reason", document_reader.parse_string) or "Invalid"
    keys.check_unknown_keys()
    if reason not in REASONS:
        spot.child("reason", reason).add_error(f"got {reason}", f"use {', '.join(REASONS)}")
    if program is None:
        return None
    return Validation(
        program=program, message_program=words, message=message.strip(), reason=reason
    )


def _parse_audit_annotation(spot: Cursor, compiler: ExpressionCompiler) -> AuditAnnotation | None:
    keys = MappingReader(spot)
    key = keys.read_key("key", document_reader.parse_string)
    program = conditions.read_required_expression(
        spot, keys, "valueExpression", compiler, "string", "null", "null_type"
    )
    keys.check_unknown_keys()
    return AuditAnnotation(key or "", program) if program else None


def _parse_param_kind(spot: Cursor) -> bool:
    keys = MappingReader(spot)
    kind = (
        keys.read_key("apiVersion", document_reader.parse_string),
        keys.read_key("kind", document_reader.parse_string),
    )
    keys.check_unknown_keys()
    if kind != _CONFIG_MAP:
        spot.add_error(
            f"got {document_reader.format_value(spot.value)}",
            "use ConfigMap of v1: parameters are part of the bundle",
        )
    return True


def _parse_failure_policy(spot: Cursor) -> str | None:
    if spot.value in {"Fail", "Ignore"}:
        return document_reader.parse_string(spot)
    return spot.add_error(f"got {document_reader.format_value(spot.value)}", "use Fail or Ignore")
