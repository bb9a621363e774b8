"""Traced rendering: trace the text of a pod to its position in the output.

A traced rendering takes the same branches and writes the same text as a plain rendering. It also
returns the *masked text*: the output of the same branches with the masked values of the pod's text
(``golang/reflect/taint.py``). The masked text never contains text of the pod.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from podgraft.golang.reflect import (
    INT,
    STRING,
    BoundMethod,
    GoType,
    Value,
    bind_method,
    dereference,
)
from podgraft.golang.reflect.taint import TAINTED, PlaceholderRegistry, TaintedInt, TaintedText
from podgraft.golang.reflect.tainted_values import mask, remove_taint
from podgraft.golang.texttemplate.functions import Function

from . import runtime
from .arguments import convert_argument
from .taint_flow import find_sources, try_call, wrap_function

# Markers around the number of an emission in the output. They are private code points in the last
# plane of Unicode, which readable text does not contain.
_OPEN, _CLOSE = "\U0010f8f0", "\U0010f8f1"
_MARK = re.compile(f"{_OPEN}([0-9]+){_CLOSE}")


class Trace(Struct, frozen=True):
    """A rendered text in parts: text of the template, and the numbers of emissions.

    An emission is tainted output of an action, with its masked text.
    """

    registry: PlaceholderRegistry
    parts: Sequence[str | int]

    @property
    def text(self) -> str:
        """The text of a plain rendering."""
        return self.mix(len(self.emissions))

    @property
    def masked_text(self) -> str:
        """The text with the masked text of all emissions."""
        return self.mix(0)

    @property
    def emissions(self) -> list[int]:
        """The emissions, in the order of the text."""
        return [part for part in self.parts if isinstance(part, int)]

    def without(self, emission: int, fill: str | None) -> str:
        """Return the text with ``fill`` or the masked text instead of one emission."""
        return self._join(lambda number: number != emission, fill)

    def mix(self, count: int, fill: str | None = None) -> str:
        """Return the text with ``count`` emissions, and ``fill`` or masked text for the others."""
        return self._join(lambda number: number < count, fill)

    def _join(self, is_real: Callable[[int], bool], fill: str | None) -> str:
        """The text with the real text of some emissions, which their position selects."""
        pieces: list[str] = []
        position = 0
        for part in self.parts:
            if isinstance(part, str):
                pieces.append(part)
                continue
            text, masked_text = self.registry.emissions[part]
            hidden = masked_text if fill is None else fill
            pieces.append(text if is_real(position) else hidden)
            position += 1
        return "".join(pieces)


def parse_trace(registry: PlaceholderRegistry, output: str) -> Trace:
    """Split the output of a traced rendering into the parts of a trace."""
    parts: list[str | int] = []
    count = len(registry.emissions)
    end = 0
    for match in _MARK.finditer(output):
        if int(match[1]) < count:
            parts += output[end : match.start()], int(match[1])
            end = match.end()
    return Trace(registry, [*parts, output[end:]])


def make_tracing_namespace(
    namespace: Mapping[str, Any], functions: Mapping[str, Function]
) -> dict[str, Any]:
    """Make a namespace for compiled templates that propagates taint."""
    by_call = {id(function.call): function for function in functions.values()}
    wrapped = {
        name: wrap_function(by_call[id(value)])
        for name, value in namespace.items()
        if id(value) in by_call
    }
    operations = {
        "converted": _attach_sources(convert_argument),
        "elements": _attach_sources(_list_elements),
        "invoke": _invoke,
        "pairs": _attach_sources(_list_pairs),
        "path": _lookup_path,
        "text": _format_output,
    }
    return {**namespace, **wrapped, **operations}


def _format_output(value: Value) -> str:
    """``runtime.format_output``; tainted output becomes an emission."""
    class_ = value.__class__
    if class_ is str:
        return value
    if class_ is TaintedText and value.type is STRING:
        return _emit(value.registry, str(value), value.masked_value)
    if class_ is TaintedInt and value.registry.is_position(str(value.masked_value)):
        return _emit(value.registry, str(int(value)), str(value.masked_value))
    tainted = find_sources((value,))
    if tainted is None:
        return runtime.format_output(value)
    output = tainted.mask_result(
        runtime.format_output(remove_taint(value)), try_call(runtime.format_output, mask(value))
    )
    if output.__class__ is not TaintedText:
        return output
    return _emit(tainted.registry, str(output), output.masked_value)


def _emit(registry: PlaceholderRegistry, text: str, masked_text: str) -> str:
    registry.emissions.append((text, masked_text))
    registry.last_empty_sources = ()  # a later error has another cause
    return f"{_OPEN}{len(registry.emissions) - 1}{_CLOSE}"


def _lookup_path(
    value: Value,
    names: Sequence[str],
    expected: GoType | None = None,
    container: Value = None,
    key: str | None = None,
) -> Value:
    """``runtime.lookup_path``; the result of a method has the taint of its receiver."""
    for name in names:
        result = _lookup_step(value, (name,), None, container, key)
        receiver, container, key = value, value, name
        value = _taint_method_result(receiver, name, result)
    return value if expected is None else convert_argument(value, expected, container, key)


def _attach_sources(operation: Callable[..., Value]) -> Callable[..., Value]:
    """Wrap an operation so its errors contain the sources of its tainted argument."""

    def operate(value: Value, *arguments: Value) -> Value:
        try:
            return operation(value, *arguments)
        except Exception as error:
            if value.__class__ in TAINTED:
                error.sources = value.sources  # pyright: ignore[reportAttributeAccessIssue]
            raise

    return operate


def _list_elements(value: Value) -> Iterable[Value]:
    """``runtime.range_elements``; the numbers below a tainted number have its taint."""
    elements = runtime.range_elements(value)
    number = dereference(value)
    if number.__class__ is not TaintedInt:
        return elements
    make_number = number.registry.make_number
    return (make_number(int(each), number.sources, number.type) for each in elements)


def _list_pairs(value: Value) -> Iterable[tuple[Value, Value]]:
    """``runtime.range_pairs``; positions in a list that a function read from text have taint."""
    pairs = runtime.range_pairs(value)
    tainted = find_sources((value,)) if value.__class__ is list else None
    if tainted is None:
        return pairs
    make_position = tainted.registry.make_position
    return [(make_position(index, tainted.ids, INT), element) for index, element in pairs]


_lookup_step = _attach_sources(runtime.lookup_path)


def _taint_method_result(receiver: Value, name: str, result: Value) -> Value:
    # A getter returns a field, which already has its taint.
    if name.startswith("Get") or result is None or isinstance(result, bool):
        return result
    target = dereference(receiver)
    if bind_method(target, name) is None:
        return result
    tainted = find_sources((target,))
    return result if tainted is None else tainted.taint_result(result)


def _invoke(bound: BoundMethod, *arguments: Value) -> Value:
    result = runtime.invoke(bound, *arguments)
    tainted = find_sources((bound.receiver, *arguments))
    return result if tainted is None else tainted.taint_result(result)
