"""What Go's runtime and package reflect say where a sprig function panics.

text/template turns a panic into the error of the call, so these words reach the user.
"""

from podgraft.go.reflect import Kind, Value, type_of
from podgraft.texttemplate.errors import FunctionError

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


def type_assertion_error(value: Value, wanted: str) -> FunctionError:
    """A type assertion that does not hold."""
    type_ = type_of(value)
    got = "nil" if type_ is None else type_.name
    return FunctionError(f"interface conversion: interface {{}} is {got}, not {wanted}")
