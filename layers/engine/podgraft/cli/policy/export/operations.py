"""The JSON Patch of a partial object: what its strategic merge, or its JSON merge, does.

The result are expressions of CEL that return the operations for an object, one after the other.
The first ones sort the elements of merged lists that the object already has; the last one merges.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from collections.abc import Sequence as Items

from msgspec import Struct
from msgspec.structs import replace

from podgraft.cli.register import cel
from podgraft.core.injectors.overlay.paths import OTHERS, json_fields
from podgraft.golang.reflect import Field, GoType
from podgraft.kube.patch.strategic import ELEMENT_ORDER

from .elements import check_shared, find_key, is_complete, list_keys
from .errors import ExportError
from .literals import choose, find_field, guard_with, to_literal, without_nulls
from .loops import Loop
from .place import Place, concatenate
from .tree import Map, Member, Node, Sequence, all_of, check_repeated
from .values import NONE, OR, Constant, Expression, Reference, combine

_ORDER = f"{ELEMENT_ORDER}/"
# The fields that each object has, by whether its kind has a Go type.
_ALWAYS_SET = {True: {("metadata",), ("spec",)}, False: {("metadata",)}}
# Pods in workloads have lists in lists in templates.
_MAX_DEPTH = 3


def make_expressions(
    tree: Map, reads: Collection[tuple[str, ...]], type_: GoType | None, if_absent: Collection[str]
) -> tuple[str, ...]:
    """The operations for a tree, to be applied one after the other; raises ``ExportError``.

    ``reads`` are the paths of the lists whose order the tree depends on. Of the fields in
    ``if_absent``, what the object has stays. There are always as many results, of which some can be
    empty.
    """
    root = Place((), "object", (), "Object" if type_ else "", type_)
    passes = [_Merge(if_absent, depth) for depth in (*range(_MAX_DEPTH), None)]
    expressions = tuple(each.merge_map(tree, root) for each in passes)
    for fields in sorted(fields for each in passes for fields in each.sorted if fields in reads):
        raise ExportError(f"it reads {fields[-1]} in their order, and changes it")
    return expressions


def join(lists: Iterable[str]) -> str:
    """The concatenation of expressions that return lists of operations."""
    return " +\n".join(each for each in lists if each != NONE) or NONE


class _Merge(Struct):
    """The merge of a tree; ``indexes`` counts the variables for indexes.

    With ``depth``, it only sorts elements that the object already has, in lists at that depth.
    """

    if_absent: Collection[str]
    depth: int | None
    indexes: int = 0
    sorted: set[tuple[str, ...]] = set()

    def merge_map(self, tree: Map, place: Place) -> str:
        """The operations for a map that the object has."""
        fields = json_fields(place.type)
        lists: list[str] = []
        for member in tree.members:
            if (member.name or "").startswith("$"):
                lists.append(self._order(member, tree, place, fields))
                continue
            own, inner = _select(member, place, fields)
            lists.append(guard_with(self._merge_member(member, own, inner, place), member.guards))
        return join(lists)

    def _merge_member(self, member: Member, own: Field | None, inner: Place, outer: Place) -> str:
        value, name = member.value, inner.fields[-1]
        strategy = own.patch_strategy if own is not None else ()
        is_additive = name in self.if_absent
        presence = outer.has(member, own)
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
        static = [member for member in value.members if not member.loops]
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
            is_rest = any(loop.is_rest for loop in member.loops)
            if is_additive and member.loops and not is_rest:
                raise ExportError(f"it has a range in {place.fields[-1]}, which setIfAbsent names")
            if is_rest or not is_additive:
                merged.append(self._merge_element(member, value, own, place))
        return merged

    def _expand_rest(self, value: Sequence, own: Field, place: Place) -> Sequence:
        """Make a loop of an element with the name ``*``."""
        members = tuple(self._to_rest(each, own, place) for each in value.members)
        loops = [loop for each in members for loop in each.loops]
        if len(loops) > 1 and any(loop.is_rest for loop in loops):
            raise ExportError(f'it has a range and an element "{OTHERS}" in one list')
        return Sequence(members)

    def _to_rest(self, member: Member, own: Field, place: Place) -> Member:
        if member.loops or find_key(member, own) != cel.string_literal(OTHERS):
            return member
        if member.guards or not isinstance(member.value, Map):
            raise ExportError(f'it has an element "{OTHERS}" with a condition')
        loop = Loop(self._make_variable("r"), Reference("object", place.fields, None), is_rest=True)
        key = Member(Constant(own.merge_key), Expression(loop.name_of(own)), ())
        others = [each for each in member.members if each.name != own.merge_key]
        return Member(None, Map((key, *others)), (loop,))

    def _merge_element(self, member: Member, listed: Sequence, own: Field, place: Place) -> str:
        """The operations for the elements of the object's list that a member of a list is for."""
        index = self._make_variable("i")
        if member.loops:
            variable = member.loops[0].variable
            test = self._test_loop(member, listed, own, place)
        else:
            variable, test = f"e{index}", f"e{index}.{own.merge_key} == {find_key(member, own)}"
        others = Map(tuple(each for each in member.members if each.name != own.merge_key))
        operations = self.merge_map(others, place.select_element(variable, index, own.type.elem))
        if operations == NONE:
            return NONE
        arguments = ", ".join(filter(None, (index, variable, test)))
        text = f"{place.current}.transformList({arguments},\n{operations}).flatten()"
        return text if member.loops else guard_with(text, member.guards)

    def _test_loop(self, member: Member, listed: Sequence, own: Field, place: Place) -> str:
        """The condition for the elements of the object's list that a range repeats."""
        loop, *others = member.loops
        is_own = loop.list.fields == place.fields and find_key(member, own) == loop.name_of(own)
        if others or not is_own:
            raise ExportError(
                f"it has a range that does not give the elements of {'.'.join(place.fields)} by "
                f"their own {own.merge_key}"
            )
        is_additive = place.fields[-1] in self.if_absent
        named = [] if is_additive else [each for each in listed.members if not each.loops]
        return _test_element(member, own, list_keys(named, own))

    def _make_variable(self, letter: str) -> str:
        self.indexes += 1
        return f"{letter}{self.indexes}"

    def _order(self, member: Member, tree: Map, place: Place, fields: Mapping[str, Field]) -> str:
        """The operation for ``$setElementOrder`` of a list that the overlay does not change."""
        if self.depth is not None:
            return NONE
        key = str(member.name)
        name = key.removeprefix(_ORDER)
        own = fields.get(name)
        is_alone = all(each.name != name for each in tree.members)
        if not key.startswith(_ORDER) or own is None or not own.merge_key or not is_alone:
            raise ExportError(f"it has {key}: only {_ORDER}LIST alone has an equivalent")
        if not isinstance(member.value, Sequence) or member.guards:
            raise ExportError(f"it has {key} with a condition")
        keys = [find_key(each, own) for each in member.value.members]
        if any(each.guards for each in member.value.members) or cel.string_literal(OTHERS) in keys:
            raise ExportError(f"it has {key} with a condition, or with {OTHERS}")
        listed = replace(member, key=Constant(name))
        moves = _arrange(place.select(listed, own), own.merge_key, f"[{', '.join(keys)}]")
        return choose(place.has(listed, own), moves, NONE)


def _select(
    member: Member, place: Place, fields: Mapping[str, Field]
) -> tuple[Field | None, Place]:
    """The field of a member, and its place."""
    own = find_field(member, fields, place.type)
    return own, place.select(member, own)


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
            add = choose(place.has(member, own), NONE, addition)
            yield guard_with(add, member.guards)


def _order_keys(value: Sequence, own: Field, place: Place, keys: str) -> Iterator[str]:
    """The merge keys of all elements; those of loops are in the order of the object."""
    for member in value.members:
        if not member.loops:
            yield guard_with(f"[{find_key(member, own)}]", member.guards)
            continue
        name, test = member.loops[0].variable, _test_element(member, own, keys) or "true"
        yield f"{place.current}.filter({name}, {test}).map({name}, {name}.{own.merge_key})"


def _test_element(member: Member, own: Field, named: str) -> str:
    """The condition for the elements of a range, of which the list names some."""
    loop = member.loops[0]
    tests = [each.text for each in member.conditions]
    if loop.is_rest and named != NONE:
        tests.append(f"!({loop.variable}.{own.merge_key} in {named})")
    return combine(tests) if tests else ""


def _add_elements(
    value: Sequence, own: Field, place: Place, presence: str, *, is_additive: bool
) -> Iterator[str]:
    """The operations that insert the elements that the object does not have, in their order."""
    before: list[Member] = []
    later: list[Member] = []
    loops: list[Member] = []
    for member in value.members:
        if member.loops:
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
            tests = dict.fromkeys(all_of(member.guards) for member in static)
            create = choose(combine(tests, OR), create, NONE)
        yield create
