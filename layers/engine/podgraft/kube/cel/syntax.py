"""The tree of an expression. The parser makes it; the checker joins names and resolves calls.

``at`` is the code point offset at which problems of a node are shown: the first character of a
literal or name, the ``.`` of a selection, the ``(`` of a call, the bracket of a list, map or
struct, the token of an operator. All nodes that a macro makes have the position of its ``(``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from .values import Value


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal."""

    at: int
    value: Value


@dataclass(frozen=True, slots=True)
class Ident:
    """A name; ``.x`` is one that no loop variable hides. The checker joins dotted names."""

    at: int
    name: str


@dataclass(frozen=True, slots=True)
class Select:
    """``operand.field``, or ``has(operand.field)`` where ``test`` is true."""

    at: int
    operand: Node
    field: str
    test: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A function, operator or method; a method's target is the first argument."""

    at: int
    function: str
    arguments: tuple[Node, ...]
    member: bool = False


@dataclass(frozen=True, slots=True)
class ListOf:
    """``[a, ?b]``; ``optional`` has the positions of the optional elements."""

    at: int
    elements: tuple[Node, ...]
    optional: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class MapOf:
    """``{a: b, ?c: d}``; each entry is key, value, whether optional."""

    at: int
    entries: tuple[tuple[Node, Node, bool], ...]


@dataclass(frozen=True, slots=True)
class FieldOf:
    """``name: value`` or ``?name: value`` in a struct; ``at`` is the colon."""

    at: int
    name: str
    value: Node
    optional: bool


@dataclass(frozen=True, slots=True)
class StructOf:
    """``Object.spec{a: b, ?c: d}``; ``type_name`` has its dots."""

    at: int
    type_name: str
    fields: tuple[FieldOf, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comprehension:
    """What macros become: a loop over ``range`` that carries an accumulator."""

    at: int
    variable: str
    second_variable: str = ""
    range: Node
    accumulator: str
    initial: Node
    condition: Node
    step: Node
    result: Node


Node: TypeAlias = Constant | Ident | Select | Call | ListOf | MapOf | StructOf | Comprehension


def children(node: Node) -> Sequence[Node]:
    """The nodes directly under a node."""
    match node:
        case Constant() | Ident():
            return ()
        case Select(operand=operand):
            return (operand,)
        case Call(arguments=arguments):
            return arguments
        case ListOf(elements=elements):
            return elements
        case MapOf(entries=entries):
            return [part for key, value, _ in entries for part in (key, value)]
        case StructOf(fields=fields):
            return [field.value for field in fields]
        case Comprehension():
            return (node.range, node.initial, node.condition, node.step, node.result)


def walk(node: Node) -> Iterator[Node]:
    """The node and all under it, parents first."""
    yield node
    for child in children(node):
        yield from walk(child)


def dotted_name(node: Node) -> str:
    """The text of a chain of plain selections down to a name; empty for anything else."""
    names: list[str] = []
    while isinstance(node, Select) and not node.test:
        names.append(node.field)
        node = node.operand
    if not isinstance(node, Ident):
        return ""
    return ".".join((node.name, *reversed(names)))
