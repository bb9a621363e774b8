"""Which functions a part of a parse tree names."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache

from podgraft.govalue import Value

from . import nodes


def named(part: Value) -> Iterator[str]:
    """The names of all functions below a node, or below the nodes of a tuple."""
    if part.__class__ is nodes.Identifier:
        yield part.name
    elif part.__class__ is tuple:
        for each in part:
            yield from named(each)
    else:
        for name in _parts(part.__class__):
            yield from named(getattr(part, name))


@cache
def _parts(kind: type) -> tuple[str, ...]:
    """The fields of a kind of node; none of what a node consists of."""
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()
