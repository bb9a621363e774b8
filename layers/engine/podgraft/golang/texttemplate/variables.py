"""The variables that a statement of a template reads, declares, and assigns."""

from collections.abc import Iterator

from msgspec import Struct

from .parse import nodes


class VariableUse(Struct, frozen=True):
    """The variables that a statement reads, and those that it declares or assigns outside of it.

    ``is_conditional`` states that it can leave a variable undeclared, or assigns the element of a
    range, whose container a later statement needs.
    """

    used: frozenset[str]
    written: frozenset[str]
    is_conditional: bool


def find_variables(statement: nodes.Statement) -> VariableUse:
    """Return the variables of a statement."""
    used: set[str] = set()
    written: set[str] = set()
    is_conditional = False
    for pipe, depth in _iterate_pipes(statement):
        names = {variable.name for variable in pipe.variables}
        is_conditional |= bool(names) and depth == _NESTED
        if pipe.is_assignment or depth == _OUTER:
            written |= names
        used.update(_iterate_variables(pipe))
    is_conditional |= any(find_range_variables((statement,)))
    return VariableUse(frozenset(used - {"$"}), frozenset(written), is_conditional)


# Where a pipeline stands: as a statement of the body, within a branch, or within a pipeline.
_OUTER, _INNER, _NESTED = range(3)


def _iterate_pipes(statement: nodes.Statement) -> Iterator[tuple[nodes.Pipe, int]]:
    depth = _INNER if isinstance(statement, nodes.Branch) else _OUTER
    for pipe in nodes.find_pipes((statement,)):
        yield from _nested_pipes(pipe, depth)


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


def find_range_variables(body: nodes.Nodes) -> Iterator[str]:
    """The names of the variables that ranges assign elements to."""
    for node in nodes.walk(body):
        match node:
            case nodes.Branch(
                control=nodes.Control.RANGE, pipe=nodes.Pipe(is_assignment=True) as pipe
            ):
                yield from (variable.name for variable in pipe.variables)
            case _:
                pass
