"""The parse tree of a template; every node prints itself back as source.

``start`` and ``end`` say where in the text a node stands; they do not count when nodes are
compared. ``position`` is where Go says it stands, which differs for operands with fields: there
it is the first field after the operand's first word (parse.operand).
"""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import TypeAlias

from podgraft.go.strconv.quote import quote
from podgraft.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeBase:
    """What every node has: its place in the text."""

    start: int = field(default=0, compare=False, repr=False)
    end: int = field(default=0, compare=False, repr=False)

    @property
    def position(self) -> int:
        """Where Go says the node stands."""
        return self.start


@dataclass(frozen=True, slots=True)
class Dot(NodeBase):
    """``.``: what the template is applied to, or the element of a range."""

    def __str__(self) -> str:
        return "."


@dataclass(frozen=True, slots=True)
class Nil(NodeBase):
    """``nil``, which has no type."""

    def __str__(self) -> str:
        return "nil"


@dataclass(frozen=True, slots=True)
class Bool(NodeBase):
    """``true`` or ``false``."""

    value: bool

    def __str__(self) -> str:
        return "true" if self.value else "false"


@dataclass(frozen=True, slots=True)
class Number(NodeBase):
    """A number constant, under each Go kind that can hold it (``None`` where none can)."""

    text: str
    integer: int | None
    unsigned: int | None
    real: float | None
    complex: complex | None

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class String(NodeBase):
    """A string constant as it was written, and what it means."""

    quoted: str
    text: str

    def __str__(self) -> str:
        return self.quoted


@dataclass(frozen=True, slots=True)
class Identifier(NodeBase):
    """The name of a function."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Field(NodeBase):
    """``.name.name``: a field of the dot, a field of that, and so on."""

    names: tuple[str, ...]
    at: int = field(default=0, compare=False, repr=False)

    def __str__(self) -> str:
        return "".join(f".{name}" for name in self.names)

    @property
    def position(self) -> int:
        """Where the first of the fields stands."""
        return self.at


@dataclass(frozen=True, slots=True)
class Variable(NodeBase):
    """``$name.field.field``; the name with its dollar, then the fields."""

    name: str
    names: tuple[str, ...] = ()
    at: int = field(default=0, compare=False, repr=False)

    def __str__(self) -> str:
        return ".".join((self.name, *self.names))

    @property
    def position(self) -> int:
        """Where the first of the fields stands."""
        return self.at


@dataclass(frozen=True, slots=True)
class Chain(NodeBase):
    """``(pipeline).name.name``, or fields of what a function without arguments gives."""

    node: Pipe | Identifier
    names: tuple[str, ...]
    at: int = field(default=0, compare=False, repr=False)

    def __str__(self) -> str:
        return ".".join((_operand(self.node), *self.names))

    @property
    def position(self) -> int:
        """Where the first of the fields stands."""
        return self.at


@dataclass(frozen=True, slots=True)
class Command(NodeBase):
    """``operand operand …``: a call, if the first one can be called."""

    operands: tuple[Operand, ...]

    def __str__(self) -> str:
        return " ".join(map(_operand, self.operands))


@dataclass(frozen=True, slots=True)
class Pipe(NodeBase):
    """``$a, $b := command | command``."""

    commands: tuple[Command, ...]
    variables: tuple[Variable, ...] = ()
    is_assignment: bool = False

    def __str__(self) -> str:
        commands = " | ".join(map(str, self.commands))
        if not self.variables:
            return commands
        return f"{', '.join(map(str, self.variables))} {'=' if self.is_assignment else ':='} {commands}"  # noqa: E501


@dataclass(frozen=True, slots=True)
class Text(NodeBase):
    """Plain text, white space trimmed where the actions beside it say so."""

    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Action(NodeBase):
    """``{{pipeline}}``: evaluated and, unless it declares variables, printed."""

    pipe: Pipe

    def __str__(self) -> str:
        return f"{{{{{self.pipe}}}}}"


class Control(StrEnum):
    """The keyword of a branch."""

    IF = "if"
    RANGE = "range"
    WITH = "with"


@dataclass(frozen=True, slots=True)
class Branch(NodeBase):
    """``{{if pipeline}}body{{else}}otherwise{{end}}``, or the same with ``range`` or ``with``."""

    control: Control
    pipe: Pipe
    body: Nodes
    else_body: Nodes | None = None

    def __str__(self) -> str:
        otherwise = "" if self.else_body is None else f"{{{{else}}}}{to_source(self.else_body)}"
        return f"{{{{{self.control} {self.pipe}}}}}{to_source(self.body)}{otherwise}{{{{end}}}}"


@dataclass(frozen=True, slots=True)
class Invocation(NodeBase):
    """``{{template "name" pipeline}}``."""

    name: str
    pipe: Pipe | None

    def __str__(self) -> str:
        argument = "" if self.pipe is None else f" {self.pipe}"
        return f"{{{{template {quote(self.name)}{argument}}}}}"


@dataclass(frozen=True, slots=True)
class Break(NodeBase):
    """``{{break}}``: the range ends."""

    def __str__(self) -> str:
        return "{{break}}"


@dataclass(frozen=True, slots=True)
class Continue(NodeBase):
    """``{{continue}}``: the next element."""

    def __str__(self) -> str:
        return "{{continue}}"


# unicode.IsSpace
_SPACES = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)

Constant: TypeAlias = Bool | Nil | Number | String
Operand: TypeAlias = Constant | Dot | Field | Variable | Identifier | Chain | Pipe
Statement: TypeAlias = Text | Action | Branch | Invocation | Break | Continue
Node: TypeAlias = Operand | Command | Statement
Nodes: TypeAlias = tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Template:
    """One named template: the whole text, or what ``define`` or ``block`` set apart.

    ``calls`` are the names of all functions in it.
    """

    name: str
    body: Nodes
    calls: frozenset[str] = field(default=frozenset(), compare=False, repr=False)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing but white space (parse.IsEmptyTree)."""
        return all(isinstance(node, Text) and not node.text.strip(_SPACES) for node in self.body)


def to_source(nodes: Nodes) -> str:
    """The source of a list of nodes, with the usual delimiters."""
    return "".join(map(str, nodes))


def _operand(node: Operand) -> str:
    return f"({node})" if isinstance(node, Pipe) else str(node)
