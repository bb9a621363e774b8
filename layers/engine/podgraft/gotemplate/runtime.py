"""What compiled templates call while they run: fields, methods, ranges, printing.

A fault is raised without its place, which the code that was running tells (``program.py``).
"""

from collections.abc import Generator, Iterable, Sequence
from typing import NoReturn

from podgraft.govalue import (
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
    bind,
    pointer_to,
    slice_of,
    type_of,
)
from podgraft.records import dataclass

from . import nodes
from .arguments import converted, interface_of, literal
from .errors import ExcessError, FaultError, FunctionError, MethodError
from .functions import arity_fault, parameter
from .limits import Limits
from .ordering import sorted_items
from .printer import INTEGERS
from .printing import show

UNDECLARED = object()  # in the place of a variable whose declaration was not evaluated
_LISTS, _MAPS = (list, Slice), (dict, Map)
_MANY_WRITES = 32  # may go by before they are counted


def fail(reason: str) -> NoReturn:
    """Stop, where the template can only fail."""
    raise FaultError(reason)


def path(
    value: Value,
    names: Sequence[str],
    wanted: GoType | None = None,
    holder: Value = None,
    key: str | None = None,
) -> Value:
    """``value.name.name``, as an argument of the type ``wanted``, if that is given (``field``)."""
    name = ""
    try:
        for name in names:
            class_ = value.__class__
            if class_ is dict:
                found = value.get(name)
            elif class_ is Struct and name in value.known:
                found = value.known[name]
            else:
                found = _field(value, name, holder, key)
            value, holder, key = found, value, name
    except (FunctionError, PanicError) as error:
        raise MethodError(name, error) from error
    return value if wanted is None else converted(value, wanted, holder, key)


def _field(receiver: Value, name: str, holder: Value, key: str | None) -> Value:
    """``receiver.name``: a field, a map's element, or what a method without parameters gives.

    The receiver came out of ``holder`` under ``key`` (see ``interface_of``). Nothing has nothing
    for a field; only of what is nil in its place one must not ask (evalField).
    """
    struct = receiver.target if receiver.__class__ is Pointer else receiver
    if struct.__class__ is Struct and _has_field(struct, name):
        return _struct_field(struct, name)
    if receiver is None:
        return _field_of_nil(name, holder, key)
    bound = _method(receiver, name)
    if bound is not None:
        _check_arity(bound, 0)
        return bound.call()
    return _member(receiver, name, holder, key, called=False)


def method(
    receiver: Value,
    name: str,
    given: int,
    piped: bool,
    holder: Value = None,
    key: str | None = None,
) -> BoundMethod | None:
    """The method that ``receiver.name arguments…`` calls; ``None`` for a field of nothing."""
    if receiver is None:
        return _field_of_nil(name, holder, key)
    bound = _method(receiver, name)
    if bound is None:
        _member(receiver, name, holder, key, called=True)
        raise FaultError(f"{name} has arguments but cannot be invoked as function")
    _check_arity(bound, given, piped=piped)
    return bound


def argument(
    bound: BoundMethod, place: int, value: Value, holder: Value = None, key: str | None = None
) -> Value:
    """``value`` as the argument of a method at ``place``."""
    return converted(value, parameter(bound.method, place), holder, key)


def constant(bound: BoundMethod, place: int, node: nodes.Constant) -> Value:
    """A constant as the argument of a method at ``place``."""
    return literal(node, parameter(bound.method, place))


def invoke(bound: BoundMethod, *arguments: Value) -> Value:
    """What the method gives."""
    return bound.call(*arguments)


def is_interface(holder: Value = None, key: str | None = None) -> bool:
    """Whether a value that came out of ``holder`` came as one of an interface type."""
    return interface_of(holder, key) is not None


def declared(name: str, *values: Value) -> Value:
    """The innermost of the variables called ``name`` that was declared."""
    for value in values:
        if value is not UNDECLARED:
            return value
    raise FaultError(f"undefined variable: {name}")


def text(value: Value) -> str:
    """What an action prints: pointers are followed, and nothing is ``<no value>``."""
    if value.__class__ is str:
        return value
    if value is None:
        return "<no value>"
    return show(printable(value))


def printable(value: Value) -> Value:
    """printableValue: what pointers lead to, unless a pointer is what can print itself."""
    value = _pointed(value)
    if value.__class__ is Struct and value.addressable:
        for name in ("Error", "String"):
            bound = bind(value, name)
            if bound is not None and bound.method.pointer:
                return Pointer(pointer_to(value.type), value)
    return value


def elements(value: Value) -> Iterable[Value]:
    """What ``range`` visits: the elements of a list or map, or the numbers below an integer."""
    value = _pointed(value)
    if value is None:
        return ()
    class_ = value.__class__
    if class_ in _LISTS:
        return value
    if class_ in _MAPS:
        return [element for _, element in sorted_items(value)]
    if class_ is int:
        return range(value)
    type_ = type_of(value)
    if type_ is None or type_.kind not in INTEGERS:
        raise FaultError(f"range can't iterate over {show(value)}")
    return Slice(slice_of(type_), range(int(value)))


def pairs(value: Value) -> Iterable[tuple[Value, Value]]:
    """What ``range $i, $e`` visits: the same, each with its index or key."""
    value = _pointed(value)
    if value is None:
        return ()
    class_ = value.__class__
    if class_ in _LISTS:
        return [*enumerate[Value](value)]
    if class_ in _MAPS:
        return sorted_items(value)
    type_ = type_of(value)
    if type_ is None or type_.kind not in INTEGERS:
        raise FaultError(f"range can't iterate over {show(value)}")
    raise FaultError(f"can't use {show(value)} to iterate over more than one variable")


def _pointed(value: Value) -> Value:
    while value.__class__ is Pointer and value.target is not None:
        value = value.target
    return value


def _field_of_nil(name: str, holder: Value, key: str | None) -> None:
    interface = interface_of(holder, key)
    if interface is not None:
        raise FaultError(f"nil pointer evaluating {interface}.{name}")


def _method(receiver: Value, name: str) -> BoundMethod | None:
    return bind(_pointed(receiver), name)


def _check_arity(bound: BoundMethod, given: int, *, piped: bool = False) -> None:
    fault = arity_fault(bound.name, bound.method, given=given, piped=piped)
    if fault is not None:
        raise FaultError(fault)


def _member(receiver: Value, name: str, holder: Value, key: str | None, *, called: bool) -> Value:
    """A field of a struct or an element of a map; ``called`` with arguments, either is a fault."""
    value = _pointed(receiver)
    type_ = type_of(value)
    if value.__class__ is Struct and _has_field(value, name):
        return _struct_field(value, name)
    if type_ is not None and type_.kind is Kind.MAP and _takes_strings(type_):
        if called:
            raise FaultError(f"{name} is not a method but has arguments")
        return value.get(name) if name in value else None
    static = interface_of(holder, key) or type_of(receiver)
    raise FaultError(_no_field(value, name, static))


def _has_field(struct: Struct, name: str) -> bool:
    """Whether it has an exported field of the name, which then is no method's."""
    return name[:1].isupper() and struct.type.selector(name) is not None


def _struct_field(struct: Struct, name: str) -> Value:
    try:
        return struct.field(name)
    except PanicError as error:
        raise FaultError(str(error)) from error


def _no_field(value: Value, name: str, static: GoType | None) -> str:
    """Why a value of the type ``static`` has no such field to show."""
    match value:
        case Struct() if value.type.selector(name):
            return f"{name} is an unexported field of struct type {static}"
        case Pointer() if _may_have(value.type.elem, name):
            return f"nil pointer evaluating {static}.{name}"
        case _:
            return f"can't evaluate field {name} in type {static}"


def _takes_strings(map_type: GoType) -> bool:
    """Whether a field's name can be a key, for which a kind of string is not enough."""
    key = map_type.key
    return key is STRING or (key is not None and key.kind is Kind.INTERFACE)


def _may_have(pointed: GoType | None, name: str) -> bool:
    """Whether of a nil pointer one may ask the field at all, were it not nil."""
    return pointed is None or pointed.kind is not Kind.STRUCT or bool(pointed.selector(name))


@dataclass(slots=True)
class Run:
    """One rendering: its output, and what it may still use up."""

    limits: Limits
    output: list[str]
    steps: int = 0
    measured: int = 0
    size: int = 0

    def each(self, items: Iterable[Value]) -> Generator[Value, None, None]:
        """``items``, each of them a step."""
        for item in items:
            self._step()
            yield item

    def enter(self, depth: int) -> None:
        """Begin a template that another one called, ``depth`` calls deep."""
        if depth > self.limits.depth:
            raise ExcessError(
                f"calls templates within templates more than {self.limits.depth} deep"
            )
        self._step()

    def measure(self) -> None:
        """Count what was written since the last time."""
        new = "".join(self.output[self.measured :])
        self.measured = len(self.output)
        self.size += byte_length(new)
        if self.size > self.limits.output_bytes:
            raise excess(self.limits)

    def _step(self) -> None:
        self.steps += 1
        if self.steps > self.limits.steps:
            raise ExcessError(f"takes more than {self.limits.steps} steps")
        if len(self.output) > self.measured + _MANY_WRITES:
            self.measure()


def excess(limits: Limits) -> ExcessError:
    """The error of a template that writes too much."""
    return ExcessError(f"writes more than {limits.output_bytes} bytes")


def byte_length(written: str) -> int:
    """The length of a text in bytes."""
    return len(written) if written.isascii() else len(written.encode("utf-8", "surrogateescape"))
