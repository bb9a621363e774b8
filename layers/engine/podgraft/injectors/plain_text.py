"""Plain text: text that is free of YAML syntax wherever a template writes it.

Plain text stays plain next to other plain text. For this reason, parts of ``null``, of directives,
and of document end markers are not plain. A template that cannot make syntax of plain text
(``Program.can_create_syntax``), and reads only plain text of an object, cannot get structure from
the object. The structure guard then needs no second rendering.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from podgraft.go.reflect.taint import Address
from podgraft.jsonvalue import JSON
from podgraft.lazy_re import lazy_compile

# Letters and numbers in one line, joined by single spaces and inner colons: none of it is syntax
# anywhere in YAML. "-" alone would open a list, "---" and "..." would end the document, and no
# scalar can start with "@". A dollar starts a variable reference, never a merge directive.
_WORD = r"(?:[A-Za-z0-9_./+=()@-]|\$\()+(?::(?:[A-Za-z0-9_./+=()@-]|\$\()+)*"
_PLAIN_TEXT = lazy_compile(rf"\*?|(?!---|-(?: |$)|@|\.+$){_WORD}(?: (?!-(?: |$)){_WORD})*")
_NULL = "null"
_PARTS_OF_NULL = frozenset(
    _NULL[start:end] for start in range(len(_NULL)) for end in range(start + 1, len(_NULL) + 1)
)


def is_plain_text(text: str) -> bool:
    """Whether the text is free of YAML syntax, wherever a template writes it.

    >>> [is_plain_text(text) for text in ("hub/proxyv2:1.30 -x", "a: b", "- a", "")]
    [True, False, False, True]
    """
    return (
        _matches_plain_text_cached(text)
        if len(text) <= _MAX_CACHED_LENGTH
        else _matches_plain_text(text)
    )


def _matches_plain_text(text: str) -> bool:
    return _PLAIN_TEXT.fullmatch(text) is not None and text.lower() not in _PARTS_OF_NULL


# Field names and short values of a cluster's pods repeat often; long texts are values, which
# are not cached.
_MAX_CACHED_LENGTH = 64
_matches_plain_text_cached = lru_cache(maxsize=4096)(_matches_plain_text)


def has_only_plain_text(value: JSON) -> bool:
    """Whether the value contains only plain text, including its keys."""
    if isinstance(value, str):
        return is_plain_text(value)
    if isinstance(value, dict):
        # Objects of one type have the same few keys, so most tuples of keys are in the cache.
        return _are_plain_keys(tuple(value)) and _have_only_plain_text(value.values())
    return not isinstance(value, list) or _have_only_plain_text(value)


def _have_only_plain_text(values: Iterable[JSON]) -> bool:
    for value in values:
        is_plain = is_plain_text(value) if isinstance(value, str) else has_only_plain_text(value)
        if not is_plain:
            return False
    return True


def _are_plain_keys(keys: tuple[str, ...]) -> bool:
    is_short = len(keys) <= _MAX_CACHED_KEYS
    return _are_plain_keys_cached(keys) if is_short else all(map(is_plain_text, keys))


@lru_cache(maxsize=1024)
def _are_plain_keys_cached(keys: tuple[str, ...]) -> bool:
    return all(map(is_plain_text, keys))


_MAX_CACHED_KEYS = 16


def path_steps(path: Address) -> tuple[str | int, ...]:
    """The keys and indexes of a path, outermost first."""
    return () if path is None else (*path_steps(path[0]), path[1])
