"""JSON Pointer (RFC 6901): the address of a value inside a JSON document."""

import re
from collections.abc import Iterator

from podgraft.base.jsonvalue import JSON


class PointerError(ValueError):
    """The pointer is malformed, or the document has no value at the pointer."""


def escape(token: str) -> str:
    """Escape a reference token: ``~`` becomes ``~0``, ``/`` becomes ``~1``."""
    if "~" in token or "/" in token:
        return token.replace("~", "~0").replace("/", "~1")
    return token


def parse(pointer: str) -> tuple[str, ...]:
    """Parse a pointer into its reference tokens; empty for the complete document.

    >>> parse("/metadata/annotations/nginx~1Allow")
    ('metadata', 'annotations', 'nginx/Allow')
    """
    if not pointer:
        return ()
    if not pointer.startswith("/"):
        raise PointerError(f"pointer {pointer!r}: must be empty or begin with '/'")
    if _INVALID_ESCAPE.search(pointer):
        raise PointerError(
            f"pointer {pointer!r}: invalid escape; write '~0' for '~', and '~1' for '/'"
        )
    return tuple(token.replace("~1", "/").replace("~0", "~") for token in pointer[1:].split("/"))


def resolve(document: JSON, pointer: str) -> JSON:
    """Return the value at ``pointer``; ``PointerError`` if there is none."""
    value = document
    for token in parse(pointer):
        match value:
            case dict() if token in value:
                value = value[token]
            case list() if _INDEX.fullmatch(token) and int(token) < len(value):
                value = value[int(token)]
            case _:
                raise PointerError(f"pointer {pointer!r}: {token!r} not found")
    return value


def walk(value: JSON, path: str = "") -> Iterator[tuple[str, JSON]]:
    """Return the value at ``path`` and all values inside it, each with its pointer."""
    yield path, value
    if isinstance(value, dict):
        for key, member in value.items():
            yield from walk(member, f"{path}/{escape(key)}")
    elif isinstance(value, list):
        for index, element in enumerate(value):
            yield from walk(element, f"{path}/{index}")


_INVALID_ESCAPE = re.compile("~(?![01])")
_INDEX = re.compile("0|[1-9][0-9]*")
