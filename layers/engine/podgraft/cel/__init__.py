"""The Common Expression Language as kube-apiserver 1.37 speaks it.

``compile_(text, variables)`` checks an expression and gives a ``Program``; the program gives a
value for the variables of a review, and spends a ``Meter`` as Kubernetes counts cost. Parsing and
type checking are cel-cpp's, loaded with the first expression. Pure: no I/O, no clock.

Different from Kubernetes: expressions nest at most 32 levels deep (250 there), lists may mix types,
time zones are UTC or an offset, and ``has(variables.x)`` does not compile (it is always true).
"""

from .cost import CONDITIONS_BUDGET, EXPRESSION_BUDGET, POLICY_BUDGET, Meter
from .errors import CompileError, CostExceededError, EvaluationError, Problem
from .program import Environment, Program, Shape
from .values import Value

__all__ = [
    "CONDITIONS_BUDGET",
    "EXPRESSION_BUDGET",
    "POLICY_BUDGET",
    "CompileError",
    "CostExceededError",
    "Environment",
    "EvaluationError",
    "Meter",
    "Problem",
    "Program",
    "Shape",
    "Value",
]
