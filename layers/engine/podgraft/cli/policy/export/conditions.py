"""Values of a template as conditions of ``if``."""

from __future__ import annotations

from msgspec.structs import replace

from podgraft.golang.reflect import Kind

from .errors import ExportError
from .values import (
    LOOP_READS,
    Carried,
    Choice,
    Constant,
    Expression,
    Reference,
    Value,
    boolean,
    format_constant,
    negate,
)

# For each kind, the value of an absent field, and the test of a value.
_TESTS = {
    Kind.STRING: ("''", " != ''"),
    Kind.INT64: ("0", " != 0"),
    Kind.SLICE: ("[]", ".size() > 0"),
    Kind.MAP: ("{}", ".size() > 0"),
}


def to_condition(value: Value) -> Constant | Expression:
    """Whether a value is true, as ``if`` has it; raises ``ExportError``."""
    match value:
        case Constant():
            return Constant(bool(value.value))
        case Expression(kind=Kind.BOOL):
            return value
        case Choice(condition, yes, no):
            return _choose_condition(condition, to_condition(yes), to_condition(no))
        case Expression(kind=kind, text=text) if kind in _TESTS:
            return boolean(f"{text}{_TESTS[kind][1]}")
        case Reference(kind=Kind() as kind) if kind in _TESTS:
            default, test = _TESTS[kind]
            return boolean(f"{value.or_value(default)}{test}")
        case Reference(kind=Kind.POINTER):
            return boolean(f"{value.optional}.hasValue()")
        case Carried():
            raise ExportError(LOOP_READS)
        case _:
            raise ExportError("it tests a value of a type without an equivalent in CEL")


def _choose_condition(
    condition: str, yes: Constant | Expression, no: Constant | Expression
) -> Constant | Expression:
    yes, no = (
        Constant(is_known) if isinstance(each, Expression) and each.text == condition else each
        for each, is_known in ((yes, True), (no, False))
    )
    match yes, no:
        case Constant(value=left), Constant(value=right) if left == right:
            return yes
        case Constant(), Constant():
            return boolean(condition) if yes.value else negate(condition)
        case _:
            texts = [
                each.text if isinstance(each, Expression) else format_constant(each.value)
                for each in (yes, no)
            ]
            return boolean(f"({condition} ? {texts[0]} : {texts[1]})")


def narrow(value: Value) -> Value:
    """A value that is known to be true."""
    if not isinstance(value, Choice):
        return drop_nil(value)
    can_be_no = to_condition(value.no) != Constant(False)
    return value.map(narrow) if can_be_no else narrow(value.yes)


def drop_nil(value: Value) -> Value:
    """A value that is known not to be nil."""
    if isinstance(value, Expression) and value.is_nilable:
        return replace(value, is_nilable=False)
    return value
