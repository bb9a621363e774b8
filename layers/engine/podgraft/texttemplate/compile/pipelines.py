"""Pipelines as Python expressions (text/template/exec.go: evalPipeline and what it calls).

Go evaluates from left to right, what is piped before what it is piped into, and so does the code.
``last`` follows Go's mark of the node being evaluated, which is the one to blame for a fault.
"""

import ast
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import pairwise
from typing import TypeAlias, assert_never

from podgraft.go.reflect import ANY, GoType
from podgraft.lazy_dataclass import dataclass
from podgraft.texttemplate.errors import ExecutionError
from podgraft.texttemplate.functions import REFLECT_VALUE, Function, arity_error, parameter_type
from podgraft.texttemplate.parse import nodes
from podgraft.texttemplate.run.arguments import convert_constant

from .ast_builder import AstBuilder, Expression
from .compilation_unit import (
    CompilationUnit,
    CompiledValue,
    FunctionCall,
    StaticFailure,
    provenance_args,
    store_local,
)
from .scopes import Scope
from .source_map import ErrorNode, ErrorSite, ShortCircuit

_UNTYPED_PARAMETERS = (ANY, REFLECT_VALUE)  # types whose parameters take a value as it is
_LITERAL_TYPES = (str, int, float, complex, bool, type(None))
_SHORT_CIRCUITS: dict[str, ast.boolop] = {"and": ast.And(), "or": ast.Or()}
_COMPARISONS: dict[str, ast.cmpop] = {"eq": ast.Eq(), "ne": ast.NotEq()}

Path: TypeAlias = nodes.Field | nodes.Variable | nodes.Chain


@dataclass(slots=True)
class PipelineCompiler:
    """Compiles the pipelines of one template."""

    unit: CompilationUnit
    template_name: str
    scope: Scope
    dot: CompiledValue
    last_node: ErrorNode
    local_count: int = 0

    def compile_pipeline(self, pipe: nodes.Pipe) -> CompiledValue:
        """The value of ``pipe``, kept in the variable that it declares or assigns."""
        value = self.compile_value(pipe)
        if not pipe.variables:
            return value
        variable = pipe.variables[0]  # there are two in a range only
        if pipe.is_assignment:
            return CompiledValue(self.compile_assignment(variable, value))
        pen = self.builder_for(variable.start, variable.end)
        return CompiledValue(store_local(pen, self.scope.declare(variable.name), value))

    def compile_value(self, pipe: nodes.Pipe) -> CompiledValue:
        """The value of ``pipe``, whatever it declares, and no longer of an interface type."""
        self.last_node = pipe
        first = pipe.commands[0]
        value = CompiledValue(self._compile_command(first, None, first.start).code)
        for before, command in pairwise(pipe.commands):
            value = CompiledValue(self._compile_command(command, value, before.start).code)
        return value

    def compile_assignment(self, variable: nodes.Variable, value: CompiledValue) -> Expression:
        """``$x = value``, to the innermost $x that was declared."""
        pen = self.builder_for(variable.start, variable.end)
        slots = self.scope.find(variable.name)
        if len(slots) == 1 and not slots[0].may_be_undeclared:
            return store_local(pen, slots[0], value)
        local = self.new_local()
        given = CompiledValue(pen.load_name(local), value.container)
        code = self._fail_undefined(pen, variable.name, conditional=bool(slots))
        for slot in reversed(slots):
            sure = pen.compare_identity(slot.local, "UNDECLARED")
            setting = store_local(pen, slot, given)
            code = (
                pen.conditional_expression(sure, setting, code)
                if slot.may_be_undeclared
                else setting
            )
        return pen.sequence_expression(pen.assign_expression(local, value.code), code)

    def _fail_undefined(self, pen: AstBuilder, name: str, *, conditional: bool) -> Expression:
        reason = f"undefined variable: {name}"
        return self._emit_fail_call(pen, reason) if conditional else self.emit_failure(pen, reason)

    def new_local(self) -> str:
        """A new local name."""
        self.local_count += 1
        return f"t{self.local_count}"

    def builder_for(self, start: int, end: int) -> AstBuilder:
        """A pen for a span of the template."""
        return self.unit.pen.with_span(start, end)

    def record_site(self, pen: AstBuilder, call: nodes.Node | None = None, name: str = "") -> None:
        """What fails where ``pen`` writes is the fault of what was evaluated last."""
        self.unit.source_map.add(pen, ErrorSite(self.last_node, call, name))

    def emit_failure(self, pen: AstBuilder, reason: str) -> Expression:
        """Code that fails, if it is reached: a dead end of the template."""
        node = (
            self.last_node.any_node if isinstance(self.last_node, ShortCircuit) else self.last_node
        )
        self.unit.static_failures.append(StaticFailure(reason, self.template_name, node))
        return self._emit_fail_call(pen, reason)

    def _emit_fail_call(self, pen: AstBuilder, reason: str) -> Expression:
        self.record_site(pen)
        return pen.call("fail", pen.constant(reason))

    # Commands and operands

    def _compile_command(
        self, command: nodes.Command, piped: CompiledValue | None, start: int
    ) -> CompiledValue:
        """A command with what was piped into it, from a command that began at ``start``."""
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
                pen = self.builder_for(first.start, first.end)
                fault = self.emit_failure(pen, f"can't give argument to non-function {first}")
                return CompiledValue(pen.sequence_expression(piped.code, fault) if piped else fault)

    def _compile_operand(
        self, node: nodes.Operand, *, with_provenance: bool = False
    ) -> CompiledValue:
        """The value of an operand that nothing is handed to; if ``traced``, with its origin."""
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
                return CompiledValue(
                    self.emit_failure(
                        self.builder_for(node.start, node.end), "nil is not a command"
                    )
                )
            case nodes.Bool() | nodes.Number() | nodes.String():
                return self._compile_constant(node, REFLECT_VALUE)
            case _:
                assert_never(node)

    def _compile_constant(self, node: nodes.Constant, wanted: GoType) -> CompiledValue:
        self.last_node = node
        try:
            value = convert_constant(node, wanted)
        except ExecutionError as fault:
            return CompiledValue(
                self.emit_failure(self.builder_for(node.start, node.end), str(fault))
            )
        pen = self.unit.pen  # wherever it stands: to read a constant cannot fail
        if value.__class__ in _LITERAL_TYPES:
            return CompiledValue(pen.constant(value))
        return CompiledValue(pen.load_name(self.unit.global_name(value)))

    def _compile_variable(self, node: nodes.Variable) -> CompiledValue:
        slots = self.scope.find(node.name)
        if len(slots) == 1 and not slots[0].may_be_undeclared:
            return CompiledValue(self.unit.pen.load_name(slots[0].local), slots[0].container_local)
        pen = self.builder_for(node.start, node.start + len(node.name))
        if not slots:
            return CompiledValue(self._fail_undefined(pen, node.name, conditional=False))
        self.record_site(pen)
        values = (pen.load_name(slot.local) for slot in slots)
        return CompiledValue(pen.call("declared", pen.constant(node.name), *values))

    # Fields and methods

    def _compile_fields(
        self,
        node: Path,
        arguments: Sequence[nodes.Operand] = (),
        piped: CompiledValue | None = None,
        *,
        traced: bool = False,
    ) -> CompiledValue:
        """``.a.b``, ``$x.a``, ``(pipe).a``; the last name may be a method with arguments.

        Only what is ``traced`` knows its origin, and costs a call for each name.
        """
        if piped and not isinstance(piped.code, ast.Constant | ast.Name):
            pen = self.builder_for(node.start, node.end)
            local = self.new_local()
            code = self._compile_fields(node, arguments, CompiledValue(pen.load_name(local))).code
            return CompiledValue(
                pen.sequence_expression(pen.assign_expression(local, piped.code), code)
            )
        receiver = self._compile_receiver(node)
        if arguments or piped:
            owner = self._compile_steps(node, receiver, node.names[:-1])
            return self._compile_method(node, owner, arguments, piped)
        if traced:
            return self._compile_steps(node, receiver, node.names)
        return CompiledValue(self._compile_path(node, receiver, node.names))

    def _compile_receiver(self, node: Path) -> CompiledValue:
        """What the first of the fields is a field of."""
        self.last_node = node
        match node:
            case nodes.Field():
                return self.dot
            case nodes.Variable():
                return self._compile_variable(node)
            case nodes.Chain():
                return self._compile_operand(node.node)

    def _compile_path(
        self, node: Path, receiver: CompiledValue, names: tuple[str, ...], *wanted: Expression
    ) -> Expression:
        """``receiver.name.name``, as an argument of a type if one is ``wanted``."""
        pen = self.builder_for(node.start, node.end)
        self.record_site(pen, node, node.names[-1])
        origin = provenance_args(pen, receiver)
        if origin and not wanted:
            wanted = (pen.constant(None),)
        return pen.call("path", receiver.code, pen.constant_tuple(names), *wanted, *origin)

    def _compile_steps(
        self, node: Path, receiver: CompiledValue, names: tuple[str, ...]
    ) -> CompiledValue:
        """The same a name at a time, so that what it came out of is at hand."""
        pen = self.builder_for(node.start, node.end)
        for name in names:
            local, first = self.bind_local(pen, receiver)
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
        """``receiver.name arguments…``: what the method takes is known only when it runs."""
        pen = self.builder_for(node.start, node.end)
        self.record_site(pen, node, node.names[-1])
        local, first = self.bind_local(pen, receiver)
        key = pen.constant(node.names[-1])
        counts = (pen.constant(len(arguments)), pen.constant(piped is not None))
        found = pen.call("method", first, key, *counts, *provenance_args(pen, receiver))
        bound = self.new_local()
        before = self.last_node
        with self.scope.conditional_scope():
            codes = [self._compile_method_argument(bound, *each) for each in enumerate(arguments)]
        if piped:
            end = arguments[-1].end if arguments else node.end
            codes.append(
                self._pass_argument(bound, len(arguments), piped, self.builder_for(node.start, end))
            )
        called = pen.call("invoke", pen.load_name(bound), *codes)
        code = pen.boolean_operation(ast.And(), (pen.assign_expression(bound, found), called))
        self.last_node = ShortCircuit(code, [before, self.last_node], self.new_local(), pen)
        return CompiledValue(code, local, node.names[-1])

    def _compile_method_argument(self, bound: str, at: int, node: nodes.Operand) -> Expression:
        """An argument of a method; a constant becomes what the parameter wants."""
        pen = self.builder_for(node.start, node.end)
        if not isinstance(node, nodes.Constant):
            return self._pass_argument(
                bound, at, self._compile_operand(node, with_provenance=True), pen
            )
        self.last_node = node
        self.record_site(pen)
        constant = pen.load_name(self.unit.global_name(node))
        return pen.call("constant", pen.load_name(bound), pen.constant(at), constant)

    def _pass_argument(
        self, bound: str, at: int, value: CompiledValue, pen: AstBuilder
    ) -> Expression:
        self.record_site(pen)
        place = pen.constant(at)
        return pen.call(
            "argument", pen.load_name(bound), place, value.code, *provenance_args(pen, value)
        )

    # Functions

    def _compile_function(self, node: nodes.Identifier, call: FunctionCall) -> CompiledValue:
        """``name arguments…``."""
        self.last_node = node
        function = self.unit.functions[call.name]
        pen = self.builder_for(call.node.start, call.node.end)
        given, piped = len(call.arguments), call.piped is not None
        fault = arity_error(call.name, function, given=given, piped=piped)
        if fault:
            code = self.emit_failure(pen, fault)
            return CompiledValue(
                pen.sequence_expression(call.piped.code, code) if call.piped else code
            )
        if call.piped and not self._evaluates_in_order(function, call):
            local = self.new_local()
            before = pen.assign_expression(local, call.piped.code)
            call = replace(call, piped=CompiledValue(pen.load_name(local)))
            return CompiledValue(
                pen.sequence_expression(before, self._compile_call(function, call, pen))
            )
        holder = self.unit.global_name(function.result) if function.result is ANY else None
        return CompiledValue(self._compile_call(function, call, pen), holder)

    def _evaluates_in_order(self, function: Function, call: FunctionCall) -> bool:
        """Whether it does not matter that Python evaluates the piped argument after the others."""
        if not call.arguments:
            return True
        if self.unit.is_builtin(call.name) and call.name in _SHORT_CIRCUITS:
            return False
        return all(
            isinstance(node, nodes.Constant) and _is_convertible(node, parameter_type(function, at))
            for at, node in enumerate(call.arguments)
        )

    def _compile_call(self, function: Function, call: FunctionCall, pen: AstBuilder) -> Expression:
        """The call, or what a builtin is in Python: Go's truth is Python's, so is its equality."""
        builtin = call.name if self.unit.is_builtin(call.name) else ""
        if builtin in _SHORT_CIRCUITS:
            return self._compile_short_circuit(_SHORT_CIRCUITS[builtin], call, pen)
        arguments = self._compile_arguments(function, call)
        codes = [argument.code for argument in arguments]
        self.record_site(pen, call.node, call.name)
        if builtin == "not":
            return pen.negation(codes[0])
        if builtin == "call":
            codes.insert(0, pen.constant(str(call.arguments[0]) if call.arguments else None))
        made = pen.call(self.unit.global_name(function.call), *codes)
        if function.wants_interfaces:
            told = [pen.call("is_interface", *provenance_args(pen, each)) for each in arguments]
            made.keywords.append(ast.keyword("interfaces", pen.tuple(told), **pen.place))
        if function.uses_dot:
            made.keywords.append(ast.keyword("state", pen.load_name("run"), **pen.place))
        if builtin in _COMPARISONS:
            return self._compile_comparison(_COMPARISONS[builtin], made, pen)
        return self._compile_copy(made, pen) if function.result is ANY else made

    def _compile_copy(self, value: Expression, pen: AstBuilder) -> Expression:
        """The value that a function returns: structs are copied, without a call for others."""
        local, first = self.bind_local(pen, CompiledValue(value))
        copy = pen.call("copied", pen.load_name(local))
        is_struct = pen.compare_class(first, "Struct")
        return pen.conditional_expression(is_struct, copy, pen.load_name(local))

    def _compile_comparison(
        self, operator: ast.cmpop, call: ast.Call, pen: AstBuilder
    ) -> Expression:
        """``eq x "text"``, which most comparisons are, without a call if x is a string."""
        codes = call.args
        for at, constant in enumerate(codes):
            is_text = isinstance(constant, ast.Constant) and isinstance(constant.value, str)
            if is_text and len(codes) == 2:  # noqa: PLR2004 - two sides
                local, first = self.bind_local(pen, CompiledValue(codes[1 - at]))
                codes[1 - at] = pen.load_name(local)
                same = pen.compare(pen.load_name(local), operator, constant)
                return pen.conditional_expression(pen.compare_class(first, "str"), same, call)
        return call

    def _compile_short_circuit(
        self, operator: ast.boolop, call: FunctionCall, pen: AstBuilder
    ) -> Expression:
        """``and`` and ``or``, which evaluate no more arguments than they must."""
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
        code = pen.boolean_operation(operator, codes)
        self.last_node = ShortCircuit(code, last, self.new_local(), pen)
        return code

    def _compile_arguments(self, function: Function, call: FunctionCall) -> list[CompiledValue]:
        codes = [
            self._compile_argument(
                node, parameter_type(function, at), traced=function.wants_interfaces
            )
            for at, node in enumerate(call.arguments)
        ]
        if call.piped:
            wanted = parameter_type(function, len(call.arguments))
            codes.append(self._compile_conversion(call.piped, wanted, call.start, call.node.end))
        return codes

    def _compile_argument(
        self, node: nodes.Operand, wanted: GoType, *, traced: bool = False
    ) -> CompiledValue:
        """An operand as an argument of the type ``wanted`` (evalArg)."""
        if isinstance(node, nodes.Constant):
            return self._compile_constant(node, wanted)
        if wanted not in _UNTYPED_PARAMETERS and isinstance(node, Path) and node.names:
            receiver = self._compile_receiver(node)
            type_ = self.unit.pen.load_name(self.unit.global_name(wanted))
            return CompiledValue(self._compile_path(node, receiver, node.names, type_))
        return self._compile_conversion(
            self._compile_operand(node, with_provenance=traced), wanted, node.start, node.end
        )

    def _compile_conversion(
        self, value: CompiledValue, wanted: GoType, start: int, end: int
    ) -> CompiledValue:
        """``value`` after validateType."""
        if wanted in _UNTYPED_PARAMETERS:
            return value
        pen = self.builder_for(start, end)
        self.record_site(pen)
        type_ = pen.load_name(self.unit.global_name(wanted))
        return CompiledValue(pen.call("converted", value.code, type_, *provenance_args(pen, value)))

    def bind_local(self, pen: AstBuilder, value: CompiledValue) -> tuple[str, Expression]:
        """The name of a local with the value, and code for its first use."""
        if isinstance(value.code, ast.Name):
            return value.code.id, value.code
        local = self.new_local()
        return local, pen.assign_expression(local, value.code)


def _is_convertible(node: nodes.Constant, wanted: GoType) -> bool:
    try:
        convert_constant(node, wanted)
    except ExecutionError:
        return False
    return True
