"""Writing Python as ``ast`` nodes that carry the places of a template.

No text is ever made into code: names are ours, and what a template says is a constant.
"""

import ast
import sys
from collections.abc import Sequence
from dataclasses import field
from typing import Any, TypedDict

from podgraft.lazy_dataclass import dataclass
from podgraft.texttemplate.parse.source import Source

Expression = ast.expr
_LOAD, _STORE = ast.Load(), ast.Store()


class AstLocation(TypedDict):
    """A span as ``ast`` has it: lines from 1, columns from 0 in bytes, as Go counts both."""

    lineno: int
    col_offset: int
    end_lineno: int
    end_col_offset: int


_TOP = AstLocation(lineno=1, col_offset=0, end_lineno=1, end_col_offset=0)


@dataclass(slots=True)
class AstBuilder:
    """Builds nodes that stand at ``place``, the lines and columns of a span of the template."""

    source: Source
    place: AstLocation = field(default_factory=lambda: _TOP)
    names: dict[str, ast.Name] = field(default_factory=dict[str, ast.Name])

    def with_span(self, start: int, end: int) -> "AstBuilder":
        """A pen for another span."""
        line, column = self.source.position_at(start)
        end_line, end_column = self.source.position_at(end)
        place: AstLocation = {
            "lineno": line,
            "col_offset": column,
            "end_lineno": end_line,
            "end_col_offset": end_column,
        }
        return AstBuilder(self.source, place, self.names)

    @property
    def position_key(self) -> tuple[int, ...]:
        """The place as CPython's position tables have it."""
        place = self.place
        return (
            place["lineno"],
            place["end_lineno"],
            place["col_offset"],
            place["end_col_offset"],
        )

    def load_name(self, name: str) -> ast.Name:
        """A name that is read; one node serves wherever it stands, for reading cannot fail."""
        node = self.names.get(name)
        if node is None:
            node = self.names[name] = ast.Name(name, _LOAD, **self.place)
        return node

    def store_name(self, name: str) -> ast.Name:
        """A name that is assigned to."""
        return ast.Name(name, _STORE, **self.place)

    def constant(self, value: str | complex | bool | None) -> ast.Constant:
        """A constant of the template."""
        return ast.Constant(value, **self.place)

    def constant_tuple(self, texts: tuple[str, ...]) -> ast.Constant:
        """Several at once, as one constant."""
        value: Any = texts  # which typeshed does not know to be one
        return ast.Constant(value, **self.place)

    def call(self, function: str, *arguments: Expression) -> ast.Call:
        """``function(arguments…)``."""
        return ast.Call(self.load_name(function), [*arguments], [], **self.place)

    def call_method(self, owner: str, method: str, *arguments: Expression) -> ast.Call:
        """``owner.method(arguments…)``; both names are ours."""
        attribute = ast.Attribute(self.load_name(owner), method, _LOAD, **self.place)
        return ast.Call(attribute, list(arguments), [], **self.place)

    def assign_expression(self, name: str, value: Expression) -> ast.NamedExpr:
        """``(name := value)``."""
        return ast.NamedExpr(self.store_name(name), value, **self.place)

    def compare_class(self, value: Expression, class_: str) -> ast.Compare:
        """``value.__class__ is class_``."""
        attribute = ast.Attribute(value, "__class__", _LOAD, **self.place)
        return ast.Compare(attribute, [ast.Is()], [self.load_name(class_)], **self.place)

    def compare_identity(self, name: str, other: str) -> ast.Compare:
        """``name is not other``."""
        return ast.Compare(
            self.load_name(name), [ast.IsNot()], [self.load_name(other)], **self.place
        )

    def compare(self, left: Expression, operator: ast.cmpop, right: Expression) -> ast.Compare:
        """``left operator right``."""
        return ast.Compare(left, [operator], [right], **self.place)

    def conditional_expression(
        self, test: Expression, then: Expression, otherwise: Expression
    ) -> ast.IfExp:
        """``then if test else otherwise``."""
        return ast.IfExp(test, then, otherwise, **self.place)

    def boolean_operation(self, operator: ast.boolop, values: Sequence[Expression]) -> ast.BoolOp:
        """``a and b and …``, or with ``or``."""
        return ast.BoolOp(operator, list(values), **self.place)

    def negation(self, value: Expression) -> ast.UnaryOp:
        """``not value``."""
        return ast.UnaryOp(ast.Not(), value, **self.place)

    def tuple(self, values: Sequence[Expression]) -> ast.Tuple:
        """``(a, b, …)``."""
        return ast.Tuple(list(values), _LOAD, **self.place)

    def sequence_expression(self, *values: Expression) -> ast.Subscript:
        """``(a, b, …)[-1]``: everything evaluated in order, the last one kept."""
        return ast.Subscript(self.tuple(values), self.constant(-1), _LOAD, **self.place)

    def join(self, pieces: Sequence["str | Expression"]) -> Expression:
        """Text and expressions that give text, joined."""
        if len(pieces) == 1 and isinstance(pieces[0], str):
            return self.constant(pieces[0])
        values = [
            self.constant(piece)
            if isinstance(piece, str)
            else ast.FormattedValue(piece, -1, None, **self.place)
            for piece in pieces
        ]
        return ast.JoinedStr(list(values), **self.place)

    def add(self, name: str, amount: int) -> ast.BinOp:
        """``name + amount``."""
        return ast.BinOp(self.load_name(name), ast.Add(), self.constant(amount), **self.place)

    def assign(self, name: str, value: Expression) -> ast.Assign:
        """``name = value``."""
        return ast.Assign([self.store_name(name)], value, **self.place)

    def expression_statement(self, value: Expression) -> ast.Expr:
        """``value``, as a statement."""
        return ast.Expr(value, **self.place)

    def if_statement(
        self, test: Expression, body: list[ast.stmt], otherwise: list[ast.stmt]
    ) -> ast.If:
        """``if test: body else: otherwise``."""
        return ast.If(test, body or [self.pass_statement()], otherwise, **self.place)

    def for_loop(self, names: Sequence[str], items: Expression, body: list[ast.stmt]) -> ast.For:
        """``for names in items: body``."""
        target: ast.expr = self.store_name(names[0])
        if len(names) > 1:
            target = ast.Tuple([self.store_name(name) for name in names], _STORE, **self.place)
        return ast.For(target, items, body or [self.pass_statement()], [], None, **self.place)

    def breakable_block(self, body: list[ast.stmt]) -> ast.While:
        """``while True: body; break``: a body that can be left with ``break``."""
        return ast.While(self.constant(True), [*body, self.break_statement()], [], **self.place)

    def break_statement(self) -> ast.Break:
        """``break``."""
        return ast.Break(**self.place)

    def continue_statement(self) -> ast.Continue:
        """``continue``."""
        return ast.Continue(**self.place)

    def pass_statement(self) -> ast.Pass:
        """``pass``."""
        return ast.Pass(**self.place)

    def function(
        self, name: str, parameters: Sequence[str], body: list[ast.stmt]
    ) -> ast.FunctionDef:
        """``def name(parameters): body``."""
        arguments = ast.arguments(
            posonlyargs=[],
            args=[ast.arg(parameter, **self.place) for parameter in parameters],
            kwonlyargs=[],
            kw_defaults=[],
            defaults=[],
        )
        made = ast.FunctionDef(name, arguments, body or [self.pass_statement()], [], **self.place)
        if sys.version_info >= (3, 12):
            made.type_params = []  # which 3.12 asks for
        return made
