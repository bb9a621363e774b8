"""The fields of an object that a template or a rule reads, as a static analysis finds them.

The census records only values that a configuration can read by name, and a preview reports a
workload as unknown if a result depends on a value that was not recorded.
"""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from podgraft.base.jsonvalue import JSON

# The step of a path to every element of a list, or to every value of a map.
EACH = "[]"
Path: TypeAlias = tuple[str, ...]

_METADATA_MAPS = ("annotations", "labels")


class ReadKind(StrEnum):
    """How a read uses a value.

    - ``TESTED``: the result can depend on the text of the value in any way.
    - ``PRINTED``: the result contains the text, and depends on nothing but whether it is empty.
    - ``SIZED``: the result depends on the value itself, not on its members and elements.
    - ``SEARCHED``: the result depends on the keys of a map, or on the elements of a list.
    """

    TESTED = "tested"
    PRINTED = "printed"
    SIZED = "sized"
    SEARCHED = "searched"


class FieldRead(Struct, frozen=True):
    """A read of the part of an object at ``path``; ``source`` is the document that reads it.

    ``line`` is the line of the template with a read that prints the value.
    """

    source: str
    path: Path
    kind: ReadKind = ReadKind.TESTED
    line: str = ""


def find_metadata_keys(reads: Iterable[FieldRead]) -> frozenset[str]:
    """Return the keys of labels and annotations that are read by name, also in pod templates."""
    return frozenset(key for read in reads for key in _names(read.path))


def _names(path: Path) -> Iterator[str]:
    for index in range(len(path) - 2):
        if path[index] == "metadata" and path[index + 1] in _METADATA_MAPS:
            key = path[index + 2]
            if key != EACH:
                yield key


def select(value: JSON, path: Path) -> Iterator[JSON]:
    """Yield the values at a path; a value that ends before the path does counts as read."""
    if not path:
        yield value
    elif isinstance(value, dict):
        step, rest = path[0], path[1:]
        members = value.values() if step == EACH else [value[step]] if step in value else []
        for member in members:
            yield from select(member, rest)
    elif isinstance(value, list):
        rest = path[1:] if path[0] == EACH else path
        for element in value:
            yield from select(element, rest)
    else:
        yield value
