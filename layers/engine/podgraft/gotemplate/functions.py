"""What a template function is: a Python callable with Go parameter types."""

from collections.abc import Callable
from enum import Enum
from typing import TypeAlias

from podgraft.govalue import ANY, GoType, Kind, Method, Value
from podgraft.records import dataclass

# The type of parameters that take a value as it comes, nil and all; only builtins have them.
REFLECTED = GoType("reflect.Value", Kind.STRUCT)


@dataclass(frozen=True, slots=True)
class Named:
    """The member an argument names: ``index .Labels "app"`` reads ``Named(1)`` of its first one."""

    argument: int


class Elements(Enum):
    """All elements of a list."""

    EACH = "each"


EACH = Elements.EACH
Step: TypeAlias = str | Named | Elements  # a field's or key's name, or as said above


@dataclass(frozen=True, slots=True)
class Read:
    """A part of an argument: the path to it."""

    argument: int
    path: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """A function that templates may call.

    The engine hands over only what Go would: a value that is assignable to the parameter's type,
    constants made that type, nil where the type has one (as ``None`` for ``ANY``). ``call`` gets
    Go values and returns one; it fails by raising ``FunctionError``.

    A template that names a function which is ``refused`` does not parse; the reason is said.
    With ``told``, ``call`` learns by the keyword ``interfaces`` which arguments came as values of
    an interface type, which a few builtins tell apart as Go does.

    ``reads`` are the only parts it looks at of the arguments that are named there; an ``ambient``
    one also looks at the data of the template that calls it (see ``footprint``).
    """

    call: Callable[..., Value]
    parameters: tuple[GoType, ...] = ()
    variadic: GoType | None = None
    result: GoType = ANY
    refused: str = ""
    told: bool = False
    reads: tuple[Read, ...] = ()
    ambient: bool = False


def arity_fault(name: str, callee: Function | Method, *, given: int, piped: bool) -> str | None:
    """What is wrong with calling ``name`` with so many arguments, and perhaps a piped one."""
    count, wanted = given + piped, len(callee.parameters)
    if callee.variadic is not None:
        if count >= wanted:
            return None
        return f"wrong number of args for {name}: want at least {wanted} got {given}"
    if count == wanted:
        return None
    return f"wrong number of args for {name}: want {wanted} got {count}"


def parameter(callee: Function | Method, place: int) -> GoType:
    """The type that the argument at ``place`` must have; the arity is right."""
    if place < len(callee.parameters) or callee.variadic is None:
        return callee.parameters[place]
    return callee.variadic
