"""Sections of a template whose text can be reused for other data.

A section consists of consecutive statements that read none of the *changing* parts of the data,
such as the names and labels of a workload. Most workloads have equal values in all other parts, so
the texts of the sections are cached under these values, and a rendering executes only the rest.

The names of the changing parts decide only what is worth caching. Whatever a section reads is a
part of the key.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct

from .dependencies import DependencyNode, Projection, build_projection, declares_alias
from .parse import nodes
from .run.runtime import SectionText
from .variables import VariableUse, find_variables

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
    uses = [find_variables(statement) for statement in body]
    if any(use.is_conditional for use in uses):
        return None
    dependent = {
        index
        for index, root in enumerate(reads)
        if any(_reads_part(root, path) for path in changing)
    }
    _add_dependent_statements(dependent, uses)
    # A view of the data cannot be a part of a section, but statements that use it can.
    aliases = {index for index, statement in enumerate(body) if declares_alias(statement)}
    numbers = [*_number_sections(body, dependent | aliases)]
    if all(number is None for number in numbers):
        return None
    shared = [
        root
        for index, (root, number) in enumerate(zip(reads, numbers, strict=True))
        if number is not None or index in aliases - dependent
    ]
    return Sections(numbers, [use.written for use in uses], build_projection(shared))


def _reads_part(root: DependencyNode, path: DataPath) -> bool:
    """Whether a part of the data is read, or all that contains it."""
    node: DependencyNode | None = root
    for key in path:
        if node is None or node.is_complete:
            break
        node = node.members.get(key)
    return node is not None


def _add_dependent_statements(dependent: set[int], uses: Sequence[VariableUse]) -> None:
    """Add the statements with a variable of a dependent statement, until there are no more."""
    count = -1
    while count != len(dependent):
        count = len(dependent)
        variables = frozenset[str]().union(*(uses[index].written for index in dependent))
        dependent.update(
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
