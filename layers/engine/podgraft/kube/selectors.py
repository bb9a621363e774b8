"""Label selectors (metav1.LabelSelectorAsSelector and labels.Requirement, apimachinery 0.37)."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple, assert_never

import msgspec

from podgraft.base.diagnostics import Diagnostic
from podgraft.base.jsonvalue import JSON
from podgraft.golang.reflect import Struct

from .decode_errors import DecodeError, FieldError
from .decoding import decode
from .errors import SelectorError
from .names import NameProblem, label_key_problem, label_value_problem
from .patch.pointer import escape
from .types import LABEL_SELECTOR

__all__ = ["NOTHING", "Operator", "Requirement", "Selector", "SelectorError", "compile_"]


class Operator(StrEnum):
    """The operator of a requirement; ``matchLabels`` use ``EQUALS``."""

    EQUALS = "="
    IN = "In"
    NOT_IN = "NotIn"
    EXISTS = "Exists"
    DOES_NOT_EXIST = "DoesNotExist"


_WRITABLE = tuple(operator for operator in Operator if operator is not Operator.EQUALS)
_TYPES = {
    "string": "a string",
    "v1.LabelSelectorOperator": "a string",
    "[]string": "a list of strings",
    "map[string]string": "a mapping of strings",
    "[]v1.LabelSelectorRequirement": "a list of mappings",
}


class Requirement(msgspec.Struct, frozen=True):
    """A requirement for one label."""

    key: str
    operator: Operator
    values: frozenset[str] = frozenset()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether the labels satisfy the requirement; a missing label is in no set."""
        match self.operator:
            case Operator.EQUALS | Operator.IN:
                return labels.get(self.key) in self.values
            case Operator.NOT_IN:
                return labels.get(self.key) not in self.values
            case Operator.EXISTS:
                return self.key in labels
            case Operator.DOES_NOT_EXIST:
                return self.key not in labels
            case _:
                assert_never(self.operator)

    @property
    def is_positive(self) -> bool:
        """Whether only objects with the label can satisfy the requirement."""
        return self.operator in {Operator.EQUALS, Operator.IN, Operator.EXISTS}

    def __str__(self) -> str:
        """In the syntax of ``kubectl --selector``."""
        values = ",".join(sorted(self.values))
        match self.operator:
            case Operator.EQUALS:
                return f"{self.key}={values}"
            case Operator.IN:
                return f"{self.key} in ({values})"
            case Operator.NOT_IN:
                return f"{self.key} notin ({values})"
            case Operator.EXISTS:
                return self.key
            case Operator.DOES_NOT_EXIST:
                return f"!{self.key}"
            case _:
                assert_never(self.operator)


class Selector(msgspec.Struct, frozen=True):
    """Requirements that must all be satisfied."""

    requirements: tuple[Requirement, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is no requirement: matches all objects in Kubernetes, and none in Istio."""
        return not self.requirements

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether an object with these labels is selected."""
        return all(requirement.matches(labels) for requirement in self.requirements)

    def __str__(self) -> str:
        """In the syntax of ``kubectl --selector``."""
        return ",".join(map(str, sorted(self.requirements, key=lambda r: r.key)))


# A requirement without values matches no labels.
NOTHING = Selector((Requirement("", Operator.IN),))


def compile_(raw: JSON) -> Selector:
    """Compile a metav1.LabelSelector; null selects nothing, and ``{}`` selects everything.

    As in Kubernetes, unknown keys are ignored. Raises ``SelectorError`` with all errors.
    """
    if raw is None:
        return NOTHING
    try:
        viewed: Struct = LABEL_SELECTOR.convert(decode(LABEL_SELECTOR, raw))
    except DecodeError as error:
        raise SelectorError(map(_from_field_error, error.errors)) from error
    labels: Mapping[str, str] = dict(viewed.field("MatchLabels").items())
    expressions = tuple(map(_expression, viewed.field("MatchExpressions")))
    diagnostics = [*_label_diagnostics(labels), *_expression_diagnostics(expressions)]
    if diagnostics:
        raise SelectorError(diagnostics)
    requirements = (
        *(Requirement(key, Operator.EQUALS, frozenset({value})) for key, value in labels.items()),
        *(
            Requirement(one.key, Operator(one.operator), frozenset(one.values))
            for one in expressions
        ),
    )
    return Selector(requirements)


class _Expression(NamedTuple):
    key: str
    operator: str
    values: tuple[str, ...]


def _expression(viewed: Struct) -> _Expression:
    values = tuple(viewed.field("Values"))
    return _Expression(viewed.field("Key"), viewed.field("Operator"), values)


def _label_diagnostics(labels: Mapping[str, str]) -> Iterator[Diagnostic]:
    for key, value in labels.items():
        yield from _diagnostic_at("/matchLabels", label_key_problem(key))
        yield from _diagnostic_at(f"/matchLabels/{escape(key)}", label_value_problem(value))


def _expression_diagnostics(expressions: tuple[_Expression, ...]) -> Iterator[Diagnostic]:
    for index, expression in enumerate(expressions):
        path = f"/matchExpressions/{index}"
        yield from _diagnostic_at(f"{path}/key", label_key_problem(expression.key))
        yield from _diagnostic_at(f"{path}/operator", _operator_problem(expression.operator))
        yield from _diagnostic_at(f"{path}/values", _count_problem(expression))
        for number, value in enumerate(expression.values):
            yield from _diagnostic_at(f"{path}/values/{number}", label_value_problem(value))


def _diagnostic_at(path: str, problem: NameProblem | None) -> Iterator[Diagnostic]:
    if problem is not None:
        yield Diagnostic(problem.got, problem.remedy, pointer=path)


def _operator_problem(operator: str) -> NameProblem | None:
    if operator in _WRITABLE:
        return None
    return NameProblem(f'got "{operator}"', f"use {', '.join(_WRITABLE)}")


def _count_problem(expression: _Expression) -> NameProblem | None:
    values = expression.values
    match expression.operator:
        case Operator.IN | Operator.NOT_IN if not values:
            return NameProblem("got none", f"use at least one with {expression.operator}")
        case Operator.EXISTS | Operator.DOES_NOT_EXIST if values:
            return NameProblem(f"got {len(values)}", f"use none with {expression.operator}")
        case _:
            return None


def _from_field_error(error: FieldError) -> Diagnostic:
    pointer = "".join(f"/{escape(step)}" for step in error.pointer)
    remedy = f"use {_TYPES.get(error.expected, 'a mapping')}"
    return Diagnostic(f"got {error.got.split()[0]}", remedy, pointer=pointer)
