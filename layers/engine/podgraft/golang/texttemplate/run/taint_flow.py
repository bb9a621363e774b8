"""Wrappers that propagate taint through template functions, by ``Propagation``.

A masked value derives only from masked values and constant text of the template, never from text of
the pod. If a function fails with masked arguments, or drops their placeholders, its result gets a
new placeholder.
"""

from collections.abc import Callable, Sequence

from podgraft.golang.fmt.sprintf import format_default
from podgraft.golang.reflect import ANY, INT, STRING, UINT8, Map, Pointer, Slice, Value, type_of
from podgraft.golang.reflect.taint import (
    PlaceholderRegistry,
    Tainted,
    TaintedFloat,
    TaintedInt,
    TaintedText,
    merge_sources,
)
from podgraft.golang.reflect.tainted_values import (
    find_plain_strings,
    find_tainted,
    mask,
    mask_differently,
    remove_taint,
    taint,
    unwrap_tainted,
)
from podgraft.golang.texttemplate.functions import (
    REFLECT_VALUE,
    Function,
    Propagation,
    parameter_type,
)

from .indexing import slice_

_MOST_SOURCES = 64
_Call = Callable[..., Value]


class TaintSources:
    """The tainted values among the arguments of a call."""

    __slots__ = ("ids", "registry")

    def __init__(self, tainted: Sequence[Tainted]) -> None:
        self.registry: PlaceholderRegistry = tainted[0].registry
        self.ids = merge_sources(value.sources for value in tainted)

    def taint_result(self, result: Value) -> Value:
        """Return the result with new taint on all its text."""
        if result is None or (result.__class__ in (str, list, dict, Slice, Map) and not result):
            self.registry.last_empty_sources = self.ids
        return taint(self.registry, result, self.ids)

    def mask_result(
        self,
        result: Value,
        masked_value: Value,
        *,
        faithful: bool = True,
        other_value: Value = None,
    ) -> Value:
        """Return a text with the masked text that the function returned for masked arguments.

        Without a placeholder, it is constant if ``other_value``, the result for other masked
        arguments, is equal, too: a text of the pod can be equal to a placeholder.
        """
        if not isinstance(result, str) or not isinstance(masked_value, str) or not result:
            return self.taint_result(result)
        registry = self.registry
        if not registry.placeholder_ids(masked_value):
            is_constant = result == masked_value == other_value
            return result if is_constant else self.taint_result(result)
        if registry.unmask(masked_value) != result:
            if registry.is_placeholder(masked_value):
                return self.taint_result(result)
            masked_value = registry.loosen(masked_value, faithful=faithful)
        return registry.make_masked_text(
            str(result), masked_value, self.ids, type_of(result) or STRING
        )


def find_sources(values: Sequence[Value]) -> TaintSources | None:
    """The sources of the values; ``None`` if the values contain no text of the pod."""
    tainted: list[Tainted] = []
    for value in find_tainted(values):
        tainted.append(value)
        if len(tainted) == _MOST_SOURCES:
            break
    return TaintSources(sorted(tainted, key=lambda value: value.sources)) if tainted else None


def wrap_function(function: Function) -> _Call:
    """Wrap the call of a function so it propagates taint."""
    if function.call is slice_:
        return attach_sources(_wrap_slice(function))
    return attach_sources(_WRAPPERS[function.propagation or Propagation.DERIVES](function))


def attach_sources(call: _Call) -> _Call:
    """Wrap a call so its errors contain the sources of the arguments."""

    def call_wrapped(*arguments: Value, **keywords: Value) -> Value:
        try:
            return call(*arguments, **keywords)
        except Exception as error:
            tainted = find_sources(arguments)
            if tainted is not None and not hasattr(error, "sources"):
                error.sources = tainted.ids  # pyright: ignore[reportAttributeAccessIssue]
            raise

    return call_wrapped


def _wrap_deriving(function: Function) -> _Call:
    call = function.call

    def call_wrapped(*arguments: Value, **keywords: Value) -> Value:
        tainted = find_sources(arguments)
        if tainted is None:
            return call(*arguments, **keywords)
        return tainted.taint_result(call(*map(remove_taint, arguments), **keywords))

    return call_wrapped


def _wrap_selecting(function: Function) -> _Call:
    call = function.call

    def call_wrapped(*arguments: Value, **keywords: Value) -> Value:
        result = call(*arguments, **keywords)
        # A string's bytes are numbers: index "text" 0.
        if type_of(result) is UINT8 and result.__class__ is not TaintedInt:
            tainted = find_sources(arguments)
            return result if tainted is None else tainted.taint_result(result)
        return result

    return call_wrapped


def _wrap_testing(function: Function) -> _Call:
    call = function.call

    def call_wrapped(*arguments: Value, **keywords: Value) -> Value:
        return call(*map(unwrap_tainted, arguments), **keywords)

    return call_wrapped


def _wrap_carrying(function: Function) -> _Call:
    call, faithful = function.call, function.propagation is Propagation.CARRIES

    def call_wrapped(*arguments: Value, **keywords: Value) -> Value:
        tainted = find_sources(arguments)
        if tainted is None:
            return call(*arguments, **keywords)
        result = call(*map(remove_taint, arguments), **keywords)
        if _has_tainted_count(function, arguments):
            return tainted.taint_result(result)
        masked_result = try_call(call, *map(mask, arguments), **keywords)
        other_result = None
        # A masked value is not a time, a quantity, or a version; a masked key names no field; and
        # the text of a masked float64 contains no placeholder.
        if not tainted.registry.placeholder_ids(masked_result or ""):
            texts = [_format_tainted(tainted, argument) for argument in arguments]
            masked_result = try_call(call, *map(mask, texts), **keywords)
            other_result = try_call(call, *map(mask_differently, texts), **keywords)
        return tainted.mask_result(
            result, masked_result, faithful=faithful, other_value=other_result
        )

    return call_wrapped


def _format_tainted(tainted: TaintSources, value: Value) -> Value:
    """Return the value; for a tainted value that is no text, its text with taint."""
    if value.__class__ is TaintedText or find_sources((value,)) is None:
        return value
    return tainted.taint_result(format_default(remove_taint(value)))


def _has_tainted_count(function: Function, arguments: Sequence[Value]) -> bool:
    """Whether a tainted number determines the length of the output, as in ``repeat``."""
    return any(
        argument.__class__ in (TaintedInt, TaintedFloat)
        and parameter_type(function, index) not in (ANY, REFLECT_VALUE)
        for index, argument in enumerate(arguments)
    )


def try_call(call: _Call, *arguments: Value, **keywords: Value) -> Value:
    """Return the result of a call; ``None`` if it fails."""
    try:
        return call(*arguments, **keywords)
    except Exception:  # noqa: BLE001 - masked arguments can cause any error
        return None


def _wrap_serializing(function: Function) -> _Call:
    call, serializer = function.call, function.serializer

    def call_wrapped(*arguments: Value, **keywords: Value) -> Value:
        tainted = find_sources(arguments)
        if tainted is None:
            return call(*arguments, **keywords)
        plain = [*map(remove_taint, arguments)]
        result = call(*plain, **keywords)
        if not result or serializer is None:
            return tainted.taint_result(result)
        masker = _TreeMasker(arguments, tainted, serializer.write)
        tree = masker.mask_tree(try_call(serializer.read, result, *plain))
        return tainted.mask_result(result, try_call(serializer.write, tree))

    return call_wrapped


class _TreeMasker:
    """A masker of JSON trees.

    Placeholders replace all numbers, and all text except the template's constants.
    """

    def __init__(
        self, arguments: Sequence[Value], tainted: TaintSources, write: Callable[[Value], str]
    ) -> None:
        self._tainted = tainted
        self._write = write
        self._masked_strings: dict[str, str] = {}
        for value in find_tainted(arguments):
            if isinstance(value, TaintedText):
                self._add_string(str(value), value.masked_value)
        self._authors = find_plain_strings(arguments)

    def _add_string(self, text: str, masked_text: str) -> None:
        """Add a masked text: a single placeholder if the same text has several.

        A text of the pod can equal a text with constants of the template.
        """
        known = self._masked_strings.setdefault(text, masked_text)
        if known != masked_text and not self._tainted.registry.is_placeholder(known):
            self._masked_strings[text] = mask(self._tainted.taint_result(text))

    def mask_tree(self, tree: Value) -> Value:
        """Return the masked tree."""
        class_ = tree.__class__
        if class_ is str:
            return self._mask_string(tree)
        if class_ is dict:
            return {self._mask_string(key): self.mask_tree(tree[key]) for key in tree}
        if class_ is list:
            return [*map(self.mask_tree, tree)]
        return self._mask_number(tree) if class_ in (int, float) else tree

    def _mask_number(self, number: float) -> Value:
        make_number, sources = self._tainted.registry.make_number, self._tainted.ids
        return mask(make_number(int(number), sources, INT, self._write(number).strip()))

    def _mask_string(self, text: str) -> str:
        masked_text = self._masked_strings.get(text)
        if masked_text is None and (text in self._authors or (text.isascii() and text.isalpha())):
            return text  # such as the name of a Go field
        if masked_text is None:
            masked_text = self._masked_strings[text] = mask(self._tainted.taint_result(text))
        return masked_text


def _wrap_slice(function: Function) -> _Call:
    """Wrap slice, which returns a new string, or some elements of a list."""
    of_text, of_list = _wrap_deriving(function), _wrap_selecting(function)

    def call_wrapped(item: Value, *indexes: Value, **keywords: Value) -> Value:
        content = item
        while content.__class__ is Pointer:
            content = content.target
        return (of_text if isinstance(content, str) else of_list)(item, *indexes, **keywords)

    return call_wrapped


_WRAPPERS: dict[Propagation, Callable[[Function], _Call]] = {
    Propagation.SELECTS: _wrap_selecting,
    Propagation.TESTS: _wrap_testing,
    Propagation.CARRIES: _wrap_carrying,
    Propagation.REWRITES: _wrap_carrying,
    Propagation.SERIALIZES: _wrap_serializing,
    Propagation.DERIVES: _wrap_deriving,
}
