"""Which templates may change the data they are given.

``set``, ``unset`` and the merges change a map where it stands, as in Go, and a template reaches
maps that it did not make. Who renders hands data that others see too to such a template as a copy.
"""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache

from podgraft.gotemplate import nodes
from podgraft.gotemplate.program import Program
from podgraft.govalue import Value

_CHANGING = frozenset(
    ("merge", "mergeOverwrite", "mustMerge", "mustMergeOverwrite", "set", "unset")
)


def changes_maps(program: Program) -> bool:
    """Whether the program names a function that changes a map it is given."""
    return any(name in _CHANGING for name in _functions((*program.templates.values(),)))


def _functions(part: Value) -> Iterator[str]:
    """The names of all functions below a part of a parse tree."""
    if part.__class__ is nodes.Identifier:
        yield part.name
    elif part.__class__ is tuple:
        for each in part:
            yield from _functions(each)
    else:
        for name in _parts(part.__class__):
            yield from _functions(getattr(part, name))


@cache
def _parts(kind: type) -> tuple[str, ...]:
    """The fields of a kind of node; none of what a node consists of."""
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()
