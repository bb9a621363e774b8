"""The shared state of the compilation of a program, and the scopes of variables.

The position in a template determines the stack of variables, with one exception: an argument that
``and`` or ``or`` skips can declare a variable, which then stays undeclared.
"""

from collections.abc import Generator, Mapping
from contextlib import contextmanager

from msgspec import Struct, field

from podgraft.golang.reflect import Value
from podgraft.golang.texttemplate.functions import Function
from podgraft.golang.texttemplate.parse import nodes
from podgraft.golang.texttemplate.run.builtins import BUILTINS

from .ast_builder import AstBuilder, Expression
from .source_map import SourceMap


class Slot(Struct, frozen=True):
    """A Python local that contains a variable.

    ``container_local`` is the local of the container of a range variable's value.
    """

    local: str
    name: str
    may_be_undeclared: bool
    container_local: str | None


class Scope(Struct):
    """The variables in scope, innermost last; ranges assign to ``range_variables``."""

    range_variables: frozenset[str] = frozenset()
    slots: list[Slot] = field(default_factory=list[Slot])
    is_conditional: bool = False
    all_slots: list[Slot] = field(default_factory=list[Slot])

    def declare(self, name: str, *, element: bool = False) -> Slot:
        """Add a variable; ``element`` means a variable of a range."""
        local = f"v{len(self.all_slots)}"
        container_local = f"{local}_of" if element or name in self.range_variables else None
        slot = Slot(local, name, self.is_conditional, container_local)
        self.all_slots.append(slot)
        self.slots.append(slot)
        return slot

    def find(self, name: str) -> list[Slot]:
        """The variables that ``name`` can resolve to, innermost first; the last is always declared.

        Empty if there is no such variable.
        """
        slots: list[Slot] = []
        for slot in reversed(self.slots):
            if slot.name == name:
                slots.append(slot)
                if not slot.may_be_undeclared:
                    break
        return slots

    @contextmanager
    def nested_scope(self) -> Generator[None, None, None]:
        """Remove the variables that are declared inside, at the end."""
        slot_count = len(self.slots)
        yield
        del self.slots[slot_count:]

    @contextmanager
    def conditional_scope(self) -> Generator[None, None, None]:
        """Treat the variables that are declared inside as possibly undeclared."""
        before, self.is_conditional = self.is_conditional, True
        yield
        self.is_conditional = before


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
