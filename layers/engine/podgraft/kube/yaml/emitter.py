"""The emitter from JSON to YAML text, byte for byte as Marshal of sigs.k8s.io/yaml.

Block style, two spaces for each level, lists in the column of their key, and ``[]`` and ``{}`` for
empty lists and maps. Mirrors go-yaml v2's encode.go and the block states of its emitterc.go.
"""

from typing import TypeGuard

from podgraft.base.jsonvalue import JSON, Object
from podgraft.golang.strconv.ftoa import format_float

from .emit_style import EmitPosition, emit_string, has_line_break
from .key_order import sort_keys
from .scalars import float_to_json

_STEP = 2  # columns for each level
_LONGEST_SIMPLE_KEY = 128  # bytes; yaml_emitter_check_simple_key


def dump(value: JSON, *, sort_keys: bool = True) -> str:
    """Format ``value`` as one YAML document that ends with a line break.

    Keys have go-yaml's order, with digits by their number; without ``sort_keys``, their own order.
    """
    writer = _Emitter(sort_keys=sort_keys)
    if _is_block(value):
        writer.emit_block(value, 0, inline=False)
    else:
        writer.emit_scalar(value, EmitPosition(column=0, indent=_STEP))
    return "".join(writer.pieces)


class _Emitter:
    """A writer of pieces of text; each value ends its line."""

    __slots__ = ("pieces", "sort_keys")

    def __init__(self, *, sort_keys: bool) -> None:
        self.pieces: list[str] = []
        self.sort_keys = sort_keys

    def emit_block(self, value: Object | list[JSON], indent: int, *, inline: bool) -> None:
        """Emit a map or list that is not empty; ``inline`` means on the current line."""
        margin = " " * indent
        if isinstance(value, dict):
            keys = sort_keys(value) if self.sort_keys else value
            for number, key in enumerate(keys):
                self.pieces.append("" if inline and not number else margin)
                self.emit_member(key, value[key], indent)
        else:
            for number, element in enumerate(value):
                self.pieces.append("-" if inline and not number else f"{margin}-")
                self.emit_after_indicator(element, indent)

    def emit_member(self, key: str, value: JSON, indent: int) -> None:
        """Emit ``key: value``, or ``? key`` and ``: value`` if the key is not simple."""
        if has_line_break(key) or len(key.encode(errors="surrogatepass")) > _LONGEST_SIMPLE_KEY:
            self.pieces.append("?")
            self.emit_after_indicator(key, indent)
            self.pieces.append(f"{' ' * indent}:")
            self.emit_after_indicator(value, indent)
            return
        name = emit_string(key, EmitPosition(indent, indent, folds=False))
        self.pieces.append(f"{name}:")
        if _is_block(value):
            self.pieces.append("\n")
            self.emit_block(
                value, indent if isinstance(value, list) else indent + _STEP, inline=False
            )
        else:
            self.pieces.append(" ")
            self.emit_scalar(value, EmitPosition(indent + len(name) + 2, indent + _STEP))

    def emit_after_indicator(self, value: JSON, indent: int) -> None:
        """Emit a value on the line of its ``-``, ``?``, or ``:`` at ``indent``."""
        self.pieces.append(" ")
        if _is_block(value):
            self.emit_block(value, indent + _STEP, inline=True)
        else:
            self.emit_scalar(value, EmitPosition(indent + _STEP, indent + _STEP))

    def emit_scalar(self, value: JSON, position: EmitPosition) -> None:
        """Emit a scalar, or an empty list or map, and the end of its line."""
        text = _format_scalar(value, position)
        self.pieces.append(text if text and has_line_break(text[-1]) else f"{text}\n")


def _is_block(value: JSON) -> TypeGuard[Object | list[JSON]]:
    """Whether the value needs separate lines."""
    return isinstance(value, dict | list) and bool(value)


def _format_scalar(value: JSON, position: EmitPosition) -> str:
    match value:
        case str():
            return emit_string(value, position)
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return _format_integer(value)
        case float():
            number = float_to_json(value)
            return _format_integer(number) if isinstance(number, int) else format_float(number, "g")
        case list():
            return "[]"
        case _:
            return "{}"


def _format_integer(number: int) -> str:
    """Format an integer; Marshal parses its JSON again, which converts large integers to floats."""
    if _INTEGERS.start <= number < _INTEGERS.stop:
        return str(number)
    try:
        return format_float(float(number), "g")
    except OverflowError:
        return str(number)


_INTEGERS = range(-(2**63), 2**64)
