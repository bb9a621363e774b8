"""ValidatingAdmissionPolicy: a document read, with every expression compiled."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from podgraft.cel import Program
from podgraft.policy import Keys, Spot, conditions, constraints, reading
from podgraft.policy.conditions import Compiler

from .judgement import REASONS
from .variables import Variable

T = TypeVar("T")

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_CONFIG_MAP = ("v1", "ConfigMap")


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """A rule: true is well; else ``words`` or ``message`` say what is wrong."""

    program: Program
    message: str
    words: Program | None
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
    variables: tuple[Variable, ...]
    validations: tuple[Validation, ...]
    audit: tuple[AuditAnnotation, ...]
    fails: bool
    wants_params: bool


def read_policy(spot: Spot, name: str) -> ValidatingPolicy:
    """Read a policy's ``spec``; faults are noted, an expression's with line and column."""
    keys = Keys(spot)
    wants_params = keys.read("paramKind", _param_kind) is not None
    compiler = Compiler(params=wants_params)
    policy = ValidatingPolicy(
        name=name,
        wants_params=wants_params,
        constraints=keys.read("matchConstraints", constraints.read) or _unconstrained(spot),
        fails=keys.read("failurePolicy", _failure_policy) != "Ignore",
        # Match conditions see no variables (KEP-3488): they are read before those are declared.
        conditions=keys.read("matchConditions", lambda each: conditions.read(each, compiler)) or (),
        variables=keys.read("variables", _each(_variable, compiler)) or (),
        validations=keys.read("validations", _each(_validation, compiler)) or (),
        audit=keys.read("auditAnnotations", _each(_audit, compiler)) or (),
    )
    keys.close()
    given = spot.value if isinstance(spot.value, dict) else {}
    if not (given.get("validations") or given.get("auditAnnotations")):
        spot.fault("has neither validations nor auditAnnotations", "give one of them")
    return policy


def _unconstrained(spot: Spot) -> constraints.MatchConstraints:
    spot.under("matchConstraints", None).fault("is missing", "say which objects the rules are for")
    return constraints.MatchConstraints()


def _each(
    read: Callable[[Spot, Compiler], T | None], compiler: Compiler
) -> Callable[[Spot], tuple[T, ...] | None]:
    """A reader of lists of expressions, in their order: later ones may see earlier ones."""

    def items(spot: Spot) -> tuple[T, ...] | None:
        spots = spot.items()
        if spots is None:
            return None
        return tuple(found for each in spots if (found := read(each, compiler)) is not None)

    return items


def _variable(spot: Spot, compiler: Compiler) -> Variable | None:
    keys = Keys(spot)
    name = keys.read("name", reading.text) or ""
    program = conditions.required(spot, keys, "expression", compiler)
    keys.close()
    if not _IDENTIFIER.fullmatch(name):
        return spot.under("name", name).fault(f"got {reading.shown(name)}", "use a CEL identifier")
    compiler.declare(name, program)
    return Variable(name, program) if program else None


def _validation(spot: Spot, compiler: Compiler) -> Validation | None:
    keys = Keys(spot)
    program = conditions.required(spot, keys, "expression", compiler, "bool")
    words = keys.read("messageExpression", lambda text: compiler.expression(text, "string"))
    message = keys.read("message", reading.text) or ""
    reason = keys.read("reason", reading.text) or "Invalid"
    keys.close()
    if reason not in REASONS:
        spot.under("reason", reason).fault(f"got {reason}", f"use {', '.join(REASONS)}")
    if program is None:
        return None
    return Validation(program=program, words=words, message=message.strip(), reason=reason)


def _audit(spot: Spot, compiler: Compiler) -> AuditAnnotation | None:
    keys = Keys(spot)
    key = keys.read("key", reading.text)
    program = conditions.required(
        spot, keys, "valueExpression", compiler, "string", "null", "null_type"
    )
    keys.close()
    return AuditAnnotation(key or "", program) if program else None


def _param_kind(spot: Spot) -> bool:
    keys = Keys(spot)
    kind = (keys.read("apiVersion", reading.text), keys.read("kind", reading.text))
    keys.close()
    if kind != _CONFIG_MAP:
        spot.fault(
            f"got {reading.shown(spot.value)}",
            "use ConfigMap of v1: parameters are part of the bundle",
        )
    return True


def _failure_policy(spot: Spot) -> str | None:
    if spot.value in {"Fail", "Ignore"}:
        return reading.text(spot)
    return spot.fault(f"got {reading.shown(spot.value)}", "use Fail or Ignore")
