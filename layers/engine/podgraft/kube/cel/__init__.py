"""The Common Expression Language as kube-apiserver 1.37 implements it.

``Environment.compile_`` checks an expression and returns a ``Program``. The program returns a value
for the variables of a request, and counts its cost with a ``Meter`` as Kubernetes does. cel-cpp
parses and checks types; the first expression imports it. Pure: no I/O, no clock.

Differences from Kubernetes: expressions nest at most 32 levels deep (250 in Kubernetes), lists can
mix types, time zones are UTC or an offset, and ``has(variables.x)`` does not compile.
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
