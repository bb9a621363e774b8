"""The cost of evaluation as in kube-apiserver, and the meter that limits it.

Sources: cel-go 0.29 interpreter/runtimecost.go and k8s.io/apiserver 0.37 pkg/cel/library/cost.go.
One unit is about a hundred nanoseconds there; a meter needs no clock, so the same review is
refused or not wherever it runs.
"""

from collections.abc import Callable, Sequence
from math import ceil
from typing import TypeAlias

from .errors import CostExceededError
from .values import Value, is_list, is_map, is_optional, kubernetes_type

# k8s.io/apiserver pkg/apis/cel/config.go: RuntimeCELCostBudget, for one policy and binding.
POLICY_BUDGET = 10_000_000
# There: RuntimeCELCostBudgetMatchConditions, for all match conditions of one policy.
CONDITIONS_BUDGET = 2_500_000
# There: PerCallLimit, for one expression.
EXPRESSION_BUDGET = 1_000_000

IDENT = SELECT = 1
LIST = 10
MAP = 30
STRUCT = 40
_TRAVERSAL = 0.1
_REGEX = 0.25
_COMPARISONS = 2.0

# Functions whose price does not depend on the overload (library/cost.go): it is also the price
# where values alone decide which overload runs. Others cost one unit then.
PRICED_BY_NAME = frozenset(
    """
    cidr containsCIDR containsIP find findAll includes indexOf ip ip.isCanonical isCIDR isIP
    isQuantity isSemver isSorted join jsonpatch.escapeKey lastIndexOf lowerAscii max min quantity
    replace semver split substring sum trim upperAscii url validate
    """.split()  # noqa: SIM905 - a list of strings would be 30 lines long
)

# The cost of a call, from its arguments and its result, which is ``None`` before the call.
Cost: TypeAlias = Callable[[Sequence[Value], Value], int]


class Meter:
    """A budget for evaluation; ``check`` raises ``CostExceededError`` if it is exceeded.

    Small steps only add to ``spent``; loops and calls check the budget. The unchecked cost is
    limited by the length of the expression. ``read`` are the members of values that functions read
    (``extent.py``), which kube-apiserver does not count.
    """

    __slots__ = ("budget", "read", "spent")

    def __init__(self, budget: int, read: int = 0) -> None:
        self.budget = budget
        self.spent = 0
        self.read = read

    def check(self) -> None:
        """Raise if the budget is overspent."""
        if self.spent > self.budget:
            raise CostExceededError(f"costs more than the {self.budget} units it may")

    def spend(self, cost: int) -> None:
        """Add ``cost``, and check the budget."""
        self.spent += cost
        self.check()


def size(value: Value) -> int:
    """The length in characters, bytes, or elements; 1 for a value without a length."""
    if isinstance(value, str | bytes) or is_list(value) or is_map(value):
        return len(value)
    if is_optional(value) and value.present:
        return size(value.value)
    # Addresses have the number of their bytes.
    return int(getattr(value, "cel_size", 1))


def fixed_cost(_arguments: Sequence[Value], _result: Value) -> int:
    """A call of fixed price."""
    return 1


def _scale(units: float, factor: float = _TRAVERSAL) -> int:
    return ceil(units * factor)


def traversal_cost(arguments: Sequence[Value], _result: Value) -> int:
    """Reading the first argument once."""
    return _scale(size(arguments[0]))


def second_traversal_cost(arguments: Sequence[Value], _result: Value) -> int:
    """Reading the second argument once: a prefix is looked for, whatever it is looked for in."""
    return _scale(size(arguments[1]))


def copy_cost(arguments: Sequence[Value], _result: Value) -> int:
    """Reading the first argument and writing as much."""
    return _scale(size(arguments[0]) * 2)


def result_copy_cost(_arguments: Sequence[Value], result: Value) -> int:
    """Writing the result."""
    return _scale(size(result) * 2)


def join_cost(arguments: Sequence[Value], _result: Value) -> int:
    """Writing both arguments, one after the other."""
    return _scale(size(arguments[0]) + size(arguments[1]))


def equality_cost(arguments: Sequence[Value], result: Value) -> int:
    """The same, and one unit for Kubernetes' own types."""
    return 1 if kubernetes_type(arguments[0]) else comparison_cost(arguments, result)


def comparison_cost(arguments: Sequence[Value], _result: Value) -> int:
    """Comparing as far as the shorter goes."""
    return _scale(min(size(arguments[0]), size(arguments[1])))


def search_cost(arguments: Sequence[Value], _result: Value) -> int:
    """Looking for the second argument everywhere in the first."""
    return _scale(size(arguments[0])) * _scale(size(arguments[1]))


def scan_cost(arguments: Sequence[Value], _result: Value) -> int:
    """Looking at every element of the second argument."""
    return size(arguments[1])


def match_cost(arguments: Sequence[Value], _result: Value) -> int:
    """Running a pattern, of about four characters a state, over a text."""
    return _scale(1 + size(arguments[0])) * _scale(size(arguments[1]), _REGEX)


def contain_ip_cost(arguments: Sequence[Value], _result: Value) -> int:
    """Comparing a prefix, and reading an address from text."""
    text = arguments[1]
    return _scale(2 * size(arguments[0])) + (_scale(len(text)) if isinstance(text, str) else 0)


def contain_cidr_cost(arguments: Sequence[Value], result: Value) -> int:
    """The same, and masking the prefix."""
    return contain_ip_cost(arguments, result) + _scale(size(arguments[0])) + 1


def pairwise_cost(arguments: Sequence[Value], _result: Value) -> int:
    """Comparing every element of one list with every element of another."""
    return 1 + size(arguments[0]) * size(arguments[1])


def list_cost(_arguments: Sequence[Value], result: Value) -> int:
    """Making a list."""
    return 1 + LIST + size(result)


def flatten_cost(arguments: Sequence[Value], _result: Value) -> int:
    """Reading a list as often as it is deep, and making a list."""
    depth = arguments[1] if len(arguments) > 1 and isinstance(arguments[1], int) else 1
    return 1 + LIST + size(arguments[0]) * (1 if depth < 0 else depth)


def sort_cost(arguments: Sequence[Value], _result: Value) -> int:
    """Comparing all of a list with each other, its keys in the last argument, and making one."""
    keys = arguments[-1]
    is_text = is_list(keys) and keys and isinstance(keys[0], str | bytes)
    return 1 + LIST + int(size(keys) ** 2 * (_COMPARISONS + _TRAVERSAL * bool(is_text)))


# What is known after the call only.
RESULT_COSTS: frozenset[Cost] = frozenset({result_copy_cost, list_cost})


def deep_traversal_cost(arguments: Sequence[Value], _result: Value) -> int:
    """Reading the whole first argument, elements of elements included."""
    return _count_elements(arguments[0])


def _count_elements(value: Value) -> int:
    if isinstance(value, str | bytes):
        text = value.encode() if isinstance(value, str) else value
        return int(len(text) * _TRAVERSAL)
    if is_list(value):
        return sum(map(_count_elements, value))
    if is_map(value):
        return sum(
            _count_elements(key) + _count_elements(element) for key, element in value.items()
        )
    return 1
