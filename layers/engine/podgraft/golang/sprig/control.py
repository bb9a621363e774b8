"""The functions ternary and fail."""

from typing import NoReturn

from podgraft.golang.reflect import Value
from podgraft.golang.texttemplate.errors import FunctionError


def ternary(yes: Value, no: Value, condition: Value) -> Value:
    """``yes`` if the condition is true, else ``no``."""
    return yes if condition else no


def fail(reason: str) -> NoReturn:
    """Stop the rendering with the reason."""
    raise FunctionError(reason)
