"""ValidatingAdmissionPolicy: the parsed document, with every expression compiled."""

from dataclasses import dataclass

from podgraft.kube import document_reader
from podgraft.kube.cel import NEWEST, Program
from podgraft.kube.document_reader import Cursor, MappingReader
from podgraft.kube.matching import conditions, constraints
from podgraft.kube.matching.conditions import ExpressionCompiler
from podgraft.kube.matching.params import ParamKind, parse_param_kind

from .expressions import make_list_parser, parse_variable
from .result import REASONS
from .variables import PolicyVariable


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
class ValidatingPolicy:
    """A policy with compiled expressions.

    ``fails_closed`` is ``failurePolicy: Fail``: an expression that fails denies the request.
    Without ``param_kind``, expressions cannot read parameters.
    """

    name: str
    constraints: constraints.MatchConstraints
    conditions: tuple[conditions.Condition, ...]
    variables: tuple[PolicyVariable, ...]
    validations: tuple[Validation, ...]
    audit: tuple[AuditAnnotation, ...]
    fails_closed: bool
    param_kind: ParamKind | None


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
        or _report_missing_constraints(cursor),
        fails_closed=keys.read_choice("failurePolicy", ("Fail", "Ignore")) != "Ignore",
        # Match conditions cannot use variables (KEP-3488): parse them before the variables.
        conditions=keys.read_key(
            "matchConditions", lambda child: conditions.parse_conditions(child, compiler)
        )
        or (),
        variables=keys.read_key("variables", make_list_parser(parse_variable, compiler)) or (),
        validations=keys.read_key("validations", make_list_parser(_parse_validation, compiler))
        or (),
        audit=keys.read_key("auditAnnotations", make_list_parser(_parse_annotation, compiler))
        or (),
    )
    keys.check_unknown_keys()
    spec = cursor.value if isinstance(cursor.value, dict) else {}
    if not (spec.get("validations") or spec.get("auditAnnotations")):
        cursor.add_error("has neither validations nor auditAnnotations", "set one of them")
    return policy


def _report_missing_constraints(cursor: Cursor) -> constraints.MatchConstraints:
    cursor.child("matchConstraints", None).add_error(
        "is missing", "set the resources that the policy validates"
    )
    return constraints.MatchConstraints()


def _parse_validation(cursor: Cursor, compiler: ExpressionCompiler) -> Validation | None:
    keys = MappingReader(cursor)
    program = conditions.read_required_expression(cursor, keys, "expression", compiler, "bool")
    message_program = keys.read_key(
        "messageExpression", lambda text: compiler.expression(text, "string")
    )
    message = keys.read_key("message", document_reader.parse_string) or ""
    reason = keys.read_key("reason", document_reader.parse_string) or "Invalid"
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
    key = keys.read_key("key", document_reader.parse_string)
    program = conditions.read_required_expression(
        cursor, keys, "valueExpression", compiler, "string", "null"
    )
    keys.check_unknown_keys()
    return AuditAnnotation(key or "", program) if program else None
