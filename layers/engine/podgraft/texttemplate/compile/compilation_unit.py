"""What is passed around while a program is compiled."""

from collections.abc import Mapping
from dataclasses import field

from podgraft.go.reflect import Value
from podgraft.lazy_dataclass import dataclass
from podgraft.texttemplate.functions import Function
from podgraft.texttemplate.parse import nodes
from podgraft.texttemplate.run.builtins import BUILTINS

from .ast_builder import AstBuilder, Expression
from .scopes import Slot
from .source_map import SourceMap


@dataclass(frozen=True, slots=True)
class CompiledValue:
    """Code for a value, and the names of what it came out of: see ``interface_of``."""

    code: Expression
    container: str | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A function with its arguments; ``piped`` comes from a command that began at ``start``."""

    node: nodes.Command | nodes.Identifier
    name: str
    arguments: tuple[nodes.Operand, ...] = ()
    piped: CompiledValue | None = None
    start: int = 0


@dataclass(frozen=True, slots=True)
class StaticFailure:
    """Where a template can only fail, whatever the data: why, in which template, at what."""

    reason: str
    template_name: str
    node: nodes.Node


@dataclass(slots=True)
class CompilationUnit:
    """What all templates of a program share while they are compiled."""

    pen: AstBuilder
    functions: Mapping[str, Function]
    source_map: SourceMap = field(default_factory=SourceMap)
    namespace: dict[str, Value] = field(default_factory=dict[str, Value])
    names: dict[int, str] = field(default_factory=dict[int, str])
    static_failures: list[StaticFailure] = field(default_factory=list[StaticFailure])

    def global_name(self, value: Value) -> str:
        """A global name for ``value``."""
        if id(value) not in self.names:
            name = f"g{len(self.names)}"
            self.names[id(value)] = name
            self.namespace[name] = value
        return self.names[id(value)]

    def is_builtin(self, name: str) -> bool:
        """Whether the function is the language's own, not one that took its name."""
        return self.functions[name] is BUILTINS.get(name)


def store_local(pen: AstBuilder, slot: Slot, value: CompiledValue) -> Expression:
    """``slot := value``, with what it is an element of, where the slot keeps that too."""
    variable = pen.assign_expression(slot.local, value.code)
    if slot.container_local is None:
        return variable
    holder = pen.load_name(value.container) if value.container else pen.constant(None)
    return pen.sequence_expression(
        variable, pen.assign_expression(slot.container_local, holder), pen.load_name(slot.local)
    )


def provenance_args(pen: AstBuilder, value: CompiledValue) -> tuple[Expression, ...]:
    """What ``interface_of`` is asked with; nothing, for a value that stands for itself."""
    if value.container is None:
        return ()
    holder = pen.load_name(value.container)
    return (holder,) if value.key is None else (holder, pen.constant(value.key))
