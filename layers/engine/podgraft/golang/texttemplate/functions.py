"""Template functions: Python callables with Go parameter types."""

from collections.abc import Callable
from enum import Enum
from functools import cached_property

from msgspec import Struct, field

from podgraft.golang.reflect import ANY, GoType, Kind, Method, Value

# The type of parameters that accept any value unchanged, including nil. Only builtins use it.
REFLECT_VALUE = GoType("reflect.Value", Kind.STRUCT)


class KeyArgument(Struct, frozen=True):
    """A member that an argument names: ``index .a "b"`` reads ``KeyArgument(1)`` of argument 0."""

    argument: int


class Dependency(Struct, frozen=True):
    """The path to a part of an argument that a function reads.

    A step is the name of a field, a key, or ``EACH`` for all elements of a list.
    """

    argument: int
    path: tuple[str | KeyArgument, ...]


class Propagation(Enum):
    """How taint propagates from the arguments of a function to its result.

    - ``SELECTS``: the function returns its arguments or parts of them unchanged.
    - ``TESTS``: the result is a boolean or the name of a type.
    - ``CARRIES``: the result contains the text of the arguments between constant text. For masked
      arguments, the function returns the masked result.
    - ``REWRITES``: as ``CARRIES``, but the function can change text next to other text.
    - ``SERIALIZES``: the result is JSON or YAML, which can be parsed to find the value again.
    - ``DERIVES``: anything else. All text in the result is tainted.
    """

    SELECTS = "selects"
    TESTS = "tests"
    CARRIES = "carries"
    REWRITES = "rewrites"
    SERIALIZES = "serializes"
    DERIVES = "derives"


class SyntaxRisk(Enum):
    """Whether a function can create YAML syntax from plain text (``core/injectors/plain_text.py``).

    ``SLICES``: the result is a part of the text, which is safe only between quotes.
    """

    NONE = "never"
    SLICES = "cuts"
    POSSIBLE = "can"


class Serializer(Struct, frozen=True):
    """The reverse of a function that serializes.

    ``read`` returns the JSON tree for the result of a function and its arguments. ``write``
    serializes a tree as the function does.
    """

    read: Callable[..., Value]
    write: Callable[[Value], str]


class LazyFunction:
    """A function whose body is imported when a template that names it is first rendered."""

    def __init__(self, import_body: Callable[[], Callable[..., Value]]) -> None:
        self._import_body = import_body

    @cached_property
    def body(self) -> Callable[..., Value]:
        """The function itself."""
        return self._import_body()

    def __call__(self, *arguments: Value) -> Value:
        """Call the function."""
        return self.body(*arguments)


class Function(Struct, frozen=True):
    """A function that templates can call.

    As in Go, an argument is a value that is assignable to the type of the parameter, a constant of
    that type, or nil if the type can be nil (``None`` for ``ANY``). ``call`` accepts and returns Go
    values, and raises ``FunctionError`` if it fails.

    A template that names a function with an ``unsupported_reason`` does not parse; the error
    contains the reason. With ``wants_interfaces``, ``call`` receives the keyword ``interfaces``:
    whether each argument is a value of an interface type, which a few builtins distinguish.

    ``dependencies`` are the only parts that it reads of the arguments that they name. A function
    that ``uses_dot`` also reads the data of the rendering (see ``dependencies.py``): ``call``
    receives the ``RenderState`` as the keyword ``state``. A function that ``mutates`` changes maps
    of its arguments in place, as in Go.

    ``propagation`` and ``syntax_risk`` classify the function. The defaults are ``DERIVES`` and
    ``POSSIBLE``.
    """

    call: Callable[..., Value]
    parameters: tuple[GoType, ...] = ()
    variadic: GoType | None = None
    result: GoType = field(default_factory=lambda: ANY)
    unsupported_reason: str = ""
    wants_interfaces: bool = False
    dependencies: tuple[Dependency, ...] = ()
    uses_dot: bool = False
    mutates: bool = False
    propagation: Propagation | None = None
    syntax_risk: SyntaxRisk | None = None
    serializer: Serializer | None = None


def arity_error(
    name: str, callee: Function | Method, *, argument_count: int, piped: bool
) -> str | None:
    """Go's error for a call of ``name`` with a wrong number of arguments; ``None`` if valid."""
    count, expected = argument_count + piped, len(callee.parameters)
    if callee.variadic is not None:
        if count >= expected:
            return None
        return f"wrong number of args for {name}: want at least {expected} got {argument_count}"
    if count == expected:
        return None
    return f"wrong number of args for {name}: want {expected} got {count}"


def parameter_type(callee: Function | Method, index: int) -> GoType:
    """The type of the parameter at ``index``; the arity is already checked."""
    if index < len(callee.parameters) or callee.variadic is None:
        return callee.parameters[index]
    return callee.variadic
