"""The functions of templates, for values of which some depend on the object."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import pairwise

from podgraft.base.jsonvalue import JSON
from podgraft.cli.register import cel
from podgraft.core.injectors.overlay.data import FUNCTIONS
from podgraft.core.injectors.overlay.paths import child_type
from podgraft.golang.reflect import GoType, Kind, Slice
from podgraft.golang.texttemplate import BUILTINS, FunctionError

from .conditions import drop_nil, narrow, to_condition
from .errors import ExportError
from .quantities import add_all
from .values import (
    Carried,
    Choice,
    Constant,
    Expression,
    Items,
    Joined,
    Layers,
    MapKey,
    Reference,
    Sum,
    Value,
    boolean,
    format_constant,
    has_kind,
    integer,
    is_printed,
    is_string,
    negate,
    to_amount,
    to_element,
    to_integer,
    to_list,
    to_string,
    to_text,
)

_NIL = Constant(None)
ALL_FUNCTIONS = {**BUILTINS, **FUNCTIONS}


def call(name: str, arguments: Sequence[Value]) -> Value:
    """The result of a function; raises ``ExportError``."""
    function = _FUNCTIONS.get(name)
    if function is None:
        raise ExportError(f"it calls {name} with values of the object")
    if any(isinstance(each, Expression) and each.is_quoted for each in arguments):
        raise ExportError(f"it calls {name} with the result of quote")
    try:
        return function(*arguments)
    except TypeError as error:
        raise ExportError(f"it calls {name} with other arguments than CEL has") from error


def call_with_constants(name: str, arguments: list[Value], constants: list[JSON]) -> Value:
    """The result of a function for constants; raises ``ExportError``."""
    function = ALL_FUNCTIONS.get(name)
    if name in {"eq", "ne"} and len(arguments) == 2:  # noqa: PLR2004 - a pair
        if None not in constants:
            _check_kinds(*arguments)
        return Constant((constants[0] == constants[1]) is (name == "eq"))
    is_logic = name in {"and", "not", "or"}
    if function is None or function.wants_interfaces or function.uses_dot or is_logic:
        return call(name, arguments)
    problem = f"{name} fails for the values of the overlay"
    parameters = (*function.parameters, *[function.variadic] * len(constants))
    if not all(map(_fits, constants, parameters)):
        raise ExportError(problem)
    try:
        result = function.call(*constants)
    except (FunctionError, TypeError, AttributeError) as error:
        raise ExportError(problem) from error
    return Constant(list(result) if isinstance(result, Slice) else result)  # type: ignore[arg-type]


def _fits(constant: JSON, parameter: GoType | None) -> bool:
    """Whether a constant is a string or a boolean where Go needs one."""
    expected = {Kind.STRING: str, Kind.BOOL: bool}.get(parameter.kind if parameter else Kind.MAP)
    return expected is None or isinstance(constant, expected)


def _index(container: Value, *keys: Value) -> Value:
    match container, keys:
        case Layers(), (Constant(value=str() as name),):
            return container.look_up(name)
        case Reference(kind=Kind.SLICE), (Constant(value=int() as number),):
            return container.index(number)
        case Reference(), (key,) if _is_string_map(container.type):
            return Expression(f"{container.optional}[?{to_string(key)}].orValue('')")
        case Constant(value=dict() as members), (key,):
            found, text = _map_literal(members), to_string(key)
            return Choice(f"{text} in {found}", Expression(f"{found}[{text}]"), Constant(None))
        case _:
            raise ExportError("it calls index for something else than labels and such maps")


def _get(container: Value, key: Value) -> Value:
    if not isinstance(container, Constant) or not isinstance(container.value, dict):
        raise ExportError("it calls get for something else than values of the overlay")
    found = _map_literal(container.value)
    return Expression(f"{found}[?{to_string(key)}].orValue('')")


def _map_literal(members: Mapping[str, JSON]) -> str:
    if not all(isinstance(each, str) for each in members.values()):
        raise ExportError("it finds a value that is no string by text of the object")
    pairs = (
        f"{cel.string_literal(name)}: {cel.string_literal(str(value))}"
        for name, value in members.items()
    )
    return f"{{{', '.join(pairs)}}}"


def _is_string_map(type_: GoType | None) -> bool:
    element = child_type(None, type_)
    return element is not None and element.kind is Kind.STRING


def _default(default: Value, given: Value = _NIL) -> Value:
    return _choose(narrow(given), default, given)


def _coalesce(*values: Value) -> Value:
    return reduce(_default, reversed(values), _NIL)


def _ternary(yes: Value, no: Value, test: Value) -> Value:
    if not has_kind(test, Kind.BOOL):
        raise ExportError("it calls ternary with a condition that is no boolean")
    return _choose(yes, no, test)


def _choose(yes: Value, no: Value, test: Value) -> Value:
    """One of two values, by whether a value is true, as ``if`` has it."""
    condition = to_condition(test)
    if isinstance(condition, Constant):
        return yes if condition.value else no
    return Choice(condition.text, yes, no)


def _print(*values: Value) -> Value:
    """The values without spaces, as Go prints strings."""
    if all(isinstance(each, Constant) and isinstance(each.value, str) for each in values):
        return Constant("".join(str(each.value) for each in values if isinstance(each, Constant)))
    is_text = [has_kind(each, Kind.STRING) for each in values]
    if (False, False) in pairwise(is_text):
        raise ExportError("it prints two values that are no strings: Go puts a space between them")
    return Expression(" + ".join(to_text(value).text for value in values))


def _quote(*values: Value) -> Value:
    (value,) = values
    return replace(to_text(value), is_quoted=True)


def _equal(value: Value, *others: Value) -> Value:
    return boolean(_join_texts([_compare(value, "==", other) for other in others], " || "))


def _not_equal(value: Value, other: Value) -> Value:
    return boolean(_compare(value, "!=", other))


def _check_kinds(*values: Value) -> None:
    """Raise ``ExportError`` for values of different kinds, which Go does not compare."""
    kinds = (Kind.STRING, Kind.BOOL, Kind.INT64)
    if not any(all(has_kind(each, kind) for each in values) for kind in kinds):
        raise ExportError("it compares values of different types")


def _compare(value: Value, operator: str, other: Value) -> str:
    _check_kinds(value, other)
    if any(isinstance(each, Constant) and each.value for each in (value, other)):
        value, other = drop_nil(value), drop_nil(other)  # the empty text differs as well
    return f"{_operand(value)} {operator} {_operand(other)}"


def _operand(value: Value) -> str:
    match value:
        case Constant(value=bool() as literal):
            return format_constant(literal)
        case _ if has_kind(value, Kind.INT64):
            return to_integer(value)
        case Expression(kind=Kind.BOOL):
            return f"({value.text})"
        case _:
            return to_string(value)


def _not(value: Value) -> Value:
    condition = to_condition(value)
    if isinstance(condition, Constant):
        return Constant(not condition.value)
    return negate(condition.text)


def _and(*values: Value) -> Value:
    return _combine(values, " && ", neutral=True)


def _or(*values: Value) -> Value:
    return _combine(values, " || ", neutral=False)


def _combine(values: Sequence[Value], operator: str, *, neutral: bool) -> Value:
    """A condition, or else the operand that decides, as Go returns it."""
    if not all(has_kind(each, Kind.BOOL) for each in values):
        *others, result = values
        for each in reversed(others):
            result = _choose(result, each, each) if neutral else _choose(each, result, each)
        return result
    conditions = [*map(to_condition, values)]
    texts = [each.text for each in conditions if isinstance(each, Expression)]
    if any(isinstance(each, Constant) and each.value != neutral for each in conditions):
        return Constant(not neutral)
    return boolean(_join_texts(texts, operator)) if texts else Constant(neutral)


def _join_texts(texts: Sequence[str], operator: str) -> str:
    return texts[0] if len(texts) == 1 else operator.join(f"({text})" for text in texts)


def _formatter(form: str, count: int, kind: Kind = Kind.STRING) -> Callable[..., Value]:
    """A function of so many strings by its form in CEL."""

    def format_call(*values: Value) -> Value:
        if len(values) != count:
            raise TypeError(form)
        return Expression(form.format(*map(to_string, values)), kind)

    return format_call


def _has(needle: Value, haystack: Value) -> Value:
    if is_printed(haystack):
        raise ExportError("it calls has for a list of something else than strings")
    # Blanks mark lists whose order does not matter: operations.py looks for the others.
    return boolean(f"({to_string(needle)}) in ({to_list(haystack).replace('.map(', ' .map(')})")


def _trim_prefix(prefix: Value, value: Value) -> Value:
    start, text = to_string(prefix), to_string(value)
    result = f"(({text}).startsWith({start}) ? ({text}).substring(({start}).size()) : {text})"
    if isinstance(value, MapKey) and isinstance(prefix, Constant) and not value.prefix:
        return MapKey(result, variable=value.variable, prefix=str(prefix.value))
    return Expression(result)


def _join(separator: Value, listed: Value) -> Value:
    return Expression(f"({to_list(listed)}).join({to_string(separator)})")


def _append(listed: Value, element: Value) -> Value:
    return Joined(listed, f"[{to_element(element)}]", not is_string(element))


def _list(*values: Value) -> Value:
    return Items(tuple(enumerate(values)))


def _dict(*values: Value) -> Value:
    entries: dict[str, Value] = {}
    for key, value in zip(values[::2], values[1::2], strict=True):
        if not isinstance(key, Constant):
            raise ExportError("it calls dict with a key of the object")
        entries[str(key.value)] = value
    return Items(tuple(sorted(entries.items())))


def _int(value: Value) -> Value:
    return integer(to_integer(value))


def _calculator(operator: str) -> Callable[..., Value]:
    def calculate(*values: Value) -> Value:
        if operator in "/%" and not all(isinstance(each, Constant) for each in values[1:]):
            raise ExportError("it divides by a value of the object")
        return integer(f"({f' {operator} '.join(map(to_integer, values))})")

    return calculate


def _extreme(method: str) -> Callable[..., Value]:
    def find(*values: Value) -> Value:
        numbers = ", ".join(map(to_integer, values))
        return integer(f"[{numbers}].{method}()")

    return find


def _regex_match(pattern: Value, text: Value) -> Value:
    return boolean(f"({to_string(text)}).matches({_pattern(pattern)})")


def _regex_find(pattern: Value, text: Value) -> Expression:
    return Expression(f"({to_string(text)}).find({_pattern(pattern)})")


def _pattern(pattern: Value) -> str:
    if not isinstance(pattern, Constant):
        raise ExportError("it has a pattern with text of the object")
    return to_string(pattern)


# A pattern that can match only once, at the end, and not the empty text.
_AT_END = re.compile(r"[^|?*\\(]*\[[^\]|]*\]\+\$|[^|?*\\(\[]*[^|?*\\(\[{}^$+]\+?\$")


def _regex_replace(pattern: Value, text: Value, new: Value) -> Value:
    if not isinstance(pattern, Constant) or not _AT_END.fullmatch(str(pattern.value)):
        raise ExportError("it calls regexReplaceAll: CEL replaces a pattern only at the end ($)")
    if not isinstance(new, Constant) or "$" in str(new.value):
        raise ExportError("it calls regexReplaceAll with a group, or with text of the object")
    source, found = to_string(text), _regex_find(pattern, text).text
    head = f"({source}).substring(0, ({source}).size() - {found}.size())"
    if new.value:
        head += f" + ({found} != '' ? {to_string(new)} : '')"
    return Expression(f"({head})")


def _add_quantities(left: Value, right: Value) -> Value:
    if isinstance(left, Carried | Sum):
        return Sum(left, to_amount(right))
    if right != Constant(0):
        return add_all(f"[{to_amount(left).pair}, {to_amount(right).pair}]")
    # kube-apiserver writes a quantity as quantityAdd prints it. YAML reads an exponent as a number,
    # and that has no exponent.
    text = to_text(left).text
    number = f"string(quantity({text}).asInteger())"
    formatted = f"(({text}).matches('[eE][+-]?[0-9]') ? {number} : {text})"
    return Expression(formatted, Kind.STRUCT, is_plain=True)


def _multiply_quantity(left: Value, right: Value) -> Value:
    if not isinstance(right, Constant):
        raise ExportError("it multiplies a quantity by a value of the object")
    return to_amount(left).multiply(right.value)


def _extreme_quantity(operator: str) -> Callable[[Value, Value], Value]:
    def find(left: Value, right: Value) -> Value:
        return to_amount(left).extreme(to_amount(right), operator)

    return find


_FUNCTIONS: Mapping[str, Callable[..., Value]] = {
    "add": _calculator("+"),
    "and": _and,
    "append": _append,
    "coalesce": _coalesce,
    "contains": _formatter("({1}).contains({0})", 2, Kind.BOOL),
    "default": _default,
    "dict": _dict,
    "div": _calculator("/"),
    "eq": _equal,
    "get": _get,
    "has": _has,
    "hasPrefix": _formatter("({1}).startsWith({0})", 2, Kind.BOOL),
    "hasSuffix": _formatter("({1}).endsWith({0})", 2, Kind.BOOL),
    "index": _index,
    "int": _int,
    "join": _join,
    "list": _list,
    "max": _extreme("max"),
    "min": _extreme("min"),
    "mod": _calculator("%"),
    "mul": _calculator("*"),
    "ne": _not_equal,
    "not": _not,
    "or": _or,
    "print": _print,
    "quantityAdd": _add_quantities,
    "quantityMax": _extreme_quantity(">="),
    "quantityMin": _extreme_quantity("<="),
    "quantityMul": _multiply_quantity,
    "quote": _quote,
    "regexFind": _regex_find,
    "regexMatch": _regex_match,
    "regexReplaceAll": _regex_replace,
    "replace": _formatter("({2}).replace({0}, {1})", 3),
    "splitList": _formatter("({1}).split({0})", 2, Kind.SLICE),
    "sub": _calculator("-"),
    "ternary": _ternary,
    "toString": to_text,
    "trimPrefix": _trim_prefix,
}
