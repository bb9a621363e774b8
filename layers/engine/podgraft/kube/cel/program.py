"""Environments, which compile expressions, and programs, which evaluate them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from podgraft.kube.types import NEWEST

from . import syntax
from .activation import Evaluate, Frame
from .checker import Checked, check
from .constant_folding import ConstantFolder
from .cost import Meter
from .declarations import Declarations, Structs
from .errors import CompileError, EvaluationError, Problem, locate_problem
from .evaluation import Compiler
from .library import FUNCTIONS, JSON_PATCH
from .limits import measure_levels
from .overloads import Overload
from .parser import parse
from .types import is_exact, parse_type, spell_type, variable_signature
from .validators import find_invalid_literals
from .values import Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A compiled expression; ``type`` is ``dyn`` if only the value determines it.

    ``root`` is the checked expression. ``signature`` is the type of a variable with this value.
    ``features`` are what not all releases of Kubernetes have, with the minor that introduced them.
    ``levels`` is how deep the tree nests, with the variables that it reads.
    """

    text: str
    type: str
    signature: str
    root: syntax.Node
    features: Mapping[str, int]
    levels: int
    _evaluate: Evaluate
    _slots: int

    def evaluate(self, variables: Mapping[str, Value], meter: Meter) -> Value:
        """The value for these variables.

        Raises ``EvaluationError``, or ``CostExceededError`` when the meter runs out.
        """
        try:
            return self._evaluate(Frame(variables, self._slots, meter))
        except OverflowError as error:
            # A call with an integer of more than 64 bits. For kube-apiserver, it is a double.
            raise EvaluationError("no such overload") from error


_ENVIRONMENTS = 64


@lru_cache(maxsize=_ENVIRONMENTS)
def _functions(release: int, *, patch_types: bool) -> Mapping[str, Sequence[Overload]]:
    """The functions that a release declares."""
    hidden = () if patch_types else {row.name for row in JSON_PATCH}
    found = {
        name: tuple(row for row in function.rows if row.since <= release)
        for name, function in FUNCTIONS.items()
        if name not in hidden
    }
    return {name: rows for name, rows in found.items() if rows}


class Environment:
    """Variables by name with their types; ``structs`` has the fields of object types.

    ``patch_types`` declares ``Object``, ``JSONPatch`` and ``jsonpatch.escapeKey``. ``release`` is
    the minor release of Kubernetes 1.x whose functions are declared. ``levels`` has the levels of
    the programs under ``variables``, by name.
    """

    __slots__ = ("_declarations", "_levels")

    def __init__(
        self,
        variables: Mapping[str, str],
        structs: Structs | None = None,
        *,
        patch_types: bool = False,
        release: int = NEWEST,
        levels: Mapping[str, int] | None = None,
    ) -> None:
        self._levels = levels or {}
        self._declarations = Declarations(
            functions=_functions(release, patch_types=patch_types),
            variables={name: parse_type(type_) for name, type_ in variables.items()},
            structs=structs or {},
            patch_types=patch_types,
        )

    def compile_(self, text: str, *types: str) -> Program:
        """Compile ``text``, which must have exactly one of ``types`` (any type without them).

        Raises ``CompileError``.
        """
        features: dict[str, int] = {}
        parsed = parse(text, features)
        levels = measure_levels(text, parsed, self._levels)
        checked = check(parsed, self._declarations)
        _raise_problems(text, checked.problems)
        _raise_problems(text, find_invalid_literals(checked))
        _check_result(text, checked, types)
        folder = ConstantFolder(checked.overloads)
        root = folder.fold(checked.root)
        _raise_problems(text, [(at, f"{_PLANNER}{message}") for at, message in folder.errors])
        compiler = Compiler(FUNCTIONS, self._declarations, checked)
        evaluate = compiler.compile_(root, {})
        _raise_problems(text, compiler.problems)
        return Program(
            text=text,
            type=spell_type(checked.type),
            signature=variable_signature(checked.type),
            root=checked.root,
            features={**features, **_find_new_functions(checked)},
            levels=levels,
            _evaluate=evaluate,
            _slots=compiler.slots,
        )


def _find_new_functions(checked: Checked) -> dict[str, int]:
    """The functions of an expression that not all releases have, and their releases."""
    return {
        overloads[0].name: min(overload.since for overload in overloads)
        for overloads in checked.overloads.values()
        if overloads[0].since and overloads[0].name[0].isalpha() and "@" not in overloads[0].name
    }


# Kubernetes finds these when it plans the evaluation, and shows no position.
_PLANNER = "program instantiation failed: "


def _raise_problems(text: str, problems: Iterable[tuple[int, str]]) -> None:
    located = [locate_problem(text, at, message) for at, message in problems]
    if located:
        located.sort(key=lambda problem: (problem.line, problem.column))
        raise CompileError(text, tuple(located))


def _check_result(text: str, checked: Checked, types: Sequence[str]) -> None:
    """Check that the result has exactly one of ``types``: ``dyn`` is none of them."""
    expected = [parse_type(type_) for type_ in types]
    if not types or any(is_exact(type_, checked.type) for type_ in expected):
        return
    found = spell_type(checked.type)
    names = [spell_type(type_) for type_ in expected]
    allowed = names[0] if len(names) == 1 else f"one of [{' '.join(names)}]"
    raise CompileError(text, (Problem(1, 1, f"must evaluate to {allowed} but got {found}"),))
