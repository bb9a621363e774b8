"""The JSON Patch of a partial object: what its strategic merge, or its JSON merge, does.

The result are expressions of CEL that return the operations for an object, one after the other.
The first ones sort the elements of merged lists that the object already has; the last one merges.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from collections.abc import Sequence as Items
from dataclasses import dataclass, field, replace

from podgraft.cli.register import cel
from podgraft.core.injectors.overlay.paths import OTHERS, json_fields
from podgraft.golang.reflect import Field, GoType
from podgraft.kube.patch.strategic import ELEMENT_ORDER

from .elements import check_shared, find_key, find_loops, is_complete, list_keys
from .errors import ExportError
from .literals import (
    RESERVED,
    choose,
    find_constant_key,
    guard_with,
    test_guards,
    to_key,
    to_literal,
    without_nulls,
)
from .loops import Loop
from .place import Place, concatenate
from .tree import Map, Member, Node, Sequence, check_repeated
from .values import NONE, Constant, Expression, Reference

_ORDER = f"{ELEMENT_ORDER}/"
# The fields that each object has, by whether its kind has a Go type.
_ALWAYS_SET = {True: {("metadata",), ("spec",)}, False: {("metadata",)}}
# Pods in workloads have lists in lists in templates.
_MAX_DEPTH = 3


def make_expressions(
    tree: Map, type_: GoType | None, if_absent: Collection[str] = ()
) -> tuple[str, ...]:
    """The operations for a tree, to be applied one after the other; raises ``ExportError``.

    Of the fields in ``if_absent``, what the object has stays. There are always as many results, of
    which some can be empty.
    """
    root = Place((), "object", (), "Object" if type_ else "", type_)
    passes = [_Merge(if_absent, depth) for depth in (*range(_MAX_DEPTH), None)]
    expressions = tuple(each.merge_map(tree, root) for each in passes)
    text = join(expressions).replace(".?", ".")
    for fields in sorted({fields for each in passes for fields in each.sorted}):
        if any(re.search(rf"{each}(\.map\(|\[\d)", text) for each in _spell(fields, text)):
            raise ExportError(f"it reads {fields[-1]} in their order, and changes it")
    return expressions


def _spell(fields: tuple[str, ...], text: str) -> Iterator[str]:
    """Patterns of the expressions for a list, also by the elements of lists around it."""
    yield re.escape(f"{'.'.join(('object', *fields))}.orValue([])")
    for end in range(1, len(fields)):
        for source in _spell(fields[:end], text):
            loops = rf"{source}\.(?:map\(|exists\(|transformList\(\w+, )(\w+),"
            inner = re.escape(f".{'.'.join(fields[end:])}.orValue([])")
            for element in {*re.findall(loops, text), rf"{source}\[\d+\]"}:
                yield rf"\b{element}{inner}"


def join(lists: Iterable[str]) -> str:
    """The concatenation of expressions that return lists of operations."""
    return " +\n".join(each for each in lists if each != NONE) or NONE


@dataclass(slots=True)
class _Merge:
    """The merge of a tree; ``indexes`` counts the variables for indexes.

    With ``depth``, it only sorts elements that the object already has, in lists at that depth.
    """

    if_absent: Collection[str]
    depth: int | None
    indexes: int = 0
    sorted: set[tuple[str, ...]] = field(default_factory=set[tuple[str, ...]])

    def merge_map(self, tree: Map, place: Place) -> str:
        """The operations for a map that the object has."""
        fields = json_fields(place.type)
        lists: list[str] = []
        for member in tree.members:
            key = find_constant_key(member)
            if key is not None and key.startswith("$"):
                lists.append(self._order(key, member, tree, place, fields))
                continue
            own, inner = _select(member, place, fields)
            lists.append(guard_with(self._merge_member(member, own, inner, place), member.guards))
        return join(lists)

    def _merge_member(self, member: Member, own: Field | None, inner: Place, outer: Place) -> str:
        value, name = member.value, inner.fields[-1]
        strategy = own.patch_strategy if own is not None else ()
        is_additive = name in self.if_absent
        presence = _presence(member, own, outer)
        if own is not None and "merge" in strategy:
            if not own.merge_key or own.type.elem is None:
                raise ExportError(f"it changes {name}, a list of values that merge")
            if isinstance(value, Sequence):
                return self._merge_list(value, own, inner, presence)
        merged = NONE if is_additive else None
        if isinstance(value, Map) and is_additive:
            merged = join(_add_missing(value, inner))
        elif isinstance(value, Map) and "replace" not in strategy:
            merged = self.merge_map(value, inner)
        if self.depth is not None:
            return NONE if is_additive else choose(presence, merged or NONE, NONE)
        if value == Constant(None):
            is_additive = is_additive or "merge" in strategy
            remove = f"[JSONPatch{{op: 'remove', path: {concatenate(inner.path)}}}]"
            return NONE if is_additive else choose(presence, remove, NONE)
        if merged is not None and inner.fields in _ALWAYS_SET.get(bool(outer.type), ()):
            return merged
        whole = _make_addition(value, inner, own)
        return whole if merged is None else choose(presence, merged, whole)

    def _merge_list(self, value: Sequence, own: Field, place: Place, presence: str) -> str:
        """The operations for a list that merges by a key."""
        if self.depth is not None:
            return choose(presence, self._sort_list(value, own, place, self.depth), NONE)
        head, _, name = place.current.rpartition(".")
        place = replace(place, current=f"{head}.?{name}.orValue([])")
        value = self._expand_rest(value, own, place)
        existing = self._merge_elements(value, own, place)
        is_additive = name in self.if_absent
        return join(
            (*existing, *_add_elements(value, own, place, presence, is_additive=is_additive))
        )

    def _sort_list(self, value: Sequence, own: Field, place: Place, depth: int) -> str:
        value = self._expand_rest(value, own, place)
        if place.depth < depth:
            return join(self._merge_elements(value, own, place))
        static = [member for member in value.members if not find_loops(member)]
        is_additive = place.fields[-1] in self.if_absent
        if place.depth > depth or not static or len(value.members) == 1 or is_additive:
            return NONE
        keys = list_keys(static, own)
        self.sorted.add(place.fields)
        order = f"({' + '.join(_order_keys(value, own, place, keys))}).distinct()"
        found = f"{place.current}.exists(e, e.{own.merge_key} in {keys})"
        return choose(found, _arrange(place, own.merge_key, order), NONE)

    def _merge_elements(self, value: Sequence, own: Field, place: Place) -> list[str]:
        """The operations for the elements that the object already has."""
        merged: list[str] = []
        is_additive = place.fields[-1] in self.if_absent
        if not is_additive:
            check_shared(value, own)
        for member in value.members:
            loops = find_loops(member)
            if is_additive and not any(loop.is_rest for loop in loops):
                if loops:
                    raise ExportError(
                        f"it has a range in {place.fields[-1]}, which setIfAbsent names"
                    )
                continue
            if loops:
                named = [each for each in value.members if not find_loops(each)]
                rest = NONE if is_additive else list_keys(named, own)
                merged.append(self._merge_loop(member, loops, own, place, rest))
            else:
                merged.append(self._merge_existing(member, find_key(member, own), own, place))
        return merged

    def _expand_rest(self, value: Sequence, own: Field, place: Place) -> Sequence:
        """Make a loop of an element with the name ``*``."""
        members = tuple(self._to_rest(each, own, place) for each in value.members)
        loops = [loop for each in members for loop in find_loops(each)]
        if len(loops) > 1 and any(loop.is_rest for loop in loops):
            raise ExportError(f'it has a range and an element "{OTHERS}" in one list')
        return Sequence(members)

    def _to_rest(self, member: Member, own: Field, place: Place) -> Member:
        if find_loops(member) or find_key(member, own) != cel.string_literal(OTHERS):
            return member
        if member.guards or not isinstance(member.value, Map):
            raise ExportError(f'it has an element "{OTHERS}" with a condition')
        self.indexes += 1
        loop = Loop(f"r{self.indexes}", Reference("object", place.fields, None), is_rest=True)
        name = Reference(loop.variable, (own.merge_key,), None).or_value("''")
        key = Member(Constant(own.merge_key), Expression(name), ())
        others = [each for each in member.value.members if find_constant_key(each) != own.merge_key]
        return Member(None, Map((key, *others)), (loop,))

    def _merge_existing(self, member: Member, key: str, own: Field, place: Place) -> str:
        """The operations for the element that the object already has."""
        index = self._make_index()
        inner = place.select_element(f"e{index}", index, own.type.elem)
        operations = self._merge_element(member, own, inner)
        if operations == NONE:
            return NONE
        test = f"e{index}.{own.merge_key} == {key}"
        text = f"{place.current}.transformList({index}, e{index}, {test},\n{operations}).flatten()"
        return guard_with(text, member.guards)

    def _merge_loop(
        self, member: Member, loops: list[Loop], own: Field, place: Place, named: str
    ) -> str:
        """The operations for each element of the object's list."""
        loop, *others = loops
        key = find_key(member, own)
        expected = Reference(loop.variable, (own.merge_key,), None).or_value("''")
        if others or loop.list.fields != place.fields or key != expected:
            raise ExportError(
                f"it has a range that does not give the elements of {'.'.join(place.fields)} by "
                f"their own {own.merge_key}"
            )
        index = self._make_index()
        inner = place.select_element(loop.variable, index, own.type.elem)
        operations = self._merge_element(member, own, inner)
        if operations == NONE:
            return NONE
        conditions = [guard.text for guard in member.guards if isinstance(guard, Expression)]
        if loop.is_rest and named != NONE:
            conditions.append(f"!({loop.variable}.{own.merge_key} in {named})")
        test = " && ".join(f"({text})" for text in conditions)
        arguments = ", ".join(filter(None, (index, loop.variable, test)))
        return f"{place.current}.transformList({arguments},\n{operations}).flatten()"

    def _merge_element(self, member: Member, own: Field, inner: Place) -> str:
        if not isinstance(member.value, Map):
            raise ExportError(f"it has an element without the key {own.merge_key}")
        others = [each for each in member.value.members if find_constant_key(each) != own.merge_key]
        return self.merge_map(Map(tuple(others)), inner)

    def _make_index(self) -> str:
        self.indexes += 1
        return f"i{self.indexes}"

    def _order(
        self, key: str, member: Member, tree: Map, place: Place, fields: Mapping[str, Field]
    ) -> str:
        """The operation for ``$setElementOrder`` of a list that the overlay does not change."""
        name = key.removeprefix(_ORDER)
        own = fields.get(name)
        if self.depth is not None:
            return NONE
        is_alone = all(find_constant_key(each) != name for each in tree.members)
        if not key.startswith(_ORDER) or own is None or not own.merge_key or not is_alone:
            raise ExportError(f"it has {key}: only {_ORDER}LIST alone has an equivalent")
        if not isinstance(member.value, Sequence) or member.guards:
            raise ExportError(f"it has {key} with a condition")
        keys = [find_key(each, own) for each in member.value.members]
        if any(each.guards for each in member.value.members) or cel.string_literal(OTHERS) in keys:
            raise ExportError(f"it has {key} with a condition, or with {OTHERS}")
        inner = place.select(name, own)
        moves = _arrange(inner, own.merge_key, f"[{', '.join(keys)}]")
        return choose(_has(place, name), moves, NONE)


def _select(
    member: Member, place: Place, fields: Mapping[str, Field]
) -> tuple[Field | None, Place]:
    """The field of a member, and its place."""
    key = find_constant_key(member)
    if fields and key not in fields:
        raise ExportError(f"it sets {key}, which no field of {place.type} is")
    own = fields.get(key or "")
    return own, place.select(key, own) if key is not None else place.select_text(to_key(member))


def _make_addition(value: Node, place: Place, own: Field | None) -> str:
    """The operation that sets a new value."""
    return f"[{place.add(to_literal(without_nulls(value), place.type, place.owner, own))}]"


def _add_missing(tree: Map, place: Place) -> Iterator[str]:
    """The operations for the keys that a map of the object does not have."""
    fields = json_fields(place.type)
    for member in tree.members:
        own, inner = _select(member, place, fields)
        if member.value != Constant(None):
            addition = _make_addition(member.value, inner, own)
            add = choose(_presence(member, own, place), NONE, addition)
            yield guard_with(add, member.guards)


def _order_keys(value: Sequence, own: Field, place: Place, keys: str) -> Iterator[str]:
    """The merge keys of all elements; those of loops are in the order of the object."""
    for member in value.members:
        loops = find_loops(member)
        if not loops:
            yield guard_with(f"[{find_key(member, own)}]", member.guards)
            continue
        name = loops[0].variable
        tests = [f"({each.text})" for each in member.guards if isinstance(each, Expression)]
        if loops[0].is_rest:
            tests.append(f"!({name}.{own.merge_key} in {keys})")
        listed = f"{place.current}.filter({name}, {' && '.join(tests) or 'true'})"
        yield f"{listed}.map({name}, {name}.{own.merge_key})"


def _add_elements(
    value: Sequence, own: Field, place: Place, presence: str, *, is_additive: bool
) -> Iterator[str]:
    """The operations that insert the elements that the object does not have, in their order."""
    before: list[Member] = []
    later: list[Member] = []
    loops: list[Member] = []
    for member in value.members:
        if find_loops(member):
            loops.append(member)
            continue
        if not all(is_complete(each, value, own) for each in loops):
            raise ExportError("it has an element behind a range with a condition")
        (later if loops else before).append(member)
    check_repeated((find_key(each, own), each.guards) for each in (*before, *later))
    yield from _create_list(place, presence, [*before, *later])
    if before:
        index = _ADDITIVE_INDEX if is_additive else _INDEX
        index = index.format(current=place.current, key=own.merge_key)
        yield _insert(before, own, place, "'/'", f"string({index})")
    if later:
        yield _insert(later, own, place, "'/-'")


# The index of the element ``names[t]``: behind the elements before it, of which the object can have
# some.
_INDEX = (
    "[[0] + {current}.transformList(i, e, e.{key} in names.slice(0, t), i + 1)]"
    ".map(x, x[x.size() - 1] + t + 1 - x.size())[0]"
)
_ADDITIVE_INDEX = "names.slice(0, t).filter(k, !{current}.exists(e, e.{key} == k)).size()"


def _insert(members: Items[Member], own: Field, place: Place, *suffix: str) -> str:
    """The operations that insert the elements that the object does not have."""
    new = Sequence(tuple(replace(each, value=without_nulls(each.value)) for each in members))
    elements = to_literal(new, own.type, place.owner)
    return (
        f"[{list_keys(members, own)}].map(names, ({elements}).transformList(t, o,\n"
        f"!{place.current}.exists(e, e.{own.merge_key} == names[t]),\n"
        f"{place.add('o', *suffix)})).flatten()"
    )


def _arrange(place: Place, key: str, order: str) -> str:
    """The operations that move elements to an order; others stay before elements behind them.

    As ``interleave`` of ``kube/patch/strategic/lists.py``. kube-apiserver cannot convert a new list
    of elements of the object, so ``to`` has their indexes.
    """
    current, path = place.current, (*place.path, "'/'")
    source = concatenate((*path, "string(t + p - to.slice(0, t).filter(q, q < p).size())"))
    target = concatenate((*path, "string(t)"))
    return (
        f"[{order}].map(order, order.transformList(o, n,\n"
        f"  {current}.transformList(i, e,\n"
        f"    e.{key} == n || !(e.{key} in order) &&\n"
        f"    {current}.exists(j, f, j > i && f.{key} == n) &&\n"
        f"    !{current}.exists(j, f, j > i && f.{key} in order.slice(0, o)),\n"
        f"    i)).flatten() +\n"
        f"{current}.transformList(i, e, !(e.{key} in order) &&\n"
        f"  !{current}.exists(j, f, j > i && f.{key} in order), i))\n"
        f".map(to, to.transformList(t, p, p != to.slice(0, t).filter(q, q < p).size(),\n"
        f"  JSONPatch{{op: 'move', from: {source}, path: {target}}})).flatten()"
    )


def _create_list(place: Place, presence: str, static: Items[Member]) -> Iterator[str]:
    """The operation that adds a missing list before its elements."""
    if static:
        create = choose(presence, NONE, f"[{place.add(NONE)}]")
        if all(member.guards for member in static):
            tests = dict.fromkeys(test_guards(member.guards) for member in static)
            create = choose(" || ".join(f"({test})" for test in tests), create, NONE)
        yield create


def _presence(member: Member, own: Field | None, outer: Place) -> str:
    key = find_constant_key(member)
    if key is not None and own is not None:
        return _has(outer, key)
    return f"{to_key(member)} in {outer.current}"


def _has(place: Place, name: str) -> str:
    if name in RESERVED:
        return f"{cel.string_literal(name)} in {place.current}"
    return f"has({place.current}.{name})"
