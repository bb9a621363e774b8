"""Masked copies of an object, for finding the text with which a template fails.

A mask replaces what YAML could take for syntax by a letter. If a template works with the masked
object, the failure is due to what the object's author wrote.
"""

from __future__ import annotations

import re
from dataclasses import field
from operator import is_not

from podgraft.go.reflect.taint import Address
from podgraft.jsonvalue import JSON
from podgraft.lazy_dataclass import dataclass
from podgraft.lazy_re import lazy_compile

from .plain_text import is_harmless

_SYNTAX = lazy_compile(r"[^A-Za-z0-9_./+=()@-]")
_FILL = "Q"


@dataclass(slots=True)
class Masker:
    """One walk over JSON. The first ``spared`` strings that need masking stay as they are, which
    is how a culprit is found; ``found`` are all of them, with their places.
    """

    exempt_count: int = 0
    masked_strings: list[tuple[str, Address]] = field(default_factory=list[tuple[str, Address]])

    def mask(self, value: JSON, place: Address = None) -> JSON:
        """``value`` masked; the very same where nothing in it needs it."""
        match value:
            case str():
                return value if is_harmless(value) else self._mask_string(value, place)
            case dict():
                return self._mask_object(value, place)
            case list():
                elements = [self.mask(each, (place, index)) for index, each in enumerate(value)]
                return elements if any(map(is_not, elements, value)) else value
            case _:
                return value

    def _mask_object(self, value: dict[str, JSON], place: Address) -> JSON:
        keys = [key if is_harmless(key) else self._mask_string(key, (place, key)) for key in value]
        values = [self.mask(each, (place, key)) for key, each in value.items()]
        if any(map(is_not, keys, value)) or any(map(is_not, values, value.values())):
            return dict(zip(keys, values, strict=True))
        return value

    def _mask_string(self, text: str, place: Address) -> str:
        self.masked_strings.append((text, place))
        if len(self.masked_strings) <= self.exempt_count:
            return text
        replaced = _SYNTAX.sub(_fill_match, text)
        if replaced == text or not is_harmless(replaced):
            replaced = _FILL + replaced[1:]  # words, such as null, and leading dashes
        return replaced


def _fill_match(found: re.Match[str]) -> str:
    """As many letters as the character has bytes, which is what Go counts."""
    return _FILL * len(found[0].encode("utf-8", "surrogatepass"))
