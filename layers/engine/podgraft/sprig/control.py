"""Choosing between values, and giving up."""

from typing import NoReturn

from podgraft.go.reflect import Value
from podgraft.texttemplate.errors import FunctionError


def ternary(yes: Value, no: Value, condition: Value) -> Value:
    """``yes`` where the condition, a bool, holds, else ``no``."""
    return yes if condition else no


def fail(reason: str) -> NoReturn:
    """Ends the rendering with the reason."""
    raise FunctionError(reason)
