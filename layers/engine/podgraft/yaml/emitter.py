"""JSON to YAML text, byte for byte as sigs.k8s.io/yaml's Marshal writes it.

Block style, two blanks a level, lists at their key's own column, empty lists and maps as ``[]`` and
``{}``. Mirrors go-yaml v2's encode.go and the block states of its emitterc.go.
"""

from typing import TypeGuard

from podgraft.jsonvalue import JSON, Object, format_float_like_go

from .emit_style import EmitPosition, emit_string, has_line_break
from .key_order import sort_keys
from .scalars import float_to_json

_STEP = 2  # columns a level
_LONGEST_SIMPLE_KEY = 128  # bytes; yaml_emitter_check_simple_key


def dump(value: JSON, *, sort_keys: bool = True) -> str:
    """``value`` as one YAML document that ends in a line break.

    Keys are sorted as go-yaml sorts them, digits by their number; without ``sort_keys`` they keep
    the order they have.
    """
    writer = _Emitter(sort_keys=sort_keys)
    if _is_block(value):
        writer.emit_block(value, 0, inline=False)
    else:
        writer.emit_scalar(value, EmitPosition(column=0, indent=_STEP))
    return "".join(writer.pieces)


class _Emitter:
    """Collects pieces of text; every value it writes ends its line."""

    __slots__ = ("pieces", "sort_keys")

    def __init__(self, *, sort_keys: bool) -> None:
        self.pieces: list[str] = []
        self.sort_keys = sort_keys

    def emit_block(self, value: Object | list[JSON], indent: int, *, inline: bool) -> None:
        """A map or list with something in it; ``inline``, its first line has begun already."""
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
        """``key: value``, or for a key that is no simple one ``? key`` and ``: value``."""
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
        """A value on the line of its ``-``, ``?`` or ``:``, which stands at ``indent``."""
        self.pieces.append(" ")
        if _is_block(value):
            self.emit_block(value, indent + _STEP, inline=True)
        else:
            self.emit_scalar(value, EmitPosition(indent + _STEP, indent + _STEP))

    def emit_scalar(self, value: JSON, place: EmitPosition) -> None:
        """A scalar, or an empty list or map, and the end of its line."""
        text = _format_scalar(value, place)
        self.pieces.append(text if text and has_line_break(text[-1]) else f"{text}\n")


def _is_block(value: JSON) -> TypeGuard[Object | list[JSON]]:
    """Whether the value takes lines of its own."""
    return isinstance(value, dict | list) and bool(value)


def _format_scalar(value: JSON, place: EmitPosition) -> str:
    match value:
        case str():
            return emit_string(value, place)
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return _format_integer(value)
        case float():
            number = float_to_json(value)
            return (
                _format_integer(number) if isinstance(number, int) else format_float_like_go(number)
            )
        case list():
            return "[]"
        case _:
            return "{}"


def _format_integer(number: int) -> str:
    """Marshal reads its own JSON back, where more than 64 bits make a float."""
    if _INTEGERS.start <= number < _INTEGERS.stop:
        return str(number)
    try:
        return format_float_like_go(float(number))
    except OverflowError:
        return str(number)


_INTEGERS = range(-(2**63), 2**64)
