"""Mutating policies whose result depends on their order, which kube-apiserver does not define.

kube-apiserver keeps policies in a map of Go, so their order differs from one change of a policy to
the next (apiserver 0.37, admission/plugin/policy/generic/policy_source.go). Only paths that are
constant in an expression are compared, and a policy that can run again reads the final object. The
selectors and match conditions of two policies exclude each other by a path that no policy writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, islice, product
from typing import NamedTuple, TypeAlias

from podgraft.base.diagnostics import Diagnostic
from podgraft.base.field_reads import EACH, Path, ReadKind
from podgraft.kube.cel.reads import find_reads
from podgraft.kube.cel.syntax import (
    Call,
    Constant,
    Ident,
    ListOf,
    MapOf,
    Node,
    Select,
    StructOf,
    walk,
)
from podgraft.kube.cel.values import Value, is_list, is_map
from podgraft.kube.matching.constraints import ResourceRule
from podgraft.kube.mutation import MutatingBinding, MutatingPolicy, PatchType
from podgraft.kube.selectors import Operator, Requirement, Selector

NATIVE = 36  # the first release in which kube-apiserver always evaluates the policies
_ORDER = "kube-apiserver evaluates policies in random order"
_OBJECT = "object"
_ANOTHER = "\0"
_KEYS = ("name", "key", "ip", "mountPath", "devicePath", "containerPort", "topologyKey")
# Maps and structs, of which an expression that is not constant may set any part.
_MERGED = ("annotations", "data", "labels", "metadata", "nodeSelector", "spec", "template")


class _Write(NamedTuple):
    """A path that is set, to a constant if ``value`` is not ``None``.

    ``is_exact`` is for a value that may be a map that merges: it changes no other path for certain.
    """

    path: Path
    value: Value
    is_exact: bool = False


# What a path of an object must have, as a label with an empty key.
_Fact: TypeAlias = tuple[Path, Requirement]
# The rules of a policy and of one binding, and the facts that no policy changes.
_Scope: TypeAlias = tuple[Sequence[Sequence[ResourceRule]], Sequence[_Fact]]


def find_interferences(
    policies: Sequence[MutatingPolicy], bindings: Mapping[str, Sequence[MutatingBinding]]
) -> Iterator[Diagnostic]:
    """Yield a warning of the second policy for each pair that interferes, with its name."""
    writes = {policy.name: [*_find_writes(policy)] for policy in policies}
    written = [(_OBJECT, *write.path) for each in writes.values() for write in each]
    for pair in combinations(policies, 2):
        scopes = (_find_scopes(each, bindings.get(each.name, ()), written) for each in pair)
        if any(_can_meet(*each) for each in product(*scopes)):
            yield from islice(_compare_policies(*pair, writes), 1)


def _compare_policies(
    first: MutatingPolicy, second: MutatingPolicy, writes: Mapping[str, Sequence[_Write]]
) -> Iterator[Diagnostic]:
    make = partial(Diagnostic, document=second.name, pointer="/spec/mutations")
    if path := _find_shared(writes[first.name], writes[second.name]):
        remedy = "write it in one policy, or give both the same value"
        problem = f"writes {_spell(path)}, as {first.name} does: {_ORDER}"
        yield make(problem, remedy)
    for reader, writer in ((first, second), (second, first)):
        if path := None if reader.is_reinvoked else _find_read(reader, writes[writer.name]):
            remedy = "set reinvocationPolicy: IfNeeded in {}, or make one policy of both"
            problem = f"{reader.name} reads {_spell(path)}, which {writer.name} writes: {_ORDER}"
            yield make(problem, remedy.format(reader.name))


def _spell(path: Path) -> str:
    return ".".join(step.strip("[]") or "*" for step in path)


def _find_shared(first: Sequence[_Write], second: Sequence[_Write]) -> Path | None:
    """The path that both write, with values that are not known to be equal."""
    for one, other in product(first, second):
        is_same = one.path == other.path and one.value is not None and one.value == other.value
        is_apart = (one.is_exact or other.is_exact) and len(one.path) != len(other.path)
        if not is_same and not is_apart and _overlaps(one.path, other.path):
            return max(one.path, other.path, key=len)
    return None


def _find_read(reader: MutatingPolicy, writes: Sequence[_Write]) -> Path | None:
    """The path that a policy reads and another one writes."""
    for path, write in product(_find_read_paths(reader), writes):
        is_apart = write.is_exact and len(path) > len(write.path)
        if path and not is_apart and _overlaps(path, write.path):
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
    programs += variables.values()
    for node in (node for each in programs for node in walk(each.root)):
        if isinstance(node, Call) and node.function == "@in":
            path = _find_path(node) or ()
            if path[:1] == (_OBJECT,):
                yield path[1:]


def _find_path(node: Node) -> Path | None:
    """A variable of an object, and the constant fields and keys from it."""
    match node:
        case Ident(name=name):
            return (name,) if name in {_OBJECT, "namespaceObject", "request"} else None
        case Call(function="orValue" | "hasValue", arguments=(operand, *_)):
            return _find_path(operand)
        case (
            Select(operand=operand, field=key)
            | Call(
                function="_?._" | "_[_]" | "_[?_]", arguments=(operand, Constant(value=str(key)))
            )
            | Call(function="@in", arguments=(Constant(value=str(key)), operand))
        ):
            path = _find_path(operand)
            return None if path is None else (*path, key)
        case _:
            return None


def _find_writes(policy: MutatingPolicy) -> Iterator[_Write]:
    for mutation in policy.mutations:
        roots = [mutation.program.root, *(each.program.root for each in policy.variables)]
        for node in (each for root in roots for each in walk(root) if isinstance(each, StructOf)):
            if mutation.patch_type is PatchType.JSON_PATCH:
                yield from _find_operation_writes(node)
            elif node.type_name == "Object":
                yield from _find_value_writes(node, ())


def _find_value_writes(node: Node, path: Path) -> Iterator[_Write]:
    """The paths that a value sets; a constant list is a set, to which each policy adds."""
    match node:
        case StructOf(fields=fields):
            for each in fields:
                yield from _find_value_writes(each.value, (*path, each.name))
        case MapOf(entries=entries):
            yield from (
                _Write((*path, str(name)), _find_constant(value))
                for key, value, _ in entries
                if (name := _find_constant(key)) is not None
            )
        case Constant(value=value) if is_map(value):
            yield from (_Write((*path, str(key)), member) for key, member in value.items())
        case (
            Call(function="_?_:_", arguments=(_, *values))
            | Call(function="optional.of", arguments=(*values,))
        ):
            for each in values:
                yield from _find_value_writes(each, path)
        case _:
            elements = [each for each in walk(node) if isinstance(each, StructOf)]
            for element in elements:
                if element.type_name == elements[0].type_name:
                    yield from _find_element_writes(element, path)
            value = _find_constant(node)
            if not (elements or isinstance(node, ListOf) or is_list(value) or path[-1] in _MERGED):
                yield _Write(path, value, is_exact=value is None)


def _find_element_writes(element: StructOf, path: Path) -> Iterator[_Write]:
    """The fields of an element of a list, whose first key is a step of their path."""
    key = next((each for name in _KEYS for each in element.fields if each.name == name), None)
    constant = None if key is None else _find_constant(key.value)
    step = EACH if constant is None else f"[{constant}]"
    for each in element.fields:
        if key is None or each.name not in {key.name, "protocol"}:
            yield from _find_value_writes(each.value, (*path, step, each.name))
        elif constant is not None:  # otherwise it is the key of an element that exists
            yield _Write((*path, step, each.name), constant)


def _find_operation_writes(node: StructOf) -> Iterator[_Write]:
    """The path of an operation; an append and an empty map or list change nothing that is there."""
    fields = {each.name: each.value for each in node.fields}
    op, path, value = (_find_constant(fields.get(key)) for key in ("op", "path", "value"))
    if op in {None, "test"} or not isinstance(path, str):
        return
    steps = (each.replace("~1", "/").replace("~0", "~") for each in path.split("/")[1:])
    *parents, last = (EACH if each.isdecimal() else each for each in steps)
    added = fields.get("value")
    if last != "-" and value not in ({}, []):
        yield _Write((*parents, last), value)
    elif last == "-" and isinstance(added, StructOf):
        yield from _find_element_writes(added, tuple(parents))


def _find_constant(node: Node | None) -> Value:
    """The value of a constant, or of a constant path with ``jsonpatch.escapeKey``."""
    match node:
        case Constant(value=value):
            return value
        case ListOf(elements=elements):
            values = [_find_constant(each) for each in elements]
            return None if None in values else values
        case MapOf(entries=()):
            return {}
        case Call(function="jsonpatch.escapeKey", arguments=(Constant(value=str(key)),)):
            return key.replace("~", "~0").replace("/", "~1")
        case Call(function="_+_", arguments=(left, right)):
            parts = _find_constant(left), _find_constant(right)
            return "".join(parts) if all(isinstance(each, str) for each in parts) else None
        case _:
            return None


def _find_scopes(
    policy: MutatingPolicy, bindings: Iterable[MutatingBinding], written: Sequence[Path]
) -> Iterator[_Scope]:
    roots = [each.program.root for each in policy.conditions]
    for binding in bindings:
        constraints = [each for each in (policy.constraints, binding.constraints) if each]
        facts = [fact for root in roots for fact in _find_facts(root, is_expected=True)]
        for each in constraints:
            facts += _find_label_facts(_OBJECT, each.objects)
            facts += _find_label_facts("namespaceObject", each.namespaces)
        lasting = [fact for fact in facts if not any(_overlaps(fact[0], to) for to in written)]
        yield [each.rules for each in constraints if each.rules], lasting


def _find_label_facts(variable: str, selector: Selector | None) -> Iterator[_Fact]:
    for each in selector.requirements if selector is not None else ():
        path = (variable, "metadata", "labels", each.key)
        yield path, Requirement("", each.operator, each.values)


def _find_facts(node: Node, *, is_expected: bool) -> Iterator[_Fact]:
    """What a condition needs to be true, or to be false."""
    match node:
        case Call(function="!_", arguments=(inner,)):
            yield from _find_facts(inner, is_expected=not is_expected)
        case Call(function="_&&_" | "_||_" as function, arguments=arguments):
            for each in arguments if is_expected == (function == "_&&_") else ():
                yield from _find_facts(each, is_expected=is_expected)
        case Call(function="_==_" | "_!=_" as function, arguments=(left, right)):
            is_in = is_expected == (function == "_==_")
            yield from _find_value_facts(left, [_find_constant(right)], is_in=is_in)
        case (
            Select(test=True)
            | Call(function="hasValue")
            | Call(function="@in", arguments=(Constant(), _))
        ):
            operator = Operator.EXISTS if is_expected else Operator.DOES_NOT_EXIST
            if path := _find_path(node):
                yield path, Requirement("", operator)
        case Call(function="@in", arguments=(left, right)):
            if is_list(values := _find_constant(right)):
                yield from _find_value_facts(left, values, is_in=is_expected)
        case _:
            yield from _find_value_facts(node, [True], is_in=is_expected)


def _find_value_facts(node: Node, values: Sequence[Value], *, is_in: bool) -> Iterator[_Fact]:
    """That a path has one of some constants, or none of them; nothing if a value is unknown."""
    path = _find_path(node)
    if isinstance(node, Call) and node.function == "orValue" and is_in:
        default = _find_constant(node.arguments[1])
        path = None if default is None or default in values else path
    if path and all(isinstance(each, str | bool) for each in values):
        operator = Operator.IN if is_in else Operator.NOT_IN
        yield path, Requirement("", operator, frozenset(map(str, values)))


def _can_meet(one: _Scope, other: _Scope) -> bool:
    """Whether the rules and the facts of two bindings can be true for one object."""
    required: dict[Path, Selector] = {}
    for path, fact in (*one[1], *other[1]):
        required[path] = Selector((*required.get(path, Selector()).requirements, fact))
    return all(
        any(_rules_meet(*pair) for pair in product(*both)) for both in product(one[0], other[0])
    ) and all(map(_is_possible, required.values()))


def _is_possible(selector: Selector) -> bool:
    """Whether a named value, another one, or none is selected."""
    values = {_ANOTHER, *(value for each in selector.requirements for value in each.values)}
    return any(map(selector.matches, ({}, *({"": value} for value in values))))


def _rules_meet(one: ResourceRule, other: ResourceRule) -> bool:
    pairs = zip(_list_parts(one), _list_parts(other), strict=True)
    return all("*" in left | right or left & right for left, right in pairs)


def _list_parts(rule: ResourceRule) -> Sequence[frozenset[str]]:
    names, parts = (frozenset(each[number] for each in rule.resources) for number in (0, 1))
    return rule.operations, rule.groups, names, parts, rule.names or frozenset("*")
