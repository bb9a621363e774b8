"""What a template function is: a Python callable with Go parameter types."""

from collections.abc import Callable
from enum import Enum
from typing import TypeAlias

from podgraft.go.reflect import ANY, GoType, Kind, Method, Value
from podgraft.lazy_dataclass import dataclass

# The type of parameters that take a value as it comes, nil and all; only builtins have them.
REFLECT_VALUE = GoType("reflect.Value", Kind.STRUCT)


@dataclass(frozen=True, slots=True)
class KeyArgument:
    """The member an argument names: ``index .Labels "app"`` reads ``Named(1)`` of its first one."""

    argument: int


class Elements(Enum):
    """All elements of a list."""

    EACH = "each"


ALL_ELEMENTS = Elements.EACH
Step: TypeAlias = str | KeyArgument | Elements  # a field's or key's name, or as said above


@dataclass(frozen=True, slots=True)
class Dependency:
    """A part of an argument: the path to it."""

    argument: int
    path: tuple[Step, ...]


class Flow(Enum):
    """How the text of the arguments reaches the result of a function.

    - ``SELECTS``: it returns its arguments or parts of them as they are;
    - ``TESTS``: its result is a truth value, or the name of a type;
    - ``CARRIES``: it writes the text of its arguments between text of its own. Called with the
      twins of its arguments, it returns the twin of its result;
    - ``REWRITES``: the same, but it may change text within others;
    - ``SERIALIZES``: it writes a value as JSON or YAML, which says what the value is;
    - ``DERIVES``: anything else. All text in its result is a new text of the pod.
    """

    SELECTS = "selects"
    TESTS = "tests"
    CARRIES = "carries"
    REWRITES = "rewrites"
    SERIALIZES = "serializes"
    DERIVES = "derives"


class Harm(Enum):
    """Whether a function can make YAML syntax of text that is none (``injectors/plain_text.py``).

    ``CUTS``: its result is a part of such text, which is harmless between quotes alone.
    """

    NEVER = "never"
    CUTS = "cuts"
    CAN = "can"


@dataclass(frozen=True, slots=True)
class Serializer:
    """``read`` returns the tree of JSON that a function wrote, given its result and its arguments;
    ``write`` writes such a tree in the same way.
    """

    read: Callable[..., Value]
    write: Callable[[Value], str]


@dataclass(frozen=True, slots=True)
class Function:
    """A function that templates may call.

    The engine hands over only what Go would: a value that is assignable to the parameter's type,
    constants made that type, nil where the type has one (as ``None`` for ``ANY``). ``call`` gets
    Go values and returns one; it fails by raising ``FunctionError``.

    A template that names a function which is ``refused`` does not parse; the reason is said.
    With ``told``, ``call`` learns by the keyword ``interfaces`` which arguments came as values of
    an interface type, which a few builtins tell apart as Go does.

    ``dependencies`` are the only parts that it reads of the arguments that they name. A function
    that ``uses_dot`` also reads the data of the rendering (see ``dependencies.py``): ``call``
    receives the ``RenderState`` as the keyword ``state``.

    ``flow`` and ``harm`` classify it; a function without them is treated as one that ``DERIVES``
    and ``CAN``.
    """

    call: Callable[..., Value]
    parameters: tuple[GoType, ...] = ()
    variadic: GoType | None = None
    result: GoType = ANY
    unsupported_reason: str = ""
    wants_interfaces: bool = False
    dependencies: tuple[Dependency, ...] = ()
    uses_dot: bool = False
    flow: Flow | None = None
    harm: Harm | None = None
    serializer: Serializer | None = None


def arity_error(name: str, callee: Function | Method, *, given: int, piped: bool) -> str | None:
    """What is wrong with calling ``name`` with so many arguments, and perhaps a piped one."""
    count, wanted = given + piped, len(callee.parameters)
    if callee.variadic is not None:
        if count >= wanted:
            return None
        return f"wrong number of args for {name}: want at least {wanted} got {given}"
    if count == wanted:
        return None
    return f"wrong number of args for {name}: want {wanted} got {count}"


def parameter_type(callee: Function | Method, index: int) -> GoType:
    """The type that the argument at ``place`` must have; the arity is right."""
    if index < len(callee.parameters) or callee.variadic is None:
        return callee.parameters[index]
    return callee.variadic
