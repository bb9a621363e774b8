"""Masked copies of an object, to find the text that makes a template fail.

A mask replaces each character that can be YAML syntax with a placeholder. If a template renders
with the masked object, but fails with the object itself, text of the object causes the failure. To
find that text, the structure check renders with different numbers of exempt strings, by binary
search: the last exempt string of the smallest number that fails is the cause.

Hazard: templates compare, cut, and count text. A mask must therefore keep the length in bytes,
which is what Go counts, and all characters that are never syntax. A mask must not be YAML syntax
itself, next to any other plain text: ``null`` and leading dashes get a placeholder as well.
"""

import re
from typing import Any

from msgspec import Struct, field

from podgraft.base.jsonvalue import JSON
from podgraft.golang.reflect.taint import Address

from .plain_text import is_plain_text

_SYNTAX = re.compile(r"[^A-Za-z0-9_./+=()@-]")
_PLACEHOLDER = "Q"


class Masker(Struct):
    """A walk over JSON that masks strings.

    The first ``exempt_count`` strings that need a mask stay unchanged. ``masked_strings`` has all
    strings that need one, including those, with their paths.
    """

    exempt_count: int = 0
    masked_strings: list[tuple[str, Address]] = field(default_factory=list[tuple[str, Address]])

    def mask(self, value: JSON, path: Address = None) -> Any:
        """Return ``value`` with masks."""
        match value:
            case str():
                return value if is_plain_text(value) else self._mask_string(value, path)
            case dict():
                keys = [self.mask(key, (path, key)) for key in value]
                members = [self.mask(member, (path, key)) for key, member in value.items()]
                return dict(zip(keys, members, strict=True))
            case list():
                return [self.mask(element, (path, index)) for index, element in enumerate(value)]
            case _:
                return value

    def _mask_string(self, text: str, path: Address) -> str:
        self.masked_strings.append((text, path))
        if len(self.masked_strings) <= self.exempt_count:
            return text
        # As many placeholders as a character has bytes, because Go counts bytes.
        masked = _SYNTAX.sub(
            lambda match: _PLACEHOLDER * len(match[0].encode("utf-8", "surrogatepass")), text
        )
        if masked == text or not is_plain_text(masked):
            masked = _PLACEHOLDER + masked[1:]  # null and its parts, and leading dashes
        return masked
