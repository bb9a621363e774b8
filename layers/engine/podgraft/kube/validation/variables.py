"""The variables of a validating policy: named expressions, evaluated on first use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from podgraft.kube.cel import EvaluationError, Meter, Program, Value


@dataclass(frozen=True, slots=True)
class PolicyVariable:
    """A named expression, evaluated at most once."""

    name: str
    program: Program


class Activation(dict[str, Value]):
    """Values by name; a variable is evaluated on first use."""

    def __init__(self, values: Mapping[str, Value], variables: Iterable[PolicyVariable]) -> None:
        super().__init__(values)
        self._programs = {f"variables.{variable.name}": variable.program for variable in variables}
        self._failures: dict[str, EvaluationError] = {}
        self.meter = Meter(0)

    def __missing__(self, name: str) -> Value:
        if name in self._failures:
            raise self._failures[name]
        try:
            value = self._programs[name].evaluate(self, self.meter)
        except EvaluationError as error:
            self._failures[name] = error
            raise
        self[name] = value
        return value

    def evaluate(self, program: Program, meter: Meter) -> Value:
        """Evaluate a program; variables that it uses are charged to the same meter."""
        self.meter = meter
        return program.evaluate(self, meter)
