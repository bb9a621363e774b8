"""Static check for templates that change their data.

As in Go, ``set``, ``unset``, and the merge functions change maps in place, including maps of the
data. The caller must pass a copy of shared data to such a template.
"""

from collections.abc import Set as AbstractSet

from podgraft.golang.texttemplate.program import Program

_MUTATING = frozenset(
    ("merge", "mergeOverwrite", "mustMerge", "mustMergeOverwrite", "set", "unset")
)


def mutates_maps(program: Program, ambient: AbstractSet[str] = frozenset()) -> bool:
    """Whether the program names a function that changes a map, or one of ``ambient``.

    The functions of ``ambient`` can change the data without an argument.
    """
    changing = _MUTATING | ambient
    return not all(changing.isdisjoint(template.calls) for template in program.templates.values())
