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

from podgraft.go.reflect import Struct, Value, copy_value
from podgraft.go.strconv.quote import quote
from podgraft.lazy_dataclass import dataclass
from podgraft.texttemplate.functions import Function
from podgraft.texttemplate.parse import nodes
from podgraft.texttemplate.parse.source import Source
from podgraft.texttemplate.run import runtime
from podgraft.texttemplate.run.arguments import convert_argument

from .ast_builder import AstBuilder, Expression
from .compilation_unit import CompilationUnit, CompiledValue, StaticFailure, store_local
from .pipelines import PipelineCompiler
from .scopes import Scope
from .source_map import ErrorSite, SourceMap

_WRITES_BETWEEN_MEASURES = 32
_Setter = Callable[[CompiledValue], Expression]
_PARAMETERS = ("dot", "write", "run", "depth")
_RUNTIME: dict[str, Value] = {
    "Struct": Struct,
    "UNDECLARED": runtime.UNDECLARED,
    "argument": runtime.convert_method_argument,
    "constant": runtime.convert_method_constant,
    "converted": convert_argument,
    "copied": copy_value,
    "declared": runtime.lookup_variable,
    "elements": runtime.range_elements,
    "fail": runtime.fail,
    "invoke": runtime.invoke,
    "is_interface": runtime.is_interface,
    "method": runtime.find_method,
    "pairs": runtime.range_pairs,
    "path": runtime.lookup_path,
    "str": str,
    "text": runtime.format_output,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledModule:
    """The code of a program, what it finds in its namespace, its places and dead ends."""

    module: ast.Module
    namespace: Mapping[str, Value]
    source_map: SourceMap
    main: str
    static_failures: Sequence[StaticFailure]


def compile_templates(
    source: Source,
    templates: Mapping[str, nodes.Template],
    functions: Mapping[str, Function],
) -> CompiledModule:
    """All templates of a program as one module."""
    unit = CompilationUnit(AstBuilder(source), functions)
    names = {name: f"template_{number}" for number, name in enumerate(templates)}
    unit.source_map.templates.update((local, name) for name, local in names.items())
    body: list[ast.stmt] = [
        _TemplateCompiler(unit, names, _pipeline_compiler(unit, name)).compile_template(template)
        for name, template in templates.items()
    ]
    return CompiledModule(
        module=ast.Module(body, type_ignores=[]),
        namespace={**_RUNTIME, **unit.namespace},
        source_map=unit.source_map,
        main=names[source.name],
        static_failures=unit.static_failures,
    )


def _pipeline_compiler(unit: CompilationUnit, name: str) -> PipelineCompiler:
    return PipelineCompiler(
        unit, name, Scope(), CompiledValue(unit.pen.load_name("dot")), nodes.Dot()
    )


@dataclass(slots=True)
class _TemplateCompiler:
    """Compiles the statements of one template."""

    unit: CompilationUnit
    names: Mapping[str, str]
    expressions: PipelineCompiler
    body: list[ast.stmt] = field(default_factory=list[ast.stmt])
    pending_text: list[str | Expression] = field(default_factory=list["str | Expression"])
    writes: int = 0
    initialized_count: int = 0
    break_flags: list[str | None] = field(default_factory=list["str | None"])

    def compile_template(self, template: nodes.Template) -> ast.FunctionDef:
        """The whole template."""
        pen = self.unit.pen
        scope = self.expressions.scope
        scope.range_variables = frozenset(_range_assigned_names(template.body))
        root = store_local(pen, scope.declare("$"), CompiledValue(pen.load_name("dot")))
        enter = pen.call_method("run", "enter_template", pen.load_name("depth"))
        body: list[ast.stmt] = [
            pen.expression_statement(enter),
            pen.expression_statement(root),
            *self._compile_block(template.body),
        ]
        return pen.function(self.names[template.name], _PARAMETERS, body)

    def _compile_block(self, statements: nodes.Nodes) -> list[ast.stmt]:
        """Statements whose variables are gone at their end."""
        if not statements:
            return []
        outer, self.body = self.body, []
        with self.expressions.scope.nested_scope():
            for statement in statements:
                self._compile_statement(statement)
            self._flush_text()
        block, self.body = self.body, outer
        return block

    def _compile_statement(self, node: nodes.Statement) -> None:
        match node:
            case nodes.Text():
                self.pending_text.append(node.text)
            case nodes.Action():
                self._compile_action(node)
            case nodes.Branch(control=nodes.Control.RANGE):
                self._compile_range(node)
            case nodes.Branch():
                self._compile_if_or_with(node)
            case nodes.Invocation():
                self._compile_invocation(node)
            case nodes.Break():
                self._emit(self._builder_for(node.start, node.end).break_statement())
            case nodes.Continue():
                self._emit(*self._compile_continue(self._builder_for(node.start, node.end)))
            case _:
                assert_never(node)

    def _compile_action(self, node: nodes.Action) -> None:
        """``{{pipeline}}``: printed, unless it declares or assigns."""
        value = self._compile_pipeline(node.pipe)
        pen = self._builder_for(node.start, node.end)
        self.expressions.record_site(pen)
        if node.pipe.variables:
            self._emit(pen.expression_statement(value.code))
        elif isinstance(value.code, ast.Constant):
            self.pending_text.append(runtime.format_output(value.code.value))
        else:
            self._compile_output(pen, value)

    def _compile_output(self, pen: AstBuilder, value: CompiledValue) -> None:
        self.pending_text.append(pen.call("text", value.code))
        self.writes += 1
        if self.writes % _WRITES_BETWEEN_MEASURES == 0:
            self._emit(pen.expression_statement(pen.call_method("run", "count_output")))

    def _compile_if_or_with(self, node: nodes.Branch) -> None:
        expressions = self.expressions
        with expressions.scope.nested_scope():
            test = self._compile_pipeline(node.pipe).code
            pen = self.unit.pen
            dot = expressions.dot
            if node.control is nodes.Control.WITH:
                local = expressions.new_local()
                test = pen.assign_expression(local, test)
                expressions.dot = CompiledValue(pen.load_name(local))
            self._flush_text()
            body = self._compile_block(node.body)
            expressions.dot = dot
            otherwise = self._compile_block(node.else_body or ())
        self._emit(pen.if_statement(test, body, otherwise))

    def _compile_invocation(self, node: nodes.Invocation) -> None:
        """``{{template "name" pipeline}}``."""
        pen = self._builder_for(node.start, node.end)
        self.expressions.last_node = node
        if node.name not in self.names:
            fault = self.expressions.emit_failure(pen, f"template {quote(node.name)} not defined")
            self._emit(pen.expression_statement(fault))
            return
        value = self._compile_pipeline(node.pipe).code if node.pipe else pen.constant(None)
        self.unit.source_map.add(pen, ErrorSite(node))
        arguments = (value, pen.load_name("write"), pen.load_name("run"), pen.add("depth", 1))
        self._emit(pen.expression_statement(pen.call(self.names[node.name], *arguments)))

    def _compile_range(self, node: nodes.Branch) -> None:
        """``{{range pipeline}}``, whose variables come first and are gone with it."""
        expressions = self.expressions
        with expressions.scope.nested_scope():
            value = expressions.compile_value(node.pipe)
            self._initialize_locals()
            pen = self._builder_for(node.start, node.pipe.end)
            expressions.record_site(pen)
            container, items = expressions.new_local(), expressions.new_local()
            self._emit(pen.assign(container, value.code))
            setters = self._compile_range_variables(node, container, pen)
            visit = "pairs" if len(node.pipe.variables) > 1 else "elements"
            self._emit(pen.assign(items, pen.call(visit, pen.load_name(container))))
            loop = self._compile_loop(node, setters, container, items, pen)
            otherwise = self._compile_else(node)
        self._emit(pen.if_statement(pen.load_name(items), [loop], otherwise) if otherwise else loop)

    def _compile_range_variables(
        self, node: nodes.Branch, container: str, pen: AstBuilder
    ) -> list[_Setter]:
        """Ways to set the variables of a range, which until it begins hold all that it visits."""
        scope, pipe = self.expressions.scope, node.pipe
        setters: list[_Setter] = []
        for variable in pipe.variables:
            if pipe.is_assignment:
                setters.append(partial(self.expressions.compile_assignment, variable))
            else:
                setters.append(
                    partial(store_local, pen, scope.declare(variable.name, element=True))
                )
        if pipe.is_assignment or node.else_body:
            for setter in setters:
                self._emit(
                    pen.expression_statement(setter(CompiledValue(pen.load_name(container))))
                )
        return setters

    def _compile_loop(
        self,
        node: nodes.Branch,
        setters: Sequence[_Setter],
        container: str,
        items: str,
        pen: AstBuilder,
    ) -> ast.For:
        expressions = self.expressions
        index, element = expressions.new_local(), expressions.new_local()
        outer_dot = expressions.dot
        expressions.dot = CompiledValue(pen.load_name(element), container)
        values = (
            [CompiledValue(pen.load_name(index)), expressions.dot][-len(setters) :]
            if setters
            else []
        )
        head = [
            pen.expression_statement(set_(value))
            for set_, value in zip(setters, values, strict=True)
        ]
        self.break_flags.append(None)
        body = self._compile_block(node.body)
        self.break_flags.pop()
        expressions.dot = outer_dot
        targets = (index, element) if len(setters) > 1 else (element,)
        each = pen.call_method("run", "iterate", pen.load_name(items))
        return pen.for_loop(targets, each, [*head, *body])

    def _compile_else(self, node: nodes.Branch) -> list[ast.stmt]:
        """The else of a range; in Go, ``{{break}}`` there leaves nothing but itself."""
        if node.else_body is None:
            return []
        if not _contains_break(node.else_body):
            return self._compile_block(node.else_body)
        pen = self._builder_for(node.start, node.end)
        continues = self.expressions.new_local()
        self.break_flags.append(continues)
        body = self._compile_block(node.else_body)
        self.break_flags.pop()
        return [
            pen.assign(continues, pen.constant(False)),
            pen.breakable_block(body),
            pen.if_statement(pen.load_name(continues), self._compile_continue(pen), []),
        ]

    def _compile_continue(self, pen: AstBuilder) -> list[ast.stmt]:
        """``{{continue}}``, if need be by leaving the else of a range first."""
        leaves = self.break_flags[-1]
        if leaves is None:
            return [pen.continue_statement()]
        return [pen.assign(leaves, pen.constant(True)), pen.break_statement()]

    def _compile_pipeline(self, pipe: nodes.Pipe) -> CompiledValue:
        value = self.expressions.compile_pipeline(pipe)
        self._initialize_locals()
        return value

    def _initialize_locals(self) -> None:
        """Say of variables that may stay undeclared that they are, before they may be used."""
        made = self.expressions.scope.all_slots
        pen = self.unit.pen
        for slot in made[self.initialized_count :]:
            if slot.may_be_undeclared:
                self.body.append(pen.assign(slot.local, pen.load_name("UNDECLARED")))
                if slot.container_local:
                    self.body.append(pen.assign(slot.container_local, pen.constant(None)))
        self.initialized_count = len(made)

    def _emit(self, *statements: ast.stmt) -> None:
        self._flush_text()
        self.body.extend(statements)

    def _flush_text(self) -> None:
        """Write what has come together since the last statement."""
        if self.pending_text:
            pen = self.unit.pen
            self.body.append(
                pen.expression_statement(pen.call("write", pen.join(self.pending_text)))
            )
            self.pending_text.clear()

    def _builder_for(self, start: int, end: int) -> AstBuilder:
        return self.unit.pen.with_span(start, end)


def _contains_break(statements: nodes.Nodes) -> bool:
    """Whether a ``{{break}}`` stands there that belongs to no range within."""
    return any(
        isinstance(node, nodes.Break)
        or (
            isinstance(node, nodes.Branch)
            and node.control is not nodes.Control.RANGE
            and (_contains_break(node.body) or _contains_break(node.else_body or ()))
        )
        for node in statements
    )


def _range_assigned_names(statements: nodes.Nodes) -> Iterator[str]:
    """The names of the variables that ranges assign elements to."""
    for node in statements:
        if isinstance(node, nodes.Branch):
            if node.control is nodes.Control.RANGE and node.pipe.is_assignment:
                yield from (variable.name for variable in node.pipe.variables)
            yield from _range_assigned_names(node.body)
            yield from _range_assigned_names(node.else_body or ())
