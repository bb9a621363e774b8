"""The macros of Kubernetes' environment, and what they become.

Sources: cel-go parser/macro.go, cel/library.go, ext/comprehensions.go and ext/lists.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from .syntax import Call, Comprehension, Constant, Ident, ListOf, MapOf, Node, Select

_RESULT = "@result"
_HIDDEN = frozenset((_RESULT, "__result__"))
_SORTED = "@__sortBy_input__"
_UNUSED = "#unused"


class MacroError(Exception):
    """Arguments that a macro cannot take; ``at`` is where the problem is shown."""

    def __init__(self, at: int, message: str) -> None:
        super().__init__(message)
        self.at = at


# The position of the macro's parenthesis, and the target and arguments.
Expand: TypeAlias = Callable[[int, Sequence[Node]], Node]


def find_macro(name: str, count: int, *, member: bool) -> Expand | None:
    """Return the macro of a name with ``count`` arguments, its target apart."""
    return (_MEMBERS if member else _FUNCTIONS).get((name, count))


# The minor release that introduced a macro, where not all releases have it.
_SINCE: Mapping[str, int] = {
    **dict.fromkeys(("optMap", "optFlatMap"), 28),
    **dict.fromkeys(("existsOne", "transformList", "transformMap", "transformMapEntry"), 32),
    "sortBy": 34,
}
_PAIRS, _PAIRS_SINCE = 3, 32


def find_macro_release(name: str, count: int) -> int:
    """The minor release of Kubernetes that introduced a macro of ``count`` arguments, or 0."""
    if count == _PAIRS and name in {"all", "exists", "exists_one"}:
        return _PAIRS_SINCE
    return _SINCE.get(name, 0)


def _has(at: int, parts: Sequence[Node]) -> Node:
    (argument,) = parts
    if isinstance(argument, Select):
        return Select(at, argument.operand, argument.field, test=True)
    raise MacroError(argument.at, "invalid argument to has() macro")


def _accumulator(at: int) -> Ident:
    return Ident(at, _RESULT)


def _all(at: int, predicate: Node) -> tuple[Node, Node, Node, Node]:
    step = Call(at, "_&&_", (_accumulator(at), predicate))
    condition = Call(at, "@not_strictly_false", (_accumulator(at),))
    return Constant(at, True), condition, step, _accumulator(at)


def _exists(at: int, predicate: Node) -> tuple[Node, Node, Node, Node]:
    step = Call(at, "_||_", (_accumulator(at), predicate))
    none_yet = Call(at, "!_", (_accumulator(at),))
    condition = Call(at, "@not_strictly_false", (none_yet,))
    return Constant(at, False), condition, step, _accumulator(at)


def _exists_one(at: int, predicate: Node) -> tuple[Node, Node, Node, Node]:
    one_more = Call(at, "_+_", (_accumulator(at), Constant(at, 1)))
    step = Call(at, "_?_:_", (predicate, one_more, _accumulator(at)))
    result = Call(at, "_==_", (_accumulator(at), Constant(at, 1)))
    return Constant(at, 0), Constant(at, True), step, result


_Quantifier: TypeAlias = Callable[[int, Node], tuple[Node, Node, Node, Node]]


def _quantifier(make: _Quantifier) -> Expand:
    def expand(at: int, parts: Sequence[Node]) -> Node:
        names = _pair_of_names(parts) if len(parts) > _PAIRS else (_simple_name(parts[1]), "")
        initial, condition, step, result = make(at, parts[-1])
        return _loop(at, parts[0], names, (initial, condition, step, result))

    return expand


def _loop(
    at: int, range_: Node, names: tuple[str, str], parts: tuple[Node, Node, Node, Node]
) -> Node:
    initial, condition, step, result = parts
    return Comprehension(
        at=at,
        range=range_,
        variable=names[0],
        second_variable=names[1],
        accumulator=_RESULT,
        initial=initial,
        condition=condition,
        step=step,
        result=result,
    )


def _collect(
    range_: Node, names: tuple[str, str], start: Node, step: Node, predicate: Node | None
) -> Node:
    """A loop that takes ``step`` for each element, or for those that a predicate is true for."""
    at = start.at
    if predicate is not None:
        step = Call(at, "_?_:_", (predicate, step, _accumulator(at)))
    return _loop(at, range_, names, (start, Constant(at, True), step, _accumulator(at)))


def _append(at: int, element: Node) -> Node:
    return Call(at, "_+_", (_accumulator(at), ListOf(at, (element,))))


def _map(at: int, parts: Sequence[Node]) -> Node:
    names = (_name_of(parts[1], "argument is not an identifier"), "")
    predicate = parts[2] if len(parts) == 4 else None  # noqa: PLR2004 - with its target
    return _collect(parts[0], names, ListOf(at, ()), _append(at, parts[-1]), predicate)


def _filter(at: int, parts: Sequence[Node]) -> Node:
    range_, variable, predicate = parts
    names = (_name_of(variable, "argument is not an identifier"), "")
    return _collect(range_, names, ListOf(at, ()), _append(at, variable), predicate)


def _transform(start: type[ListOf | MapOf], make_step: Callable[[int, str, Node], Node]) -> Expand:
    def expand(at: int, parts: Sequence[Node]) -> Node:
        names = _pair_of_names(parts)
        predicate = parts[3] if len(parts) == 5 else None  # noqa: PLR2004 - with its target
        step = make_step(at, names[0], parts[-1])
        return _collect(parts[0], names, start(at, ()), step, predicate)

    return expand


def _insert(at: int, key: str, value: Node) -> Node:
    return Call(at, "cel.@mapInsert", (_accumulator(at), Ident(at, key), value))


def _insert_entry(at: int, _key: str, entry: Node) -> Node:
    return Call(at, "cel.@mapInsert", (_accumulator(at), entry))


def _append_element(at: int, _key: str, element: Node) -> Node:
    return _append(at, element)


def _optional_map(name: str, *, flat: bool) -> Expand:
    def expand(at: int, parts: Sequence[Node]) -> Node:
        target, variable, transform = parts
        if not isinstance(variable, Ident):
            raise MacroError(variable.at, f"{name}() variable name must be a simple identifier")
        value = Call(at, "value", (target,), member=True)
        bound = _bind(at, variable.name, value, transform)
        found = bound if flat else Call(at, "optional.of", (bound,))
        is_present = Call(at, "hasValue", (target,), member=True)
        return Call(at, "_?_:_", (is_present, found, Call(at, "optional.none", ())))

    return expand


def _bind(at: int, name: str, value: Node, result: Node) -> Node:
    """``result``, in which ``name`` is ``value``."""
    return Comprehension(
        at=at,
        range=ListOf(at, ()),
        variable=_UNUSED,
        accumulator=name,
        initial=value,
        condition=Constant(at, False),
        step=Ident(at, name),
        result=result,
    )


def _sort_by(at: int, parts: Sequence[Node]) -> Node:
    target, variable, key = parts
    if not isinstance(target, ListOf | Select | Ident | Comprehension | Call):
        problem = (
            "sortBy can only be applied to a list, identifier, comprehension, call or select "
            "expression"
        )
        raise MacroError(target.at, problem)
    elements = Ident(at, _SORTED)
    keys = _map(at, (elements, variable, key))
    ordered = Call(at, "@sortByAssociatedKeys", (elements, keys), member=True)
    return _bind(at, _SORTED, target, ordered)


def _name_of(node: Node, problem: str) -> str:
    if not isinstance(node, Ident):
        raise MacroError(node.at, problem)
    if node.name in _HIDDEN:
        raise MacroError(node.at, "iteration variable overwrites accumulator variable")
    return node.name


def _simple_name(node: Node) -> str:
    return _name_of(node, "argument must be a simple name")


def _pair_of_names(parts: Sequence[Node]) -> tuple[str, str]:
    first, second = parts[1], parts[2]
    for each in (first, second):
        if not isinstance(each, Ident):
            raise MacroError(each.at, "argument must be a simple name")
        if each is second and isinstance(first, Ident) and each.name == first.name:
            raise MacroError(each.at, f"duplicate variable name: {each.name}")
    return _simple_name(first), _simple_name(second)


_FUNCTIONS: Mapping[tuple[str, int], Expand] = {("has", 1): _has}
_MEMBERS: Mapping[tuple[str, int], Expand] = {
    (name, count): expand
    for name, counts, expand in (
        ("all", (2, 3), _quantifier(_all)),
        ("exists", (2, 3), _quantifier(_exists)),
        ("exists_one", (2, 3), _quantifier(_exists_one)),
        ("existsOne", (3,), _quantifier(_exists_one)),
        ("map", (2, 3), _map),
        ("filter", (2,), _filter),
        ("transformList", (3, 4), _transform(ListOf, _append_element)),
        ("transformMap", (3, 4), _transform(MapOf, _insert)),
        ("transformMapEntry", (3, 4), _transform(MapOf, _insert_entry)),
        ("optMap", (2,), _optional_map("optMap", flat=False)),
        ("optFlatMap", (2,), _optional_map("optFlatMap", flat=True)),
        ("sortBy", (2,), _sort_by),
    )
    for count in counts
}
