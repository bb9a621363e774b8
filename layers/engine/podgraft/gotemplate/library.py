"""The functions that every template has."""

from collections.abc import Mapping
from typing import NoReturn

from podgraft.govalue import ANY, BOOL, INT, STRING, Value, type_of

from .compare import eq, ge, gt, le, lt, ne
from .errors import FunctionError
from .escaping import html, js, urlquery
from .functions import REFLECTED, Function, Named, Read
from .indexing import index, length, slice_
from .printing import show, sprint, sprintf, sprintln


def _compiled(*_: Value) -> NoReturn:
    raise TypeError("the compiler makes Python's own operators of this one")


def _printf(format_: str, *values: Value) -> str:
    return sprintf(format_, values)


def _call(name: str | None, function: Value, *_: Value) -> NoReturn:
    """call, of what cannot be called: no value here is a function."""
    if function is None:
        raise FunctionError("call of nil")
    type_ = type_of(function)
    if name is None:  # piped: Go shows the value as reflect.Value.String does
        name = show(function) if isinstance(function, str) else f"<{type_} Value>"
    raise FunctionError(f"non-function {name} of type {type_}")


_ONE, _TWO = (REFLECTED,), (REFLECTED, REFLECTED)

BUILTINS: Mapping[str, Function] = {
    "and": Function(_compiled, _ONE, REFLECTED, REFLECTED),
    "call": Function(_call, _ONE, REFLECTED, REFLECTED),
    "eq": Function(eq, _ONE, REFLECTED, BOOL),
    "ge": Function(ge, _TWO, result=BOOL),
    "gt": Function(gt, _TWO, result=BOOL),
    "html": Function(html, variadic=ANY, result=STRING),
    "index": Function(index, _ONE, REFLECTED, REFLECTED, reads=(Read(0, (Named(1),)),)),
    "js": Function(js, variadic=ANY, result=STRING),
    "le": Function(le, _TWO, result=BOOL),
    "len": Function(length, _ONE, result=INT, told=True),
    "lt": Function(lt, _TWO, result=BOOL),
    "ne": Function(ne, _TWO, result=BOOL),
    "not": Function(_compiled, _ONE, result=BOOL),
    "or": Function(_compiled, _ONE, REFLECTED, REFLECTED),
    "print": Function(sprint, variadic=ANY, result=STRING),
    "printf": Function(_printf, (STRING,), ANY, STRING),
    "println": Function(sprintln, variadic=ANY, result=STRING),
    "slice": Function(slice_, _ONE, REFLECTED, REFLECTED, told=True),
    "urlquery": Function(urlquery, variadic=ANY, result=STRING),
}
