"""The parse tree of a template; ``str(node)`` returns the source of a node.

``start`` and ``end`` are the offsets of a node, which comparisons ignore. ``position`` is the
offset that Go reports. For an operand with fields, this is the offset of the first field after the
first word of the operand (parse.operand).
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from podgraft.golang.strconv.quote import quote

_OFFSETS = frozenset({"start", "end", "fields_start"})


class NodeBase(Struct, frozen=True, kw_only=True, eq=False):
    """The base of all nodes: the offsets in the text."""

    start: int = 0
    end: int = 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NodeBase) or self.__class__ is not other.__class__:
            return NotImplemented
        return self._content() == other._content()

    def __hash__(self) -> int:
        return hash((self.__class__, *self._content()))

    def _content(self) -> list[object]:
        """The values of all fields except offsets, which do not make nodes different."""
        return [getattr(self, name) for name in self.__struct_fields__ if name not in _OFFSETS]

    @property
    def position(self) -> int:
        """The offset that Go reports."""
        return self.start


class Dot(NodeBase, frozen=True):
    """``.``: the argument of the template, or the element of a range."""

    def __str__(self) -> str:
        return "."


class Nil(NodeBase, frozen=True):
    """``nil``, which has no type."""

    def __str__(self) -> str:
        return "nil"


class Bool(NodeBase, frozen=True):
    """``true`` or ``false``."""

    value: bool

    def __str__(self) -> str:
        return "true" if self.value else "false"


class Number(NodeBase, frozen=True):
    """A number constant with its value in each kind of Go number (``None`` if out of range)."""

    text: str
    integer: int | None
    unsigned: int | None
    real: float | None
    complex: complex | None

    def __str__(self) -> str:
        return self.text


class String(NodeBase, frozen=True):
    """A string constant: the source and the value."""

    quoted: str
    text: str

    def __str__(self) -> str:
        return self.quoted


class Identifier(NodeBase, frozen=True):
    """The name of a function."""

    name: str

    def __str__(self) -> str:
        return self.name


class Fields(NodeBase, frozen=True, kw_only=True, eq=False):
    """The base of operands with fields."""

    fields_start: int = 0

    @property
    def position(self) -> int:
        """The offset of the first field."""
        return self.fields_start


class Field(Fields, frozen=True):
    """``.name.name``: a field chain from the dot."""

    names: tuple[str, ...]

    def __str__(self) -> str:
        return "".join(f".{name}" for name in self.names)


class Variable(Fields, frozen=True):
    """``$name.field.field``: the name with its dollar sign, and the fields."""

    name: str
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ".".join((self.name, *self.names))


class Chain(Fields, frozen=True):
    """``(pipeline).name.name``, or fields of the result of a function without arguments."""

    node: Pipe | Identifier
    names: tuple[str, ...]

    def __str__(self) -> str:
        return ".".join((_operand(self.node), *self.names))


class Command(NodeBase, frozen=True):
    """``operand operand …``: a call, if the first operand is a function or a method."""

    operands: tuple[Operand, ...]

    def __str__(self) -> str:
        return " ".join(map(_operand, self.operands))


class Pipe(NodeBase, frozen=True):
    """``$a, $b := command | command``."""

    commands: tuple[Command, ...]
    variables: tuple[Variable, ...] = ()
    is_assignment: bool = False

    def __str__(self) -> str:
        commands = " | ".join(map(str, self.commands))
        if not self.variables:
            return commands
        variables = ", ".join(map(str, self.variables))
        return f"{variables} {'=' if self.is_assignment else ':='} {commands}"


class Text(NodeBase, frozen=True):
    """Plain text without the white space that trim markers remove."""

    text: str

    def __str__(self) -> str:
        return self.text


class Action(NodeBase, frozen=True):
    """``{{pipeline}}``: evaluate and, unless it declares variables, print."""

    pipe: Pipe

    def __str__(self) -> str:
        return f"{{{{{self.pipe}}}}}"


class Control(StrEnum):
    """The keyword of a branch."""

    IF = "if"
    RANGE = "range"
    WITH = "with"


class Branch(NodeBase, frozen=True):
    """``{{if pipeline}}body{{else}}otherwise{{end}}``, or the same with ``range`` or ``with``."""

    control: Control
    pipe: Pipe
    body: Nodes
    else_body: Nodes | None = None

    def __str__(self) -> str:
        otherwise = "" if self.else_body is None else f"{{{{else}}}}{to_source(self.else_body)}"
        return f"{{{{{self.control} {self.pipe}}}}}{to_source(self.body)}{otherwise}{{{{end}}}}"


class Invocation(NodeBase, frozen=True):
    """``{{template "name" pipeline}}``."""

    name: str
    pipe: Pipe | None

    def __str__(self) -> str:
        argument = "" if self.pipe is None else f" {self.pipe}"
        return f"{{{{template {quote(self.name)}{argument}}}}}"


class Jump(NodeBase, frozen=True):
    """``{{break}}``: end the range; ``{{continue}}``: go to the next element."""

    keyword: str

    def __str__(self) -> str:
        return f"{{{{{self.keyword}}}}}"


Constant: TypeAlias = Bool | Nil | Number | String
Operand: TypeAlias = Constant | Dot | Field | Variable | Identifier | Chain | Pipe
Statement: TypeAlias = Text | Action | Branch | Invocation | Jump
Node: TypeAlias = Operand | Command | Statement
Nodes: TypeAlias = tuple[Statement, ...]


class Template(Struct, frozen=True):
    """One named template: the complete text, or the body of ``define`` or ``block``.

    ``calls`` are the names of all functions in the template.
    """

    name: str
    body: Nodes
    calls: frozenset[str] = frozenset()

    @property
    def is_empty(self) -> bool:
        """Whether the template contains only white space (parse.IsEmptyTree)."""
        from podgraft.golang.utf8 import SPACES  # most templates have one name each

        return all(isinstance(node, Text) and not node.text.strip(SPACES) for node in self.body)


def walk(nodes: Nodes) -> Iterator[Statement]:
    """The statements and all within them, in the order of the text."""
    for node in nodes:
        yield node
        if isinstance(node, Branch):
            yield from walk(node.body)
            yield from walk(node.else_body or ())


def find_pipes(nodes: Nodes) -> Iterator[Pipe]:
    """The pipelines of the statements and of all within them."""
    for node in walk(nodes):
        if isinstance(node, Action | Branch | Invocation) and node.pipe is not None:
            yield node.pipe


def to_source(nodes: Nodes) -> str:
    """The source of a list of nodes, with the default delimiters."""
    return "".join(map(str, nodes))


def _operand(node: Operand) -> str:
    return f"({node})" if isinstance(node, Pipe) else str(node)
