"""How a function fails: the texts of Go's panics, and the size limits of one result.

text/template converts a panic of Go's runtime or of package reflect to the error of the call, so
users can see these texts. The engine limits the output of a rendering. The size limits prevent a
single call (``repeat``, ``until``, or ``replace``) from using all memory before it prints anything.
"""

from podgraft.golang.errors import FunctionError, LimitExceededError
from podgraft.golang.reflect import Kind, Value, type_of
from podgraft.golang.texttemplate.errors import Limits

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


MAX_TEXT_BYTES = Limits().output_bytes  # a longer text could not be printed
MAX_ELEMENTS = Limits().steps  # a range over a longer list could not end


def check_text_size(size: int) -> None:
    """Raise ``LimitExceededError`` for a text longer than ``MAX_TEXT_BYTES``."""
    if size > MAX_TEXT_BYTES:
        raise LimitExceededError(
            f"a text of {size} bytes is longer than the limit, {MAX_TEXT_BYTES}"
        )


def check_element_count(count: int) -> None:
    """Raise ``LimitExceededError`` for a list longer than ``MAX_ELEMENTS``."""
    if count > MAX_ELEMENTS:
        raise LimitExceededError(
            f"a list of {count} elements is longer than the limit, {MAX_ELEMENTS}"
        )
