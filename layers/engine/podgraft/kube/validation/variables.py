"""The variables of a policy: named expressions, evaluated on first use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from podgraft.kube.cel import Budget, EvaluationError, LazyMap, Program, Value, is_identifier
from podgraft.kube.cel.equality import NO_GO_TYPES, GoTypes
from podgraft.kube.document_reader import Cursor, MappingReader
from podgraft.kube.matching import conditions
from podgraft.kube.matching.conditions import ExpressionCompiler


@dataclass(frozen=True, slots=True)
class PolicyVariable:
    """A named expression, evaluated at most once."""

    name: str
    program: Program


class Activation(dict[str, Value]):
    """Values by name; a variable is evaluated on first use."""

    def __init__(
        self,
        values: Mapping[str, Value],
        variables: Iterable[PolicyVariable],
        go: GoTypes = NO_GO_TYPES,
    ) -> None:
        super().__init__(values)
        self.go = go
        self.budget = Budget(0)
        self._programs = {variable.name: variable.program for variable in variables}
        self._values: dict[str, Value] = {}
        self._failures: dict[str, EvaluationError] = {}
        self["variables"] = LazyMap(self._programs, self._read)

    def _read(self, name: str) -> Value:
        if name in self._failures:
            raise self._failures[name]
        if name not in self._values:
            try:
                self._values[name] = self.budget.evaluate(self._programs[name], self)
            except EvaluationError as error:
                failure = f'composited variable "{name}" fails to evaluate: {error}'
                self._failures[name] = EvaluationError(failure)
                raise self._failures[name] from error
        return self._values[name]

    def evaluate(self, program: Program, budget: Budget) -> Value:
        """Evaluate a program; variables that it uses are charged to the same budget."""
        self.budget = budget
        return budget.evaluate(program, self)


T = TypeVar("T")


def parse_variable(cursor: Cursor, compiler: ExpressionCompiler) -> PolicyVariable | None:
    """Read a variable, and declare it for the expressions that follow."""
    keys = MappingReader(cursor)
    name = keys.read_text("name")
    program = conditions.read_required_expression(cursor, keys, "expression", compiler)
    keys.check_unknown_keys()
    if not is_identifier(name):
        return cursor.child("name", name).refuse("use a CEL identifier")
    compiler.declare(name, program)
    return PolicyVariable(name, program) if program else None
