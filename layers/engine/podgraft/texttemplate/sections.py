"""Sections of a template whose text can be reused for other data.

A section consists of consecutive statements that read none of the *changing* parts of the data,
such as the names and labels of a workload. Most workloads have equal values in all other parts, so
the texts of the sections are cached under these values, and a rendering executes only the rest.

The names of the changing parts decide only what is worth caching. Whatever a section reads is a
part of the key.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from .dependencies import DependencyNode, Projection, build_projection
from .parse import nodes

if TYPE_CHECKING:
    from .run.runtime import SectionText

# A part of the raw data: the keys that lead to it.
DataPath: TypeAlias = tuple[str, ...]


class SectionReuse(Struct, frozen=True):
    """The sections of one rendering: those to reuse, and a function that stores others."""

    known: Sequence[SectionText] | None
    store: Callable[[Sequence[SectionText]], None]

    def record(self, recorded: Sequence[SectionText]) -> None:
        """Store sections that were executed, unless a variable refers to the data."""
        if self.known is None and all(
            value.__class__ in _PLAIN_TYPES for section in recorded for value in section.variables
        ):
            self.store(recorded)


_PLAIN_TYPES = frozenset({bool, float, int, str, type(None)})


class Sections(Struct, frozen=True):
    """The sections of a template, and all that they read.

    ``numbers`` has the number of the section of each statement of the body; ``None`` for a
    statement that is executed in each rendering. ``written`` has the variables that each statement
    declares or assigns.
    """

    numbers: Sequence[int | None]
    written: Sequence[frozenset[str]]
    projection: Projection


def find_sections(
    body: nodes.Nodes, reads: Sequence[DependencyNode], changing: Collection[DataPath]
) -> Sections | None:
    """Return the sections of a body; ``None`` if it has none.

    ``reads`` is what each statement reads (``find_dependencies``).
    """
    uses = [_find_variables(statement) for statement in body]
    if any(use.is_conditional for use in uses):
        return None
    executed = {
        index
        for index, (statement, root) in enumerate(zip(body, reads, strict=True))
        if _declares_alias(statement) or any(_reads_part(root, path) for path in changing)
    }
    _add_dependent_statements(executed, uses)
    numbers = [*_number_sections(body, executed)]
    if all(number is None for number in numbers):
        return None
    shared = [root for root, number in zip(reads, numbers, strict=True) if number is not None]
    return Sections(numbers, [use.written for use in uses], build_projection(shared))


class VariableUse(Struct, frozen=True):
    """The variables that a statement reads, and those that it declares or assigns outside of it.

    ``is_conditional`` states that it can leave a variable undeclared, or assigns the element of a
    range, whose container a later statement needs.
    """

    used: frozenset[str]
    written: frozenset[str]
    is_conditional: bool


def _declares_alias(statement: nodes.Statement) -> bool:
    """Whether a statement declares a variable that can stand for a part of the data."""
    match statement:
        case nodes.Action(pipe=nodes.Pipe(variables=variables, commands=(command,))) if variables:
            operands = command.operands
            return len(operands) == 1 and isinstance(
                operands[0], nodes.Dot | nodes.Field | nodes.Variable
            )
        case _:
            return False


def _reads_part(root: DependencyNode, path: DataPath) -> bool:
    """Whether a part of the data is read, or all that contains it."""
    node: DependencyNode | None = root
    for key in path:
        if node is None or node.is_complete:
            break
        node = node.members.get(key)
    return node is not None


def _add_dependent_statements(executed: set[int], uses: Sequence[VariableUse]) -> None:
    """Add the statements with a variable of an executed statement, until there are no more."""
    count = -1
    while count != len(executed):
        count = len(executed)
        variables = frozenset[str]().union(*(uses[index].written for index in executed))
        executed.update(
            index for index, use in enumerate(uses) if variables & (use.used | use.written)
        )


def _number_sections(body: nodes.Nodes, executed: Collection[int]) -> Iterator[int | None]:
    """The section of each statement. A section with text alone would save nothing."""
    number, index = 0, 0
    while index < len(body):
        end = index
        while end < len(body) and end not in executed:
            end += 1
        is_section = not all(isinstance(node, nodes.Text) for node in body[index:end])
        yield from [number if is_section else None] * (end - index)
        number += is_section
        if end < len(body):
            yield None
        index = end + 1


def _find_variables(statement: nodes.Statement) -> VariableUse:
    used: set[str] = set()
    written: set[str] = set()
    is_conditional = False
    for pipe, depth in _iterate_pipes((statement,)):
        names = {variable.name for variable in pipe.variables}
        is_conditional |= bool(names) and depth == _NESTED
        if pipe.is_assignment or depth == _OUTER:
            written |= names
        used.update(_iterate_variables(pipe))
    is_conditional |= any(_assigns_elements((statement,)))
    return VariableUse(frozenset(used - {"$"}), frozenset(written), is_conditional)


# Where a pipeline stands: as a statement of the body, within a branch, or within a pipeline.
_OUTER, _INNER, _NESTED = range(3)


def _iterate_pipes(body: nodes.Nodes, depth: int = _OUTER) -> Iterator[tuple[nodes.Pipe, int]]:
    for node in body:
        match node:
            case nodes.Action(pipe=pipe) | nodes.Invocation(pipe=nodes.Pipe() as pipe):
                yield from _nested_pipes(pipe, depth)
            case nodes.Branch():
                yield from _nested_pipes(node.pipe, _INNER)
                yield from _iterate_pipes(node.body, _INNER)
                yield from _iterate_pipes(node.else_body or (), _INNER)
            case _:
                pass


def _nested_pipes(pipe: nodes.Pipe, depth: int) -> Iterator[tuple[nodes.Pipe, int]]:
    yield pipe, depth
    for command in pipe.commands:
        for operand in command.operands:
            inner = operand.node if isinstance(operand, nodes.Chain) else operand
            if isinstance(inner, nodes.Pipe):
                yield from _nested_pipes(inner, _NESTED)


def _iterate_variables(pipe: nodes.Pipe) -> Iterator[str]:
    for command in pipe.commands:
        for operand in command.operands:
            if isinstance(operand, nodes.Variable):
                yield operand.name


def _assigns_elements(body: nodes.Nodes) -> Iterator[bool]:
    for node in body:
        if isinstance(node, nodes.Branch):
            yield node.control is nodes.Control.RANGE and node.pipe.is_assignment
            yield from _assigns_elements(node.body)
            yield from _assigns_elements(node.else_body or ())
