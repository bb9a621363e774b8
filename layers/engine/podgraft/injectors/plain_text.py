"""Text that is no YAML syntax, wherever a template writes it.

It stays harmless next to other harmless text: parts of ``null``, of directives, and of what ends a
document are not harmless. So a template that makes no syntax of its own (``Program.can_create_syntax``) and
reads only harmless text of the object can be rendered without following that text.
"""

from __future__ import annotations

from functools import lru_cache

from podgraft.go.reflect.taint import Address
from podgraft.jsonvalue import JSON
from podgraft.lazy_re import lazy_compile

# Letters and numbers in one line, joined by single blanks and inner colons: nothing in it is syntax
# anywhere in YAML. «-» alone would open a list, «---» and «...» would end the document, and no
# scalar may begin with «@». A dollar begins a reference to a variable and no directive of a merge.
_WORD = r"(?:[A-Za-z0-9_./+=()@-]|\$\()+(?::(?:[A-Za-z0-9_./+=()@-]|\$\()+)*"
_HARMLESS = lazy_compile(rf"\*?|(?!---|-(?: |$)|@|\.+$){_WORD}(?: (?!-(?: |$)){_WORD})*")
_NULL = "null"
_PARTS_OF_NULL = frozenset(
    _NULL[start:end] for start in range(len(_NULL)) for end in range(start + 1, len(_NULL) + 1)
)


def is_harmless(text: str) -> bool:
    """Whether the text is no YAML syntax, wherever a template may write it.

    >>> is_harmless("hub/proxyv2:1.30 -x"), is_harmless("a: b"), is_harmless("- a"), is_harmless("")
    (True, False, False, True)
    """
    return _cached(text) if len(text) <= _LONGEST_WORD else _is_harmless(text)


def _is_harmless(text: str) -> bool:
    return _HARMLESS.fullmatch(text) is not None and text.lower() not in _PARTS_OF_NULL


# Field names and the words of a cluster's pods come again and again; long texts are values, which
# are not cached.
_LONGEST_WORD = 64
_cached = lru_cache(maxsize=4096)(_is_harmless)


def holds_harmless(value: JSON) -> bool:
    """Whether all text in the value is harmless, keys included."""
    match value:
        case str():
            return is_harmless(value)
        case dict():
            return all(map(is_harmless, value)) and all(map(holds_harmless, value.values()))
        case list():
            return all(map(holds_harmless, value))
        case _:
            return True


def steps(place: Address) -> tuple[str | int, ...]:
    """The keys and indices that lead to a place."""
    return () if place is None else (*steps(place[0]), place[1])
