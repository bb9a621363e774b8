"""The shared state of the compilation of a program."""

from collections.abc import Mapping

from msgspec import Struct, field

from podgraft.golang.reflect import Value
from podgraft.golang.texttemplate.functions import Function
from podgraft.golang.texttemplate.parse import nodes
from podgraft.golang.texttemplate.run.builtins import BUILTINS

from .ast_builder import AstBuilder, Expression
from .scopes import Slot
from .source_map import SourceMap


class CompiledValue(Struct, frozen=True):
    """Code for a value, and the names of its container and key (``static_interface``)."""

    code: Expression
    container: str | None = None
    key: str | None = None


class FunctionCall(Struct, frozen=True):
    """A function with its arguments; ``piped`` comes from a command that starts at ``start``."""

    node: nodes.Command | nodes.Identifier
    name: str
    arguments: tuple[nodes.Operand, ...] = ()
    piped: CompiledValue | None = None
    start: int = 0


class StaticFailure(Struct, frozen=True):
    """A node that always fails when it is executed, with its reason and template."""

    reason: str
    template_name: str
    node: nodes.Node


class CompilationUnit(Struct):
    """The state that all templates of a program share during compilation."""

    builder: AstBuilder
    functions: Mapping[str, Function]
    source_map: SourceMap = field(default_factory=SourceMap)
    namespace: dict[str, Value] = field(default_factory=dict[str, Value])
    names: dict[int, str] = field(default_factory=dict[int, str])
    static_failures: list[StaticFailure] = field(default_factory=list[StaticFailure])

    def global_name(self, value: Value) -> str:
        """Return a global name for ``value``."""
        if id(value) not in self.names:
            name = f"g{len(self.names)}"
            self.names[id(value)] = name
            self.namespace[name] = value
        return self.names[id(value)]

    def is_builtin(self, name: str) -> bool:
        """Whether the function is a builtin, and not a function that replaces it."""
        return self.functions[name] is BUILTINS.get(name)


def store_local(builder: AstBuilder, slot: Slot, value: CompiledValue) -> Expression:
    """``slot := value``; also stores the container if the slot has a local for it."""
    variable = builder.assign_expression(slot.local, value.code)
    if slot.container_local is None:
        return variable
    container = builder.load_name(value.container) if value.container else builder.constant(None)
    return builder.sequence_expression(
        variable,
        builder.assign_expression(slot.container_local, container),
        builder.load_name(slot.local),
    )


def provenance_args(builder: AstBuilder, value: CompiledValue) -> tuple[Expression, ...]:
    """The arguments of ``static_interface``; empty for a value without a container."""
    if value.container is None:
        return ()
    container = builder.load_name(value.container)
    return (container,) if value.key is None else (container, builder.constant(value.key))
