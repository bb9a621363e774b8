"""The functions of templates, for values of which some depend on the object."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial, reduce
from itertools import pairwise
from typing import TypeAlias

from msgspec.structs import replace

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
    AND,
    OR,
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
    combine,
    format_constant,
    has_kind,
    integer,
    is_string,
    list_joined,
    negate,
    to_amount,
    to_integer,
    to_list,
    to_string,
    to_text,
)

Function: TypeAlias = Callable[..., Value]
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
    except (TypeError, ValueError) as error:  # the number of arguments
        raise ExportError(f"it calls {name} with other arguments than CEL has") from error


def call_with_constants(name: str, arguments: list[Value], constants: list[JSON]) -> Value:
    """The result of a function for constants; raises ``ExportError``."""
    function = ALL_FUNCTIONS[name]
    if name in {"eq", "ne"} and len(arguments) == 2:  # noqa: PLR2004 - a pair
        if None not in constants:
            _check_kinds(*arguments)
        return Constant((constants[0] == constants[1]) is (name == "eq"))
    is_logic = name in {"and", "not", "or"}
    if function.wants_interfaces or function.uses_dot or is_logic:
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
        case Constant(value=dict()), (key,):
            found, text = _to_map(container), to_string(key)
            return Choice(f"{text} in {found}", Expression(f"{found}[{text}]"), Constant(None))
        case _:
            raise ExportError("it calls index for something else than labels and such maps")


def _to_map(value: Value) -> str:
    if not isinstance(value, Constant) or not isinstance(value.value, dict):
        raise ExportError("it calls get for something else than values of the overlay")
    pairs: list[str] = []
    for name, each in value.value.items():
        if not isinstance(each, str):
            raise ExportError("it finds a value that is no string by text of the object")
        pairs.append(f"{cel.string_literal(name)}: {cel.string_literal(each)}")
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


def _quote(value: Value) -> Value:
    return replace(to_text(value), is_quoted=True)


def _equal(value: Value, *others: Value) -> Value:
    return boolean(combine([_compare(value, "==", other) for other in others], OR))


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


def _combine(operator: str, *values: Value) -> Value:
    """A condition, or else the operand that decides, as Go returns it."""
    neutral = operator == AND
    if not all(has_kind(each, Kind.BOOL) for each in values):
        *others, result = values
        for each in reversed(others):
            result = _choose(result, each, each) if neutral else _choose(each, result, each)
        return result
    conditions = [*map(to_condition, values)]
    texts = [each.text for each in conditions if isinstance(each, Expression)]
    if any(isinstance(each, Constant) and each.value != neutral for each in conditions):
        return Constant(not neutral)
    return boolean(combine(texts, operator)) if texts else Constant(neutral)


def _to_set(haystack: Value) -> str:
    """A list of which only the elements matter, and not their order."""
    if any(each.is_printed for each in list_joined(haystack)):
        raise ExportError("it calls has for a list of something else than strings")
    return to_list(haystack)


def _to_ordered_list(listed: Value) -> str:
    for each in list_joined(listed):
        for source in each.sources:
            source.reads.add(source.path)
    return to_list(listed)


def _trim_prefix(prefix: Value, value: Value) -> Value:
    start, text = to_string(prefix), to_string(value)
    result = f"(({text}).startsWith({start}) ? ({text}).substring(({start}).size()) : {text})"
    if isinstance(value, MapKey) and isinstance(prefix, Constant) and not value.prefix:
        return MapKey(result, variable=value.variable, prefix=str(prefix.value))
    return Expression(result)


def _append(listed: Value, element: Value) -> Value:
    return Joined(listed, f"[{to_text(element).text}]", not is_string(element))


def _list(*values: Value) -> Value:
    return Items(tuple(enumerate(values)))


def _dict(*values: Value) -> Value:
    entries: dict[str, Value] = {}
    for key, value in zip(values[::2], values[1::2], strict=True):
        if not isinstance(key, Constant):
            raise ExportError("it calls dict with a key of the object")
        entries[str(key.value)] = value
    return Items(tuple(sorted(entries.items())))


def _calculate(form: str, separator: str, *values: Value) -> Value:
    return integer(form.format(separator.join(map(to_integer, values))))


def _divide(operator: str, dividend: Value, *divisors: Value) -> Value:
    if not all(isinstance(each, Constant) for each in divisors):
        raise ExportError("it divides by a value of the object")
    return _calculate("({})", operator, dividend, *divisors)


def _to_pattern(pattern: Value) -> str:
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
    source = to_string(text)
    found = f"({source}).find({to_string(pattern)})"
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


def _extreme_quantity(operator: str, left: Value, right: Value) -> Value:
    return to_amount(left).extreme(to_amount(right), operator)


def _form(form: str, *converters: Callable[[Value], str], kind: Kind = Kind.STRING) -> Function:
    """A function by its form in CEL, with a converter for each argument."""

    def format_call(*values: Value) -> Value:
        pairs = zip(converters, values, strict=True)
        text = form.format(*(convert(value) for convert, value in pairs))
        return Expression(text, kind, is_plain=kind is Kind.INT64)

    return format_call


_FUNCTIONS: Mapping[str, Function] = {
    "add": partial(_calculate, "({})", " + "),
    "and": partial(_combine, AND),
    "append": _append,
    "coalesce": _coalesce,
    "contains": _form("({1}).contains({0})", to_string, to_string, kind=Kind.BOOL),
    "default": _default,
    "dict": _dict,
    "div": partial(_divide, " / "),
    "eq": _equal,
    "get": _form("{0}[?{1}].orValue('')", _to_map, to_string),
    "has": _form("({0}) in ({1})", to_string, _to_set, kind=Kind.BOOL),
    "hasPrefix": _form("({1}).startsWith({0})", to_string, to_string, kind=Kind.BOOL),
    "hasSuffix": _form("({1}).endsWith({0})", to_string, to_string, kind=Kind.BOOL),
    "index": _index,
    "int": _form("{0}", to_integer, kind=Kind.INT64),
    "join": _form("({1}).join({0})", to_string, _to_ordered_list),
    "list": _list,
    "max": partial(_calculate, "[{}].max()", ", "),
    "min": partial(_calculate, "[{}].min()", ", "),
    "mod": partial(_divide, " % "),
    "mul": partial(_calculate, "({})", " * "),
    "ne": _not_equal,
    "not": _not,
    "or": partial(_combine, OR),
    "print": _print,
    "quantityAdd": _add_quantities,
    "quantityMax": partial(_extreme_quantity, ">="),
    "quantityMin": partial(_extreme_quantity, "<="),
    "quantityMul": _multiply_quantity,
    "quote": _quote,
    "regexFind": _form("({1}).find({0})", _to_pattern, to_string),
    "regexMatch": _form("({1}).matches({0})", _to_pattern, to_string, kind=Kind.BOOL),
    "regexReplaceAll": _regex_replace,
    "replace": _form("({2}).replace({0}, {1})", to_string, to_string, to_string),
    "splitList": _form("({1}).split({0})", to_string, to_string, kind=Kind.SLICE),
    "sub": partial(_calculate, "({})", " - "),
    "ternary": _ternary,
    "toString": to_text,
    "trimPrefix": _trim_prefix,
}
