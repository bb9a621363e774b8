"""Mutating policies whose result depends on their order, which kube-apiserver does not define.

kube-apiserver keeps policies in a map of Go, so their order differs from one change of a policy to
the next (apiserver 0.37, admission/plugin/policy/generic/policy_source.go). Only paths that are
constant in an expression are compared, and a policy that can run again reads the final object.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import NamedTuple

from podgraft.base.field_reads import EACH, Path, ReadKind
from podgraft.kube.cel.reads import find_reads
from podgraft.kube.cel.syntax import (
    Call,
    Constant,
    FieldOf,
    ListOf,
    MapOf,
    Node,
    Select,
    StructOf,
    walk,
)
from podgraft.kube.cel.values import Value, is_list, is_map
from podgraft.kube.matching.constraints import MatchConstraints, ResourceRule
from podgraft.kube.mutation import MutatingBinding, MutatingPolicy, PatchType
from podgraft.kube.selectors import Operator, Selector

NATIVE = 36  # the first release in which kube-apiserver always evaluates the policies
_OBJECT = "object"
_ROOT = "Object"
_KEYS = ("name", "key", "ip", "mountPath", "devicePath", "containerPort", "topologyKey")
# Maps and structs, of which an expression that is not constant may set any part.
_MERGED = ("annotations", "data", "labels", "metadata", "nodeSelector", "spec", "template")
_WRITES = ("add", "replace", "remove", "move", "copy")


class Interference(NamedTuple):
    """Two policies that match an object together, and the path at which their order matters.

    ``reader`` is the one that reads what the other writes; it is empty if both write it.
    """

    first: str
    second: str
    path: str
    reader: str

    def describe(self) -> tuple[str, str]:
        """The problem of the second policy, and the remedy."""
        order = "kube-apiserver evaluates policies in random order"
        if not self.reader:
            return (
                f"writes {self.path}, as {self.first} does: {order}",
                "write it in one policy, or give both the same value",
            )
        writer = self.second if self.reader == self.first else self.first
        return (
            f"{self.reader} reads {self.path}, which {writer} writes: {order}",
            f"set reinvocationPolicy: IfNeeded in {self.reader}, or make one policy of both",
        )


class _Write(NamedTuple):
    """A path that is set, to a constant if ``value`` is not ``None``.

    ``is_key`` is for the key of an element, and ``is_exact`` for a value that may be a map that
    merges: it changes no other path for certain.
    """

    path: Path
    value: Value
    is_key: bool = False
    is_exact: bool = False


def find_interferences(
    policies: Sequence[MutatingPolicy], bindings: Mapping[str, Sequence[MutatingBinding]]
) -> Iterator[Interference]:
    """Yield one interference for each pair of policies that have one."""
    writes = {policy.name: [*_find_writes(policy)] for policy in policies}
    for first, second in combinations(policies, 2):
        if not _can_match_together(first, second, bindings):
            continue
        found = _find_shared(writes[first.name], writes[second.name])
        if found is not None:
            yield Interference(first.name, second.name, _spell(found), "")
            continue
        for reader, writer in ((first, second), (second, first)):
            path = None if reader.is_reinvoked else _find_read(reader, writes[writer.name])
            if path is not None:
                yield Interference(first.name, second.name, _spell(path), reader.name)
                break


def _spell(path: Path) -> str:
    return ".".join(step.strip("[]") or "*" for step in path)


def _find_shared(first: Sequence[_Write], second: Sequence[_Write]) -> Path | None:
    """The path that both write, with values that are not known to be equal."""
    for one, other in product(first, second):
        is_same = one.path == other.path and one.value is not None and one.value == other.value
        is_apart = (one.is_exact or other.is_exact) and len(one.path) != len(other.path)
        if is_same or is_apart or one.is_key or other.is_key:
            continue
        if _overlaps(one.path, other.path):
            return max(one.path, other.path, key=len)
    return None


def _find_read(reader: MutatingPolicy, writes: Sequence[_Write]) -> Path | None:
    """The path that a policy reads and another one writes."""
    for path, write in product(_find_read_paths(reader), writes):
        if write.is_exact and len(path) > len(write.path):
            continue
        if path and _overlaps(path, write.path):
            return write.path
    return None


def _overlaps(one: Path, other: Path) -> bool:
    """Whether one path is in the other; an element without a constant key can be any."""
    return all(
        left == right or (EACH in {left, right} and left[:1] == right[:1] == "[")
        for left, right in zip(one, other, strict=False)
    )


def _find_read_paths(policy: MutatingPolicy) -> Iterator[Path]:
    variables = {variable.name: variable.program for variable in policy.variables}
    programs = [each.program for each in (*policy.conditions, *policy.mutations)]
    for program in programs:
        for name, path, kind in find_reads(program, variables):
            if name == _OBJECT and kind in {ReadKind.TESTED, ReadKind.SIZED}:
                yield path
    for program in (*programs, *variables.values()):
        for node in walk(program.root):
            match node:
                case Call(function="@in", arguments=(Constant(value=str(key)), container)):
                    path = _find_path(container)
                    if path:
                        yield (*path, key)
                case _:
                    pass


def _find_path(node: Node) -> Path | None:
    """The path of a chain of fields from the object."""
    match node:
        case Select(operand=operand, field=field, test=False):
            path = _find_path(operand)
            return None if path is None else (*path, field)
        case Call(
            function="_?._" | "_[_]" | "_[?_]", arguments=(operand, Constant(value=str(key)))
        ):
            path = _find_path(operand)
            return None if path is None else (*path, key)
        case Call(function="orValue", arguments=(operand, _)):
            return _find_path(operand)
        case _:
            return () if getattr(node, "name", None) == _OBJECT else None


def _find_writes(policy: MutatingPolicy) -> Iterator[_Write]:
    for mutation in policy.mutations:
        roots = [mutation.program.root, *(each.program.root for each in policy.variables)]
        for node in (each for root in roots for each in walk(root)):
            if not isinstance(node, StructOf):
                continue
            if mutation.patch_type is PatchType.JSON_PATCH:
                yield from _find_operation_writes(node)
            elif node.type_name == _ROOT:
                yield from _find_struct_writes(node, ())


def _find_struct_writes(node: StructOf, path: Path) -> Iterator[_Write]:
    """The fields that a constructor sets, and those of the constructors in it."""
    for each in node.fields:
        yield from _find_value_writes(each.value, (*path, each.name))


def _find_value_writes(node: Node, path: Path) -> Iterator[_Write]:  # noqa: C901 - one case for each form
    match node:
        case StructOf():
            yield from _find_struct_writes(node, path)
        case MapOf(entries=entries):
            for key, value, _ in entries:
                name = _find_constant(key)
                if isinstance(name, str):
                    yield _Write((*path, name), _find_constant(value))
        case Call(function="_?_:_", arguments=(_, *alternatives)):
            for each in alternatives:
                yield from _find_value_writes(each, path)
        case Call(function="optional.of", arguments=(value,)):
            yield from _find_value_writes(value, path)
        case Constant(value=value):
            yield from _find_constant_writes(value, path)
        case _:
            elements = [each for each in walk(node) if isinstance(each, StructOf)]
            for element in elements:
                if element.type_name == elements[0].type_name:
                    yield from _find_element_writes(element, path)
            if not (elements or isinstance(node, ListOf) or path[-1] in _MERGED):
                yield _Write(path, None, is_exact=True)


def _find_constant_writes(value: Value, path: Path) -> Iterator[_Write]:
    """A constant: a list is a set, to which each policy adds."""
    if is_map(value):
        yield from (_Write((*path, str(key)), member) for key, member in value.items())
    elif not is_list(value):
        yield _Write(path, value)


def _find_element_writes(element: StructOf, path: Path) -> Iterator[_Write]:
    """The fields of an element of a list, whose first key is a step of their path."""
    key = next((each for name in _KEYS for each in element.fields if each.name == name), None)
    constant = None if key is None else _find_constant(key.value)
    step = EACH if constant is None else f"[{constant}]"
    for each in element.fields:
        if _is_key(each, key):
            if constant is not None:  # otherwise it is the key of an element that exists
                yield _Write((*path, step, each.name), constant, is_key=True)
        else:
            yield from _find_value_writes(each.value, (*path, step, each.name))


def _is_key(field: FieldOf, key: FieldOf | None) -> bool:
    return key is not None and field.name in {key.name, "protocol"}


def _find_operation_writes(node: StructOf) -> Iterator[_Write]:
    """The path of an operation; an append and an empty map or list change nothing that is there."""
    fields = {each.name: each.value for each in node.fields}
    names = [_find_constant(fields[key]) if key in fields else None for key in ("op", "path")]
    if names[0] not in _WRITES or not isinstance(names[1], str):
        return
    *parents, last = (_unescape(step) for step in names[1].split("/")[1:])
    value = _find_constant(fields["value"]) if "value" in fields else None
    if last != "-" and value not in ({}, []):
        yield _Write((*parents, last), value)
    elif last == "-":
        added = fields.get("value")
        if isinstance(added, StructOf):
            yield from _find_element_writes(added, tuple(parents))


def _unescape(step: str) -> str:
    return EACH if step.isdecimal() else step.replace("~1", "/").replace("~0", "~")


def _find_constant(node: Node) -> Value:
    """The value of a constant, or of a constant path with ``jsonpatch.escapeKey``."""
    match node:
        case Constant(value=value):
            return value
        case ListOf(elements=()):
            return []
        case MapOf(entries=()):
            return {}
        case Call(function="jsonpatch.escapeKey", arguments=(Constant(value=str(key)),)):
            return key.replace("~", "~0").replace("/", "~1")
        case Call(function="_+_", arguments=(left, right)):
            parts = _find_constant(left), _find_constant(right)
            return "".join(parts) if all(isinstance(each, str) for each in parts) else None
        case _:
            return None


def _can_match_together(
    first: MutatingPolicy,
    second: MutatingPolicy,
    bindings: Mapping[str, Sequence[MutatingBinding]],
) -> bool:
    """Whether the rules and the selectors of both can match one object."""
    if not _match_together(first.constraints, second.constraints):
        return False
    pairs = product(bindings.get(first.name, ()), bindings.get(second.name, ()))
    return any(
        one.constraints is None
        or other.constraints is None
        or _match_together(one.constraints, other.constraints)
        for one, other in pairs
    )


def _match_together(one: MatchConstraints, other: MatchConstraints) -> bool:
    selectors = ((one.namespaces, other.namespaces), (one.objects, other.objects))
    if any(left and right and _are_disjoint(left, right) for left, right in selectors):
        return False
    rules = [*product(one.rules, other.rules)]
    return not (one.rules and other.rules) or any(_rules_meet(*pair) for pair in rules)


def _rules_meet(one: ResourceRule, other: ResourceRule) -> bool:
    def meet(left: frozenset[str], right: frozenset[str]) -> bool:
        return "*" in left | right or bool(left & right)

    names = [frozenset(name for name, _ in rule.resources) for rule in (one, other)]
    parts = [frozenset(part for _, part in rule.resources) for rule in (one, other)]
    return (
        meet(one.operations, other.operations)
        and meet(one.groups, other.groups)
        and meet(names[0], names[1])
        and meet(parts[0], parts[1])
        and (not (one.names and other.names) or bool(one.names & other.names))
    )


def _are_disjoint(one: Selector, other: Selector) -> bool:
    """Whether two selectors want different values of one label."""
    one_of = {Operator.EQUALS, Operator.IN}
    return any(
        left.key == right.key
        and {left.operator, right.operator} <= one_of
        and not left.values & right.values
        for left, right in product(one.requirements, other.requirements)
    )
