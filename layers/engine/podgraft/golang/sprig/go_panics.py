"""The texts of the panics of Go's runtime and package reflect in sprig functions.

text/template converts a panic to the error of the call, so users can see these texts.
"""

from podgraft.golang.reflect import Kind, Value, type_of
from podgraft.golang.texttemplate.errors import FunctionError

ASSIGNMENT_TO_NIL_MAP = "assignment to entry in nil map"
INTEGER_DIVIDE = "runtime error: integer divide by zero"
LENGTH_OUT_OF_RANGE = "runtime error: makeslice: len out of range"
NIL_POINTER = "runtime error: invalid memory address or nil pointer dereference"
UNADDRESSABLE_ARRAY = "reflect.Value.Slice: slice of unaddressable array"
SLICE_OUT_OF_BOUNDS = "reflect.Value.Slice: slice index out of bounds"


def kind_of(value: Value) -> Kind:
    """``reflect.TypeOf(value).Kind()``, which panics for nil."""
    type_ = type_of(value)
    if type_ is None:
        raise FunctionError(NIL_POINTER)
    return type_.kind


def type_assertion_error(value: Value, expected: str) -> FunctionError:
    """The panic of a failed type assertion."""
    type_ = type_of(value)
    got = "nil" if type_ is None else type_.name
    return FunctionError(f"interface conversion: interface {{}} is {got}, not {expected}")
