"""Which templates may change the data they are given.

``set``, ``unset`` and the merges change a map where it stands, as in Go, and a template reaches
maps that it did not make. Who renders hands data that others see too to such a template as a copy.
"""

from collections.abc import Set as AbstractSet

from podgraft.texttemplate.program import Program

_MUTATING = frozenset(
    ("merge", "mergeOverwrite", "mustMerge", "mustMergeOverwrite", "set", "unset")
)


def mutates_maps(program: Program, ambient: AbstractSet[str] = frozenset()) -> bool:
    """Whether the program names a function that changes a map it is given, or one of the
    ``ambient`` ones, which may change the data by themselves.
    """
    changing = _MUTATING | ambient
    return not all(changing.isdisjoint(each.calls) for each in program.templates.values())
