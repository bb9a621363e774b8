"""The open expressions of the parser, with the operators that wait in them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from .syntax import Call, Node

OR, AND, RELATION, SUM, PRODUCT, UNARY = range(1, 7)
BINARY: Mapping[str, tuple[int, str]] = {
    "||": (OR, "_||_"),
    "&&": (AND, "_&&_"),
    "in": (RELATION, "@in"),
    **{sign: (RELATION, f"_{sign}_") for sign in ("<", "<=", ">", ">=", "==", "!=")},
    **{sign: (SUM, f"_{sign}_") for sign in ("+", "-")},
    **{sign: (PRODUCT, f"_{sign}_") for sign in ("*", "/", "%")},
}
# What ends a frame, after its last value.
CLOSING = {
    **dict.fromkeys(("group", "call", "method"), ")"),
    **dict.fromkeys(("list", "index"), "]"),
    **dict.fromkeys(("value", "struct"), "}"),
    "key": ":",
}
MAX_DEPTH = 250

# A node, and the depth of what is in it, in cel-go's count.
Operand: TypeAlias = "tuple[Node, int]"


@dataclass(slots=True)
class Frame:
    """An expression that is open: the whole, one in brackets, or a branch of ``?:``.

    ``kind`` says what ends it. ``parts`` are the finished elements, arguments or keys before it,
    ``depth`` is the depth of the deepest of them. cel-go does not visit the arguments of a reserved
    name: the problems from ``hidden_from`` on are theirs.
    """

    kind: str
    at: int
    name: str = ""
    operands: list[Operand] = field(default_factory=list[Operand])
    operators: list[tuple[int, str, int]] = field(default_factory=list[tuple[int, str, int]])
    parts: list[Node] = field(default_factory=list[Node])
    optional: set[int] = field(default_factory=set[int])
    fields: list[tuple[int, str, bool]] = field(default_factory=list[tuple[int, str, bool]])
    depth: int = 0
    hidden_from: int | None = None

    @property
    def is_fresh(self) -> bool:
        """Whether nothing of the current expression has been read."""
        return not self.operands and not self.operators

    def add(self, operand: Operand) -> None:
        """Add a finished part."""
        node, depth = operand
        self.parts.append(node)
        self.depth = max(self.depth, depth)


class LimitError(Exception):
    """An expression that is too deep."""


class FrameStack:
    """The open frames, the innermost last, and the limits of what they can hold."""

    __slots__ = ("frames", "pending")

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.pending = {RELATION: 0, SUM: 0}

    @property
    def top(self) -> Frame:
        """The innermost frame."""
        return self.frames[-1]

    def open(self, kind: str, at: int, name: str = "") -> Frame:
        """Open a frame. Raises ``LimitError``."""
        frame = Frame(kind, at, name)
        self.frames.append(frame)
        self._check_rules()
        return frame

    def _check_rules(self) -> None:
        """Check how often a rule of the grammar is active: in frames, and right of operators."""
        if len(self.frames) + max(self.pending.values()) > MAX_DEPTH:
            raise LimitError(f"expression recursion limit exceeded: {MAX_DEPTH}")

    def push(self, node: Node, depth: int) -> None:
        """Add an operand to the innermost frame. Raises ``LimitError``."""
        if depth > MAX_DEPTH:
            raise LimitError("max recursion depth exceeded")
        self.frames[-1].operands.append((node, depth))

    def push_operator(self, symbol: str, at: int) -> None:
        """Add a binary operator, after those that bind more are applied."""
        level, function = BINARY[symbol]
        self.reduce(level + 1 if level in {OR, AND} else level)
        self.frames[-1].operators.append((level, function, at))
        self._count(level, 1)
        self._check_rules()

    def _count(self, level: int, change: int) -> None:
        if level >= RELATION:
            self.pending[min(level, SUM)] += change

    def reduce(self, level: int) -> None:
        """Apply the operators of the open expression that bind at least like ``level``."""
        frame = self.frames[-1]
        while frame.operators and frame.operators[-1][0] >= level:
            kind, function, at = frame.operators[-1]
            if kind == UNARY:
                frame.operators.pop()
                node, depth = frame.operands.pop()
                self.push(Call(at, function, (node,)) if function else node, depth)
            elif kind in {OR, AND}:
                self._reduce_chain(frame, kind)
            else:
                frame.operators.pop()
                self._count(kind, -1)
                right, left = frame.operands.pop(), frame.operands.pop()
                node = Call(at, function, (left[0], right[0]))
                self.push(node, max(left[1], right[1]) + 1)

    def _reduce_chain(self, frame: Frame, kind: int) -> None:
        """Apply all ``&&`` or ``||`` of one chain, as a balanced tree."""
        count = 0
        while count < len(frame.operators) and frame.operators[-1 - count][0] == kind:
            count += 1
        operators = frame.operators[-count:]
        operands = frame.operands[-count - 1 :]
        del frame.operators[-count:], frame.operands[-count - 1 :]
        depth = max(depth for _, depth in operands)
        self.push(_balance(operators, [node for node, _ in operands], 0, count - 1), depth)


def _balance(
    operators: list[tuple[int, str, int]], terms: list[Node], first: int, last: int
) -> Node:
    """The tree of a chain: the middle operator is the root, as in cel-go's parser/helper.go."""
    middle = (first + last + 1) // 2
    left = terms[middle] if middle == first else _balance(operators, terms, first, middle - 1)
    right = terms[middle + 1] if middle == last else _balance(operators, terms, middle + 1, last)
    _, function, at = operators[middle]
    return Call(at, function, (left, right))
