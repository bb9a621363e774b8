"""Lists of expressions in the documents of policies, and their variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from podgraft.kube import document_reader
from podgraft.kube.cel import is_identifier
from podgraft.kube.document_reader import Cursor, MappingReader
from podgraft.kube.matching import conditions
from podgraft.kube.matching.conditions import ExpressionCompiler

from .variables import PolicyVariable

T = TypeVar("T")


def make_list_parser(
    read: Callable[[Cursor, ExpressionCompiler], T | None], compiler: ExpressionCompiler
) -> Callable[[Cursor], tuple[T, ...] | None]:
    """Return a parser of lists of expressions, in order: an expression can use earlier ones."""

    def parse_items(cursor: Cursor) -> tuple[T, ...] | None:
        elements = cursor.items()
        if elements is None:
            return None
        return tuple(item for element in elements if (item := read(element, compiler)) is not None)

    return parse_items


def parse_variable(cursor: Cursor, compiler: ExpressionCompiler) -> PolicyVariable | None:
    """Read a variable, and declare it for the expressions that follow."""
    keys = MappingReader(cursor)
    name = keys.read_key("name", document_reader.parse_string) or ""
    program = conditions.read_required_expression(cursor, keys, "expression", compiler)
    keys.check_unknown_keys()
    if not is_identifier(name):
        return cursor.child("name", name).add_error(
            f"got {document_reader.format_value(name)}", "use a CEL identifier"
        )
    compiler.declare(name, program)
    return PolicyVariable(name, program) if program else None
