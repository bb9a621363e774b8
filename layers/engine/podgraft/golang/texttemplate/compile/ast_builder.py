"""A builder of Python ``ast`` nodes with locations in a template.

The text of a template never becomes code: the compiler chooses all names, and text is a constant.
"""

import ast
import sys
from collections.abc import Sequence
from operator import itemgetter
from typing import Any, TypedDict

from msgspec import Struct, field

from podgraft.golang.texttemplate.parse.source import Source

Expression = ast.expr
_LOAD, _STORE = ast.Load(), ast.Store()


class AstLocation(TypedDict):
    """A span in the form of ``ast``: lines from 1, and columns from 0 in bytes, as in Go."""

    lineno: int
    col_offset: int
    end_lineno: int
    end_col_offset: int


_POSITION = itemgetter("lineno", "end_lineno", "col_offset", "end_col_offset")
_TOP = AstLocation(lineno=1, col_offset=0, end_lineno=1, end_col_offset=0)


class AstBuilder(Struct):
    """A builder of nodes with a ``location``: the lines and columns of a span of the template."""

    source: Source
    location: AstLocation = field(default_factory=lambda: _TOP)
    names: dict[str, ast.Name] = field(default_factory=dict[str, ast.Name])

    def with_span(self, start: int, end: int) -> "AstBuilder":
        """Return a builder for another span."""
        line, column = self.source.position_at(start)
        end_line, end_column = self.source.position_at(end)
        location = AstLocation(
            lineno=line, col_offset=column, end_lineno=end_line, end_col_offset=end_column
        )
        return AstBuilder(self.source, location, self.names)

    @property
    def position_key(self) -> tuple[int, ...]:
        """The location in the form of CPython's position tables."""
        return _POSITION(self.location)

    def load_name(self, name: str) -> ast.Name:
        """Load a name. All uses share one node, because a load cannot fail."""
        node = self.names.get(name)
        if node is None:
            node = self.names[name] = ast.Name(name, _LOAD, **self.location)
        return node

    def store_name(self, name: str) -> ast.Name:
        """Store to a name."""
        return ast.Name(name, _STORE, **self.location)

    def constant(self, value: Any) -> ast.Constant:
        """A constant of the template; typeshed does not accept a tuple of strings, which works."""
        return ast.Constant(value, **self.location)

    def call(self, function: str, *arguments: Expression) -> ast.Call:
        """``function(arguments…)``."""
        return ast.Call(self.load_name(function), [*arguments], [], **self.location)

    def call_method(self, owner: str, method: str, *arguments: Expression) -> ast.Call:
        """``owner.method(arguments…)``; the compiler chooses both names."""
        attribute = ast.Attribute(self.load_name(owner), method, _LOAD, **self.location)
        return ast.Call(attribute, list(arguments), [], **self.location)

    def assign_expression(self, name: str, value: Expression) -> ast.NamedExpr:
        """``(name := value)``."""
        return ast.NamedExpr(self.store_name(name), value, **self.location)

    def compare_class(self, value: Expression, class_: str) -> ast.Compare:
        """``value.__class__ is class_``."""
        attribute = ast.Attribute(value, "__class__", _LOAD, **self.location)
        return self.compare(attribute, ast.Is(), self.load_name(class_))

    def compare(self, left: Expression, operator: ast.cmpop, right: Expression) -> ast.Compare:
        """``left operator right``."""
        return ast.Compare(left, [operator], [right], **self.location)

    def conditional_expression(
        self, test: Expression, then: Expression, otherwise: Expression
    ) -> ast.IfExp:
        """``then if test else otherwise``."""
        return ast.IfExp(test, then, otherwise, **self.location)

    def boolean_operation(self, operator: ast.boolop, values: Sequence[Expression]) -> ast.BoolOp:
        """``a and b and …``, or with ``or``."""
        return ast.BoolOp(operator, list(values), **self.location)

    def negation(self, value: Expression) -> ast.UnaryOp:
        """``not value``."""
        return ast.UnaryOp(ast.Not(), value, **self.location)

    def tuple(self, values: Sequence[Expression]) -> ast.Tuple:
        """``(a, b, …)``."""
        return ast.Tuple(list(values), _LOAD, **self.location)

    def sequence_expression(self, *values: Expression) -> ast.Subscript:
        """``(a, b, …)[-1]``: evaluate all values in order, and return the last one."""
        return ast.Subscript(self.tuple(values), self.constant(-1), _LOAD, **self.location)

    def join(self, pieces: Sequence["str | Expression"]) -> Expression:
        """Join text and expressions of text."""
        if len(pieces) == 1 and isinstance(pieces[0], str):
            return self.constant(pieces[0])
        values = [
            self.constant(piece)
            if isinstance(piece, str)
            else ast.FormattedValue(piece, -1, None, **self.location)
            for piece in pieces
        ]
        return ast.JoinedStr(list(values), **self.location)

    def add(self, name: str, amount: int) -> ast.BinOp:
        """``name + amount``."""
        return ast.BinOp(self.load_name(name), ast.Add(), self.constant(amount), **self.location)

    def assign(self, name: str, value: Expression) -> ast.Assign:
        """``name = value``."""
        return ast.Assign([self.store_name(name)], value, **self.location)

    def assign_names(self, names: Sequence[str], value: Expression) -> ast.Assign:
        """``(a, b, …) = value``."""
        target = ast.Tuple([self.store_name(name) for name in names], _STORE, **self.location)
        return ast.Assign([target], value, **self.location)

    def expression_statement(self, value: Expression) -> ast.Expr:
        """``value``, as a statement."""
        return ast.Expr(value, **self.location)

    def if_statement(
        self, test: Expression, body: list[ast.stmt], otherwise: list[ast.stmt]
    ) -> ast.If:
        """``if test: body else: otherwise``."""
        return ast.If(test, body or [self.pass_statement()], otherwise, **self.location)

    def for_loop(self, names: Sequence[str], items: Expression, body: list[ast.stmt]) -> ast.For:
        """``for names in items: body``."""
        target: ast.expr = self.store_name(names[0])
        if len(names) > 1:
            target = ast.Tuple([self.store_name(name) for name in names], _STORE, **self.location)
        return ast.For(target, items, body or [self.pass_statement()], [], None, **self.location)

    def breakable_block(self, body: list[ast.stmt]) -> ast.While:
        """``while True: body; break``: a body that ``break`` can exit."""
        return ast.While(self.constant(True), [*body, self.break_statement()], [], **self.location)

    def break_statement(self) -> ast.Break:
        """``break``."""
        return ast.Break(**self.location)

    def continue_statement(self) -> ast.Continue:
        """``continue``."""
        return ast.Continue(**self.location)

    def pass_statement(self) -> ast.Pass:
        """``pass``."""
        return ast.Pass(**self.location)

    def function(
        self, name: str, parameters: Sequence[str], body: list[ast.stmt]
    ) -> ast.FunctionDef:
        """``def name(parameters): body``."""
        arguments = ast.arguments(
            posonlyargs=[],
            args=[ast.arg(parameter, **self.location) for parameter in parameters],
            kwonlyargs=[],
            kw_defaults=[],
            defaults=[],
        )
        definition = ast.FunctionDef(
            name, arguments, body or [self.pass_statement()], [], **self.location
        )
        if sys.version_info >= (3, 12):
            definition.type_params = []  # required since Python 3.12
        return definition
