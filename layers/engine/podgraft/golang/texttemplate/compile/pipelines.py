"""The compiler from pipelines to Python expressions (text/template/exec.go: evalPipeline).

As in Go, the code evaluates from left to right, and a piped value before the command that receives
it. ``last_node`` mirrors Go's record of the evaluated node, which is the location of an error.
"""

import ast
from collections.abc import Sequence
from contextlib import nullcontext
from itertools import pairwise
from typing import TypeAlias, assert_never

from msgspec.structs import replace

from podgraft.golang.reflect import ANY, GoType
from podgraft.golang.texttemplate.errors import ExecutionError
from podgraft.golang.texttemplate.functions import (
    REFLECT_VALUE,
    Function,
    arity_error,
    parameter_type,
)
from podgraft.golang.texttemplate.parse import nodes
from podgraft.golang.texttemplate.run.arguments import convert_constant

from .ast_builder import AstBuilder, Expression
from .compilation_unit import CompiledValue, FunctionCall, provenance_args, store_local
from .expressions import UNTYPED_PARAMETERS, ExpressionCompiler
from .source_map import ErrorNode, ShortCircuit

_LITERAL_TYPES = (str, int, float, complex, bool, type(None))
_SHORT_CIRCUITS: dict[str, ast.boolop] = {"and": ast.And(), "or": ast.Or()}
_COMPARISONS: dict[str, ast.cmpop] = {"eq": ast.Eq(), "ne": ast.NotEq()}

Path: TypeAlias = nodes.Field | nodes.Variable | nodes.Chain


class PipelineCompiler(ExpressionCompiler):
    """The compiler of the pipelines of one template."""

    def compile_pipeline(self, pipe: nodes.Pipe) -> CompiledValue:
        """Compile the value of ``pipe``, and store it in the variable that ``pipe`` names."""
        value = self.compile_value(pipe)
        if not pipe.variables:
            return value
        variable = pipe.variables[0]  # only a range has two
        if pipe.is_assignment:
            return CompiledValue(self.compile_assignment(variable, value))
        builder = self.builder_for(variable)
        return CompiledValue(store_local(builder, self.scope.declare(variable.name), value))

    def compile_value(self, pipe: nodes.Pipe) -> CompiledValue:
        """Compile the value of ``pipe`` without its variables; the value has no interface type."""
        self.last_node = pipe
        first = pipe.commands[0]
        value = CompiledValue(self._compile_command(first, None, first.start).code)
        for before, command in pairwise(pipe.commands):
            value = CompiledValue(self._compile_command(command, value, before.start).code)
        return value

    # Commands and operands

    def _compile_command(
        self, command: nodes.Command, piped: CompiledValue | None, start: int
    ) -> CompiledValue:
        """Compile a command with the piped value of a command that starts at ``start``."""
        first, *rest = command.operands
        arguments = tuple(rest)
        match first:
            case nodes.Identifier():
                return self._compile_function(
                    first, FunctionCall(command, first.name, arguments, piped, start)
                )
            case nodes.Field() | nodes.Chain():
                return self._compile_fields(first, arguments, piped)
            case nodes.Variable() if first.names:
                return self._compile_fields(first, arguments, piped)
            case _:
                if not isinstance(first, nodes.Pipe):
                    self.last_node = first
                if not (arguments or piped):
                    return self._compile_operand(first)
                return self._compile_failure(
                    first, f"can't give argument to non-function {first}", piped
                )

    def _compile_operand(
        self, node: nodes.Operand, *, with_provenance: bool = False
    ) -> CompiledValue:
        """Compile an operand without arguments; ``with_provenance`` adds its container and key."""
        self.last_node = node
        match node:
            case nodes.Dot():
                return self.dot
            case nodes.Field() | nodes.Chain():
                return self._compile_fields(node, traced=with_provenance)
            case nodes.Variable() if node.names:
                return self._compile_fields(node, traced=with_provenance)
            case nodes.Variable():
                return self._compile_variable(node)
            case nodes.Identifier():
                return self._compile_function(node, FunctionCall(node, node.name))
            case nodes.Pipe():
                return self.compile_pipeline(node)
            case nodes.Nil():
                return self._compile_failure(node, "nil is not a command")
            case nodes.Bool() | nodes.Number() | nodes.String():
                return self._compile_constant(node, REFLECT_VALUE)
            case _:
                assert_never(node)

    def _compile_failure(
        self, node: nodes.Node, reason: str, piped: CompiledValue | None = None
    ) -> CompiledValue:
        """Compile what always fails, after it evaluated the piped value."""
        builder = self.builder_for(node)
        code = self.emit_failure(builder, reason)
        return CompiledValue(builder.sequence_expression(piped.code, code) if piped else code)

    def _compile_constant(self, node: nodes.Constant, expected: GoType) -> CompiledValue:
        self.last_node = node
        try:
            value = convert_constant(node, expected)
        except ExecutionError as failure:
            return self._compile_failure(node, str(failure))
        builder = self.unit.builder  # at any location, because a constant cannot fail
        if value.__class__ in _LITERAL_TYPES:
            return CompiledValue(builder.constant(value))
        return CompiledValue(builder.load_name(self.unit.global_name(value)))

    def _compile_variable(self, node: nodes.Variable) -> CompiledValue:
        slots = self.scope.find(node.name)
        if len(slots) == 1 and not slots[0].may_be_undeclared:
            return CompiledValue(
                self.unit.builder.load_name(slots[0].local), slots[0].container_local
            )
        builder = self.unit.builder.with_span(node.start, node.start + len(node.name))
        if not slots:
            return CompiledValue(self.emit_failure(builder, f"undefined variable: {node.name}"))
        self.record_site(builder)
        values = (builder.load_name(slot.local) for slot in slots)
        return CompiledValue(builder.call("declared", builder.constant(node.name), *values))

    # Fields and methods

    def _compile_fields(
        self,
        node: Path,
        arguments: Sequence[nodes.Operand] = (),
        piped: CompiledValue | None = None,
        *,
        traced: bool = False,
    ) -> CompiledValue:
        """Compile ``.a.b``, ``$x.a``, or ``(pipe).a``; the last name can be a method.

        ``traced`` adds the container and key, which costs one call for each name.
        """
        if piped and not isinstance(piped.code, ast.Constant | ast.Name):
            builder = self.builder_for(node)
            local = self.new_local()
            code = self._compile_fields(
                node, arguments, CompiledValue(builder.load_name(local))
            ).code
            return CompiledValue(
                builder.sequence_expression(builder.assign_expression(local, piped.code), code)
            )
        receiver = self._compile_receiver(node)
        if arguments or piped:
            owner = self._compile_steps(node, receiver, node.names[:-1])
            return self._compile_method(node, owner, arguments, piped)
        if traced:
            return self._compile_steps(node, receiver, node.names)
        return CompiledValue(self._compile_path(node, receiver, node.names))

    def _compile_receiver(self, node: Path) -> CompiledValue:
        """Compile the value that contains the first field."""
        self.last_node = node
        match node:
            case nodes.Field():
                return self.dot
            case nodes.Variable():
                return self._compile_variable(node)
            case nodes.Chain():
                return self._compile_operand(node.node)

    def _compile_path(
        self, node: Path, receiver: CompiledValue, names: tuple[str, ...], *expected: Expression
    ) -> Expression:
        """Compile ``receiver.name.name``, as an argument of the type ``expected`` if it is set."""
        builder = self.builder_for(node)
        self.record_site(builder, node, node.names[-1])
        origin = provenance_args(builder, receiver)
        if origin and not expected:
            expected = (builder.constant(None),)
        return builder.call("path", receiver.code, builder.constant(names), *expected, *origin)

    def _compile_steps(
        self, node: Path, receiver: CompiledValue, names: tuple[str, ...]
    ) -> CompiledValue:
        """Compile ``receiver.name.name`` in steps of one name, so the container is available."""
        builder = self.builder_for(node)
        for name in names:
            local, first = self.bind_local(builder, receiver)
            owner = CompiledValue(first, receiver.container, receiver.key)
            receiver = CompiledValue(self._compile_path(node, owner, (name,)), local, name)
        return receiver

    def _compile_method(
        self,
        node: Path,
        receiver: CompiledValue,
        arguments: Sequence[nodes.Operand],
        piped: CompiledValue | None,
    ) -> CompiledValue:
        """Compile ``receiver.name arguments…``; only execution determines the method."""
        builder = self.builder_for(node)
        self.record_site(builder, node, node.names[-1])
        local, first = self.bind_local(builder, receiver)
        key = builder.constant(node.names[-1])
        counts = (builder.constant(len(arguments)), builder.constant(piped is not None))
        lookup = builder.call("method", first, key, *counts, *provenance_args(builder, receiver))
        bound = self.new_local()
        before = self.last_node
        with self.scope.conditional_scope():
            codes = [self._compile_method_argument(bound, *item) for item in enumerate(arguments)]
        if piped:
            end = arguments[-1].end if arguments else node.end
            place = self.unit.builder.with_span(node.start, end)
            codes.append(self._pass_argument(bound, len(arguments), piped, place))
        invocation = builder.call("invoke", builder.load_name(bound), *codes)
        found = builder.assign_expression(bound, lookup)
        code = builder.node(ast.BoolOp, ast.And(), [found, invocation])
        self.last_node = ShortCircuit(code, [before, self.last_node], self.new_local(), builder)
        return CompiledValue(code, local, node.names[-1])

    def _compile_method_argument(self, bound: str, index: int, node: nodes.Operand) -> Expression:
        """Compile an argument of a method; a constant is converted to the parameter's type."""
        builder = self.builder_for(node)
        if not isinstance(node, nodes.Constant):
            return self._pass_argument(
                bound, index, self._compile_operand(node, with_provenance=True), builder
            )
        self.last_node = node
        self.record_site(builder)
        constant = builder.load_name(self.unit.global_name(node))
        return builder.call("constant", builder.load_name(bound), builder.constant(index), constant)

    def _pass_argument(
        self, bound: str, index: int, value: CompiledValue, builder: AstBuilder
    ) -> Expression:
        self.record_site(builder)
        position = builder.constant(index)
        return builder.call(
            "argument",
            builder.load_name(bound),
            position,
            value.code,
            *provenance_args(builder, value),
        )

    # Functions

    def _compile_function(self, node: nodes.Identifier, call: FunctionCall) -> CompiledValue:
        """Compile ``name arguments…``."""
        self.last_node = node
        function = self.unit.functions[call.name]
        builder = self.builder_for(call.node)
        argument_count, piped = len(call.arguments), call.piped is not None
        failure = arity_error(call.name, function, argument_count=argument_count, piped=piped)
        if failure:
            return self._compile_failure(call.node, failure, call.piped)
        if call.piped and not self._evaluates_in_order(function, call):
            local = self.new_local()
            before = builder.assign_expression(local, call.piped.code)
            call = replace(call, piped=CompiledValue(builder.load_name(local)))
            return CompiledValue(
                builder.sequence_expression(before, self._compile_call(function, call, builder))
            )
        container = self.unit.global_name(function.result) if function.result is ANY else None
        return CompiledValue(self._compile_call(function, call, builder), container)

    def _evaluates_in_order(self, function: Function, call: FunctionCall) -> bool:
        """Whether Python can evaluate the piped argument after the others without a difference."""
        if not call.arguments:
            return True
        if self.unit.is_builtin(call.name) and call.name in _SHORT_CIRCUITS:
            return False
        return all(
            isinstance(node, nodes.Constant)
            and _is_convertible(node, parameter_type(function, index))
            for index, node in enumerate(call.arguments)
        )

    def _compile_call(
        self, function: Function, call: FunctionCall, builder: AstBuilder
    ) -> Expression:
        """Compile the call, or a builtin as a Python operator with the same truth and equality."""
        builtin = call.name if self.unit.is_builtin(call.name) else ""
        if builtin in _SHORT_CIRCUITS:
            return self._compile_short_circuit(_SHORT_CIRCUITS[builtin], call, builder)
        arguments = self._compile_arguments(function, call)
        codes = [argument.code for argument in arguments]
        self.record_site(builder, call.node, call.name)
        if builtin == "not":
            return builder.node(ast.UnaryOp, ast.Not(), codes[0])
        if builtin == "call":
            codes.insert(0, builder.constant(str(call.arguments[0]) if call.arguments else None))
        python_call = builder.call(self.unit.global_name(function.call), *codes)
        if function.wants_interfaces:
            interfaces = [
                builder.call("is_interface", *provenance_args(builder, operand))
                for operand in arguments
            ]
            keyword = builder.node(ast.keyword, "interfaces", builder.tuple(interfaces))
            python_call.keywords.append(keyword)
        if function.uses_dot:
            state = builder.node(ast.keyword, "state", builder.load_name("run"))
            python_call.keywords.append(state)
        if builtin in _COMPARISONS:
            return self.compile_comparison(_COMPARISONS[builtin], python_call, builder)
        if function.result is ANY:
            return self.compile_copy(python_call, builder)
        return python_call

    def _compile_short_circuit(
        self, operator: ast.boolop, call: FunctionCall, builder: AstBuilder
    ) -> Expression:
        """Compile ``and`` and ``or``, which evaluate only the arguments that they need."""
        codes: list[Expression] = []
        last: list[ErrorNode] = []
        for argument in call.arguments:
            with self.scope.conditional_scope() if codes else nullcontext():
                codes.append(self._compile_argument(argument, REFLECT_VALUE).code)
            last.append(self.last_node)
        if call.piped:
            codes.append(call.piped.code)
            last.append(self.last_node)
        if len(codes) == 1:
            return codes[0]
        code = builder.node(ast.BoolOp, operator, codes)
        self.last_node = ShortCircuit(code, last, self.new_local(), builder)
        return code

    def _compile_arguments(self, function: Function, call: FunctionCall) -> list[CompiledValue]:
        codes = [
            self._compile_argument(
                node, parameter_type(function, index), traced=function.wants_interfaces
            )
            for index, node in enumerate(call.arguments)
        ]
        if call.piped:
            expected = parameter_type(function, len(call.arguments))
            codes.append(self.compile_conversion(call.piped, expected, call.start, call.node.end))
        return codes

    def _compile_argument(
        self, node: nodes.Operand, expected: GoType, *, traced: bool = False
    ) -> CompiledValue:
        """Compile an operand as an argument of the type ``expected`` (evalArg)."""
        if isinstance(node, nodes.Constant):
            return self._compile_constant(node, expected)
        if expected not in UNTYPED_PARAMETERS and isinstance(node, Path) and node.names:
            receiver = self._compile_receiver(node)
            type_ = self.unit.builder.load_name(self.unit.global_name(expected))
            return CompiledValue(self._compile_path(node, receiver, node.names, type_))
        return self.compile_conversion(
            self._compile_operand(node, with_provenance=traced), expected, node.start, node.end
        )


def _is_convertible(node: nodes.Constant, expected: GoType) -> bool:
    try:
        convert_constant(node, expected)
    except ExecutionError:
        return False
    return True
