"""Text of the Common Expression Language: literals, and label selectors as expressions."""

from collections.abc import Iterable
from typing import assert_never

from podgraft.kube.selectors import Operator, Requirement, Selector

_ESCAPES = str.maketrans({"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r"})


def string_literal(value: str) -> str:
    """A string literal."""
    return f"'{value.translate(_ESCAPES)}'"


def list_literal(values: Iterable[str]) -> str:
    """A list of string literals."""
    return f"[{', '.join(map(string_literal, values))}]"


def any_selector_expression(selectors: Iterable[Selector], labels: str) -> str:
    """Whether one of *selectors* matches the map *labels*; an empty one matches nothing."""
    alternatives = [_selector_expression(one, labels) for one in selectors if not one.is_empty]
    return " || ".join(alternatives) or "false"


def _selector_expression(selector: Selector, labels: str) -> str:
    return f"({' && '.join(_requirement_expression(one, labels) for one in selector.requirements)})"


def _requirement_expression(requirement: Requirement, labels: str) -> str:
    key, values = string_literal(requirement.key), list_literal(sorted(requirement.values))
    present = f"{key} in {labels}"
    match requirement.operator:
        case Operator.EQUALS | Operator.IN:
            return f"{present} && {labels}[{key}] in {values}"
        case Operator.NOT_IN:
            return f"!({present} && {labels}[{key}] in {values})"
        case Operator.EXISTS:
            return present
        case Operator.DOES_NOT_EXIST:
            return f"!({present})"
        case _:
            assert_never(requirement.operator)
