"""The values of a template without an object: constants, and expressions of CEL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from msgspec import Struct

from podgraft.base.jsonvalue import JSON, dump
from podgraft.cli.register import cel
from podgraft.golang.reflect import STRING, GoType, Kind

from .errors import ExportError
from .quantities import METHODS, Amount, make_constant, read_text

NONE = "[]"
AND, OR = " && ", " || "
UNFORMATTED = "it writes a quantity: without quotes, this is only the whole value of a quantity"
LOOP_READS = "a range reads a variable that it assigns"
# The kinds of constants.
_KINDS: dict[type, Kind] = {str: Kind.STRING, bool: Kind.BOOL, int: Kind.INT64}
_INTEGERS = frozenset({Kind.INT, Kind.INT32, Kind.INT64})


class Constant(Struct, frozen=True):
    """A value that does not depend on the object."""

    value: JSON


class Expression(Struct, frozen=True):
    """A string, a boolean, an integer, a list of strings (a slice), or a quantity in CEL.

    A quantity (a struct) is text in the field of one, where YAML and kube-apiserver format it.
    ``is_quoted`` text is a double-quoted scalar of YAML, and ``is_name`` text is a name that
    kube-apiserver accepts, so it contains no syntax. ``is_plain`` text is the same value in YAML
    without quotes. ``is_nilable`` text can be nil in Go, and is empty in CEL then.
    """

    text: str
    kind: Kind = Kind.STRING
    is_quoted: bool = False
    is_name: bool = False
    is_plain: bool = False
    is_nilable: bool = False


class MapKey(Expression, frozen=True):
    """The key of a range over a map, without a prefix."""

    variable: str = ""
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class Reference:
    """A part of the object: a variable of CEL, the fields from it, and the type, if it has one.

    With ``is_name``, it is a name as in ``Expression``, or the metadata with one. ``path`` has the
    fields from the object on, and ``reads`` has the paths of the lists whose order an expression
    depends on.
    """

    variable: str
    fields: tuple[str, ...]
    type: GoType | None
    is_name: bool = False
    path: tuple[str, ...] = ()
    reads: set[tuple[str, ...]] = field(default_factory=set[tuple[str, ...]], compare=False)

    @property
    def optional(self) -> str:
        """The optional value in CEL."""
        required = 2 if self.variable in {"object", "namespaceObject"} else 0
        names = (
            f".{name}" if index + 1 < required else f".?{name}"
            for index, name in enumerate(self.fields)
        )
        return self.variable + "".join(names)

    @property
    def kind(self) -> Kind | None:
        """The kind of the type, if it has one."""
        return self.type.kind if self.type else None

    def or_value(self, default: str) -> str:
        """The value, or a default in CEL."""
        return f"{self.optional}.orValue({default})" if self.fields else self.variable

    def select(self, name: str) -> Reference | Amount | Expression:
        """The field or quantity with a name of Go, with its default; raises ``ExportError``."""
        if self.type and self.type.name == "v1.ResourceList" and name in METHODS:
            return read_text(f"{self.optional}[?'{METHODS[name]}'].orValue('0')")
        struct = self.type.elem if self.type and self.type.kind is Kind.POINTER else self.type
        path = struct.field_path(name) if struct and struct.kind is Kind.STRUCT else None
        if not path:
            raise ExportError(f"it reads .{name} of a value without a Go type")
        fields = tuple(field.json for field in path if field.json)
        named = name == "Name" and (self.is_name or (struct is not None and struct.name in _NAMED))
        found = replace(
            self,
            fields=(*self.fields, *fields),
            type=path[-1].type,
            is_name=named,
            path=(*self.path, *fields),
        )
        if found.kind is Kind.BOOL:
            return boolean(found.or_value("false"))
        return integer(found.or_value("0")) if found.kind in _INTEGERS else found

    def index(self, number: int) -> Reference:
        """The element of a list; the result of CEL is an error if the list is shorter."""
        self.reads.add(self.path)
        return self.element(f"{self.or_value(NONE)}[{number}]")

    def element(self, variable: str) -> Reference:
        """An element of a list, as a variable or another expression of CEL."""
        type_ = self.type.elem if self.type else None
        return Reference(variable, (), type_, path=self.path, reads=self.reads)


# The types whose names contain only letters of DNS names.
_NAMED = frozenset({"v1.Container", "v1.Volume"})


class Choice(Struct, frozen=True):
    """One of two values by a condition."""

    condition: str
    yes: Value
    no: Value

    @property
    def has_constants(self) -> bool:
        """Whether all its values are constants."""
        return all(isinstance(each, Constant) for each in list_leaves(self))

    def format(self, convert: Callable[[Value], str]) -> str:
        """The choice in CEL, with both values converted to it."""
        return f"({self.condition} ? {convert(self.yes)} : {convert(self.no)})"

    def map(self, function: Callable[[Value], Value]) -> Choice:
        """The choice with a function applied to both values."""
        return Choice(self.condition, function(self.yes), function(self.no))


class Joined(Struct, frozen=True):
    """A list of strings: ``base``, and a list in CEL behind it.

    With ``is_printed``, elements of the latter can have another type in Go; ``join`` prints them.
    ``sources`` are the lists of the object that its order depends on.
    """

    base: Value
    text: str
    is_printed: bool = False
    sources: tuple[Reference, ...] = ()


class Sum(Struct, frozen=True):
    """A quantity: ``base`` with another amount."""

    base: Value
    amount: Amount


class Items(Struct, frozen=True):
    """A list, or the sorted entries of a map, of which some elements depend on the object."""

    entries: Entries


class Layers(Struct, eq=False):
    """An empty map to which ranges over maps of strings add their keys with a prefix.

    ``depth`` is the number of regions around its creation.
    """

    depth: int
    sources: list[tuple[Reference, str]] = []

    def look_up(self, key: str) -> Expression:
        """The value of a constant key in the last map that has it, or else nil."""
        texts = [
            f"{each.optional}[?{cel.string_literal(prefix + key)}]" for each, prefix in self.sources
        ]
        first, *others = texts[::-1] or ["optional.of('')"]
        found = f"{first}{''.join(f'.or({each})' for each in others)}"
        return Expression(f"{found}.orValue('')", is_nilable=True)


class Carried(Struct, frozen=True, eq=False):
    """A variable in a loop that assigns to it, before the assignment; ``old`` is its value."""

    old: Value


Value: TypeAlias = (
    Constant | Expression | Reference | Choice | Joined | Items | Layers | Carried | Amount | Sum
)


# The keys or indexes of a map or a list, and their values.
Entries: TypeAlias = tuple[tuple[JSON, Value], ...]


def list_entries(listed: Constant | Items) -> Entries:
    """The entries of a map by their sorted keys, or the elements of a list."""
    match listed:
        case Items(entries=entries):
            return entries
        case Constant(value=dict() as members):
            return tuple((key, Constant(each)) for key, each in sorted(members.items()))
        case Constant(value=list() as elements):
            return tuple((index, Constant(each)) for index, each in enumerate(elements))
        case Constant(value=None):
            return ()
        case _:
            raise ExportError("it has a range over a number or a string")


def list_leaves(value: Value) -> Iterator[Value]:
    """A value, or those in all branches of a choice."""
    if isinstance(value, Choice):
        yield from list_leaves(value.yes)
        yield from list_leaves(value.no)
    else:
        yield value


def list_joined(value: Value) -> Iterator[Joined]:
    """All parts of a list."""
    for each in list_leaves(value):
        match each:
            case Joined(base=before):
                yield each
                yield from list_joined(before)
            case Carried(old=old):
                yield from list_joined(old)
            case _:
                pass


def _get_kind(value: Value) -> Kind | None:
    match value:
        case Constant(value=constant):
            return _KINDS.get(type(constant))
        case Expression() | Reference():
            return value.kind
        case Amount(is_read=False):
            return Kind.STRING
        case _:
            return None


def has_kind(value: Value, kind: Kind) -> bool:
    """Whether a value is a string, a boolean, or an integer, whatever the object."""
    return all(_get_kind(each) is kind for each in list_leaves(value))


def boolean(text: str) -> Expression:
    """A condition in CEL."""
    return Expression(text, Kind.BOOL)


def integer(text: str) -> Expression:
    """An integer in CEL."""
    return Expression(text, Kind.INT64, is_plain=True)


def to_text(value: Value) -> Expression:
    """A string in CEL; raises ``ExportError``."""
    match value:
        case Constant(value=str() | bool() | int() as constant):
            return Expression(cel.string_literal(format_constant(constant)))
        case _ if has_kind(value, Kind.INT64):
            return Expression(f"string({to_integer(value)})", is_plain=True)
        case Constant(value=None) | Expression(is_nilable=True):
            raise ExportError('it prints a value that can be nil: add | default ""')
        case Expression(kind=Kind.STRING):
            return value
        case Expression(kind=Kind.BOOL):
            return Expression(f"string({value.text})")
        case Reference(kind=Kind.STRING):
            return Expression(value.or_value("''"), is_name=value.is_name)
        case Choice():
            return Expression(value.format(lambda each: to_text(each).text))
        case Amount():
            return Expression(value.text)
        case Expression(kind=Kind.STRUCT) | Carried():
            raise ExportError(LOOP_READS if isinstance(value, Carried) else UNFORMATTED)
        case _:
            raise ExportError("it prints a value that is no string")


def to_string(value: Value) -> str:
    """The text of a string in CEL; raises ``ExportError`` for a value of another kind."""
    text = to_text(value).text
    if not is_string(value):
        raise ExportError("it uses a value of another type as a string")
    return text


def is_string(value: Value) -> bool:
    """Whether a value has the type ``string``, and not a type such as ``v1.DNSPolicy``."""
    types = (each.type for each in list_leaves(value) if isinstance(each, Reference))
    return has_kind(value, Kind.STRING) and all(each is STRING for each in types)


def to_list(value: Value) -> str:
    """A list of strings in CEL; raises ``ExportError``."""
    match value:
        case Constant(value=list() as elements) if all(isinstance(each, str) for each in elements):
            return cel.list_literal(map(str, elements))
        case Expression(kind=Kind.SLICE, text=text):
            return text
        case Joined(base, text):
            listed = to_list(base)
            return text if listed == NONE else f"{listed} + {text}"
        case Choice():
            return value.format(to_list)
        case _:
            raise ExportError("it has a list of something else than strings")


def to_amount(value: Value) -> Amount:
    """A quantity in CEL; raises ``ExportError``."""
    match value:
        case Amount():
            return value
        case Constant(value=constant):
            return make_constant(constant)
        case Choice():
            return Amount(value.format(lambda each: to_amount(each).pair))
        case _:
            raise ExportError("it calculates with text of the object as a quantity")


def to_integer(value: Value) -> str:
    """An integer in CEL, as sprig converts text; raises ``ExportError``.

    A text that begins with 0, which Go reads as another base, is an error.
    """
    match value:
        case Constant(value=int() as number) if not isinstance(number, bool):
            return str(number)
        case Expression(kind=Kind.INT64, text=text):
            return text
        case Choice():
            return value.format(to_integer)
        case _:
            text = to_string(value)
            whole = f"({text}).find('^[+-]?[0-9_]+')"
            return (
                f"(({text}).matches('^[+-]?([1-9](_?[0-9])*|([1-9][0-9]*|0)([.][0-9]*)?)$') ? "
                f"int({whole}.replace('+', '').replace('_', '')) : "
                f"({text}).matches('^[+-]?0[0-9a-zA-Z_]') ? [0][1] : 0)"
            )


def format_constant(value: JSON) -> str:
    """A constant as a template prints it; raises ``ExportError``."""
    if isinstance(value, str):
        return value
    if not isinstance(value, int):
        raise ExportError("it prints a map, a list, or a number with a fraction")
    return dump(value)


def combine(tests: Iterable[str], operator: str = AND) -> str:
    """Whether all conditions, or any one of them, are true, in CEL; of one condition, itself."""
    first, *others = tests
    return operator.join(f"({each})" for each in (first, *others)) if others else first


def negate(condition: str) -> Expression:
    """The opposite of a condition."""
    return boolean(f"!({condition})")
