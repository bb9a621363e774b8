"""What is passed around while a program is compiled."""

from collections.abc import Mapping
from dataclasses import field

from podgraft.govalue import Value
from podgraft.records import dataclass

from . import nodes
from .functions import Function
from .library import BUILTINS
from .pen import Expression, Pen
from .scopes import Slot
from .sites import Sites


@dataclass(frozen=True, slots=True)
class Result:
    """Code for a value, and the names of what it came out of: see ``interface_of``."""

    code: Expression
    holder: str | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A function with its arguments; ``piped`` comes from a command that began at ``start``."""

    node: nodes.Command | nodes.Identifier
    name: str
    arguments: tuple[nodes.Operand, ...] = ()
    piped: Result | None = None
    start: int = 0


@dataclass(frozen=True, slots=True)
class DeadEnd:
    """Where a template can only fail, whatever the data: why, in which template, at what."""

    reason: str
    executing: str
    node: nodes.Node


@dataclass(slots=True)
class Unit:
    """What all templates of a program share while they are compiled."""

    pen: Pen
    functions: Mapping[str, Function]
    sites: Sites = field(default_factory=Sites)
    namespace: dict[str, Value] = field(default_factory=dict[str, Value])
    names: dict[int, str] = field(default_factory=dict[int, str])
    dead_ends: list[DeadEnd] = field(default_factory=list[DeadEnd])

    def named(self, value: Value) -> str:
        """A global name for ``value``."""
        if id(value) not in self.names:
            name = f"g{len(self.names)}"
            self.names[id(value)] = name
            self.namespace[name] = value
        return self.names[id(value)]

    def is_builtin(self, name: str) -> bool:
        """Whether the function is the language's own, not one that took its name."""
        return self.functions[name] is BUILTINS.get(name)


def kept(pen: Pen, slot: Slot, value: Result) -> Expression:
    """``slot := value``, with what it is an element of, where the slot keeps that too."""
    variable = pen.keep(slot.local, value.code)
    if slot.holder is None:
        return variable
    holder = pen.name(value.holder) if value.holder else pen.constant(None)
    return pen.last(variable, pen.keep(slot.holder, holder), pen.name(slot.local))


def origin_of(pen: Pen, value: Result) -> tuple[Expression, ...]:
    """What ``interface_of`` is asked with; nothing, for a value that stands for itself."""
    if value.holder is None:
        return ()
    holder = pen.name(value.holder)
    return (holder,) if value.key is None else (holder, pen.constant(value.key))
