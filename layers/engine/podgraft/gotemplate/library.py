"""The functions that every template has."""

from collections.abc import Mapping
from typing import NoReturn

from podgraft.govalue import ANY, BOOL, INT, STRING, Value, type_of

from .compare import eq, ge, gt, le, lt, ne
from .errors import FunctionError
from .escaping import html, js, urlquery
from .functions import REFLECTED, Flow, Function, Harm, Named, Read
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
    "and": Function(_compiled, _ONE, REFLECTED, REFLECTED, flow=Flow.SELECTS, harm=Harm.NEVER),
    "call": Function(_call, _ONE, REFLECTED, REFLECTED, flow=Flow.DERIVES, harm=Harm.CAN),
    "eq": Function(eq, _ONE, REFLECTED, BOOL, flow=Flow.TESTS, harm=Harm.NEVER),
    "ge": Function(ge, _TWO, result=BOOL, flow=Flow.TESTS, harm=Harm.NEVER),
    "gt": Function(gt, _TWO, result=BOOL, flow=Flow.TESTS, harm=Harm.NEVER),
    "html": Function(html, variadic=ANY, result=STRING, flow=Flow.REWRITES, harm=Harm.NEVER),
    "index": Function(
        index,
        _ONE,
        REFLECTED,
        REFLECTED,
        reads=(Read(0, (Named(1),)),),
        flow=Flow.SELECTS,
        harm=Harm.NEVER,
    ),
    "js": Function(js, variadic=ANY, result=STRING, flow=Flow.REWRITES, harm=Harm.NEVER),
    "le": Function(le, _TWO, result=BOOL, flow=Flow.TESTS, harm=Harm.NEVER),
    "len": Function(length, _ONE, result=INT, told=True, flow=Flow.DERIVES, harm=Harm.NEVER),
    "lt": Function(lt, _TWO, result=BOOL, flow=Flow.TESTS, harm=Harm.NEVER),
    "ne": Function(ne, _TWO, result=BOOL, flow=Flow.TESTS, harm=Harm.NEVER),
    "not": Function(_compiled, _ONE, result=BOOL, flow=Flow.TESTS, harm=Harm.NEVER),
    "or": Function(_compiled, _ONE, REFLECTED, REFLECTED, flow=Flow.SELECTS, harm=Harm.NEVER),
    "print": Function(sprint, variadic=ANY, result=STRING, flow=Flow.CARRIES, harm=Harm.NEVER),
    "printf": Function(_printf, (STRING,), ANY, STRING, flow=Flow.CARRIES, harm=Harm.NEVER),
    "println": Function(sprintln, variadic=ANY, result=STRING, flow=Flow.CARRIES, harm=Harm.NEVER),
    "slice": Function(
        slice_, _ONE, REFLECTED, REFLECTED, told=True, flow=Flow.DERIVES, harm=Harm.CUTS
    ),
    "urlquery": Function(urlquery, variadic=ANY, result=STRING, flow=Flow.REWRITES, harm=Harm.CAN),
}
