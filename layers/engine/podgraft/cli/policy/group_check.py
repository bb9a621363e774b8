"""The problems of groups that ``policy check`` reports, besides those of their keys."""

from collections.abc import Iterator
from itertools import combinations

from podgraft.base.diagnostics import Diagnostic, Severity
from podgraft.core.policy import Policy
from podgraft.kube.patch.pointer import escape


def find_group_problems(read: Policy, document: str) -> Iterator[Diagnostic]:
    """Yield an error for groups whose order does not decide, and a warning for useless overrides.

    The registry of callers can add groups to a cluster. ``podgraft explain --group`` shows them.
    """
    yield from _find_conflicts(read, document)
    for cluster, override in read.overrides.items():
        groups = read.find_groups(cluster)
        inherited = read.resolve(groups, None).own_keys
        sources = {
            key: f"group {name}" for name in groups for key in read.groups[name].override.own_keys
        }
        for key, value in override.own_keys.items():
            if key in sources and inherited[key] == value:
                yield Diagnostic(
                    document=document,
                    pointer=f"/clusters/{escape(cluster)}/{key.replace('.', '/')}",
                    problem=f"equals the value of {sources[key]}",
                    remedy="remove it, and the group decides",
                    severity=Severity.WARNING,
                )


def _find_conflicts(read: Policy, document: str) -> Iterator[Diagnostic]:
    """Yield an error for two groups of a known cluster that the name orders, and not ``order``."""
    members = {member for group in read.groups.values() for member in group.members}
    clusters = {*read.overrides, *(each for each in members if "*" not in each)}
    reported: set[tuple[str, str, str]] = set()
    for cluster in sorted(clusters):
        own = read.overrides.get(cluster)
        for first, second in combinations(read.find_groups(cluster), 2):
            left, right = read.groups[first], read.groups[second]
            if left.order != right.order:
                continue
            one, other = left.override.own_keys, right.override.own_keys
            for key in sorted(one.keys() & other.keys()):
                decided = own is not None and key in own.own_keys
                if one[key] == other[key] or decided or (first, second, key) in reported:
                    continue
                reported.add((first, second, key))
                yield Diagnostic(
                    document=document,
                    pointer=f"/groups/{second}/order",
                    problem=f"cluster {cluster} is in {first} and {second}, which set {key} "
                    "differently with the same order",
                    remedy="give the group that wins a higher order",
                )
