"""The operations of compiled templates: fields, methods, ranges, and printing.

Errors have no location here; ``program.py`` adds the location of the running code.
"""

from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import NoReturn

import msgspec
from msgspec import field

from podgraft.golang.errors import FunctionError, LimitExceededError
from podgraft.golang.fmt.print import INTEGERS
from podgraft.golang.fmt.sprintf import format_default
from podgraft.golang.fmtsort import sort_items
from podgraft.golang.reflect import (
    STRING,
    BoundMethod,
    GoType,
    Kind,
    Map,
    PanicError,
    Pointer,
    Slice,
    Struct,
    Value,
    bind_method,
    dereference,
    pointer_to,
    slice_of,
    type_of,
)
from podgraft.golang.reflect.taint import PlaceholderRegistry
from podgraft.golang.texttemplate.errors import ExecutionError, Limits, MethodError
from podgraft.golang.texttemplate.functions import arity_error, parameter_type
from podgraft.golang.texttemplate.parse import nodes

from .arguments import convert_argument, convert_constant, static_interface


class SectionText(msgspec.Struct, frozen=True):
    """What the execution of a section leaves: its text, its variables, and its number of steps."""

    text: str
    variables: tuple[Value, ...]
    steps: int


UNDECLARED = object()  # in the place of a variable whose declaration was not evaluated
_MISSING = object()
_LISTS, _MAPS = (list, Slice), (dict, Map)
_WRITES_BETWEEN_COUNTS = 32  # the number of writes between two counts


def fail(reason: str) -> NoReturn:
    """Raise the error of a static failure."""
    raise ExecutionError(reason)


def lookup_path(
    value: Value,
    names: Sequence[str],
    expected: GoType | None = None,
    container: Value = None,
    key: str | None = None,
) -> Value:
    """Look up ``value.name.name``, and convert it to the type ``expected`` if it is set."""
    name = ""
    try:
        for name in names:
            class_ = value.__class__
            if class_ is dict:
                member = value.get(name)
            elif class_ is Struct and name in value.cached_fields:
                member = value.cached_fields[name]
            elif class_ is Pointer and value.target.__class__ is Struct:
                target = value.target
                cached = target.cached_fields
                member = (
                    cached[name] if name in cached else _lookup_field(value, name, container, key)
                )
            else:
                member = _lookup_field(value, name, container, key)
            value, container, key = member, value, name
    except (FunctionError, PanicError) as error:
        raise MethodError(name, error) from error
    return value if expected is None else convert_argument(value, expected, container, key)


def _lookup_field(receiver: Value, name: str, container: Value, key: str | None) -> Value:
    """``receiver.name``: a field, an element of a map, or the result of a method (evalField).

    The receiver comes from ``container`` under ``key`` (``static_interface``). A field of nil is
    nil, unless the static type of the nil value is an interface type, which is an error.
    """
    struct = receiver.target if receiver.__class__ is Pointer else receiver
    if struct.__class__ is Struct:
        value = _find_struct_field(struct, name)
        if value is not _MISSING:
            return value
    if receiver is None:
        return _check_nil_field(name, container, key)
    bound = bind_method(dereference(receiver), name)
    if bound is not None:
        _check_arity(bound, 0)
        return bound.call()
    return _lookup_member(receiver, name, container, key, called=False)


def find_method(
    receiver: Value,
    name: str,
    argument_count: int,
    piped: bool,
    container: Value = None,
    key: str | None = None,
) -> BoundMethod | None:
    """Find the method that ``receiver.name arguments…`` calls; ``None`` for a field of nil."""
    if receiver is None:
        return _check_nil_field(name, container, key)
    bound = bind_method(dereference(receiver), name)
    if bound is None:
        _lookup_member(receiver, name, container, key, called=True)
        raise ExecutionError(f"{name} has arguments but cannot be invoked as function")
    _check_arity(bound, argument_count, piped=piped)
    return bound


def convert_method_argument(
    bound: BoundMethod, index: int, value: Value, container: Value = None, key: str | None = None
) -> Value:
    """Convert ``value`` to the argument of a method at ``index``."""
    return convert_argument(value, parameter_type(bound.method, index), container, key)


def convert_method_constant(bound: BoundMethod, index: int, node: nodes.Constant) -> Value:
    """Convert a constant to the argument of a method at ``index``."""
    return convert_constant(node, parameter_type(bound.method, index))


def invoke(bound: BoundMethod, *arguments: Value) -> Value:
    """Call the method and return its result."""
    return bound.call(*arguments)


def is_interface(container: Value = None, key: str | None = None) -> bool:
    """Whether a value from ``container`` has a static interface type."""
    return static_interface(container, key) is not None


def lookup_variable(name: str, *values: Value) -> Value:
    """Return the value of the innermost declared variable ``name``."""
    for value in values:
        if value is not UNDECLARED:
            return value
    raise ExecutionError(f"undefined variable: {name}")


def format_output(value: Value) -> str:
    """Format the output of an action: follow pointers, and print nil as ``<no value>``."""
    if value.__class__ is str:
        return value
    if value is None:
        return "<no value>"
    return format_default(printable_value(value))


def printable_value(value: Value) -> Value:
    """printableValue: the target of pointers, unless the pointer has a print method."""
    value = dereference(value)
    if value.__class__ is Struct and value.addressable:
        for name in ("Error", "String"):
            bound = bind_method(value, name)
            if bound is not None and bound.method.pointer:
                return Pointer(pointer_to(value.type), value)
    return value


def range_elements(value: Value) -> Iterable[Value]:
    """The elements that ``range`` visits: of a list or map, or the numbers below an integer."""
    value = dereference(value)
    if value is None:
        return ()
    class_ = value.__class__
    if class_ in _LISTS:
        return value
    if class_ in _MAPS:
        return [element for _, element in sort_items(value)]
    if class_ is int:
        return range(value)
    type_ = type_of(value)
    if type_ is None or type_.kind not in INTEGERS:
        raise ExecutionError(f"range can't iterate over {format_default(value)}")
    return Slice(slice_of(type_), range(int(value)))


def range_pairs(value: Value) -> Iterable[tuple[Value, Value]]:
    """The elements that ``range $i, $e`` visits, each with its index or key."""
    value = dereference(value)
    if value is None:
        return ()
    class_ = value.__class__
    if class_ in _LISTS:
        return [*enumerate[Value](value)]
    if class_ in _MAPS:
        return sort_items(value)
    type_ = type_of(value)
    if type_ is None or type_.kind not in INTEGERS:
        raise ExecutionError(f"range can't iterate over {format_default(value)}")
    raise ExecutionError(
        f"can't use {format_default(value)} to iterate over more than one variable"
    )


def _check_nil_field(name: str, container: Value, key: str | None) -> None:
    interface = static_interface(container, key)
    if interface is not None:
        raise ExecutionError(f"nil pointer evaluating {interface}.{name}")


def _check_arity(bound: BoundMethod, argument_count: int, *, piped: bool = False) -> None:
    reason = arity_error(bound.name, bound.method, argument_count=argument_count, piped=piped)
    if reason is not None:
        raise ExecutionError(reason)


def _lookup_member(
    receiver: Value, name: str, container: Value, key: str | None, *, called: bool
) -> Value:
    """A field of a struct or an element of a map; ``called`` with arguments is an error."""
    value = dereference(receiver)
    type_ = type_of(value)
    if value.__class__ is Struct:
        field_value = _find_struct_field(value, name)
        if field_value is not _MISSING:
            return field_value
    if type_ is not None and type_.kind is Kind.MAP and _has_string_keys(type_):
        if called:
            raise ExecutionError(f"{name} is not a method but has arguments")
        return value.get(name) if name in value else None
    static = static_interface(container, key) or type_of(receiver)
    raise ExecutionError(_describe_missing_field(value, name, static))


def _find_struct_field(struct: Struct, name: str) -> Value:
    """The exported field of the name, which hides a method of the name; else ``_MISSING``."""
    try:
        return struct.find_field(name, _MISSING)
    except PanicError as error:
        raise ExecutionError(str(error)) from error


def _describe_missing_field(value: Value, name: str, static: GoType | None) -> str:
    """The error text for a missing field of a value of the type ``static``."""
    match value:
        case Struct() if value.type.field_path(name):
            return f"{name} is an unexported field of struct type {static}"
        case Pointer() if _can_have_field(value.type.elem, name):
            return f"nil pointer evaluating {static}.{name}"
        case _:
            return f"can't evaluate field {name} in type {static}"


def _has_string_keys(map_type: GoType) -> bool:
    """Whether a field name can be a key; a named string type cannot."""
    key = map_type.key
    return key is STRING or (key is not None and key.kind is Kind.INTERFACE)


def _can_have_field(pointed: GoType | None, name: str) -> bool:
    """Whether the target of a nil pointer can have the field."""
    return pointed is None or pointed.kind is not Kind.STRUCT or bool(pointed.field_path(name))


class RenderState(msgspec.Struct):
    """One rendering: its data and limits, its output so far, and what that used of the limits.

    ``slots`` are those of a traced rendering. ``reused`` are the sections that are not executed,
    and ``recorded`` those that were (``sections.py``).
    """

    limits: Limits
    data: Value
    slots: PlaceholderRegistry | None = None
    reused: Iterator[SectionText] | None = None
    recorded: list[SectionText] = field(default_factory=list["SectionText"])
    section_start: tuple[int, int] = (0, 0)
    output: list[str] = field(default_factory=list[str])
    steps: int = 0
    measured: int = 0
    size: int = 0

    def iterate(self, items: Iterable[Value]) -> Generator[Value, None, None]:
        """Iterate over ``items``, and count each as a step."""
        steps, output = self.limits.steps, self.output
        for item in items:
            self.steps += 1
            if self.steps > steps or len(output) > self.measured + _WRITES_BETWEEN_COUNTS:
                self._check_counts()
            yield item

    def enter_template(self, depth: int) -> None:
        """Enter an invoked template, ``depth`` invocations deep."""
        if depth > self.limits.depth:
            raise LimitExceededError(
                f"calls templates within templates more than {self.limits.depth} deep"
            )
        self._count_steps(1)

    def count_output(self) -> None:
        """Count the output since the last count."""
        text = "".join(self.output[self.measured :])
        self.measured = len(self.output)
        self.size += byte_length(text)
        if self.size > self.limits.output_bytes:
            raise excess(self.limits)

    def begin_section(self) -> bool:
        """Whether to execute the next section; if not, ``reuse_section`` takes its place."""
        if self.reused is not None:
            return False
        self.section_start = len(self.output), self.steps
        return True

    def end_section(self, variables: tuple[Value, ...]) -> None:
        """Record a section that was executed, with the variables that it set."""
        start, steps = self.section_start
        text = "".join(self.output[start:])
        self.recorded.append(SectionText(text, variables, self.steps - steps))

    def reuse_section(self) -> tuple[Value, ...]:
        """Write the text of the next section; return the variables that it set."""
        if self.reused is None:
            raise TypeError("no sections to reuse")
        section = next(self.reused)
        self.output.append(section.text)
        self._count_steps(section.steps)
        return section.variables

    def _count_steps(self, count: int) -> None:
        self.steps += count
        self._check_counts()

    def _check_counts(self) -> None:
        if self.steps > self.limits.steps:
            raise LimitExceededError(f"takes more than {self.limits.steps} steps")
        if len(self.output) > self.measured + _WRITES_BETWEEN_COUNTS:
            self.count_output()


def excess(limits: Limits) -> LimitExceededError:
    """The error for a template with too much output."""
    return LimitExceededError(f"writes more than {limits.output_bytes} bytes")


def byte_length(text: str) -> int:
    """The length of the text in bytes."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))
