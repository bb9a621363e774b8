"""What a template function is: a Python callable with Go parameter types."""

from collections.abc import Callable
from dataclasses import dataclass

from podgraft.govalue import ANY, GoType, Value


@dataclass(frozen=True, slots=True)
class Function:
    """A function that templates may call.

    The engine hands over only what Go would: a value that is assignable to the parameter's type,
    constants made that type, nil where the type has one (as ``None`` for ``ANY``). ``call`` gets
    Go values and returns one; it fails by raising ``FunctionError``.
    """

    call: Callable[..., Value]
    parameters: tuple[GoType, ...] = ()
    variadic: GoType | None = None
    result: GoType = ANY
