"""``quantity("1.5Gi")``: resource quantities (Kubernetes library/quantity.go)."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import ClassVar

from podgraft.kube import Quantity as Amount
from podgraft.kube import QuantityError, quantity
from podgraft.kube.cel.cost import traversal_cost
from podgraft.kube.cel.errors import EvaluationError
from podgraft.kube.cel.overloads import function, make_test, member
from podgraft.kube.cel.values import INT_MAX, INT_MIN


class Quantity:
    """A quantity in CEL; two quantities are equal if their amounts are equal."""

    __slots__ = ("amount", "is_pointer", "is_short")
    CEL_NAME: ClassVar = "kubernetes.Quantity"

    def __init__(self, amount: Amount, *, is_short: bool = True, is_pointer: bool = False) -> None:
        self.amount = amount
        # A sum or difference is a pointer in Go: Equal fails if its argument is one.
        self.is_pointer = is_pointer
        # Whether Go holds it in 64 bits; only then it can be an integer (Quantity.AsInt64).
        self.is_short = is_short

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quantity) and self.amount.compare(other.amount) == 0

    def __hash__(self) -> int:
        return hash(self.amount.scale_unbounded(-9))

    def __str__(self) -> str:
        return str(self.amount)


def _quantity(text: str) -> Quantity:
    try:
        return Quantity(quantity.parse(text), is_short=quantity.is_short(text))
    except QuantityError as error:
        raise EvaluationError(str(error)) from error


def _is_integer(value: Quantity) -> bool:
    """Whether int64 holds it exactly (Quantity.AsInt64)."""
    amount = value.amount
    if not value.is_short or amount.exponent < 0:
        return False
    is_long = amount.unscaled != 0 and amount.length > len(str(INT_MAX))  # such as 1e999999999
    return not is_long and INT_MIN <= amount.scale_unbounded(0) <= INT_MAX


def _as_integer(value: Quantity) -> int:
    if not _is_integer(value):
        raise EvaluationError("cannot convert value to integer")
    return value.amount.scale_unbounded(0)


def _arithmetic_function(sign: int) -> Callable[[Quantity, Quantity | int], Quantity]:
    """Sum or difference; the result is written with the suffixes of the first."""

    def combine(left: Quantity, right: Quantity | int) -> Quantity:
        try:
            second = right.amount if isinstance(right, Quantity) else Amount(right)
            total = left.amount.add(second, sign)
        except QuantityError as error:
            raise EvaluationError(str(error)) from error
        is_short = left.is_short and (not isinstance(right, Quantity) or right.is_short)
        is_short = is_short and INT_MIN <= total.unscaled <= INT_MAX
        return Quantity(total, is_short=is_short, is_pointer=True)

    return combine


def _compare(left: Quantity, right: Quantity) -> int:
    return left.amount.compare(right.amount)


_Q = Quantity.CEL_NAME

QUANTITIES = (
    function("quantity", f"string -> {_Q}", _quantity, traversal_cost),
    function("isQuantity", "string -> bool", make_test(_quantity), traversal_cost),
    # A function, not a method, in Kubernetes.
    function("sign", f"{_Q} -> int", attrgetter("amount.sign")),
    member("isGreaterThan", f"{_Q} {_Q} -> bool", lambda left, right: _compare(left, right) > 0),
    member("isLessThan", f"{_Q} {_Q} -> bool", lambda left, right: _compare(left, right) < 0),
    member("compareTo", f"{_Q} {_Q} -> int", _compare),
    member("asApproximateFloat", f"{_Q} -> double", lambda value: value.amount.approximate()),
    member("asInteger", f"{_Q} -> int", _as_integer),
    member("isInteger", f"{_Q} -> bool", _is_integer),
    member("add", f"{_Q} {_Q} -> {_Q}", _arithmetic_function(1)),
    member("add", f"{_Q} int -> {_Q}", _arithmetic_function(1)),
    member("sub", f"{_Q} {_Q} -> {_Q}", _arithmetic_function(-1)),
    member("sub", f"{_Q} int -> {_Q}", _arithmetic_function(-1)),
)
