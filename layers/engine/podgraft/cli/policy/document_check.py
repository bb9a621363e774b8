"""The problems of groups and of a rollout that ``podgraft check`` reports, besides their keys.

The caller names the document.
"""

from collections.abc import Iterator
from functools import partial
from itertools import combinations

from podgraft.base.diagnostics import Diagnostic, Severity
from podgraft.base.jsonvalue import Object, object_at
from podgraft.core.policy import Policy
from podgraft.kube.patch.pointer import escape

from .document_text import load_mapping
from .rollout.text import KEY, is_in_flow_style

_warn = partial(Diagnostic, severity=Severity.WARNING)
# Overridden key by key, so a cluster can set some of them.
_FEATURES = "features"


def find_group_problems(read: Policy) -> Iterator[Diagnostic]:
    """Yield an error for groups whose order does not decide, and a warning for useless overrides.

    The registry of callers can add groups to a cluster. ``podgraft explain --group`` shows them.
    """
    yield from _find_conflicts(read)
    for cluster, override in read.overrides.items():
        groups = read.find_groups(cluster)
        inherited = read.resolve(groups, None).own_keys
        sources = {
            key: f"group {name}" for name in groups for key in read.groups[name].override.own_keys
        }
        for key, value in override.own_keys.items():
            if key in sources and inherited[key] == value:
                yield _warn(
                    f"equals the value of {sources[key]}",
                    "remove it, and the group decides",
                    pointer=f"/clusters/{escape(cluster)}/{key.replace('.', '/')}",
                )


def _find_conflicts(read: Policy) -> Iterator[Diagnostic]:
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
                    f"cluster {cluster} is in {first} and {second}, which set {key} "
                    "differently with the same order",
                    "give the group that wins a higher order",
                    pointer=f"/groups/{second}/order",
                )


def find_rollout_problems(read: Policy, text: str) -> Iterator[Diagnostic]:
    """Yield the errors and warnings of the rollout in a valid document."""
    yield from read.rollout_errors
    if is_in_flow_style(text):
        yield Diagnostic("unsupported flow style", "write one key per line", pointer=f"/{KEY}")
    if read.rollout is None:
        return
    yield from _find_overrides(load_mapping(text))
    for key, shares in (("clusters", read.rollout.clusters), ("groups", read.rollout.groups)):
        for name, share in shares.items():
            if share > read.rollout.share:
                problem = f"got {share:g} while share is {read.rollout.share:g}"
                pointer = f"/{KEY}/{key}/{escape(name)}"
                yield _warn(problem, f"{name} changes first", pointer=pointer)


def _find_overrides(fields: Object) -> Iterator[Diagnostic]:
    """Yield a warning for each key of the candidate that a cluster or a group sets."""
    candidate = object_at(fields, KEY, "candidate")
    groups = {f"group {name}": each for name, each in object_at(fields, "groups").items()}
    clusters = {f"cluster {name}": each for name, each in object_at(fields, "clusters").items()}
    for subject, overrides in {**groups, **clusters}.items():
        own = overrides if isinstance(overrides, dict) else {}
        for key in candidate:
            names = [key]
            if key == _FEATURES:
                both = object_at(candidate, key).keys() & object_at(own, key).keys()
                names = [f"{key}/{name}" for name in sorted(both)]
            elif own.get(key) is None:
                names = []
            for name in names:
                yield _warn(
                    f"{subject} sets its {name}",
                    f"the candidate does not change it in {subject.partition(' ')[2]}",
                    pointer=f"/{KEY}/candidate/{name}",
                )
