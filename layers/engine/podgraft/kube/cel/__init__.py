"""The Common Expression Language as kube-apiserver 1.37 implements it.

``Environment.compile_`` parses and checks an expression and returns a ``Program``. The program
returns a value for the variables of a request, and counts its cost with a ``Meter`` as Kubernetes
does. Pure: no I/O, no clock. ``docs/overlays.md`` lists the differences from Kubernetes.
"""

from .budget import Budget
from .cost import CONDITIONS_BUDGET, POLICY_BUDGET, Meter
from .declarations import Structs
from .errors import CompileError, CostExceededError, EvaluationError, ReviewLimitError
from .lexer import is_identifier
from .program import Environment, Program
from .values import LazyMap, Value

__all__ = [
    "CONDITIONS_BUDGET",
    "POLICY_BUDGET",
    "Budget",
    "CompileError",
    "CostExceededError",
    "Environment",
    "EvaluationError",
    "LazyMap",
    "Meter",
    "Program",
    "ReviewLimitError",
    "Structs",
    "Value",
    "is_identifier",
]
