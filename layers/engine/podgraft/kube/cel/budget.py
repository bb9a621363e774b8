"""The budget of several expressions: of a policy as in Kubernetes, and of a review.

Source: Evaluate of k8s.io/apiserver 0.37 pkg/admission/plugin/cel/activation.go, composition.go.
"""

from __future__ import annotations

from collections.abc import Mapping

from .cost import EXPRESSION_BUDGET, Meter
from .errors import CostExceededError, EvaluationError, ReviewLimitError
from .program import Program
from .values import Value

_CANCELLED = "operation cancelled: actual cost limit exceeded"


class Budget:
    """The cost that expressions have left together; ``review`` is what all policies share."""

    __slots__ = ("_review", "read", "remaining")

    def __init__(self, remaining: int, review: Budget | None = None) -> None:
        self.remaining = remaining
        self.read = 0
        self._review = review

    def evaluate(self, program: Program, variables: Mapping[str, Value]) -> Value:
        """Evaluate an expression; a variable that it reads is an expression of its own.

        Raises ``EvaluationError``, also for an expression above ``EXPRESSION_BUDGET``;
        ``CostExceededError`` if all together cost more than the budget, for which Kubernetes asks
        failurePolicy; and ``ReviewLimitError`` above podgraft's own limits, which always denies:
        else an object could end policies that kube-apiserver evaluates.
        """
        review = self._review or self
        limit = min(EXPRESSION_BUDGET, self.remaining, review.remaining)
        meter = Meter(max(0, limit), review.read)
        try:
            return program.evaluate(variables, meter)
        except CostExceededError as error:
            raise EvaluationError(_CANCELLED) from error
        finally:
            self._spend(meter)

    def _spend(self, meter: Meter) -> None:
        review = self._review or self
        for budget in {self, review}:
            budget.remaining -= meter.spent
        review.read = meter.read
        if self.remaining < 0:
            raise CostExceededError("costs more than Kubernetes allows a policy")
        if review.remaining < 0:
            raise ReviewLimitError("costs more than all policies of a review may together")
