"""Values of a tree as literals of CEL, and conditions around operations."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from podgraft.cli.register import cel
from podgraft.core.injectors.overlay.paths import OTHERS, child_type, json_fields
from podgraft.golang.reflect import Field, GoType, Kind
from podgraft.kube.quantity_types import QUANTITY

from .errors import ExportError
from .symbolic import Guard
from .tree import Map, Member, Node, Sequence, all_of
from .values import NONE, UNFORMATTED, Constant, Expression

# The fields of Kubernetes' types that CEL reserves, and likely ones.
RESERVED = frozenset(
    {"const", "continue", "else", "for", "function", "if", "import", "in", "loop", "namespace"}
)


def guard_with(operations: str, guards: tuple[Guard, ...]) -> str:
    """Operations that run if all conditions are true; raises ``ExportError`` for a loop."""
    if not guards or operations == NONE:
        return operations
    return choose(all_of(guards), operations, NONE)


def choose(test: str, yes: str, no: str) -> str:
    """One of two expressions."""
    return yes if yes == no else f"({test} ?\n{yes} :\n{no})"


def without_nulls(node: Node) -> Node:
    """A value without the fields that it removes, of which a new value has none."""
    if not isinstance(node, Map):
        return node
    members = (each for each in node.members if each.value != Constant(None))
    return Map(tuple(replace(each, value=without_nulls(each.value)) for each in members))


def to_literal(node: Node, type_: GoType | None, owner: str, own: Field | None = None) -> str:
    """A value in CEL, for the field *own*, if it is one; structs have the types of ``Object``."""
    match node:
        case Constant(value=None):
            raise ExportError("it has null in a list")
        case Constant(value=str() as text):
            return cel.string_literal(text)
        case Constant(value=bool() as flag):
            return "true" if flag else "false"
        case Constant(value=number):
            return str(number)
        case Expression(kind=Kind.STRUCT) if type_ is not QUANTITY:
            raise ExportError(UNFORMATTED)
        case Expression(text=text):
            return text
        case Map():
            return _map_literal(node, type_, owner)
        case Sequence(can_be_null=True):
            raise ExportError("a list can become empty, and null removes it: write it as […]")
        case Sequence():
            return _list_literal(node, type_, owner, own.merge_key if own is not None else "")


def find_field(member: Member, fields: Mapping[str, Field], type_: GoType | None) -> Field | None:
    """The field of a struct that a member sets; raises ``ExportError`` if there is none."""
    name = member.name
    if name is None or ((name in fields or not fields) and not name.startswith("$")):
        return fields.get(name or "")
    raise ExportError(f"it sets {name}, which no field of {type_} is")


def _map_literal(node: Map, type_: GoType | None, owner: str) -> str:
    fields = json_fields(type_)
    is_struct = bool(fields and owner) and all(each.name not in RESERVED for each in node.members)
    entries: list[str] = []
    for member in node.members:
        key, own = member.name, find_field(member, fields, type_)
        inner = f"{owner}.{key}" if is_struct else ""
        value = to_literal(member.value, child_type(own, type_), inner, own)
        if not is_struct:
            value = _make_uniform(member.value, value, is_text=_holds_strings(node))
        name = key if is_struct else member.key_text
        if member.guards:
            test = all_of(member.guards)
            entries.append(f"?{name}: {test} ? optional.of({value}) : optional.none()")
        else:
            entries.append(f"{name}: {value}")
    return f"{owner if is_struct else ''}{{{', '.join(entries)}}}"


def _make_uniform(node: Node, value: str, *, is_text: bool = True) -> str:
    """An element of a literal, of which CEL requires one type: text of the object has none."""
    if not is_text:
        return f"dyn({value})"
    if not isinstance(node, Expression):
        return value
    return f"dyn({value})" if node.kind is Kind.INT64 else f"string({value})"


def _holds_strings(node: Map) -> bool:
    return all(
        (isinstance(member.value, Expression) and member.value.kind is not Kind.INT64)
        or (isinstance(member.value, Constant) and isinstance(member.value.value, str))
        for member in node.members
    )


def _list_literal(node: Sequence, type_: GoType | None, owner: str, merge_key: str) -> str:
    element = type_.elem if type_ is not None else None
    inner = (each for member in node.members for each in member.members)
    if any(each.name == merge_key and each.value == Constant(OTHERS) for each in inner):
        raise ExportError(f'it has an element "{OTHERS}" in a new element')
    texts = [
        _make_uniform(each.value, to_literal(each.value, element, owner)) for each in node.members
    ]
    if not any(each.guards for each in node.members):
        return f"[{', '.join(texts)}]"
    return " + ".join(map(_guard_element, node.members, texts))


def _guard_element(member: Member, text: str) -> str:
    if not member.loops:
        return guard_with(f"[{text}]", member.guards)
    loop, *others = member.loops
    if others:
        raise ExportError("it has a range inside a range for a list")
    return loop.map(text, all_of(member.conditions))
