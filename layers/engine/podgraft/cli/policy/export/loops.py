"""Loops over the object, and the variables that their bodies assign."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from podgraft.golang.reflect import Kind
from podgraft.golang.texttemplate.parse import nodes

from .conditions import to_condition
from .errors import ExportError
from .quantities import add_all
from .values import (
    NONE,
    Carried,
    Choice,
    Constant,
    Expression,
    Joined,
    MapKey,
    Reference,
    Sum,
    Value,
    has_kind,
    integer,
    is_printed,
    to_amount,
    to_integer,
    to_string,
)


@dataclass(frozen=True, slots=True)
class Loop:
    """The elements of a list of the object, or the sorted keys of a map of it, as a variable.

    With ``is_rest``, it has only the elements that the list of the overlay does not name.
    """

    variable: str
    list: Reference
    is_rest: bool = False

    @property
    def source(self) -> str:
        """The list in CEL."""
        if self.list.kind is Kind.MAP:
            return f"{self.list.or_value('{}')}.map(k, k).sort()"
        return self.list.or_value(NONE)

    @property
    def element(self) -> Value:
        """The element of the list, or the value of the key."""
        if self.list.kind is Kind.MAP:
            return Expression(f"{self.list.or_value('{}')}[{self.variable}]")
        return Reference(self.variable, (), self.list.type.elem if self.list.type else None)

    def declare(self, count: int) -> list[Value]:
        """The values of so many variables; raises ``ExportError`` for the index of a list."""
        if self.list.kind is Kind.MAP and count > 1:
            return [MapKey(self.variable, variable=self.variable), self.element]
        if count > 1 or self.list.kind not in {Kind.MAP, Kind.SLICE}:
            raise ExportError("it reads the index of a list, or has a range over a single value")
        return [self.element]

    def map(self, text: str, condition: str = "") -> str:
        """A list of the results of an expression, of those elements for which a condition holds."""
        arguments = ", ".join(filter(None, (self.variable, condition, text)))
        return f"{self.source}.map({arguments})"


def find_assigned(body: nodes.Nodes) -> frozenset[str]:
    """The names of the variables that statements assign."""
    return frozenset(_list_assigned(body))


def _list_assigned(body: nodes.Nodes) -> Iterator[str]:
    for statement in body:
        pipe = getattr(statement, "pipe", None)
        if isinstance(pipe, nodes.Pipe) and pipe.is_assignment:
            yield from (variable.name for variable in pipe.variables)
        if isinstance(statement, nodes.Branch):
            yield from _list_assigned(statement.body)
            yield from _list_assigned(statement.else_body or ())


def fold(value: Value, carried: Carried, loop: Loop) -> Value:
    """The value of a variable after a loop, from that after its body; raises ``ExportError``."""
    if value is carried:
        return carried.old
    if _is_appended(value, carried):
        elements = _flatten(loop, *_to_appended(value, carried))
        return Joined(carried.old, elements, is_printed(value))
    if isinstance(value, Sum) and value.base is carried:
        pairs = loop.map(value.amount.pair)
        return add_all(f"[{to_amount(carried.old).pair}] + {pairs}")
    leaves = [*_list_assigned_values(value, carried)]
    if len({*map(repr, leaves)}) == 1 and isinstance(leaves[0], Constant):
        test = _test_assignment(value, carried)
        return Choice(f"{loop.source}.exists({loop.variable}, {test})", leaves[0], carried.old)
    is_integer = all(has_kind(each, Kind.INT64) for each in (carried.old, *leaves))
    convert = to_integer if is_integer else to_string
    updates = _flatten(loop, *_collect(value, carried, lambda each: f"[{convert(each)}]"))
    text = f"[[{convert(carried.old)}] + {updates}].map(u, u[u.size() - 1])[0]"
    return integer(text) if is_integer else Expression(text)


def _list_assigned_values(value: Value, carried: Carried) -> Iterator[Value]:
    """The values in all branches that assign one."""
    if isinstance(value, Choice):
        for each in (value.yes, value.no):
            yield from _list_assigned_values(each, carried)
    elif value is not carried:
        yield value


def _test_assignment(value: Value, carried: Carried) -> str:
    """Whether an iteration assigns a value, in CEL."""

    def mark(each: Value) -> Value:
        return each.map(mark) if isinstance(each, Choice) else Constant(each is not carried)

    condition = to_condition(mark(value))
    return condition.text if isinstance(condition, Expression) else "true"


def _is_appended(value: Value, carried: Carried) -> bool:
    """Whether a value is the carried list with new elements, in all branches."""
    match value:
        case Joined(base=base):
            return base is carried or _is_appended(base, carried)
        case Choice(yes=yes, no=no):
            return any(_is_appended(each, carried) for each in (yes, no))
        case _:
            return False


def _to_appended(value: Value, carried: Carried) -> tuple[str, str]:
    """The new elements, and the condition for them; else no elements."""

    def format_elements(each: Value) -> str:
        if not isinstance(each, Joined):
            raise ExportError("a range assigns a list that does not grow")
        before = _to_list_of(_to_appended(each.base, carried))
        return each.text if before == NONE else f"{before} + {each.text}"

    return _collect(value, carried, format_elements)


def _collect(
    value: Value, carried: Carried, format_list: Callable[[Value], str]
) -> tuple[str, str]:
    """The list of an assigned value, and the condition for it; else an empty list."""
    match value:
        case Choice(condition, yes, no) if no is carried:
            elements, inner = _collect(yes, carried, format_list)
            return elements, f"({condition}) && ({inner})" if inner else condition
        case Choice(condition, yes, no):
            texts = [_to_list_of(_collect(each, carried, format_list)) for each in (yes, no)]
            return f"({condition} ? {texts[0]} : {texts[1]})", ""
        case _ if value is carried:
            return NONE, ""
        case _:
            return format_list(value), ""


def _to_list_of(part: tuple[str, str]) -> str:
    elements, condition = part
    return f"({condition} ? {elements} : {NONE})" if condition else elements


def _flatten(loop: Loop, elements: str, condition: str) -> str:
    """The elements that all iterations add."""
    return f"{loop.map(elements, condition)}.flatten()"
