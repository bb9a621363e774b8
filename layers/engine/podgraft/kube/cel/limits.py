"""The limits of the tree that an expression expands to; they depend on the document alone.

The compiler and the evaluation use at most two frames of Python for a level, so a tree within the
limit leaves 480 of Python's 1,000 frames to the caller, and to what compares or converts values,
which nest ``jsonvalue.MAX_DEPTH`` levels. The limits of the text are in ``parser``.
"""

from collections.abc import Mapping, Sequence

from .errors import CompileError, Problem
from .syntax import Call, Comprehension, Constant, Ident, Node, Select, children

# The 250 operators, selections, or calls in each other that cel-go's parser allows, and a few more.
MAX_LEVELS = 255
# More than a text of 100,000 characters expands to, unless it nests ``optMap``, which copies.
MAX_NODES = 200_000
# The frames between an expression and that of a variable that it reads, in levels.
_READ = 3
_VARIABLES = "variables"


def measure_levels(text: str, root: Node, variables: Mapping[str, int]) -> int:
    """The levels of a tree, with those of the ``variables`` that it reads.

    Raises ``CompileError`` for more than ``MAX_LEVELS``, or for more than ``MAX_NODES`` nodes.
    """
    levels, nodes = _measure(root, variables)
    if levels > MAX_LEVELS:
        reason = f"nested deeper than {MAX_LEVELS} levels, with its macros and variables"
        raise CompileError(text, (Problem(1, 1, reason),))
    if nodes > MAX_NODES:
        reason = f"optMap and optFlatMap copy what is before them, to more than {MAX_NODES} parts"
        raise CompileError(text, (Problem(1, 1, reason),))
    return levels


def _measure(root: Node, variables: Mapping[str, int]) -> tuple[int, int]:
    """The levels and the nodes of a tree, whose nodes can be parts of several others.

    A node with its parts stands on the stack until all of them are measured.
    """
    known: dict[int, tuple[int, int]] = {}
    waiting: list[Node | tuple[Node, Sequence[Node]]] = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, tuple):
            known[id(node[0])] = _add_up(node[0], [known[id(part)] for part in node[1]], known)
        elif id(node) not in known:
            read = _find_variable(node, variables)
            parts = children(node) if read is None else ()
            if parts:
                waiting.append((node, parts))
                waiting.extend(parts)
            else:
                known[id(node)] = (read or 0) + 1, 1
    return known[id(root)]


def _add_up(
    node: Node, measured: Sequence[tuple[int, int]], known: Mapping[int, tuple[int, int]]
) -> tuple[int, int]:
    deepest, count = 0, 1
    for levels, nodes in measured:
        count += nodes
        deepest = max(deepest, levels)
    if isinstance(node, Comprehension):  # what ``bind`` binds is evaluated where it is read
        deepest = max(deepest, known[id(node.initial)][0] + known[id(node.result)][0])
    return deepest + 1, count


def _find_variable(node: Node, variables: Mapping[str, int]) -> int | None:
    """The levels of the variable that a node reads; ``None`` if it reads none."""
    if not variables:
        return None
    match node:
        case (
            Select(operand=Ident(name=name), field=field)
            | Call(function="_?._", arguments=(Ident(name=name), Constant(value=field)))
        ) if name.removeprefix(".") == _VARIABLES:
            return variables.get(str(field), 0) + _READ
        case Ident(name=name) if name.removeprefix(".") == _VARIABLES:
            return max(variables.values()) + _READ
        case _:
            return None
