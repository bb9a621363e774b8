"""A builder of Python ``ast`` nodes with locations in a template.

The text of a template never becomes code: the compiler chooses all names, and text is a constant.
"""

import ast
import sys
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, TypedDict, TypeVar

from msgspec import Struct, field

from podgraft.golang.texttemplate.parse.source import Source

Expression = ast.expr
NodeT = TypeVar("NodeT", bound=ast.AST)
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
            node = self.names[name] = self.node(ast.Name, name, _LOAD)
        return node

    def store_name(self, name: str) -> ast.Name:
        """Store to a name."""
        return self.node(ast.Name, name, _STORE)

    def constant(self, value: Any) -> ast.Constant:
        """A constant of the template."""
        return self.node(ast.Constant, value)

    def node(self, node_class: Callable[..., NodeT], *fields: Any) -> NodeT:
        """A node with the location of the builder."""
        return node_class(*fields, **self.location)

    def call(self, function: str, *arguments: Expression) -> ast.Call:
        """``function(arguments…)``."""
        return self.node(ast.Call, self.load_name(function), [*arguments], [])

    def call_run(self, method: str, *arguments: Expression) -> ast.Call:
        """``run.method(arguments…)``."""
        function = self.node(ast.Attribute, self.load_name("run"), method, _LOAD)
        return self.node(ast.Call, function, [*arguments], [])

    def assign_expression(self, name: str, value: Expression) -> ast.NamedExpr:
        """``(name := value)``."""
        return self.node(ast.NamedExpr, self.store_name(name), value)

    def compare_class(self, value: Expression, class_: str) -> ast.Compare:
        """``value.__class__ is class_``."""
        attribute = self.node(ast.Attribute, value, "__class__", _LOAD)
        return self.node(ast.Compare, attribute, [ast.Is()], [self.load_name(class_)])

    def tuple(self, values: Sequence[Expression]) -> ast.Tuple:
        """``(a, b, …)``."""
        return self.node(ast.Tuple, [*values], _LOAD)

    def sequence_expression(self, *values: Expression) -> ast.Subscript:
        """``(a, b, …)[-1]``: evaluate all values in order, and return the last one."""
        return self.node(ast.Subscript, self.tuple(values), self.constant(-1), _LOAD)

    def join(self, pieces: Sequence["str | Expression"]) -> Expression:
        """Join text and expressions of text."""
        if len(pieces) == 1 and isinstance(pieces[0], str):
            return self.constant(pieces[0])
        values = [
            self.constant(piece)
            if isinstance(piece, str)
            else self.node(ast.FormattedValue, piece, -1, None)
            for piece in pieces
        ]
        return self.node(ast.JoinedStr, values)

    def assign(self, name: str, value: Expression) -> ast.Assign:
        """``name = value``."""
        return self.node(ast.Assign, [self.store_name(name)], value)

    def store_names(self, names: Sequence[str]) -> ast.Tuple:
        """``(a, b, …)`` as a target."""
        return self.node(ast.Tuple, [self.store_name(name) for name in names], _STORE)

    def statement(self, value: Expression) -> ast.Expr:
        """``value``, as a statement."""
        return self.node(ast.Expr, value)

    def if_statement(
        self, test: Expression, body: list[ast.stmt], otherwise: list[ast.stmt]
    ) -> ast.If:
        """``if test: body else: otherwise``."""
        return self.node(ast.If, test, body or [self.node(ast.Pass)], otherwise)

    def for_loop(self, names: Sequence[str], items: Expression, body: list[ast.stmt]) -> ast.For:
        """``for names in items: body``."""
        target = self.store_names(names) if len(names) > 1 else self.store_name(names[0])
        return self.node(ast.For, target, items, body or [self.node(ast.Pass)], [], None)

    def function(
        self, name: str, parameters: Sequence[str], body: list[ast.stmt]
    ) -> ast.FunctionDef:
        """``def name(parameters): body``."""
        arguments = ast.arguments(
            posonlyargs=[],
            args=[self.node(ast.arg, parameter) for parameter in parameters],
            kwonlyargs=[],
            kw_defaults=[],
            defaults=[],
        )
        definition = self.node(ast.FunctionDef, name, arguments, body, [])
        if sys.version_info >= (3, 12):
            definition.type_params = []  # required since Python 3.12
        return definition
