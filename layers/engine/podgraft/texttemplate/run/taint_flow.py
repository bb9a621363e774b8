"""Functions that follow the text of a pod: wrappers by ``Flow``.

Sound by construction: a twin is made of twins and of the template's own text, never of the pod's
text. If a function fails with twins, or loses them, its result gets a token of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from podgraft.go.reflect import ANY, STRING, UINT8, Map, Pointer, Slice, Value, type_of
from podgraft.go.reflect.taint import Slots, Tainted, TaintedFloat, TaintedInt, TaintedText, unite
from podgraft.go.reflect.tainted_values import bare, masked, real, taint, tainted_in, texts_in
from podgraft.texttemplate.functions import REFLECT_VALUE, Flow, Function, parameter_type

from .indexing import slice_

_MOST_SOURCES = 64
_Call = Callable[..., Value]


class Sources:
    """The tainted values among the arguments of a call."""

    __slots__ = ("ids", "slots")

    def __init__(self, tainted: Sequence[Tainted]) -> None:
        self.slots: Slots = tainted[0].slots
        self.ids = unite(each.sources for each in tainted)

    def derived(self, result: Value) -> Value:
        """A result, all text in which is a new text of the pod."""
        if result is None or (result.__class__ in (str, list, dict, Slice, Map) and not result):
            self.slots.emptied = self.ids
        return taint(self.slots, result, self.ids)

    def carried(self, result: Value, twin: Value, *, faithful: bool = True) -> Value:
        """A text with the twin that the same function made of the arguments' twins."""
        if not isinstance(result, str) or not isinstance(twin, str) or not result:
            return self.derived(result)
        slots = self.slots
        if not slots.slots_of(twin):
            return result if result == twin else self.derived(result)
        if slots.fill(twin) != result:
            if slots.is_token(twin):
                return self.derived(result)
            twin = slots.loosened(twin, faithful=faithful)
        return slots.with_twin(str(result), twin, self.ids, type_of(result) or STRING)


def sources(values: Sequence[Value]) -> Sources | None:
    """Where the values are derived from; none if no text of the pod is in them."""
    found: list[Tainted] = []
    for each in tainted_in(values):
        found.append(each)
        if len(found) == _MOST_SOURCES:
            break
    return Sources(sorted(found, key=lambda each: each.sources)) if found else None


def follow(function: Function) -> _Call:
    """The call of a function that follows the text of the pod through it."""
    if function.call is slice_:
        return blaming(_slicing(function))
    return blaming(_WRAPPERS[function.flow or Flow.DERIVES](function))


def blaming(call: _Call) -> _Call:
    """The call; a failure says which text of the pod was among the arguments."""

    def called(*arguments: Value, **more: Value) -> Value:
        try:
            return call(*arguments, **more)
        except Exception as error:
            found = sources(arguments)
            if found is not None and not hasattr(error, "sources"):
                error.sources = found.ids  # pyright: ignore[reportAttributeAccessIssue]
            raise

    return called


def _deriving(function: Function) -> _Call:
    call = function.call

    def called(*arguments: Value, **more: Value) -> Value:
        found = sources(arguments)
        if found is None:
            return call(*arguments, **more)
        return found.derived(call(*map(real, arguments), **more))

    return called


def _selecting(function: Function) -> _Call:
    call = function.call

    def called(*arguments: Value, **more: Value) -> Value:
        result = call(*arguments, **more)
        # A string's bytes are numbers: index "text" 0.
        if type_of(result) is UINT8 and result.__class__ is not TaintedInt:
            found = sources(arguments)
            return result if found is None else found.derived(result)
        return result

    return called


def _testing(function: Function) -> _Call:
    call = function.call

    def called(*arguments: Value, **more: Value) -> Value:
        return call(*map(bare, arguments), **more)

    return called


def _carrying(function: Function) -> _Call:
    call, faithful = function.call, function.flow is Flow.CARRIES

    def called(*arguments: Value, **more: Value) -> Value:
        found = sources(arguments)
        if found is None:
            return call(*arguments, **more)
        result = call(*map(real, arguments), **more)
        if _is_measured(function, arguments):
            return found.derived(result)
        return found.carried(
            result, attempt(call, *map(masked, arguments), **more), faithful=faithful
        )

    return called


def _is_measured(function: Function, arguments: Sequence[Value]) -> bool:
    """Whether a number of the pod says how much a function writes, as in ``repeat``."""
    return any(
        each.__class__ in (TaintedInt, TaintedFloat)
        and parameter_type(function, at) not in (ANY, REFLECT_VALUE)
        for at, each in enumerate(arguments)
    )


def attempt(call: _Call, *arguments: Value, **more: Value) -> Value:
    """What a call gives; none if it fails."""
    try:
        return call(*arguments, **more)
    except Exception:  # noqa: BLE001 - a twin can be anything, and so can what it breaks
        return None


def _serializing(function: Function) -> _Call:
    call, serializer = function.call, function.serializer

    def called(*arguments: Value, **more: Value) -> Value:
        found = sources(arguments)
        if found is None:
            return call(*arguments, **more)
        plain = [*map(real, arguments)]
        result = call(*plain, **more)
        if not result or serializer is None:
            return found.derived(result)
        tree = _Tree(arguments, found).of(attempt(serializer.read, result, *plain))
        return found.carried(result, attempt(serializer.write, tree))

    return called


class _Tree:
    """Trees of JSON, with tokens for all text that is not the template's own."""

    def __init__(self, arguments: Sequence[Value], found: Sources) -> None:
        self._found = found
        self._twins = {
            str(each): each.twin for each in tainted_in(arguments) if isinstance(each, TaintedText)
        }
        self._authors = texts_in(arguments)

    def of(self, tree: Value) -> Value:
        """The twin of a tree."""
        class_ = tree.__class__
        if class_ is str:
            return self._text(tree)
        if class_ is dict:
            return {self._text(key): self.of(tree[key]) for key in tree}
        return [*map(self.of, tree)] if class_ is list else tree

    def _text(self, text: str) -> str:
        twin = self._twins.get(text)
        if twin is None and (text in self._authors or (text.isascii() and text.isalpha())):
            return text  # such as the name of a Go field
        if twin is None:
            twin = self._twins[text] = masked(self._found.derived(text))
        return twin


def _slicing(function: Function) -> _Call:
    """slice: of a string it returns a new one, of a list some of its elements."""
    of_text, of_list = _deriving(function), _selecting(function)

    def called(item: Value, *indexes: Value, **more: Value) -> Value:
        content = item
        while content.__class__ is Pointer:
            content = content.target
        return (of_text if isinstance(content, str) else of_list)(item, *indexes, **more)

    return called


_WRAPPERS: dict[Flow, Callable[[Function], _Call]] = {
    Flow.SELECTS: _selecting,
    Flow.TESTS: _testing,
    Flow.CARRIES: _carrying,
    Flow.REWRITES: _carrying,
    Flow.SERIALIZES: _serializing,
    Flow.DERIVES: _deriving,
}
