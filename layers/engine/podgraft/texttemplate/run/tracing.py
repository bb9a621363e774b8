"""Rendering with the text of a pod followed to where it is written.

A traced rendering takes the branches that a plain one takes and writes the same text. In addition
it returns the *masked* text: what the template writes along the same branches if each text of the
pod is replaced by its twin (``go/reflect/taint.py``). It never contains text of the pod.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from podgraft.go.reflect import STRING, BoundMethod, GoType, Pointer, Value, bind_method
from podgraft.go.reflect.taint import TAINTED, Slots, TaintedText
from podgraft.go.reflect.tainted_values import masked, real
from podgraft.lazy_dataclass import dataclass
from podgraft.lazy_re import lazy_compile
from podgraft.texttemplate.functions import Function

from . import runtime
from .arguments import convert_argument
from .taint_flow import attempt, follow, sources

# Marks what an action wrote in the output, by its number; private code points of Unicode's last
# plane, which no text that is meant to be read contains.
_OPEN, _CLOSE = "\U0010f8f0", "\U0010f8f1"
_MARK = lazy_compile(f"{_OPEN}([0-9]+){_CLOSE}")


@dataclass(frozen=True, slots=True)
class Trace:
    """A rendered text in parts: text of the template, and the numbers of emissions.

    An emission is what an action wrote of the pod, with its twin.
    """

    slots: Slots
    parts: Sequence[str | int]

    @property
    def text(self) -> str:
        """The text that a plain rendering writes."""
        return self.mixed(len(self.emitted))

    @property
    def masked(self) -> str:
        """The text with all twins."""
        return self.mixed(0)

    @property
    def emitted(self) -> list[int]:
        """The emissions, in the order of the text."""
        return [part for part in self.parts if isinstance(part, int)]

    def without(self, emission: int, fill: str | None) -> str:
        """The text with ``fill`` or the twin in place of one emission."""
        emissions, pieces = self.slots.emissions, list[str]()
        for part in self.parts:
            if isinstance(part, str):
                pieces.append(part)
            else:
                text, twin = emissions[part]
                pieces.append((twin if fill is None else fill) if emission == 0 else text)
                emission -= 1
        return "".join(pieces)

    def mixed(self, count: int, fill: str | None = None) -> str:
        """The text with the first emissions as they are, and twins or ``fill`` for the others."""
        emissions, pieces = self.slots.emissions, list[str]()
        for part in self.parts:
            if isinstance(part, str):
                pieces.append(part)
            elif count > 0:
                count -= 1
                pieces.append(emissions[part][0])
            else:
                pieces.append(emissions[part][1] if fill is None else fill)
        return "".join(pieces)


def trace(slots: Slots, output: str) -> Trace:
    """The output of code that ran in a ``tracing`` namespace."""
    parts: list[str | int] = []
    count = len(slots.emissions)
    end = 0
    for found in _MARK.finditer(output):
        if int(found[1]) < count:
            parts += output[end : found.start()], int(found[1])
            end = found.end()
    return Trace(slots, [*parts, output[end:]])


def tracing(namespace: Mapping[str, Any], functions: Mapping[str, Function]) -> dict[str, Any]:
    """A namespace for compiled templates in which everything follows the text of the pod."""
    by_call = {id(function.call): function for function in functions.values()}
    follows = {
        name: follow(by_call[id(value)])
        for name, value in namespace.items()
        if id(value) in by_call
    }
    own = {
        "converted": _blaming(convert_argument),
        "elements": _blaming(runtime.range_elements),
        "invoke": _invoke,
        "pairs": _blaming(runtime.range_pairs),
        "path": _path,
        "text": _text,
    }
    return {**namespace, **follows, **own}


def _text(value: Value) -> str:
    """``runtime.text``; what is derived from the pod becomes an emission."""
    class_ = value.__class__
    if class_ is str:
        return value
    if class_ is TaintedText and value.type is STRING:
        return _emission(value.slots, str(value), value.twin)
    found = sources((value,))
    if found is None:
        return runtime.format_output(value)
    written = found.carried(
        runtime.format_output(real(value)), attempt(runtime.format_output, masked(value))
    )
    if written.__class__ is not TaintedText:
        return written
    return _emission(found.slots, str(written), written.twin)


def _emission(slots: Slots, text: str, twin: str) -> str:
    slots.emissions.append((text, twin))
    slots.emptied = ()  # a later failure has another cause
    return f"{_OPEN}{len(slots.emissions) - 1}{_CLOSE}"


def _path(
    value: Value,
    names: Sequence[str],
    wanted: GoType | None = None,
    holder: Value = None,
    key: str | None = None,
) -> Value:
    """``runtime.path``; what a method returns is derived from its receiver."""
    for name in names:
        result = _one_step(value, (name,), None, holder, key)
        receiver, holder, key = value, value, name
        value = _of_method(receiver, name, result)
    return value if wanted is None else convert_argument(value, wanted, holder, key)


def _blaming(operation: Callable[..., Value]) -> Callable[..., Value]:
    """An operation; a text or number of the pod with which it fails is the cause."""

    def operate(value: Value, *arguments: Value) -> Value:
        try:
            return operation(value, *arguments)
        except Exception as error:
            if value.__class__ in TAINTED:
                error.sources = value.sources  # pyright: ignore[reportAttributeAccessIssue]
            raise

    return operate


_one_step = _blaming(runtime.lookup_path)


def _of_method(receiver: Value, name: str, result: Value) -> Value:
    # A getter returns a field, which is as tainted as it is.
    if name.startswith("Get") or result is None or isinstance(result, bool):
        return result
    target = receiver
    while target.__class__ is Pointer and target.target is not None:
        target = target.target
    if bind_method(target, name) is None:
        return result
    found = sources((target,))
    return result if found is None else found.derived(result)


def _invoke(bound: BoundMethod, *arguments: Value) -> Value:
    result = runtime.invoke(bound, *arguments)
    found = sources((bound.receiver, *arguments))
    return result if found is None else found.derived(result)
