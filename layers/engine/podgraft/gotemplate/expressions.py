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

from podgraft.govalue import ANY, GoType
from podgraft.records import dataclass

from . import nodes
from .arguments import literal
from .errors import FaultError
from .functions import REFLECTED, Function, arity_fault, parameter
from .pen import Expression, Pen
from .scopes import Scope
from .sites import Arms, Blamed, Site
from .unit import Call, DeadEnd, Result, Unit, kept, origin_of

_ANYTHING = (ANY, REFLECTED)  # types whose parameters take a value as it is
_PLAIN = (str, int, float, complex, bool, type(None))
_SHORT_CIRCUITS: dict[str, ast.boolop] = {"and": ast.And(), "or": ast.Or()}
_COMPARISONS: dict[str, ast.cmpop] = {"eq": ast.Eq(), "ne": ast.NotEq()}

Path: TypeAlias = nodes.Field | nodes.Variable | nodes.Chain


@dataclass(slots=True)
class Expressions:
    """Compiles the pipelines of one template."""

    unit: Unit
    executing: str
    scope: Scope
    dot: Result
    last: Blamed
    temporaries: int = 0

    def pipeline(self, pipe: nodes.Pipe) -> Result:
        """The value of ``pipe``, kept in the variable that it declares or assigns."""
        value = self.value(pipe)
        if not pipe.declared:
            return value
        variable = pipe.declared[0]  # there are two in a range only
        if pipe.assigns:
            return Result(self.assigned(variable, value))
        pen = self.pen(variable.start, variable.end)
        return Result(kept(pen, self.scope.declare(variable.name), value))

    def value(self, pipe: nodes.Pipe) -> Result:
        """The value of ``pipe``, whatever it declares, and no longer of an interface type."""
        self.last = pipe
        first = pipe.commands[0]
        value = Result(self._command(first, None, first.start).code)
        for before, command in pairwise(pipe.commands):
            value = Result(self._command(command, value, before.start).code)
        return value

    def assigned(self, variable: nodes.Variable, value: Result) -> Expression:
        """``$x = value``, to the innermost $x that was declared."""
        pen = self.pen(variable.start, variable.end)
        slots = self.scope.find(variable.name)
        if len(slots) == 1 and not slots[0].unsure:
            return kept(pen, slots[0], value)
        local = self.temporary()
        given = Result(pen.name(local), value.holder)
        code = self._undefined(pen, variable.name, perhaps=bool(slots))
        for slot in reversed(slots):
            sure = pen.is_not(slot.local, "UNDECLARED")
            setting = kept(pen, slot, given)
            code = pen.choose(sure, setting, code) if slot.unsure else setting
        return pen.last(pen.keep(local, value.code), code)

    def _undefined(self, pen: Pen, name: str, *, perhaps: bool) -> Expression:
        reason = f"undefined variable: {name}"
        return self._failing(pen, reason) if perhaps else self.fail(pen, reason)

    def temporary(self) -> str:
        """A new local name."""
        self.temporaries += 1
        return f"t{self.temporaries}"

    def pen(self, start: int, end: int) -> Pen:
        """A pen for a span of the template."""
        return self.unit.pen.at(start, end)

    def site(self, pen: Pen, call: nodes.Node | None = None, name: str = "") -> None:
        """What fails where ``pen`` writes is the fault of what was evaluated last."""
        self.unit.sites.add(pen, Site(self.last, call, name))

    def fail(self, pen: Pen, reason: str) -> Expression:
        """Code that fails, if it is reached: a dead end of the template."""
        node = self.last.either if isinstance(self.last, Arms) else self.last
        self.unit.dead_ends.append(DeadEnd(reason, self.executing, node))
        return self._failing(pen, reason)

    def _failing(self, pen: Pen, reason: str) -> Expression:
        self.site(pen)
        return pen.call("fail", pen.constant(reason))

    # Commands and operands

    def _command(self, command: nodes.Command, piped: Result | None, start: int) -> Result:
        """A command with what was piped into it, from a command that began at ``start``."""
        first, *rest = command.operands
        arguments = tuple(rest)
        match first:
            case nodes.Identifier():
                return self._function(first, Call(command, first.name, arguments, piped, start))
            case nodes.Field() | nodes.Chain():
                return self._fields_of(first, arguments, piped)
            case nodes.Variable() if first.names:
                return self._fields_of(first, arguments, piped)
            case _:
                if not isinstance(first, nodes.Pipe):
                    self.last = first
                if not (arguments or piped):
                    return self._operand(first)
                pen = self.pen(first.start, first.end)
                fault = self.fail(pen, f"can't give argument to non-function {first}")
                return Result(pen.last(piped.code, fault) if piped else fault)

    def _operand(self, node: nodes.Operand, *, traced: bool = False) -> Result:
        """The value of an operand that nothing is handed to; if ``traced``, with its origin."""
        self.last = node
        match node:
            case nodes.Dot():
                return self.dot
            case nodes.Field() | nodes.Chain():
                return self._fields_of(node, traced=traced)
            case nodes.Variable() if node.names:
                return self._fields_of(node, traced=traced)
            case nodes.Variable():
                return self._variable(node)
            case nodes.Identifier():
                return self._function(node, Call(node, node.name))
            case nodes.Pipe():
                return self.pipeline(node)
            case nodes.Nil():
                return Result(self.fail(self.pen(node.start, node.end), "nil is not a command"))
            case nodes.Bool() | nodes.Number() | nodes.String():
                return self._constant(node, REFLECTED)
            case _:
                assert_never(node)

    def _constant(self, node: nodes.Constant, wanted: GoType) -> Result:
        self.last = node
        try:
            value = literal(node, wanted)
        except FaultError as fault:
            return Result(self.fail(self.pen(node.start, node.end), str(fault)))
        pen = self.unit.pen  # wherever it stands: to read a constant cannot fail
        if value.__class__ in _PLAIN:
            return Result(pen.constant(value))
        return Result(pen.name(self.unit.named(value)))

    def _variable(self, node: nodes.Variable) -> Result:
        slots = self.scope.find(node.name)
        if len(slots) == 1 and not slots[0].unsure:
            return Result(self.unit.pen.name(slots[0].local), slots[0].holder)
        pen = self.pen(node.start, node.start + len(node.name))
        if not slots:
            return Result(self._undefined(pen, node.name, perhaps=False))
        self.site(pen)
        values = (pen.name(slot.local) for slot in slots)
        return Result(pen.call("declared", pen.constant(node.name), *values))

    # Fields and methods

    def _fields_of(
        self,
        node: Path,
        arguments: Sequence[nodes.Operand] = (),
        piped: Result | None = None,
        *,
        traced: bool = False,
    ) -> Result:
        """``.a.b``, ``$x.a``, ``(pipe).a``; the last name may be a method with arguments.

        Only what is ``traced`` knows its origin, and costs a call for each name.
        """
        if piped and not isinstance(piped.code, ast.Constant | ast.Name):
            pen = self.pen(node.start, node.end)
            local = self.temporary()
            code = self._fields_of(node, arguments, Result(pen.name(local))).code
            return Result(pen.last(pen.keep(local, piped.code), code))
        receiver = self._receiver(node)
        if arguments or piped:
            owner = self._steps(node, receiver, node.names[:-1])
            return self._method(node, owner, arguments, piped)
        if traced:
            return self._steps(node, receiver, node.names)
        return Result(self._path(node, receiver, node.names))

    def _receiver(self, node: Path) -> Result:
        """What the first of the fields is a field of."""
        self.last = node
        match node:
            case nodes.Field():
                return self.dot
            case nodes.Variable():
                return self._variable(node)
            case nodes.Chain():
                return self._operand(node.node)

    def _path(
        self, node: Path, receiver: Result, names: tuple[str, ...], *wanted: Expression
    ) -> Expression:
        """``receiver.name.name``, as an argument of a type if one is ``wanted``."""
        pen = self.pen(node.start, node.end)
        self.site(pen, node, node.names[-1])
        origin = origin_of(pen, receiver)
        if origin and not wanted:
            wanted = (pen.constant(None),)
        return pen.call("path", receiver.code, pen.texts(names), *wanted, *origin)

    def _steps(self, node: Path, receiver: Result, names: tuple[str, ...]) -> Result:
        """The same a name at a time, so that what it came out of is at hand."""
        pen = self.pen(node.start, node.end)
        for name in names:
            local, first = self.named(pen, receiver)
            owner = Result(first, receiver.holder, receiver.key)
            receiver = Result(self._path(node, owner, (name,)), local, name)
        return receiver

    def _method(
        self,
        node: Path,
        receiver: Result,
        arguments: Sequence[nodes.Operand],
        piped: Result | None,
    ) -> Result:
        """``receiver.name arguments…``: what the method takes is known only when it runs."""
        pen = self.pen(node.start, node.end)
        self.site(pen, node, node.names[-1])
        local, first = self.named(pen, receiver)
        key = pen.constant(node.names[-1])
        counts = (pen.constant(len(arguments)), pen.constant(piped is not None))
        found = pen.call("method", first, key, *counts, *origin_of(pen, receiver))
        bound = self.temporary()
        before = self.last
        with self.scope.perhaps():
            codes = [self._method_argument(bound, *each) for each in enumerate(arguments)]
        if piped:
            end = arguments[-1].end if arguments else node.end
            codes.append(self._handed(bound, len(arguments), piped, self.pen(node.start, end)))
        called = pen.call("invoke", pen.name(bound), *codes)
        code = pen.both(ast.And(), (pen.keep(bound, found), called))
        self.last = Arms(code, [before, self.last], self.temporary(), pen)
        return Result(code, local, node.names[-1])

    def _method_argument(self, bound: str, at: int, node: nodes.Operand) -> Expression:
        """An argument of a method; a constant becomes what the parameter wants."""
        pen = self.pen(node.start, node.end)
        if not isinstance(node, nodes.Constant):
            return self._handed(bound, at, self._operand(node, traced=True), pen)
        self.last = node
        self.site(pen)
        constant = pen.name(self.unit.named(node))
        return pen.call("constant", pen.name(bound), pen.constant(at), constant)

    def _handed(self, bound: str, at: int, value: Result, pen: Pen) -> Expression:
        self.site(pen)
        place = pen.constant(at)
        return pen.call("argument", pen.name(bound), place, value.code, *origin_of(pen, value))

    # Functions

    def _function(self, node: nodes.Identifier, call: Call) -> Result:
        """``name arguments…``."""
        self.last = node
        function = self.unit.functions[call.name]
        pen = self.pen(call.node.start, call.node.end)
        given, piped = len(call.arguments), call.piped is not None
        fault = arity_fault(call.name, function, given=given, piped=piped)
        if fault:
            code = self.fail(pen, fault)
            return Result(pen.last(call.piped.code, code) if call.piped else code)
        if call.piped and not self._evaluates_in_order(function, call):
            local = self.temporary()
            before = pen.keep(local, call.piped.code)
            call = replace(call, piped=Result(pen.name(local)))
            return Result(pen.last(before, self._called(function, call, pen)))
        holder = self.unit.named(function.result) if function.result is ANY else None
        return Result(self._called(function, call, pen), holder)

    def _evaluates_in_order(self, function: Function, call: Call) -> bool:
        """Whether it does not matter that Python evaluates the piped argument after the others."""
        if not call.arguments:
            return True
        if self.unit.is_builtin(call.name) and call.name in _SHORT_CIRCUITS:
            return False
        return all(
            isinstance(node, nodes.Constant) and _fits(node, parameter(function, at))
            for at, node in enumerate(call.arguments)
        )

    def _called(self, function: Function, call: Call, pen: Pen) -> Expression:
        """The call, or what a builtin is in Python: Go's truth is Python's, so is its equality."""
        builtin = call.name if self.unit.is_builtin(call.name) else ""
        if builtin in _SHORT_CIRCUITS:
            return self._short_circuit(_SHORT_CIRCUITS[builtin], call, pen)
        arguments = self._arguments(function, call)
        codes = [argument.code for argument in arguments]
        self.site(pen, call.node, call.name)
        if builtin == "not":
            return pen.negation(codes[0])
        if builtin == "call":
            codes.insert(0, pen.constant(str(call.arguments[0]) if call.arguments else None))
        made = pen.call(self.unit.named(function.call), *codes)
        if function.told:
            told = [pen.call("is_interface", *origin_of(pen, each)) for each in arguments]
            made.keywords.append(ast.keyword("interfaces", pen.tuple(told), **pen.place))
        if builtin in _COMPARISONS:
            return self._compared(_COMPARISONS[builtin], made, pen)
        return pen.call("copied", made) if function.result is ANY else made

    def _compared(self, operator: ast.cmpop, call: ast.Call, pen: Pen) -> Expression:
        """``eq x "text"``, which most comparisons are, without a call if x is a string."""
        codes = call.args
        for at, constant in enumerate(codes):
            is_text = isinstance(constant, ast.Constant) and isinstance(constant.value, str)
            if is_text and len(codes) == 2:  # noqa: PLR2004 - two sides
                local, first = self.named(pen, Result(codes[1 - at]))
                codes[1 - at] = pen.name(local)
                same = pen.compare(pen.name(local), operator, constant)
                return pen.choose(pen.is_a(first, "str"), same, call)
        return call

    def _short_circuit(self, operator: ast.boolop, call: Call, pen: Pen) -> Expression:
        """``and`` and ``or``, which evaluate no more arguments than they must."""
        codes: list[Expression] = []
        last: list[Blamed] = []
        for argument in call.arguments:
            with self.scope.perhaps() if codes else nullcontext():
                codes.append(self._argument(argument, REFLECTED).code)
            last.append(self.last)
        if call.piped:
            codes.append(call.piped.code)
            last.append(self.last)
        if len(codes) == 1:
            return codes[0]
        code = pen.both(operator, codes)
        self.last = Arms(code, last, self.temporary(), pen)
        return code

    def _arguments(self, function: Function, call: Call) -> list[Result]:
        codes = [
            self._argument(node, parameter(function, at), traced=function.told)
            for at, node in enumerate(call.arguments)
        ]
        if call.piped:
            wanted = parameter(function, len(call.arguments))
            codes.append(self._converted(call.piped, wanted, call.start, call.node.end))
        return codes

    def _argument(self, node: nodes.Operand, wanted: GoType, *, traced: bool = False) -> Result:
        """An operand as an argument of the type ``wanted`` (evalArg)."""
        if isinstance(node, nodes.Constant):
            return self._constant(node, wanted)
        if wanted not in _ANYTHING and isinstance(node, Path) and node.names:
            receiver = self._receiver(node)
            type_ = self.unit.pen.name(self.unit.named(wanted))
            return Result(self._path(node, receiver, node.names, type_))
        return self._converted(self._operand(node, traced=traced), wanted, node.start, node.end)

    def _converted(self, value: Result, wanted: GoType, start: int, end: int) -> Result:
        """``value`` after validateType."""
        if wanted in _ANYTHING:
            return value
        pen = self.pen(start, end)
        self.site(pen)
        type_ = pen.name(self.unit.named(wanted))
        return Result(pen.call("converted", value.code, type_, *origin_of(pen, value)))

    def named(self, pen: Pen, value: Result) -> tuple[str, Expression]:
        """The name of a local with the value, and code for its first use."""
        if isinstance(value.code, ast.Name):
            return value.code.id, value.code
        local = self.temporary()
        return local, pen.keep(local, value.code)


def _fits(node: nodes.Constant, wanted: GoType) -> bool:
    try:
        literal(node, wanted)
    except FaultError:
        return False
    return True
