"""Environments, which compile expressions, and programs, which evaluate them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from . import syntax
from .checked_expr import decode_checked_expr
from .checker import Checker
from .constant_folding import ConstantFolder
from .cost import Meter
from .errors import CompileError, Problem, locate_problem
from .evaluation import Compiler, Evaluate, Frame
from .library import DECLARED, FUNCTIONS
from .names import join_names
from .parser import parse
from .values import Value

# The fields of variables that have a type in Kubernetes and are ``dyn`` in cel-cpp:
# name to the shape of the field; ``None`` is a field of which nothing more is known.
Shape: TypeAlias = "Mapping[str, Shape | None]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A compiled expression; ``type`` is ``dyn`` if only the value determines it.

    ``root`` is the checked expression.
    """

    text: str
    type: str
    root: syntax.Node
    _evaluate: Evaluate
    _slots: int

    def evaluate(self, variables: Mapping[str, Value], meter: Meter) -> Value:
        """The value for these variables.

        Raises ``EvaluationError``, or ``CostExceededError`` when the meter runs out.
        """
        return self._evaluate(Frame(variables, self._slots, meter))


# The rules of a bundle have few sets of variables between them, and a checker takes 5 ms to make.
_CHECKER_CACHE_SIZE = 16


@lru_cache(maxsize=_CHECKER_CACHE_SIZE)
def _checker(variables: tuple[tuple[str, str], ...]) -> Checker:
    return Checker(DECLARED, dict(variables))


class Environment:
    """Variables by name with their types; ``shapes`` contains the fields of some of them."""

    __slots__ = ("_checker", "_names", "_shapes")

    def __init__(
        self, variables: Mapping[str, str], shapes: Mapping[str, Shape] | None = None
    ) -> None:
        self._checker = _checker(tuple(variables.items()))
        self._names = frozenset(variables)
        self._shapes = shapes or {}

    def compile_(self, text: str, *types: str) -> Program:
        """Compile ``text``, which must have one of ``types`` (any type without them).

        Raises ``CompileError``. A result of type ``dyn`` is accepted.
        """
        serialised, type_ = self._checker.check(text)
        checked = decode_checked_expr(serialised)
        folder = ConstantFolder()
        root = folder.fold(checked.root)
        problems = [
            locate_problem(text, checked.positions.get(expr_id, 0), message)
            for expr_id, message in (*self._undefined_fields(checked.root), *folder.errors)
        ]
        if types and type_ not in {*types, "dyn"}:
            problems.append(Problem(1, 1, f"must evaluate to {' or '.join(types)}, not {type_}"))
        if problems:
            raise CompileError(text, tuple(problems))
        compiler = Compiler(FUNCTIONS, self._names)
        evaluate = compiler.compile_(root, {})
        if compiler.undeclared:
            # cel-cpp declares types that cel-go does not, such as dyn and google.protobuf.Any.
            raise CompileError(
                text,
                tuple(
                    locate_problem(
                        text,
                        checked.positions.get(ident.at, 0),
                        f"undeclared reference to '{ident.name}'",
                    )
                    for ident in compiler.undeclared
                ),
            )
        return Program(
            text=text, type=type_, root=checked.root, _evaluate=evaluate, _slots=compiler.slots
        )

    def compile_unchecked(self, text: str) -> Program:
        """Compile an expression that may construct objects; its types are not checked.

        Raises ``CompileError``.
        """
        folder = ConstantFolder()
        root = folder.fold(join_names(parse(text), self._names))
        if folder.errors:
            raise CompileError(
                text, tuple(locate_problem(text, at, message) for at, message in folder.errors)
            )
        compiler = Compiler(FUNCTIONS, self._names)
        evaluate = compiler.compile_(root, {})
        return Program(text=text, type="dyn", root=root, _evaluate=evaluate, _slots=compiler.slots)

    def _undefined_fields(self, root: syntax.Node) -> Iterator[tuple[int, str]]:
        """Fields that a variable does not have, which the checker takes for ``dyn``."""
        for node in syntax.walk(root):
            if isinstance(node, syntax.Select):
                shape = self._shape_of(node.operand)
                if shape is not None and node.field not in shape:
                    available = ", ".join(sorted(shape))
                    yield node.at, f"undefined field '{node.field}'; there are {available}"

    def _shape_of(self, node: syntax.Node) -> Shape | None:
        match node:
            case syntax.Ident(name=name):
                return self._shapes.get(name)
            case syntax.Select(operand=operand, field=field, test=False):
                outer = self._shape_of(operand)
                return outer.get(field) if outer is not None else None
            case _:
                return None
