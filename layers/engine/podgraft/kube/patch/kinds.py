"""Kinds of change: what differs between two versions of an object, without any value.

A line is an operation and a path, such as ``replace spec.containers[istio-proxy].image``. Many
objects have few kinds of change, so an operator can read them. A path contains names of fields, and
the names of list elements that injection added. An element of the original object is ``*``.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from hashlib import sha256

from msgspec import Struct

from podgraft.base.jsonvalue import JSON, Object, equal

# The fields that identify elements of a list. Without one, a list is one value.
_IDENTITIES = ("name", "mountPath", "devicePath", "containerPort", "topologyKey", "key")
_FIELD = re.compile(r"[A-Za-z0-9_-]{1,63}")
# Names of Kubernetes: of containers, variables, mount paths, labels, and annotations.
_NAME = re.compile(r"[A-Za-z0-9/_.-]{1,253}")
_DIGEST_LENGTH = 12
_MAX_DEPTH = 100


def find_changes(
    original: JSON, before: JSON, after: JSON, ignored: frozenset[str] = frozenset()
) -> tuple[str, ...]:
    """Return the sorted lines for the changes from *before* to *after*; empty for equal objects.

    Both are versions of *original*. Lines in *ignored* are left out.
    """
    lines = set(_compare(_Versions(original, before, after), "", 0))
    return tuple(sorted(lines - ignored))


def compute_kind(lines: Iterable[str]) -> str:
    """Return the digest of the lines, which identifies the kind of change."""
    text = "\n".join(sorted(lines)).encode("utf-8", "surrogatepass")
    return sha256(text).hexdigest()[:_DIGEST_LENGTH]


class _Versions(Struct, frozen=True):
    """A value of the original object, and its two versions."""

    original: JSON
    before: JSON
    after: JSON


def _compare(versions: _Versions, path: str, depth: int) -> Iterator[str]:
    before, after = versions.before, versions.after
    if before is after:
        return
    match before, after:
        case dict(), dict() if depth < _MAX_DEPTH:
            original = versions.original if isinstance(versions.original, dict) else {}
            yield from _compare_members(original, before, after, partial(_join, path), depth)
        case list(), list() if depth < _MAX_DEPTH:
            yield from _compare_lists(versions.original, before, after, path, depth)
        case _:
            if not equal(before, after):
                yield f"replace {path or '/'}"


def _compare_members(
    original: Object, before: Object, after: Object, locate: Callable[[str], str], depth: int
) -> Iterator[str]:
    """Compare the members of an object, or the elements of a list by their identity."""
    for key in before.keys() | after.keys():
        if key not in after:
            yield f"remove {locate(key)}"
        elif key not in before:
            yield f"add {locate(key)}"
        elif not equal(before[key], after[key]):  # most members are equal, and need no path
            versions = _Versions(original.get(key), before[key], after[key])
            yield from _compare(versions, locate(key), depth + 1)


def _compare_lists(
    original: JSON, before: Sequence[JSON], after: Sequence[JSON], path: str, depth: int
) -> Iterator[str]:
    identity = _find_identity(before, after)
    if identity is None:
        if not equal(list(before), list(after)):
            yield f"replace {path or '/'}"
        return
    originals = _index(original if isinstance(original, list) else [], identity)
    old, new = _index(before, identity), _index(after, identity)

    def locate(name: str) -> str:
        return f"{path}[{'*' if name in originals else _format_name(name)}]"

    yield from _compare_members(originals, old, new, locate, depth)
    if [name for name in old if name in new] != [name for name in new if name in old]:
        yield f"move {path}"


def _find_identity(before: Sequence[JSON], after: Sequence[JSON]) -> str | None:
    """Return the field that identifies each element of both lists."""
    return next(
        (
            field
            for field in _IDENTITIES
            if all(len(_index(elements, field)) == len(elements) for elements in (before, after))
        ),
        None,
    )


def _index(elements: Sequence[JSON], field: str) -> dict[str, JSON]:
    """The elements with the field by its value; fewer if values are missing or repeated."""
    return {
        str(element[field]): element
        for element in elements
        if isinstance(element, dict) and isinstance(element.get(field), str | int)
    }


def _join(path: str, key: str) -> str:
    if _FIELD.fullmatch(key):
        return f"{path}.{key}" if path else key
    return f"{path}[{_format_name(key)}]"


def _format_name(name: str) -> str:
    """Return a name, or ``*`` for a text that Kubernetes does not use as a name."""
    return name if _NAME.fullmatch(name) else "*"
