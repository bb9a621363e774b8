"""Lists of expressions in the documents of policies, and their variables."""

from __future__ import annotations

from typing import TypeVar

from podgraft.kube.cel import is_identifier
from podgraft.kube.document_reader import Cursor, MappingReader
from podgraft.kube.matching import conditions
from podgraft.kube.matching.conditions import ExpressionCompiler

from .variables import PolicyVariable

T = TypeVar("T")


def parse_variable(cursor: Cursor, compiler: ExpressionCompiler) -> PolicyVariable | None:
    """Read a variable, and declare it for the expressions that follow."""
    keys = MappingReader(cursor)
    name = keys.read_text("name")
    program = conditions.read_required_expression(cursor, keys, "expression", compiler)
    keys.check_unknown_keys()
    if not is_identifier(name):
        return cursor.child("name", name).refuse("use a CEL identifier")
    compiler.declare(name, program)
    return PolicyVariable(name, program) if program else None
