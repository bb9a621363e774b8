"""The builtin functions of text/template."""

from collections.abc import Callable, Mapping
from typing import NoReturn

from msgspec.structs import replace

from podgraft.golang.errors import FunctionError
from podgraft.golang.fmt.sprintf import format_default, sprint, sprintf, sprintln
from podgraft.golang.reflect import ANY, BOOL, INT, STRING, GoType, Value, type_of
from podgraft.golang.texttemplate.functions import (
    REFLECT_VALUE,
    Dependency,
    Function,
    KeyArgument,
    Propagation,
    SyntaxRisk,
)

from .compare import eq, ge, gt, le, lt, ne
from .escaping import html, js, urlquery
from .indexing import index, length, slice_


def _compiled_inline(*_: Value) -> NoReturn:
    raise TypeError("the compiler replaces this function with a Python operator")


def _printf(format_: str, *values: Value) -> str:
    return sprintf(format_, values)


def _call_non_function(name: str | None, function: Value, *_: Value) -> NoReturn:
    """call: always fails, because no value is a function."""
    if function is None:
        raise FunctionError("call of nil")
    type_ = type_of(function)
    if name is None:  # piped: Go shows the value as reflect.Value.String does
        name = format_default(function) if isinstance(function, str) else f"<{type_} Value>"
    raise FunctionError(f"non-function {name} of type {type_}")


def _function(call: Callable[..., Value], propagation: Propagation) -> Function:
    """A function of one value or more of any type; the result has no fixed type."""
    return Function(
        call,
        (REFLECT_VALUE,),
        REFLECT_VALUE,
        REFLECT_VALUE,
        propagation=propagation,
        syntax_risk=SyntaxRisk.NONE,
    )


def _test(call: Callable[..., Value], *, count: int) -> Function:
    """A function of *count* values that returns a boolean."""
    test = _function(call, Propagation.TESTS)
    return replace(test, parameters=(REFLECT_VALUE,) * count, variadic=None, result=BOOL)


def _printer(call: Callable[..., Value], propagation: Propagation, *parameters: GoType) -> Function:
    """A function that returns text of any number of values, after the parameters."""
    return replace(_function(call, propagation), parameters=parameters, variadic=ANY, result=STRING)


BUILTINS: Mapping[str, Function] = {
    "and": _function(_compiled_inline, Propagation.SELECTS),
    "call": replace(
        _function(_call_non_function, Propagation.DERIVES), syntax_risk=SyntaxRisk.POSSIBLE
    ),
    "eq": replace(_function(eq, Propagation.TESTS), result=BOOL),
    "ge": _test(ge, count=2),
    "gt": _test(gt, count=2),
    "html": _printer(html, Propagation.REWRITES),
    "index": replace(
        _function(index, Propagation.SELECTS), dependencies=(Dependency(0, (KeyArgument(1),)),)
    ),
    "js": _printer(js, Propagation.REWRITES),
    "le": _test(le, count=2),
    "len": replace(
        _function(length, Propagation.DERIVES), variadic=None, result=INT, wants_interfaces=True
    ),
    "lt": _test(lt, count=2),
    "ne": _test(ne, count=2),
    "not": _test(_compiled_inline, count=1),
    "or": _function(_compiled_inline, Propagation.SELECTS),
    "print": _printer(sprint, Propagation.CARRIES),
    "printf": _printer(_printf, Propagation.CARRIES, STRING),
    "println": _printer(sprintln, Propagation.CARRIES),
    "slice": replace(
        _function(slice_, Propagation.DERIVES),
        wants_interfaces=True,
        syntax_risk=SyntaxRisk.SLICES,
    ),
    "urlquery": replace(_printer(urlquery, Propagation.REWRITES), syntax_risk=SyntaxRisk.POSSIBLE),
}
