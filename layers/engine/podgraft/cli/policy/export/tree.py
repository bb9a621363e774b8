"""The partial object of a template as a tree whose parts depend on the object."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, product, takewhile
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace
from yaml.error import YAMLError
from yaml.events import (
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from podgraft.cli.register import cel
from podgraft.golang.reflect import Kind
from podgraft.kube.yaml import NotYAMLError, events
from podgraft.kube.yaml.scalars import format_key, resolve

from .errors import ExportError
from .loops import Loop
from .symbolic import TOKEN, Guard, SymbolicText
from .values import OR, Constant, Expression, boolean, combine, negate, to_text


class Member(Struct, frozen=True):
    """An entry of a map (with a key) or of a list, and the guards that it depends on."""

    key: Constant | Expression | None
    value: Node
    guards: tuple[Guard, ...]

    @property
    def name(self) -> str | None:
        """The key, if it is a constant."""
        return str(self.key.value) if isinstance(self.key, Constant) else None

    @property
    def key_text(self) -> str:
        """The key in CEL."""
        key = self.key
        return key.text if isinstance(key, Expression) else cel.string_literal(self.name or "")

    @property
    def members(self) -> tuple[Member, ...]:
        """The members of the value, if it is a map."""
        return self.value.members if isinstance(self.value, Map) else ()

    @property
    def loops(self) -> list[Loop]:
        """The ranges around the entry."""
        return [guard for guard in self.guards if isinstance(guard, Loop)]

    @property
    def conditions(self) -> tuple[Expression, ...]:
        """The conditions around the entry, also those inside of ranges."""
        return tuple(guard for guard in self.guards if isinstance(guard, Expression))


class Map(Struct, frozen=True):
    """A map; ``can_be_null`` if a block can have no members."""

    members: tuple[Member, ...]
    can_be_null: bool = False


class Sequence(Struct, frozen=True):
    """A list; ``can_be_null`` if a block can have no members."""

    members: tuple[Member, ...]
    can_be_null: bool = False


Node: TypeAlias = Constant | Expression | Map | Sequence


def parse(symbolic: SymbolicText) -> Map:
    """Parse the text of a template; raises ``ExportError``."""
    try:
        return _Parser(symbolic, events.event_reader(symbolic.text)).parse()
    except (YAMLError, NotYAMLError) as error:
        is_unread = isinstance(error, YAMLError)
        problem = events.to_yaml_error(symbolic.text, error) if is_unread else error
        raise ExportError(f"its text without an object is no YAML: {problem}") from error


class _Parser(Struct):
    symbolic: SymbolicText
    next: Callable[[], Event]
    flow_depth: int = 0

    def parse(self) -> Map:
        """Parse the only document."""
        documents: list[Node] = []
        self.next()
        while not isinstance(event := self.next(), StreamEndEvent):
            if events.is_document_start(event):
                documents.append(self._parse_root(self.next()))
        match documents:
            case [] | [Constant(value=None)]:
                return Map(())
            case [Map() as root]:
                return root
            case _:
                raise ExportError("it gives no single mapping")

    def _parse_root(self, event: Event) -> Node:
        """Parse the root, which can be empty."""
        if isinstance(event, MappingStartEvent):
            return _split_empty(Map(tuple(self._parse_pairs(frozenset()))))
        return self._parse_node(event, frozenset())

    def _parse_node(self, event: Event, outer: frozenset[int]) -> Node:
        """Parse a node inside the regions *outer*."""
        if getattr(event, "anchor", None) or not isinstance(
            event, ScalarEvent | MappingStartEvent | SequenceStartEvent
        ):
            raise ExportError("it has anchors of YAML")
        if isinstance(event, ScalarEvent):
            if event.tag:
                raise ExportError("it has tags of YAML")
            return self._parse_scalar(event)
        self.flow_depth += bool(event.flow_style)
        is_map = isinstance(event, MappingStartEvent)
        members = tuple(self._parse_pairs(outer) if is_map else self._parse_elements(outer))
        self.flow_depth -= bool(event.flow_style)
        can_be_null = not event.flow_style and _can_be_empty(members)
        if is_map:
            return _split_empty(Map(members, can_be_null))
        return Sequence(members, can_be_null)

    def _parse_pairs(self, outer: frozenset[int]) -> Iterator[Member]:
        entries: list[tuple[str, tuple[Guard, ...]]] = []
        while not isinstance(event := self.next(), MappingEndEvent):
            inside = self._find_regions(event, outer)
            key = self._parse_key(event, inside)
            value = self._parse_value(self.next(), inside)
            guards = self._find_guards(inside - outer)
            member = Member(key, value, guards)
            entries.append((member.name or member.key_text, guards))
            yield _without_loop(member)
        self._check_end(event, outer)
        check_repeated(entries)

    def _parse_key(self, event: Event, inside: frozenset[int]) -> Constant | Expression:
        self.flow_depth += 1  # a key has no text that needs a check
        key = self._parse_node(event, inside)
        self.flow_depth -= 1
        if isinstance(key, Expression):
            return to_text(key)
        text = format_key(key.value) if isinstance(key, Constant) else None
        is_plain = isinstance(event, ScalarEvent) and bool(event.implicit[0])
        if text is None or (text == "<<" and is_plain):
            raise ExportError("it has the key <<, or a key that is no text")
        return Constant(text)

    def _parse_value(self, event: Event, inside: frozenset[int]) -> Node:
        """The value of a key: in the same regions, but a block collection begins with a member."""
        is_block = getattr(event, "flow_style", None) is False
        if not is_block and self._find_regions(event, inside) != inside:
            raise ExportError("a condition decides on the value of a key, but not on the key")
        return self._parse_node(event, inside)

    def _parse_elements(self, outer: frozenset[int]) -> Iterator[Member]:
        while not isinstance(event := self.next(), SequenceEndEvent):
            inside = self._find_regions(event, outer)
            value = self._parse_node(event, inside)
            if isinstance(value, Map) and value.can_be_null:
                raise ExportError(_EMPTY_MAP)
            yield Member(None, value, self._find_guards(inside - outer))
        self._check_end(event, outer)

    def _check_end(self, event: Event, outer: frozenset[int]) -> None:
        """Check that a collection ends in its regions; a block has no end of its own."""
        if self.flow_depth:
            self._find_regions(event, outer)

    def _find_regions(self, event: Event, outer: frozenset[int]) -> frozenset[int]:
        """The regions that contain the begin of a node."""
        start = event.start_mark.index
        found = frozenset(
            number
            for number, region in enumerate(self.symbolic.regions)
            if region.start <= start < region.end
        )
        if not outer <= found:
            raise ExportError("a branch ends inside a map or a list that it begins")
        return found

    def _find_guards(self, regions: frozenset[int]) -> tuple[Guard, ...]:
        return tuple(self.symbolic.regions[number].guard for number in sorted(regions))

    def _parse_scalar(self, event: ScalarEvent) -> Constant | Expression:
        start, end = event.start_mark.index, self._find_end(event)
        if any(
            start < edge < end
            for region in self.symbolic.regions
            for edge in (region.start, region.end)
        ):
            raise ExportError("a branch begins or ends inside a value")
        text = str(event.value)
        is_plain = bool(event.implicit[0])
        if not TOKEN.search(text):
            return Constant(resolve(text) if is_plain else text)
        return self._parse_text(text, is_plain=is_plain)

    def _find_end(self, event: ScalarEvent) -> int:
        """The end of a value; that of a block is before the blank lines that do not belong to it.

        A branch can begin there if a line ends there, whether the branch is in the text or not.
        """
        end = event.end_mark.index
        text = self.symbolic.text[event.start_mark.index : end]
        header = text.partition("\n")[0]
        if event.style not in {"|", ">"} or "+" in header:
            return end
        content = event.start_mark.index + len(text.rstrip())
        edges = {content}
        for region in self.symbolic.regions:
            edges |= {region.end} if region.start in edges else set()
        is_line = all(self.symbolic.text[edge : edge + 1] == "\n" for edge in edges)
        return content if is_line or "-" in header or len(edges) == 1 else content + 1

    def _parse_text(self, text: str, *, is_plain: bool) -> Expression:
        constants = TOKEN.split(text)
        expressions = [self.symbolic.tokens[token] for token in TOKEN.findall(text)]
        is_whole = constants == ["", ""]
        for expression in expressions:
            if is_whole and is_plain and expression.is_plain and expression.kind is not Kind.STRING:
                return expression
            # A name and a number contain no syntax; with these, a name cannot become a number.
            is_safe = expression.is_name or expression.is_plain
            if is_safe and (not is_plain or {"/", "="} & set("".join(constants))):
                continue
            is_checked = is_plain and not self.flow_depth and _is_inside(constants, expressions[-1])
            if not is_checked and (not expression.is_quoted or not is_whole or is_plain):
                raise ExportError(
                    "it writes text of the object without quotes: write {{ … | quote }} as the "
                    "whole value"
                )
        return _join(constants, expressions)


def _is_inside(constants: list[str], last: Expression) -> bool:
    """Whether text without syntax begins and ends a value that can be no number."""
    is_ended = bool(constants[-1].strip()) or last.is_name or last.is_plain
    return bool(constants[0].strip()) and is_ended and bool({"/", "="} & set("".join(constants)))


def _join(constants: list[str], expressions: list[Expression]) -> Expression:
    parts: list[str] = []
    for constant, expression in zip(constants, [*expressions, None], strict=True):
        if constant:
            parts.append(cel.string_literal(constant))
        if expression is not None:
            part = to_text(expression).text
            parts.append(f"({part})" if any(constants) else part)
    text = " + ".join(parts)
    if all(each.is_name or each.is_plain or each.is_quoted for each in expressions):
        return Expression(text)
    # An error denies what the check of the structure denies.
    return Expression(
        f"[{text}].map(s, [s][s.matches({_PLAIN}) && !s.matches({_SYNTAX}) ? 0 : 1])[0]"
    )


# What a plain scalar of YAML can contain between its first and its last character.
_PLAIN = (
    "r'^[\\t -~\\x{a0}-\\x{2027}\\x{202a}-\\x{d7ff}\\x{e000}-\\x{fffd}\\x{10000}-\\x{10ffff}]*$'"
)
_SYNTAX = "r'(:|[ \\t]#|[ \\t])$|:[ \\t]|[ \\t]#'"
_EMPTY_MAP = "a map can become empty, and null removes it: write it as {…}"
_NO_ELEMENTS = "it has a range that does not give the elements of a list of the pod"


def _split_empty(node: Map) -> Map:
    """A map whose members that can be null have a condition for it."""
    return replace(node, members=tuple(part for each in node.members for part in _split(each)))


def _split(member: Member) -> Iterator[Member]:
    inner = member.value
    if not isinstance(inner, Map) or not inner.can_be_null:
        yield member
        return
    tests = dict.fromkeys(all_of(each.guards, _EMPTY_MAP) for each in inner.members)
    test = combine(tests, OR)
    for value, guard in ((Map(inner.members), boolean(test)), (Constant(None), negate(test))):
        yield replace(member, value=value, guards=(*member.guards, guard))


def _without_loop(member: Member) -> Member:
    """A member with a text that one element of a list has; two elements are an error in CEL."""
    key, value = member.key, member.value
    if len(member.loops) != 1 or not isinstance(key, Constant) or not isinstance(value, Expression):
        return member
    (loop,) = member.loops
    test = all_of(member.conditions)
    texts = loop.map(value.text, test)
    exists = boolean(f"{loop.source}.exists({loop.variable}, {test or 'true'})")
    return Member(key, replace(value, text=f"[{texts}[0]][{texts}.size() - 1]"), (exists,))


def check_repeated(entries: Iterable[tuple[str, tuple[Guard, ...]]]) -> None:
    """Raise ``ExportError`` for a key that two entries can have together."""
    for (key, guards), (other, other_guards) in combinations(entries, 2):
        if key == other and not are_exclusive(_list_tests(guards), _list_tests(other_guards)):
            raise ExportError(f"it can have {key} twice: write it in the branches of one if")


def are_exclusive(tests: Iterable[Expression], others: Iterable[Expression]) -> bool:
    """Whether conditions have different branches of an if."""
    return any(
        test.text == negate(other.text).text or negate(test.text).text == other.text
        for test, other in product(tests, others)
    )


def _list_tests(guards: tuple[Guard, ...]) -> list[Expression]:
    """The conditions before the first loop."""
    outer = takewhile(lambda guard: isinstance(guard, Expression), guards)
    return [guard for guard in outer if isinstance(guard, Expression)]


def all_of(guards: tuple[Guard, ...], problem: str = _NO_ELEMENTS) -> str:
    """Whether all conditions are true; raises ``ExportError`` with the problem for a loop."""
    texts = [guard.text for guard in guards if isinstance(guard, Expression)]
    if len(texts) < len(guards):
        raise ExportError(problem)
    return combine(texts) if texts else ""


def _can_be_empty(members: tuple[Member, ...]) -> bool:
    """Whether all members can be absent."""
    return bool(members) and all(
        member.guards and not _repeats_containers(member.guards) for member in members
    )


def _repeats_containers(guards: tuple[Guard, ...]) -> bool:
    """Whether a member is always there: a loop over containers, of which every pod has one."""
    loop = guards[0] if len(guards) == 1 else None
    return isinstance(loop, Loop) and loop.list.fields[-1:] == ("containers",)
