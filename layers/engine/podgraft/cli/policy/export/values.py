"""The values of a template without an object: constants, and expressions of CEL."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from podgraft.base.jsonvalue import JSON
from podgraft.cli.register import cel
from podgraft.core.injectors.overlay.paths import child_type
from podgraft.golang.reflect import GoType, Kind


class ExportError(Exception):
    """Something that Kubernetes' own policies cannot do; the text is the reason."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A value that does not depend on the object."""

    value: JSON


@dataclass(frozen=True, slots=True)
class Expression:
    """A string or a boolean in CEL.

    ``is_quoted`` text is a double-quoted scalar of YAML, and ``is_name`` text is a name that
    kube-apiserver accepts, so it contains no syntax.
    """

    text: str
    is_boolean: bool = False
    is_quoted: bool = False
    is_name: bool = False


@dataclass(frozen=True, slots=True)
class Reference:
    """A part of the object: a variable of CEL, the fields from it, and the type, if it has one."""

    variable: str
    fields: tuple[str, ...]
    type: GoType | None
    is_name: bool = False

    @property
    def optional(self) -> str:
        """The optional value in CEL."""
        required = 2 if self.variable in {"object", "namespaceObject"} else 0
        names = (
            f".{name}" if index + 1 < required else f".?{name}"
            for index, name in enumerate(self.fields)
        )
        return self.variable + "".join(names)

    def or_value(self, default: str) -> str:
        """The value, or a default in CEL."""
        return f"{self.optional}.orValue({default})" if self.fields else self.variable

    def select(self, name: str) -> Reference:
        """The field with a name of Go; raises ``ExportError``."""
        struct = self.type.elem if self.type and self.type.kind is Kind.POINTER else self.type
        path = struct.field_path(name) if struct and struct.kind is Kind.STRUCT else None
        if not path:
            raise ExportError(f"it reads .{name} of a value without a Go type")
        fields = tuple(field.json for field in path if field.json)
        named = name == "Name" and struct is not None and struct.name in _NAMED
        return replace(self, fields=(*self.fields, *fields), type=path[-1].type, is_name=named)


# The types whose names contain only letters of DNS names.
_NAMED = frozenset({"v1.ObjectMeta", "v1.Container", "v1.Volume"})

Value: TypeAlias = Constant | Expression | Reference


def to_text(value: Value) -> Expression:
    """A string in CEL; raises ``ExportError``."""
    match value:
        case Constant(value=str() as text):
            return Expression(cel.string_literal(text))
        case Constant(value=bool() | int() as number):
            return Expression(cel.string_literal(format_constant(number)))
        case Expression(is_boolean=False):
            return value
        case Reference(type=GoType(kind=Kind.STRING)):
            return Expression(value.or_value("''"), is_name=value.is_name)
        case _:
            raise ExportError("it prints a value that is no string")


def format_constant(value: JSON) -> str:
    """A constant as a template prints it; raises ``ExportError``."""
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case _:
            raise ExportError("it prints a map, a list, or a number with a fraction")


def to_condition(value: Value) -> Constant | Expression:
    """Whether a value is true, as ``if`` has it; raises ``ExportError``."""
    match value:
        case Constant():
            return Constant(bool(value.value))
        case Expression(is_boolean=True):
            return value
        case Expression():
            return Expression(f"{value.text} != ''", is_boolean=True)
        case Reference(type=GoType(kind=Kind.STRING)):
            return Expression(f"{value.or_value(repr(''))} != ''", is_boolean=True)
        case Reference(type=GoType(kind=Kind.BOOL)):
            return Expression(value.or_value("false"), is_boolean=True)
        case Reference(type=GoType(kind=Kind.SLICE)):
            return Expression(f"{value.or_value('[]')}.size() > 0", is_boolean=True)
        case Reference(type=GoType(kind=Kind.MAP)):
            return Expression(f"{value.or_value('{}')}.size() > 0", is_boolean=True)
        case Reference(type=GoType(kind=Kind.POINTER)):
            return Expression(f"{value.optional}.hasValue()", is_boolean=True)
        case _:
            raise ExportError("it tests a value of a type without an equivalent in CEL")


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


def _index(container: Value, *keys: Value) -> Value:
    if isinstance(container, Reference) and len(keys) == 1 and _is_string_map(container.type):
        lookup = f"{container.optional}[?{to_text(keys[0]).text}]"
        return Expression(f"{lookup}.orValue('')")
    raise ExportError("it calls index for something else than labels, annotations, and such maps")


def _is_string_map(type_: GoType | None) -> bool:
    element = child_type(None, type_)
    return element is not None and element.kind is Kind.STRING


def _default(default: Value, given: Value = Constant(None)) -> Value:
    condition = to_condition(given)
    if isinstance(condition, Constant):
        return given if condition.value else default
    return _choose(condition.text, given, default)


def _coalesce(*values: Value) -> Value:
    *others, result = values
    for value in reversed(others):
        result = _default(result, value)
    return result


def _ternary(yes: Value, no: Value, test: Value) -> Value:
    condition = to_condition(test)
    if isinstance(condition, Constant):
        return yes if condition.value else no
    return _choose(condition.text, yes, no)


def _choose(condition: str, yes: Value, no: Value) -> Expression:
    left, right = to_text(yes), to_text(no)
    return Expression(f"({condition} ? {left.text} : {right.text})")


def _print(*values: Value) -> Value:
    """The values without spaces, as Go prints strings."""
    if not all(_is_text(value) for value in values):
        raise ExportError("it prints several values that are no strings")
    texts = [to_text(value) for value in values]
    return Expression(" + ".join(text.text for text in texts))


def _is_text(value: Value) -> bool:
    match value:
        case Constant():
            return isinstance(value.value, str)
        case Expression():
            return not value.is_boolean
        case Reference():
            return value.type is not None and value.type.kind is Kind.STRING


def _quote(*values: Value) -> Value:
    (value,) = values
    return replace(to_text(value), is_quoted=True)


def _equal(value: Value, *others: Value) -> Value:
    texts = [f"{_operand(value)} == {_operand(other)}" for other in others]
    return Expression(_join(texts, " || "), is_boolean=True)


def _not_equal(value: Value, other: Value) -> Value:
    return Expression(f"{_operand(value)} != {_operand(other)}", is_boolean=True)


def _operand(value: Value) -> str:
    match value:
        case Constant(value=bool() | int() as literal):
            return format_constant(literal)
        case Reference(type=GoType(kind=Kind.BOOL)):
            return value.or_value("false")
        case Expression(is_boolean=True):
            return f"({value.text})"
        case _:
            return to_text(value).text


def _not(value: Value) -> Value:
    condition = to_condition(value)
    if isinstance(condition, Constant):
        return Constant(not condition.value)
    return negate(condition)


def negate(condition: Expression) -> Expression:
    """The opposite of a condition."""
    return Expression(f"!({condition.text})", is_boolean=True)


def _and(*values: Value) -> Value:
    return Expression(_join([*_conditions(values)], " && "), is_boolean=True)


def _or(*values: Value) -> Value:
    return Expression(_join([*_conditions(values)], " || "), is_boolean=True)


def _conditions(values: Sequence[Value]) -> Iterator[str]:
    for value in values:
        condition = to_condition(value)
        if isinstance(condition, Constant):
            yield format_constant(condition.value)
        else:
            yield condition.text


def _join(texts: Sequence[str], operator: str) -> str:
    return texts[0] if len(texts) == 1 else operator.join(f"({text})" for text in texts)


def _tester(method: str) -> Callable[[Value, Value], Value]:
    def test(part: Value, text: Value) -> Value:
        return Expression(f"({to_text(text).text}).{method}({to_text(part).text})", is_boolean=True)

    return test


_FUNCTIONS: Mapping[str, Callable[..., Value]] = {
    "and": _and,
    "coalesce": _coalesce,
    "contains": _tester("contains"),
    "default": _default,
    "eq": _equal,
    "hasPrefix": _tester("startsWith"),
    "hasSuffix": _tester("endsWith"),
    "index": _index,
    "ne": _not_equal,
    "not": _not,
    "or": _or,
    "print": _print,
    "quote": _quote,
    "ternary": _ternary,
    "toString": to_text,
}
