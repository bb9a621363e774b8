"""ValidatingAdmissionPolicy: the parsed document, with every expression compiled."""

from dataclasses import dataclass

from podgraft.kube.admission.validation_result import REASONS
from podgraft.kube.cel import Program
from podgraft.kube.document_reader import Cursor, MappingReader
from podgraft.kube.matching import conditions, constraints
from podgraft.kube.matching.conditions import ExpressionCompiler, read_expressions
from podgraft.kube.matching.params import ParamKind, parse_param_kind
from podgraft.kube.types import NEWEST

from .variables import PolicyVariable, parse_variable


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """A validation: if ``program`` is false, ``message_program`` or ``message`` is the error."""

    program: Program
    message: str
    message_program: Program | None
    reason: str


@dataclass(frozen=True, slots=True)
class AuditAnnotation:
    """An annotation for the audit log; it is omitted if its value is null or blank."""

    key: str
    program: Program


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmissionPolicy:
    """A policy of either kind with compiled expressions.

    ``fails_closed`` is ``failurePolicy: Fail``: an expression that fails denies the request.
    Without ``param_kind``, expressions cannot read parameters.
    """

    name: str
    constraints: constraints.MatchConstraints
    conditions: tuple[conditions.Condition, ...]
    variables: tuple[PolicyVariable, ...]
    fails_closed: bool
    param_kind: ParamKind | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidatingPolicy(AdmissionPolicy):
    """A validating policy."""

    validations: tuple[Validation, ...]
    audit: tuple[AuditAnnotation, ...]


def parse_policy(cursor: Cursor, name: str, release: int = NEWEST) -> ValidatingPolicy:
    """Parse the ``spec`` of a policy; the cursor collects errors, with line and column in CEL.

    It collects warnings of what kube-apiserver 1.``release`` does not have.
    """
    keys = MappingReader(cursor)
    param_kind = keys.read_key("paramKind", parse_param_kind)
    compiler = ExpressionCompiler(params=param_kind is not None, release=release)
    policy = ValidatingPolicy(
        name=name,
        param_kind=param_kind,
        constraints=keys.read_key("matchConstraints", constraints.parse_constraints)
        or report_missing_constraints(cursor, "validates"),
        fails_closed=keys.read_choice("failurePolicy", ("Fail", "Ignore")) != "Ignore",
        # Match conditions cannot use variables (KEP-3488): parse them before the variables.
        conditions=conditions.read_conditions(keys, compiler),
        variables=read_expressions(keys, "variables", parse_variable, compiler),
        validations=read_expressions(keys, "validations", _parse_validation, compiler),
        audit=read_expressions(keys, "auditAnnotations", _parse_annotation, compiler),
    )
    keys.check_unknown_keys()
    if not (keys.raw.get("validations") or keys.raw.get("auditAnnotations")):
        cursor.add_error("has neither validations nor auditAnnotations", "set one of them")
    return policy


def report_missing_constraints(cursor: Cursor, verb: str) -> constraints.MatchConstraints:
    """Add the error, and return constraints that match everything."""
    remedy = f"set the resources that the policy {verb}"
    cursor.add_key_error("matchConstraints", "is missing", remedy)
    return constraints.MatchConstraints()


def _parse_validation(cursor: Cursor, compiler: ExpressionCompiler) -> Validation | None:
    keys = MappingReader(cursor)
    program = conditions.read_required_expression(cursor, keys, "expression", compiler, "bool")
    message_program = keys.read_key(
        "messageExpression", lambda text: compiler.expression(text, "string")
    )
    message = keys.read_text("message")
    reason = keys.read_text("reason") or "Invalid"
    keys.check_unknown_keys()
    if reason not in REASONS:
        cursor.child("reason", reason).add_error(f"got {reason}", f"use {', '.join(REASONS)}")
    if program is None:
        return None
    return Validation(
        program=program, message_program=message_program, message=message.strip(), reason=reason
    )


def _parse_annotation(cursor: Cursor, compiler: ExpressionCompiler) -> AuditAnnotation | None:
    keys = MappingReader(cursor)
    key = keys.read_text("key")
    program = conditions.read_required_expression(
        cursor, keys, "valueExpression", compiler, "string", "null"
    )
    keys.check_unknown_keys()
    return AuditAnnotation(key, program) if program else None
