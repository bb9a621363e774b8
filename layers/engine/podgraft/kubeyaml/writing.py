"""JSON to YAML text, byte for byte as sigs.k8s.io/yaml's Marshal writes it.

Block style, two blanks a level, lists at their key's own column, empty lists and maps as ``[]`` and
``{}``. Mirrors go-yaml v2's encode.go and the block states of its emitterc.go.
"""

from typing import TypeGuard

from podgraft.jsonvalue import JSON, Object, go_float

from .keys import in_natural_order
from .scalars import as_json
from .styles import Place, has_break, string_text

_STEP = 2  # columns a level
_LONGEST_SIMPLE_KEY = 128  # bytes; yaml_emitter_check_simple_key


def dump(value: JSON, *, sort_keys: bool = True) -> str:
    """``value`` as one YAML document that ends in a line break.

    Keys are sorted as go-yaml sorts them, digits by their number; without ``sort_keys`` they keep
    the order they have.
    """
    writer = _Writer(sort_keys=sort_keys)
    if _is_block(value):
        writer.block(value, 0, inline=False)
    else:
        writer.scalar(value, Place(column=0, indent=_STEP))
    return "".join(writer.pieces)


class _Writer:
    """Collects pieces of text; every value it writes ends its line."""

    __slots__ = ("pieces", "sort_keys")

    def __init__(self, *, sort_keys: bool) -> None:
        self.pieces: list[str] = []
        self.sort_keys = sort_keys

    def block(self, value: Object | list[JSON], indent: int, *, inline: bool) -> None:
        """A map or list with something in it; ``inline``, its first line has begun already."""
        margin = " " * indent
        if isinstance(value, dict):
            keys = in_natural_order(value) if self.sort_keys else value
            for number, key in enumerate(keys):
                self.pieces.append("" if inline and not number else margin)
                self.member(key, value[key], indent)
        else:
            for number, element in enumerate(value):
                self.pieces.append("-" if inline and not number else f"{margin}-")
                self.after_indicator(element, indent)

    def member(self, key: str, value: JSON, indent: int) -> None:
        """``key: value``, or for a key that is no simple one ``? key`` and ``: value``."""
        if has_break(key) or len(key.encode(errors="surrogatepass")) > _LONGEST_SIMPLE_KEY:
            self.pieces.append("?")
            self.after_indicator(key, indent)
            self.pieces.append(f"{' ' * indent}:")
            self.after_indicator(value, indent)
            return
        name = string_text(key, Place(indent, indent, folds=False))
        self.pieces.append(f"{name}:")
        if _is_block(value):
            self.pieces.append("\n")
            self.block(value, indent if isinstance(value, list) else indent + _STEP, inline=False)
        else:
            self.pieces.append(" ")
            self.scalar(value, Place(indent + len(name) + 2, indent + _STEP))

    def after_indicator(self, value: JSON, indent: int) -> None:
        """A value on the line of its ``-``, ``?`` or ``:``, which stands at ``indent``."""
        self.pieces.append(" ")
        if _is_block(value):
            self.block(value, indent + _STEP, inline=True)
        else:
            self.scalar(value, Place(indent + _STEP, indent + _STEP))

    def scalar(self, value: JSON, place: Place) -> None:
        """A scalar, or an empty list or map, and the end of its line."""
        text = _scalar_text(value, place)
        self.pieces.append(text if text and has_break(text[-1]) else f"{text}\n")


def _is_block(value: JSON) -> TypeGuard[Object | list[JSON]]:
    """Whether the value takes lines of its own."""
    return isinstance(value, dict | list) and bool(value)


def _scalar_text(value: JSON, place: Place) -> str:
    match value:
        case str():
            return string_text(value, place)
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return _integer_text(value)
        case float():
            number = as_json(value)
            return _integer_text(number) if isinstance(number, int) else go_float(number)
        case list():
            return "[]"
        case _:
            return "{}"


def _integer_text(number: int) -> str:
    """Marshal reads its own JSON back, where more than 64 bits make a float."""
    if _INTEGERS.start <= number < _INTEGERS.stop:
        return str(number)
    try:
        return go_float(float(number))
    except OverflowError:
        return str(number)


_INTEGERS = range(-(2**63), 2**64)
