"""Choosing between values, and giving up."""

from typing import NoReturn

from podgraft.gotemplate.errors import FunctionError
from podgraft.gotemplate.functions import Function
from podgraft.govalue import ANY, BOOL, STRING, Value


def ternary(yes: Value, no: Value, condition: Value) -> Value:
    """``yes`` where the condition, a bool, holds, else ``no``."""
    return yes if condition else no


def fail(reason: str) -> NoReturn:
    """Ends the rendering with the reason."""
    raise FunctionError(reason)


FUNCTIONS = {
    "ternary": Function(ternary, (ANY, ANY, BOOL)),
    "fail": Function(fail, (STRING,)),
}
