"""Checks of literals after the type check (cel-go cel/validator.go, ext/formatting.go)."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from .checker import Checked
from .errors import EvaluationError
from .library import FUNCTIONS
from .library.formatting import PROBLEMS, FormatError, parse_clauses
from .library.strings import compile_ as compile_pattern
from .syntax import Call, Constant, ListOf, MapOf, Node, children
from .types import Type, is_exact, show_type
from .values import Value

_EXEMPT = "format"

# A position and a message.
_Found = tuple[int, str]


def find_invalid_literals(checked: Checked) -> Iterator[_Found]:
    """Yield the problems of literals: durations, timestamps, patterns, formats, mixed lists."""
    yield from _visit(checked.root, checked.types, exempt=False)


def _visit(node: Node, types: Mapping[int, Type], *, exempt: bool) -> Iterator[_Found]:
    """Visit a tree; ``exempt`` states that the node is in a call of ``format``."""
    match node:
        case Call():
            yield from _check_argument(node)
            if node.function == _EXEMPT and node.member:
                yield from _check_format(node, types)
            exempt = exempt or node.function == _EXEMPT
        case ListOf() if not exempt:
            yield from _check_list(node, types)
        case MapOf() if not exempt:
            yield from _check_map(node, types)
        case _:
            pass
    for child in children(node):
        yield from _visit(child, types, exempt=exempt)


def _evaluate(name: str) -> Callable[[Value], object]:
    def evaluate(value: Value) -> object:
        return FUNCTIONS[name].pick([value]).call(*[value])

    return evaluate


_ARGUMENTS: Mapping[str, Callable[[Value], object]] = {
    "duration": _evaluate("duration"),
    "timestamp": _evaluate("timestamp"),
    # The pattern of the method, but the text of the function: so does cel-go.
    "matches": compile_pattern,
}


def _check_argument(node: Call) -> Iterator[_Found]:
    attempt = _ARGUMENTS.get(node.function)
    arguments = node.arguments[node.member :]
    if attempt is None or not arguments or not isinstance(arguments[0], Constant):
        return
    try:
        attempt(arguments[0].value)
    except EvaluationError as error:
        yield arguments[0].at, f"invalid {node.function} argument: {error.__cause__ or error}"


def _check_list(node: ListOf, types: Mapping[int, Type]) -> Iterator[_Found]:
    first: Type | None = None
    for position, element in enumerate(node.elements):
        type_ = _element_type(types[id(element)], optional=position in node.optional)
        if first is None:
            first = type_
        elif not is_exact(first, type_):
            yield _mismatch(element, first, type_)
            return


def _check_map(node: MapOf, types: Mapping[int, Type]) -> Iterator[_Found]:
    first: tuple[Type, Type] | None = None
    for key, value, optional in node.entries:
        pair = types[id(key)], _element_type(types[id(value)], optional=optional)
        if first is None:
            first = pair
            continue
        for part, expected, actual in zip((key, value), first, pair, strict=True):
            if not is_exact(expected, actual):
                yield _mismatch(part, expected, actual)


def _element_type(type_: Type, *, optional: bool) -> Type:
    """The type of an element; a dyn value has no parameter (cel-go fails at it)."""
    return type_.parameters[0] if optional and type_.parameters else type_


def _mismatch(node: Node, expected: Type, actual: Type) -> _Found:
    return node.at, f"expected type '{show_type(expected)}' but found '{show_type(actual)}'"


_WHOLE = ("int", "uint")
# The static types that each clause takes.
_CLAUSES: Mapping[str, Sequence[str]] = {
    "d": _WHOLE,
    "o": _WHOLE,
    "f": ("double", "string"),
    "e": ("double", "string"),
    "b": (*_WHOLE, "bool"),
    "x": (*_WHOLE, "string", "bytes"),
}
_TEXTS = (
    *("list", "map", "int", "uint", "double", "bool", "string", "timestamp", "bytes"),
    *("duration", "type", "null"),
)


def _check_format(node: Call, types: Mapping[int, Type]) -> Iterator[_Found]:
    """Check a literal format against the static types of a literal list."""
    match node.arguments:
        case (Constant(value=str() as text), ListOf(elements=elements)):
            pass
        case _:
            return
    used = 0
    try:
        for clause in parse_clauses(text, len(elements)):
            if clause.verb:
                problem = _check_clause(clause.verb, elements[used], types)
                if problem:
                    yield problem
                    return
                used += 1
    except FormatError as error:
        yield node.at, str(error)
        return
    if used < len(elements):
        problem_text = "too many arguments supplied to string.format"
        yield node.at, f"{problem_text} (expected {used}, got {len(elements)})"


def _check_clause(verb: str, element: Node, types: Mapping[int, Type]) -> _Found | None:
    verb = verb.lower()
    if verb == "s":
        textless = _find_textless(element, types)
    else:
        textless = None if types[id(element)].kind in {*_CLAUSES[verb], "dyn"} else element
    if textless is None:
        return None
    given = types[id(textless)].name
    return textless.at, f"error during formatting: {PROBLEMS[verb]}, was given {given}"


def _find_textless(node: Node, types: Mapping[int, Type]) -> Node | None:
    """The first node of a type without a text, in literals of lists and maps."""
    if types[id(node)].kind not in {*_TEXTS, "dyn"}:
        return node
    if not isinstance(node, ListOf | MapOf):
        return None
    for child in children(node):
        found = _find_textless(child, types)
        if found is not None:
            return found
    return None
