"""From parse trees to Python: every template becomes a function that writes its text.

``{{if}}`` is an ``if``, ``{{range}}`` a ``for``, a variable a local; what is left for run time is
in ``runtime.py``. Text and what actions print between two statements are joined before they are
written. The functions look like this one::

    def template_1(dot, write, run, depth):
        run.enter(depth)
        v0 = dot
        write(f"image: {text(path(dot, ('Values', 'image')))}")
"""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import partial
from typing import assert_never

from podgraft.govalue import Value, copied
from podgraft.records import dataclass

from . import nodes, runtime
from .arguments import converted
from .expressions import Expressions
from .functions import Function
from .pen import Expression, Pen
from .quoting import quote
from .scopes import Scope
from .sites import Site, Sites
from .source import Source
from .unit import DeadEnd, Result, Unit, kept

_WRITES_BETWEEN_MEASURES = 32
_Setter = Callable[[Result], Expression]
_PARAMETERS = ("dot", "write", "run", "depth")
_RUNTIME: dict[str, Value] = {
    "UNDECLARED": runtime.UNDECLARED,
    "argument": runtime.argument,
    "constant": runtime.constant,
    "converted": converted,
    "copied": copied,
    "declared": runtime.declared,
    "elements": runtime.elements,
    "fail": runtime.fail,
    "invoke": runtime.invoke,
    "is_interface": runtime.is_interface,
    "method": runtime.method,
    "pairs": runtime.pairs,
    "path": runtime.path,
    "str": str,
    "text": runtime.text,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """The code of a program, what it finds in its namespace, its places and dead ends."""

    module: ast.Module
    namespace: Mapping[str, Value]
    sites: Sites
    main: str
    dead_ends: Sequence[DeadEnd]


def compile_templates(
    source: Source,
    templates: Mapping[str, nodes.Template],
    functions: Mapping[str, Function],
) -> Compiled:
    """All templates of a program as one module."""
    unit = Unit(Pen(source), functions)
    names = {name: f"template_{number}" for number, name in enumerate(templates)}
    unit.sites.templates.update((local, name) for name, local in names.items())
    body: list[ast.stmt] = [
        _Template(unit, names, _expressions(unit, name)).function(template)
        for name, template in templates.items()
    ]
    return Compiled(
        module=ast.Module(body, type_ignores=[]),
        namespace={**_RUNTIME, **unit.namespace},
        sites=unit.sites,
        main=names[source.name],
        dead_ends=unit.dead_ends,
    )


def _expressions(unit: Unit, name: str) -> Expressions:
    return Expressions(unit, name, Scope(), Result(unit.pen.name("dot")), nodes.Dot())


@dataclass(slots=True)
class _Template:
    """Compiles the statements of one template."""

    unit: Unit
    names: Mapping[str, str]
    expressions: Expressions
    body: list[ast.stmt] = field(default_factory=list[ast.stmt])
    pieces: list[str | Expression] = field(default_factory=list["str | Expression"])
    writes: int = 0
    initialized: int = 0
    exits: list[str | None] = field(default_factory=list["str | None"])

    def function(self, template: nodes.Template) -> ast.FunctionDef:
        """The whole template."""
        pen = self.unit.pen
        scope = self.expressions.scope
        scope.elements = frozenset(_range_assigned(template.body))
        root = kept(pen, scope.declare("$"), Result(pen.name("dot")))
        enter = pen.call_method("run", "enter", pen.name("depth"))
        body: list[ast.stmt] = [pen.do(enter), pen.do(root), *self._block(template.body)]
        return pen.function(self.names[template.name], _PARAMETERS, body)

    def _block(self, statements: nodes.Nodes) -> list[ast.stmt]:
        """Statements whose variables are gone at their end."""
        if not statements:
            return []
        outer, self.body = self.body, []
        with self.expressions.scope.inner():
            for statement in statements:
                self._statement(statement)
            self._flush()
        block, self.body = self.body, outer
        return block

    def _statement(self, node: nodes.Statement) -> None:
        match node:
            case nodes.Text():
                self.pieces.append(node.text)
            case nodes.Action():
                self._action(node)
            case nodes.Branch(control=nodes.Control.RANGE):
                self._range(node)
            case nodes.Branch():
                self._if_or_with(node)
            case nodes.Invocation():
                self._invocation(node)
            case nodes.Break():
                self._add(self._pen(node.start, node.end).leave())
            case nodes.Continue():
                self._add(*self._continued(self._pen(node.start, node.end)))
            case _:
                assert_never(node)

    def _action(self, node: nodes.Action) -> None:
        """``{{pipeline}}``: printed, unless it declares or assigns."""
        value = self._evaluated(node.pipe)
        pen = self._pen(node.start, node.end)
        self.expressions.site(pen)
        if node.pipe.declared:
            self._add(pen.do(value.code))
        elif isinstance(value.code, ast.Constant):
            self.pieces.append(runtime.text(value.code.value))
        else:
            self._print(pen, value)

    def _print(self, pen: Pen, value: Result) -> None:
        self.pieces.append(pen.call("text", value.code))
        self.writes += 1
        if self.writes % _WRITES_BETWEEN_MEASURES == 0:
            self._add(pen.do(pen.call_method("run", "measure")))

    def _if_or_with(self, node: nodes.Branch) -> None:
        expressions = self.expressions
        with expressions.scope.inner():
            test = self._evaluated(node.pipe).code
            pen = self.unit.pen
            dot = expressions.dot
            if node.control is nodes.Control.WITH:
                local = expressions.temporary()
                test = pen.keep(local, test)
                expressions.dot = Result(pen.name(local))
            self._flush()
            body = self._block(node.body)
            expressions.dot = dot
            otherwise = self._block(node.otherwise or ())
        self._add(pen.branch(test, body, otherwise))

    def _invocation(self, node: nodes.Invocation) -> None:
        """``{{template "name" pipeline}}``."""
        pen = self._pen(node.start, node.end)
        self.expressions.last = node
        if node.name not in self.names:
            fault = self.expressions.fail(pen, f"template {quote(node.name)} not defined")
            self._add(pen.do(fault))
            return
        value = self._evaluated(node.pipe).code if node.pipe else pen.constant(None)
        self.unit.sites.add(pen, Site(node))
        arguments = (value, pen.name("write"), pen.name("run"), pen.add("depth", 1))
        self._add(pen.do(pen.call(self.names[node.name], *arguments)))

    def _range(self, node: nodes.Branch) -> None:
        """``{{range pipeline}}``, whose variables come first and are gone with it."""
        expressions = self.expressions
        with expressions.scope.inner():
            value = expressions.value(node.pipe)
            self._initialize()
            pen = self._pen(node.start, node.pipe.end)
            expressions.site(pen)
            container, items = expressions.temporary(), expressions.temporary()
            self._add(pen.assign(container, value.code))
            setters = self._range_variables(node, container, pen)
            visit = "pairs" if len(node.pipe.declared) > 1 else "elements"
            self._add(pen.assign(items, pen.call(visit, pen.name(container))))
            loop = self._loop(node, setters, container, items, pen)
            otherwise = self._otherwise(node)
        self._add(pen.branch(pen.name(items), [loop], otherwise) if otherwise else loop)

    def _range_variables(self, node: nodes.Branch, container: str, pen: Pen) -> list[_Setter]:
        """Ways to set the variables of a range, which until it begins hold all that it visits."""
        scope, pipe = self.expressions.scope, node.pipe
        setters: list[_Setter] = []
        for variable in pipe.declared:
            if pipe.assigns:
                setters.append(partial(self.expressions.assigned, variable))
            else:
                setters.append(partial(kept, pen, scope.declare(variable.name, element=True)))
        if pipe.assigns or node.otherwise:
            for setter in setters:
                self._add(pen.do(setter(Result(pen.name(container)))))
        return setters

    def _loop(
        self, node: nodes.Branch, setters: Sequence[_Setter], container: str, items: str, pen: Pen
    ) -> ast.For:
        expressions = self.expressions
        index, element = expressions.temporary(), expressions.temporary()
        outer_dot = expressions.dot
        expressions.dot = Result(pen.name(element), container)
        values = [Result(pen.name(index)), expressions.dot][-len(setters) :] if setters else []
        head = [pen.do(set_(value)) for set_, value in zip(setters, values, strict=True)]
        self.exits.append(None)
        body = self._block(node.body)
        self.exits.pop()
        expressions.dot = outer_dot
        targets = (index, element) if len(setters) > 1 else (element,)
        each = pen.call_method("run", "each", pen.name(items))
        return pen.loop(targets, each, [*head, *body])

    def _otherwise(self, node: nodes.Branch) -> list[ast.stmt]:
        """The else of a range; in Go, ``{{break}}`` there leaves nothing but itself."""
        if node.otherwise is None:
            return []
        if not _breaks(node.otherwise):
            return self._block(node.otherwise)
        pen = self._pen(node.start, node.end)
        continues = self.expressions.temporary()
        self.exits.append(continues)
        body = self._block(node.otherwise)
        self.exits.pop()
        return [
            pen.assign(continues, pen.constant(False)),
            pen.once(body),
            pen.branch(pen.name(continues), self._continued(pen), []),
        ]

    def _continued(self, pen: Pen) -> list[ast.stmt]:
        """``{{continue}}``, if need be by leaving the else of a range first."""
        leaves = self.exits[-1]
        if leaves is None:
            return [pen.go_on()]
        return [pen.assign(leaves, pen.constant(True)), pen.leave()]

    def _evaluated(self, pipe: nodes.Pipe) -> Result:
        value = self.expressions.pipeline(pipe)
        self._initialize()
        return value

    def _initialize(self) -> None:
        """Say of variables that may stay undeclared that they are, before they may be used."""
        made = self.expressions.scope.made
        pen = self.unit.pen
        for slot in made[self.initialized :]:
            if slot.unsure:
                self.body.append(pen.assign(slot.local, pen.name("UNDECLARED")))
                if slot.holder:
                    self.body.append(pen.assign(slot.holder, pen.constant(None)))
        self.initialized = len(made)

    def _add(self, *statements: ast.stmt) -> None:
        self._flush()
        self.body.extend(statements)

    def _flush(self) -> None:
        """Write what has come together since the last statement."""
        if self.pieces:
            pen = self.unit.pen
            self.body.append(pen.do(pen.call("write", pen.join(self.pieces))))
            self.pieces.clear()

    def _pen(self, start: int, end: int) -> Pen:
        return self.unit.pen.at(start, end)


def _breaks(statements: nodes.Nodes) -> bool:
    """Whether a ``{{break}}`` stands there that belongs to no range within."""
    return any(
        isinstance(node, nodes.Break)
        or (
            isinstance(node, nodes.Branch)
            and node.control is not nodes.Control.RANGE
            and (_breaks(node.body) or _breaks(node.otherwise or ()))
        )
        for node in statements
    )


def _range_assigned(statements: nodes.Nodes) -> Iterator[str]:
    """The names of the variables that ranges assign elements to."""
    for node in statements:
        if isinstance(node, nodes.Branch):
            if node.control is nodes.Control.RANGE and node.pipe.assigns:
                yield from (variable.name for variable in node.pipe.declared)
            yield from _range_assigned(node.body)
            yield from _range_assigned(node.otherwise or ())
