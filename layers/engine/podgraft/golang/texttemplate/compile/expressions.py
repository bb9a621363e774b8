"""The state of the compiler in one template, and the expressions that contain no pipeline."""

import ast

import msgspec

from podgraft.golang.reflect import ANY, GoType
from podgraft.golang.texttemplate.functions import REFLECT_VALUE
from podgraft.golang.texttemplate.parse import nodes

from .ast_builder import AstBuilder, Expression
from .compilation_unit import (
    CompilationUnit,
    CompiledValue,
    Scope,
    StaticFailure,
    provenance_args,
    store_local,
)
from .source_map import ErrorNode, ErrorSite, ShortCircuit

UNTYPED_PARAMETERS = (ANY, REFLECT_VALUE)  # parameters of these types accept any value unchanged


class ExpressionCompiler(msgspec.Struct):
    """The state of one template: its scope, its dot, and the last evaluated node."""

    unit: CompilationUnit
    template_name: str
    scope: Scope
    dot: CompiledValue
    last_node: ErrorNode
    local_count: int = 0

    def new_local(self) -> str:
        """Return a new local name."""
        self.local_count += 1
        return f"t{self.local_count}"

    def builder_for(self, node: nodes.Node) -> AstBuilder:
        """Return a builder for the span of a node."""
        return self.unit.builder.with_span(node.start, node.end)

    def record_site(
        self, builder: AstBuilder, call: nodes.Node | None = None, name: str = ""
    ) -> None:
        """Record that the last evaluated node causes the errors of the code of ``builder``."""
        self.unit.source_map.add(builder, ErrorSite(self.last_node, call, name))

    def emit_failure(
        self, builder: AstBuilder, reason: str, *, is_static: bool = True
    ) -> Expression:
        """Emit code that fails when it runs; a static failure is recorded, as it always does."""
        last = self.last_node
        if is_static:
            node = last.any_node if isinstance(last, ShortCircuit) else last
            self.unit.static_failures.append(StaticFailure(reason, self.template_name, node))
        self.record_site(builder)
        return builder.call("fail", builder.constant(reason))

    def compile_assignment(self, variable: nodes.Variable, value: CompiledValue) -> Expression:
        """Compile ``$x = value``, which assigns to the innermost declared $x."""
        builder = self.builder_for(variable)
        slots = self.scope.find(variable.name)
        if len(slots) == 1 and not slots[0].may_be_undeclared:
            return store_local(builder, slots[0], value)
        local = self.new_local()
        assigned = CompiledValue(builder.load_name(local), value.container)
        reason = f"undefined variable: {variable.name}"
        code = self.emit_failure(builder, reason, is_static=not slots)
        for slot in reversed(slots):
            setting = store_local(builder, slot, assigned)
            if slot.may_be_undeclared:
                now, undeclared = builder.load_name(slot.local), builder.load_name("UNDECLARED")
                is_declared = builder.node(ast.Compare, now, [ast.IsNot()], [undeclared])
                setting = builder.node(ast.IfExp, is_declared, setting, code)
            code = setting
        return builder.sequence_expression(builder.assign_expression(local, value.code), code)

    def compile_copy(self, value: Expression, builder: AstBuilder) -> Expression:
        """The value that a function returns: structs are copied, without a call for others."""
        local, first = self.bind_local(builder, CompiledValue(value))
        copy = builder.call("copied", builder.load_name(local))
        is_struct = builder.compare_class(first, "Struct")
        return builder.node(ast.IfExp, is_struct, copy, builder.load_name(local))

    def compile_comparison(
        self, operator: ast.cmpop, call: ast.Call, builder: AstBuilder
    ) -> Expression:
        """Compile ``eq x "text"``, the most frequent comparison; strings need no call."""
        codes = call.args
        for index, constant in enumerate(codes):
            is_text = isinstance(constant, ast.Constant) and isinstance(constant.value, str)
            if is_text and len(codes) == 2:  # noqa: PLR2004 - two sides
                local, first = self.bind_local(builder, CompiledValue(codes[1 - index]))
                codes[1 - index] = builder.load_name(local)
                same = builder.node(ast.Compare, codes[1 - index], [operator], [constant])
                return builder.node(ast.IfExp, builder.compare_class(first, "str"), same, call)
        return call

    def compile_conversion(
        self, value: CompiledValue, expected: GoType, start: int, end: int
    ) -> CompiledValue:
        """Compile the conversion of ``value`` (validateType)."""
        if expected in UNTYPED_PARAMETERS:
            return value
        builder = self.unit.builder.with_span(start, end)
        self.record_site(builder)
        type_ = builder.load_name(self.unit.global_name(expected))
        return CompiledValue(
            builder.call("converted", value.code, type_, *provenance_args(builder, value))
        )

    def bind_local(self, builder: AstBuilder, value: CompiledValue) -> tuple[str, Expression]:
        """Return the name of a local with the value, and code for its first use."""
        if isinstance(value.code, ast.Name):
            return value.code.id, value.code
        local = self.new_local()
        return local, builder.assign_expression(local, value.code)
