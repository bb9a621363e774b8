"""The builtin functions of text/template."""

from collections.abc import Mapping
from typing import NoReturn

from podgraft.golang.fmt.sprintf import format_default, sprint, sprintf, sprintln
from podgraft.golang.reflect import ANY, BOOL, INT, STRING, Value, type_of
from podgraft.golang.texttemplate.errors import FunctionError
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


_ONE, _TWO = (REFLECT_VALUE,), (REFLECT_VALUE, REFLECT_VALUE)

BUILTINS: Mapping[str, Function] = {
    "and": Function(
        _compiled_inline,
        _ONE,
        REFLECT_VALUE,
        REFLECT_VALUE,
        propagation=Propagation.SELECTS,
        syntax_risk=SyntaxRisk.NONE,
    ),
    "call": Function(
        _call_non_function,
        _ONE,
        REFLECT_VALUE,
        REFLECT_VALUE,
        propagation=Propagation.DERIVES,
        syntax_risk=SyntaxRisk.POSSIBLE,
    ),
    "eq": Function(
        eq, _ONE, REFLECT_VALUE, BOOL, propagation=Propagation.TESTS, syntax_risk=SyntaxRisk.NONE
    ),
    "ge": Function(
        ge, _TWO, result=BOOL, propagation=Propagation.TESTS, syntax_risk=SyntaxRisk.NONE
    ),
    "gt": Function(
        gt, _TWO, result=BOOL, propagation=Propagation.TESTS, syntax_risk=SyntaxRisk.NONE
    ),
    "html": Function(
        html,
        variadic=ANY,
        result=STRING,
        propagation=Propagation.REWRITES,
        syntax_risk=SyntaxRisk.NONE,
    ),
    "index": Function(
        index,
        _ONE,
        REFLECT_VALUE,
        REFLECT_VALUE,
        dependencies=(Dependency(0, (KeyArgument(1),)),),
        propagation=Propagation.SELECTS,
        syntax_risk=SyntaxRisk.NONE,
    ),
    "js": Function(
        js,
        variadic=ANY,
        result=STRING,
        propagation=Propagation.REWRITES,
        syntax_risk=SyntaxRisk.NONE,
    ),
    "le": Function(
        le, _TWO, result=BOOL, propagation=Propagation.TESTS, syntax_risk=SyntaxRisk.NONE
    ),
    "len": Function(
        length,
        _ONE,
        result=INT,
        wants_interfaces=True,
        propagation=Propagation.DERIVES,
        syntax_risk=SyntaxRisk.NONE,
    ),
    "lt": Function(
        lt, _TWO, result=BOOL, propagation=Propagation.TESTS, syntax_risk=SyntaxRisk.NONE
    ),
    "ne": Function(
        ne, _TWO, result=BOOL, propagation=Propagation.TESTS, syntax_risk=SyntaxRisk.NONE
    ),
    "not": Function(
        _compiled_inline,
        _ONE,
        result=BOOL,
        propagation=Propagation.TESTS,
        syntax_risk=SyntaxRisk.NONE,
    ),
    "or": Function(
        _compiled_inline,
        _ONE,
        REFLECT_VALUE,
        REFLECT_VALUE,
        propagation=Propagation.SELECTS,
        syntax_risk=SyntaxRisk.NONE,
    ),
    "print": Function(
        sprint,
        variadic=ANY,
        result=STRING,
        propagation=Propagation.CARRIES,
        syntax_risk=SyntaxRisk.NONE,
    ),
    "printf": Function(
        _printf,
        (STRING,),
        ANY,
        STRING,
        propagation=Propagation.CARRIES,
        syntax_risk=SyntaxRisk.NONE,
    ),
    "println": Function(
        sprintln,
        variadic=ANY,
        result=STRING,
        propagation=Propagation.CARRIES,
        syntax_risk=SyntaxRisk.NONE,
    ),
    "slice": Function(
        slice_,
        _ONE,
        REFLECT_VALUE,
        REFLECT_VALUE,
        wants_interfaces=True,
        propagation=Propagation.DERIVES,
        syntax_risk=SyntaxRisk.SLICES,
    ),
    "urlquery": Function(
        urlquery,
        variadic=ANY,
        result=STRING,
        propagation=Propagation.REWRITES,
        syntax_risk=SyntaxRisk.POSSIBLE,
    ),
}
