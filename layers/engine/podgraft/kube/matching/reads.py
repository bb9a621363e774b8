"""What selectors and CEL expressions read of an object."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from podgraft.base.field_reads import FieldRead, Path
from podgraft.kube.selectors import Operator, Selector

if TYPE_CHECKING:
    from podgraft.kube.cel import Program
    from podgraft.kube.validation.bindings import PolicyBinding
    from podgraft.kube.validation.policies import AdmissionPolicy

# The variables of an expression that are not the object; ``unrecorded`` paths start with them.
OLD_OBJECT = "oldObject"
USER = "userInfo"

_PRESENCE = (Operator.EXISTS, Operator.DOES_NOT_EXIST)


def find_selector_reads(selector: Selector, source: str) -> Iterator[FieldRead]:
    """Yield the labels that a selector compares."""
    for requirement in selector.requirements:
        if requirement.operator not in _PRESENCE:
            yield FieldRead(source, ("metadata", "labels", requirement.key))


def find_condition_reads(
    programs: Iterable[Program], source: str, variables: Mapping[str, Program] | None = None
) -> Iterator[FieldRead]:
    """Yield what expressions read. Paths of ``oldObject`` and ``userInfo`` begin with ``/``."""
    from podgraft.kube.cel.reads import find_reads

    for program in programs:
        for variable, path, kind in find_reads(program, variables or {}):
            root = _find_root(variable, path)
            if root is not None:
                yield FieldRead(source, root, kind)


def find_policy_reads(
    source: str,
    policy: AdmissionPolicy,
    bindings: Sequence[PolicyBinding],
    programs: Mapping[str, Sequence[Program]],
) -> Iterator[FieldRead]:
    """Yield what conditions and *programs* read, by source, and the labels that are selected."""
    variables = {each.name: each.program for each in policy.variables}
    yield from find_condition_reads([each.program for each in policy.conditions], source, variables)
    for name, each in programs.items():
        yield from find_condition_reads(each, name, variables)
    for scope in (policy.constraints, *(each.constraints for each in bindings)):
        if scope is not None and scope.objects is not None:
            yield from find_selector_reads(scope.objects, source)


def _find_root(variable: str, path: Path) -> Path | None:
    if variable == "object":
        return path
    if variable == OLD_OBJECT:
        return (f"/{OLD_OBJECT}",)
    if variable == "request" and (not path or path[0] == USER):
        return (f"/{USER}",)
    return None
