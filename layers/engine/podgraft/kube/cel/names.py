"""The joining of dotted names: ``variables.x`` and ``sets.contains``."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from .library import FUNCTIONS
from .syntax import (
    Call,
    Comprehension,
    Constant,
    Ident,
    ListOf,
    MapOf,
    Node,
    Select,
    StructOf,
)


def join_names(node: Node, names: Collection[str]) -> Node:
    """The tree with selections that are declared names as one name, functions likewise."""
    match node:
        case Constant() | Ident():
            return node
        case Select():
            name = _dotted_name(node)
            if name in names and not node.test:
                return Ident(node.at, name)
            return replace(node, operand=join_names(node.operand, names))
        case Call():
            arguments = tuple(join_names(each, names) for each in node.arguments)
            target = _dotted_name(node.arguments[0]) if node.member else ""
            function = f"{target}.{node.function}"
            if target and function in FUNCTIONS:
                return Call(node.at, function, arguments[1:])
            return replace(node, arguments=arguments)
        case ListOf():
            return replace(node, elements=tuple(join_names(each, names) for each in node.elements))
        case MapOf():
            entries = tuple(
                (join_names(key, names), join_names(value, names), optional)
                for key, value, optional in node.entries
            )
            return replace(node, entries=entries)
        case StructOf():
            fields = tuple(
                replace(each, value=join_names(each.value, names)) for each in node.fields
            )
            return replace(node, fields=fields)
        case Comprehension():
            return replace(
                node,
                range=join_names(node.range, names),
                initial=join_names(node.initial, names),
                condition=join_names(node.condition, names),
                step=join_names(node.step, names),
                result=join_names(node.result, names),
            )


def _dotted_name(node: Node) -> str:
    """The text of a chain of plain selections down to a name; empty for anything else."""
    match node:
        case Ident(name=name):
            return name.removeprefix(".")
        case Select(operand=operand, field=field, test=False):
            outer = _dotted_name(operand)
            return f"{outer}.{field}" if outer else ""
        case _:
            return ""
