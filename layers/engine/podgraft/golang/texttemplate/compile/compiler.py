"""The compiler from parse trees to Python: each template becomes a function that writes its text.

``{{if}}`` becomes ``if``, ``{{range}}`` becomes ``for``, and a variable becomes a local. The other
operations are in ``runtime.py``. The text and output of actions between two statements are joined
before they are written. An example of such a function::

    def template_1(dot, write, run, depth):
        run.enter(depth)
        v0 = dot
        write(f"image: {text(path(dot, ('Values', 'image')))}")
"""

import ast
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import assert_never

import msgspec
from msgspec import field

from podgraft.golang.reflect import Struct, Value, copy_value
from podgraft.golang.strconv.quote import quote
from podgraft.golang.texttemplate.functions import Function
from podgraft.golang.texttemplate.parse import nodes
from podgraft.golang.texttemplate.parse.source import Source
from podgraft.golang.texttemplate.run import runtime
from podgraft.golang.texttemplate.run.arguments import convert_argument
from podgraft.golang.texttemplate.sections import Sections
from podgraft.golang.texttemplate.variables import find_range_variables

from .ast_builder import AstBuilder, Expression
from .compilation_unit import CompilationUnit, CompiledValue, Scope, StaticFailure, store_local
from .pipelines import PipelineCompiler
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


class CompiledModule(msgspec.Struct, frozen=True, kw_only=True):
    """The code of a program with its namespace, its source map, and its static failures."""

    module: ast.Module
    namespace: Mapping[str, Value]
    source_map: SourceMap
    main: str
    static_failures: Sequence[StaticFailure]


def compile_templates(
    source: Source,
    templates: Mapping[str, nodes.Template],
    functions: Mapping[str, Function],
    sections: Sections | None = None,
) -> CompiledModule:
    """Compile all templates of a program to one module; ``sections`` are those of the main one."""
    unit = CompilationUnit(AstBuilder(source), functions)
    names = {name: f"template_{number}" for number, name in enumerate(templates)}
    unit.source_map.templates.update((local, name) for name, local in names.items())
    body: list[ast.stmt] = [
        _TemplateCompiler(unit, names, _pipeline_compiler(unit, name)).compile_template(
            template, sections if name == source.name else None
        )
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
        unit, name, Scope(), CompiledValue(unit.builder.load_name("dot")), nodes.Dot()
    )


class _TemplateCompiler(msgspec.Struct):
    """The compiler of the statements of one template."""

    unit: CompilationUnit
    names: Mapping[str, str]
    expressions: PipelineCompiler
    body: list[ast.stmt] = field(default_factory=list[ast.stmt])
    pending_text: list[str | Expression] = field(default_factory=list["str | Expression"])
    writes: int = 0
    initialized_count: int = 0
    break_flags: list[str | None] = field(default_factory=list["str | None"])

    def compile_template(
        self, template: nodes.Template, sections: Sections | None
    ) -> ast.FunctionDef:
        """Compile the complete template."""
        builder = self.unit.builder
        scope = self.expressions.scope
        scope.range_variables = frozenset(find_range_variables(template.body))
        root = store_local(builder, scope.declare("$"), CompiledValue(builder.load_name("dot")))
        enter = builder.call_run("enter_template", builder.load_name("depth"))
        body: list[ast.stmt] = [
            builder.statement(enter),
            builder.statement(root),
            *(
                self._compile_sections(template.body, sections)
                if sections
                else self._compile_block(template.body)
            ),
        ]
        return builder.function(self.names[template.name], _PARAMETERS, body)

    def _compile_block(self, statements: nodes.Nodes) -> list[ast.stmt]:
        """Compile statements; the scope of their variables ends with them."""
        if not statements:
            return []
        with self.expressions.scope.nested_scope(), self._collect_block() as block:
            for statement in statements:
                self._compile_statement(statement)
        return block

    @contextmanager
    def _collect_block(self) -> Generator[list[ast.stmt], None, None]:
        """Collect the statements that are compiled inside."""
        outer, self.body = self.body, []
        yield self.body
        self._flush_text()
        self.body = outer

    def _compile_sections(self, body: nodes.Nodes, sections: Sections) -> list[ast.stmt]:
        """Compile the body of a template, and each section to a branch that is left out."""
        parts = zip(sections.numbers, body, sections.written, strict=True)
        with self._collect_block() as block:
            for number, group in groupby(parts, key=itemgetter(0)):
                _, statements, written = zip(*group, strict=True)
                if number is None:
                    for statement in statements:
                        self._compile_statement(statement)
                else:
                    self._compile_section(statements, frozenset[str]().union(*written))
        return block

    def _compile_section(self, statements: nodes.Nodes, written: frozenset[str]) -> None:
        """Compile ``if run.begin_section(): …; run.end_section(variables)``.

        Else, the variables are those of ``run.reuse_section()``.
        """
        self._flush_text()
        with self._collect_block() as body:
            for statement in statements:
                self._compile_statement(statement)
        builder, scope = self.unit.builder, self.expressions.scope
        names = [scope.find(name)[0].local for name in sorted(written)]
        variables = builder.tuple([builder.load_name(name) for name in names])
        body.append(builder.statement(builder.call_run("end_section", variables)))
        reused = builder.call_run("reuse_section")
        target = [builder.store_names(names)]
        otherwise = builder.node(ast.Assign, target, reused) if names else builder.statement(reused)
        self.body.append(builder.if_statement(builder.call_run("begin_section"), body, [otherwise]))

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
            case nodes.Jump("break"):
                self._emit(self.expressions.builder_for(node).node(ast.Break))
            case nodes.Jump():
                self._emit(*self._compile_continue(self.expressions.builder_for(node)))
            case _:
                assert_never(node)

    def _compile_action(self, node: nodes.Action) -> None:
        """Compile ``{{pipeline}}``, which prints its value unless it sets a variable."""
        value = self._compile_pipeline(node.pipe)
        builder = self.expressions.builder_for(node)
        self.expressions.record_site(builder)
        if node.pipe.variables:
            self._emit(builder.statement(value.code))
        elif isinstance(value.code, ast.Constant):
            self.pending_text.append(runtime.format_output(value.code.value))
        else:
            self._compile_output(builder, value)

    def _compile_output(self, builder: AstBuilder, value: CompiledValue) -> None:
        self.pending_text.append(builder.call("text", value.code))
        self.writes += 1
        if self.writes % _WRITES_BETWEEN_MEASURES == 0:
            self._emit(builder.statement(builder.call_run("count_output")))

    def _compile_if_or_with(self, node: nodes.Branch) -> None:
        expressions = self.expressions
        with expressions.scope.nested_scope():
            test = self._compile_pipeline(node.pipe).code
            builder = self.unit.builder
            dot = expressions.dot
            if node.control is nodes.Control.WITH:
                local = expressions.new_local()
                test = builder.assign_expression(local, test)
                expressions.dot = CompiledValue(builder.load_name(local))
            self._flush_text()
            body = self._compile_block(node.body)
            expressions.dot = dot
            otherwise = self._compile_block(node.else_body or ())
        self._emit(builder.if_statement(test, body, otherwise))

    def _compile_invocation(self, node: nodes.Invocation) -> None:
        """Compile ``{{template "name" pipeline}}``."""
        builder = self.expressions.builder_for(node)
        self.expressions.last_node = node
        if node.name not in self.names:
            reason = f"template {quote(node.name)} not defined"
            self._emit(builder.statement(self.expressions.emit_failure(builder, reason)))
            return
        value = self._compile_pipeline(node.pipe).code if node.pipe else builder.constant(None)
        self.unit.source_map.add(builder, ErrorSite(node))
        arguments = (
            value,
            builder.load_name("write"),
            builder.load_name("run"),
            builder.node(ast.BinOp, builder.load_name("depth"), ast.Add(), builder.constant(1)),
        )
        self._emit(builder.statement(builder.call(self.names[node.name], *arguments)))

    def _compile_range(self, node: nodes.Branch) -> None:
        """Compile ``{{range pipeline}}`` in a scope for its variables."""
        expressions = self.expressions
        with expressions.scope.nested_scope():
            value = expressions.compile_value(node.pipe)
            self._initialize_locals()
            builder = self.unit.builder.with_span(node.start, node.pipe.end)
            expressions.record_site(builder)
            container, items = expressions.new_local(), expressions.new_local()
            self._emit(builder.assign(container, value.code))
            setters = self._compile_range_variables(node, container, builder)
            visit = "pairs" if len(node.pipe.variables) > 1 else "elements"
            self._emit(builder.assign(items, builder.call(visit, builder.load_name(container))))
            loop = self._compile_loop(node, setters, container, items, builder)
            otherwise = self._compile_else(node)
        self._emit(
            builder.if_statement(builder.load_name(items), [loop], otherwise) if otherwise else loop
        )

    def _compile_range_variables(
        self, node: nodes.Branch, container: str, builder: AstBuilder
    ) -> list[_Setter]:
        """The setters of the variables of a range; their first value is the container."""
        scope, pipe = self.expressions.scope, node.pipe
        setters: list[_Setter] = []
        for variable in pipe.variables:
            if pipe.is_assignment:
                setters.append(partial(self.expressions.compile_assignment, variable))
            else:
                slot = scope.declare(variable.name, element=True)
                setters.append(partial(store_local, builder, slot))
        if pipe.is_assignment or node.else_body:
            for setter in setters:
                self._emit(builder.statement(setter(CompiledValue(builder.load_name(container)))))
        return setters

    def _compile_loop(
        self,
        node: nodes.Branch,
        setters: Sequence[_Setter],
        container: str,
        items: str,
        builder: AstBuilder,
    ) -> ast.For:
        expressions = self.expressions
        index, element = expressions.new_local(), expressions.new_local()
        outer_dot = expressions.dot
        expressions.dot = CompiledValue(builder.load_name(element), container)
        values = (CompiledValue(builder.load_name(index)), expressions.dot)[2 - len(setters) :]
        head = [builder.statement(set_(value)) for set_, value in zip(setters, values, strict=True)]
        self.break_flags.append(None)
        body = self._compile_block(node.body)
        self.break_flags.pop()
        expressions.dot = outer_dot
        targets = (index, element) if len(setters) > 1 else (element,)
        elements = builder.call_run("iterate", builder.load_name(items))
        return builder.for_loop(targets, elements, [*head, *body])

    def _compile_else(self, node: nodes.Branch) -> list[ast.stmt]:
        """Compile the else of a range; in Go, ``{{break}}`` there exits only the else."""
        if node.else_body is None:
            return []
        if not _contains_break(node.else_body):
            return self._compile_block(node.else_body)
        builder = self.expressions.builder_for(node)
        continues = self.expressions.new_local()
        self.break_flags.append(continues)
        body = self._compile_block(node.else_body)
        self.break_flags.pop()
        leave = builder.node(ast.Break)
        return [
            builder.assign(continues, builder.constant(False)),
            builder.node(ast.While, builder.constant(True), [*body, leave], []),
            builder.if_statement(builder.load_name(continues), self._compile_continue(builder), []),
        ]

    def _compile_continue(self, builder: AstBuilder) -> list[ast.stmt]:
        """Compile ``{{continue}}``; inside the else of a range, exit the else first."""
        leaves = self.break_flags[-1]
        if leaves is None:
            return [builder.node(ast.Continue)]
        return [builder.assign(leaves, builder.constant(True)), builder.node(ast.Break)]

    def _compile_pipeline(self, pipe: nodes.Pipe) -> CompiledValue:
        value = self.expressions.compile_pipeline(pipe)
        self._initialize_locals()
        return value

    def _initialize_locals(self) -> None:
        """Initialize the variables that can stay undeclared, before their first use."""
        slots = self.expressions.scope.all_slots
        builder = self.unit.builder
        for slot in slots[self.initialized_count :]:
            if slot.may_be_undeclared:
                self.body.append(builder.assign(slot.local, builder.load_name("UNDECLARED")))
                if slot.container_local:
                    self.body.append(builder.assign(slot.container_local, builder.constant(None)))
        self.initialized_count = len(slots)

    def _emit(self, *statements: ast.stmt) -> None:
        self._flush_text()
        self.body.extend(statements)

    def _flush_text(self) -> None:
        """Write the text since the last statement."""
        if self.pending_text:
            builder = self.unit.builder
            write = builder.call("write", builder.join(self.pending_text))
            self.body.append(builder.statement(write))
            self.pending_text.clear()


def _contains_break(statements: nodes.Nodes) -> bool:
    """Whether the statements contain a ``{{break}}`` outside inner ranges."""
    return any(
        (isinstance(node, nodes.Jump) and node.keyword == "break")
        or (
            isinstance(node, nodes.Branch)
            and node.control is not nodes.Control.RANGE
            and (_contains_break(node.body) or _contains_break(node.else_body or ()))
        )
        for node in statements
    )
