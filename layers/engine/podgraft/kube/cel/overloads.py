"""The overloads of CEL's functions, each as one row: the signature and the Python function.

``member("find", "string string -> string", find)`` is ``string.find(string)``; ``function`` makes
one that is called by its name. Types are written as CEL writes them, without blanks; a single
capital letter is a type parameter.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

from .cost import Cost, fixed_cost
from .errors import EvaluationError, no_such_overload_error
from .extent import check_extent, check_text_read
from .values import Duration, Optional, Timestamp, TypeValue, Uint, Value, kind, type_name

# What runs for an overload. It takes values of the row's types: ``pick`` sees to that.
OverloadFunction: TypeAlias = (
    Callable[[Value], Value]
    | Callable[[Value, Value], Value]
    | Callable[[], Value]
    | Callable[[Value, Value, Value], Value]
    | Callable[[Value, Value, Value, Value], Value]
)


UNDECLARED = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Overload:
    """One signature of a function; ``call`` gets a member's target as its first argument.

    With ``reads_go``, its last argument is what is known of values of Go (``GoTypes``).
    ``measure`` adds what it reads of its arguments to what the review read (``extent``), if the
    cost does not limit it.
    ``since`` is the minor release of Kubernetes that introduced it, 0 where all have it, and
    ``UNDECLARED`` where values have it that only ``dyn`` hides from the check of types.
    """

    name: str
    parameters: tuple[str, ...]
    result: str
    call: OverloadFunction
    cost: Cost = fixed_cost
    member: bool = False
    reads_go: bool = False
    measure: Callable[[Sequence[Value], int], int] | None = None
    since: int = 0


def function(
    name: str, signature: str, call: OverloadFunction, cost: Cost = fixed_cost
) -> Overload:
    """A row for ``name(argument, …)``."""
    parameters, _, result = signature.partition("->")
    return Overload(
        name=name,
        parameters=tuple(parameters.split()),
        result=result.strip(),
        call=call,
        cost=cost,
    )


def member(name: str, signature: str, call: OverloadFunction, cost: Cost = fixed_cost) -> Overload:
    """A row for ``target.name(argument, …)``; the signature's first type is the target's."""
    return replace(function(name, signature, call, cost), member=True)


def identity(value: Value) -> Value:
    """The value itself."""
    return value


def make_test(read: Callable[[str], object]) -> Callable[[str], bool]:
    """A function that returns whether another one can read a text."""

    def can_read(text: str) -> bool:
        try:
            read(text)
        except EvaluationError:
            return False
        return True

    return can_read


def reads_go(row: Overload) -> Overload:
    """A row whose function compares values, which may be values of Go."""
    return replace(row, reads_go=True, measure=check_extent)


def reads_all(row: Overload) -> Overload:
    """A row whose function reads its arguments at all levels: their extent has a limit."""
    return replace(row, measure=check_extent)


def copies_text(row: Overload) -> Overload:
    """A row whose function copies or compares texts for one unit."""
    return replace(row, measure=partial(check_text_read, weight=1))


def reads_text(row: Overload, weight: int = 64) -> Overload:
    """A row whose function parses texts for one unit; ``weight`` is in 64ths of a member."""
    return replace(row, measure=partial(check_text_read, weight=weight))


def since(minor: int, rows: Iterable[Overload]) -> tuple[Overload, ...]:
    """Rows that Kubernetes 1.``minor`` introduced."""
    return tuple(replace(row, since=row.since or minor) for row in rows)


class OverloadSet:
    """All overloads of one name; ``pick`` finds the one that takes these values."""

    __slots__ = ("_exact", "_generic", "_types", "name", "rows")

    def __init__(self, name: str) -> None:
        self.name = name
        self.rows: list[Overload] = []
        self._exact: dict[tuple[type[object], ...], Overload] = {}
        self._types: dict[Overload, tuple[type[object], ...]] = {}
        self._generic: list[tuple[tuple[type[object], ...], Overload]] = []

    def add(self, overload: Overload, python_types: Mapping[str, type[object]]) -> None:
        """Add an overload."""
        self.rows.append(overload)
        types = tuple(_python_type(name, python_types) for name in overload.parameters)
        if object in types:
            self._generic.append((types, overload))
        else:
            self._exact.setdefault(types, overload)
        if object not in types or {*types} == {object}:
            self._types[overload] = types

    def make_pick(self, known: Overload | None) -> Callable[[Sequence[Value]], Overload]:
        """``pick`` for a call of which the checker knows the only overload, if there is one."""
        types = None if known is None else self._types.get(known)
        if known is None or types is None:
            return self.pick
        if object in types:  # such as ``==``, which takes all values
            return lambda _arguments: known

        def pick_known(arguments: Sequence[Value]) -> Overload:
            if types != tuple(map(kind, arguments)):
                raise self._no_such_overload_error(arguments)
            return known

        return pick_known

    def pick(self, arguments: Sequence[Value]) -> Overload:
        """Select the overload for these arguments; raises ``no such overload``."""
        types = tuple(map(kind, arguments))
        exact = self._exact.get(types)
        if exact is not None:
            return exact
        for parameter_types, overload in self._generic:
            if len(parameter_types) == len(types) and all(
                parameter_type is object or parameter_type is got
                for parameter_type, got in zip(parameter_types, types, strict=True)
            ):
                return overload
        raise self._no_such_overload_error(arguments)

    def _no_such_overload_error(self, arguments: Sequence[Value]) -> EvaluationError:
        return no_such_overload_error(f"{self.name}({', '.join(map(type_name, arguments))})")


_PYTHON_TYPES: dict[str, type[object]] = {
    "null": type(None),
    "bool": bool,
    "int": int,
    "uint": Uint,
    "double": float,
    "string": str,
    "bytes": bytes,
    "list": list,
    "map": dict,
    "type": TypeValue,
    "timestamp": Timestamp,
    "duration": Duration,
    "optional_type": Optional,
    "dyn": object,
}


def _python_type(name: str, more: Mapping[str, type[object]]) -> type[object]:
    outer = name.partition("(")[0]
    if is_parameter(outer):
        return object
    return _PYTHON_TYPES[outer] if outer in _PYTHON_TYPES else more[outer]


def is_parameter(name: str) -> bool:
    """Whether the name of a type means any type."""
    return len(name) == 1 and name.isupper()


def table(
    rows: Iterable[Overload], python_types: Mapping[str, type[object]]
) -> dict[str, OverloadSet]:
    """Name to function; ``python_types`` gives the classes of the types that rows make up."""
    functions: dict[str, OverloadSet] = {}
    for row in rows:
        functions.setdefault(row.name, OverloadSet(row.name)).add(row, python_types)
    return functions
