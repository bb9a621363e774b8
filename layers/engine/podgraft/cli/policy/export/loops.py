"""Loops over the object, and the variables that their bodies assign."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from podgraft.golang.reflect import Field, Kind
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
    list_joined,
    list_leaves,
    to_amount,
    to_integer,
    to_string,
)


class Loop(Struct, frozen=True):
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
        return self.list.element(self.variable)

    def name_of(self, own: Field) -> str:
        """The merge key of the element, for the field *own* of the list."""
        return Reference(self.variable, (own.merge_key,), None).or_value("''")

    def declare(self, count: int) -> list[Value]:
        """The values of so many variables; raises ``ExportError`` for the index of a list."""
        if self.list.kind is Kind.MAP and count > 1:
            return [MapKey(self.variable, variable=self.variable), self.element]
        if count > 1 or self.list.kind not in {Kind.MAP, Kind.SLICE}:
            raise ExportError("it reads the index of a list, or has a range over a single value")
        return [self.element]

    def map(self, text: str, condition: str = "") -> str:
        """A list of the results of an expression, of those elements for which a condition holds."""
        self.list.reads.add(self.list.path)
        return self.map_any(text, condition)

    def map_any(self, text: str, condition: str = "") -> str:
        """``map`` for a result whose order does not matter."""
        arguments = ", ".join(filter(None, (self.variable, condition, text)))
        return f"{self.source}.map({arguments})"


def find_assigned(body: nodes.Nodes) -> frozenset[str]:
    """The names of the variables that statements assign."""
    names: set[str] = set()
    for statement in body:
        pipe = getattr(statement, "pipe", None)
        if isinstance(pipe, nodes.Pipe) and pipe.is_assignment:
            names.update(variable.name for variable in pipe.variables)
        if isinstance(statement, nodes.Branch):
            names |= find_assigned(statement.body) | find_assigned(statement.else_body or ())
    return frozenset(names)


def fold(value: Value, carried: Carried, loop: Loop) -> Value:
    """The value of a variable after a loop, from that after its body; raises ``ExportError``."""
    if value is carried:
        return carried.old
    joined = [*list_joined(value)]
    if any(each.base is carried for each in joined):
        elements = f"{loop.map_any(_list_appended(value, carried))}.flatten()"
        sources = tuple(source for each in joined for source in each.sources)
        is_printed = any(each.is_printed for each in joined)
        return Joined(carried.old, elements, is_printed, (loop.list, *sources))
    if isinstance(value, Sum) and value.base is carried:
        pairs = loop.map(value.amount.pair)
        return add_all(f"[{to_amount(carried.old).pair}] + {pairs}")
    assigned = [each for each in list_leaves(value) if each is not carried]
    if len({*map(repr, assigned)}) == 1 and isinstance(assigned[0], Constant):
        test = _test_assignment(value, carried)
        return Choice(f"{loop.source}.exists({loop.variable}, {test})", assigned[0], carried.old)
    is_integer = all(has_kind(each, Kind.INT64) for each in (carried.old, *assigned))
    convert = to_integer if is_integer else to_string
    updates = loop.map(_collect(value, carried, lambda each: f"[{convert(each)}]"))
    text = f"[[{convert(carried.old)}] + {updates}.flatten()].map(u, u[u.size() - 1])[0]"
    return integer(text) if is_integer else Expression(text)


def _test_assignment(value: Value, carried: Carried) -> str:
    """Whether an iteration assigns a value, in CEL."""

    def mark(each: Value) -> Value:
        return each.map(mark) if isinstance(each, Choice) else Constant(each is not carried)

    condition = to_condition(mark(value))
    return condition.text if isinstance(condition, Expression) else "true"


def _list_appended(value: Value, carried: Carried) -> str:
    """The elements that an iteration adds to the carried list."""

    def format_elements(each: Value) -> str:
        if not isinstance(each, Joined):
            raise ExportError("a range assigns a list that does not grow")
        before = _list_appended(each.base, carried)
        return each.text if before == NONE else f"{before} + {each.text}"

    return _collect(value, carried, format_elements)


def _collect(value: Value, carried: Carried, format_list: Callable[[Value], str]) -> str:
    """The list of an assigned value, or an empty list if an iteration does not assign one."""
    if value is carried:
        return NONE
    if isinstance(value, Choice):
        return value.format(lambda each: _collect(each, carried, format_list))
    return format_list(value)
