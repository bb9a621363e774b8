"""``matchConditions``, and all that expressions about a request share.

``Compiler`` compiles expressions over the variables that kube-apiserver gives them; ``values`` are
those variables for one request. Importing this module loads CEL: only bundles with rules do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from podgraft import document_reader
from podgraft.admission import AdmissionRequest
from podgraft.cel import CompileError, Environment, EvaluationError, Program, Shape, Value
from podgraft.document_reader import Cursor, MappingReader
from podgraft.jsonvalue import JSON, Object

# What is wrong is said by place; CEL's words leave little to add.
_CORRECT = "correct the expression there"

_KIND: Shape = dict.fromkeys(("group", "version", "kind"))
_RESOURCE: Shape = dict.fromkeys(("group", "version", "resource"))

# apiserver/pkg/admission/plugin/cel/compile.go, BuildRequestType and BuildNamespaceType.
_REQUEST: Shape = {
    "kind": _KIND,
    "resource": _RESOURCE,
    "subResource": None,
    "requestKind": _KIND,
    "requestResource": _RESOURCE,
    "requestSubResource": None,
    "name": None,
    "namespace": None,
    "operation": None,
    "userInfo": dict.fromkeys(("username", "uid", "groups", "extra")),
    "dryRun": None,
    "options": None,
}
_NAMESPACE: Shape = {
    "metadata": dict.fromkeys(
        (
            "name",
            "generateName",
            "namespace",
            "labels",
            "annotations",
            "UID",
            "creationTimestamp",
            "deletionGracePeriodSeconds",
            "deletionTimestamp",
            "generation",
            "resourceVersion",
            "finalizers",
        )
    ),
    "spec": dict.fromkeys(("finalizers",)),
    "status": dict.fromkeys(("conditions", "phase")),
}
_NAMES: tuple[str, ...] = ("object", "oldObject", "request", "namespaceObject")
_AUTHORIZER = (
    "authorizer is not available here: only kube-apiserver knows who may do what; "
    "keep this rule in the cluster"
)


class ExpressionCompiler:
    """Compiles the expressions of one policy; each variable is known to what comes after it."""

    def __init__(self, *, params: bool) -> None:
        names = (*_NAMES, "params") if params else _NAMES
        self._types: dict[str, str] = dict.fromkeys(names, "dyn")
        self._environment: Environment | None = None

    def expression(self, spot: Cursor, *types: str) -> Program | None:
        """The program of an expression that gives one of ``types``; faults are noted."""
        source = document_reader.parse_string(spot)
        if source is None:
            return None
        if self._environment is None:
            shapes = {"request": _REQUEST, "namespaceObject": _NAMESPACE}
            self._environment = Environment(self._types, shapes)
        try:
            return self._environment.compile_(source, *types)
        except CompileError as error:
            self._add_errors(spot, error)
            return None

    def _add_errors(self, spot: Cursor, error: CompileError) -> None:
        """All that is wrong; nothing else about an expression that asks for ``authorizer``."""
        refused = [each for each in error.problems if "'authorizer" in each.message]
        for problem in refused[:1] or error.problems:
            words = _AUTHORIZER if refused else problem.message
            place = f"line {problem.line}, column {problem.column}"
            spot.add_error(f"{place}: {words}", _CORRECT)

    def declare(self, variable: str, program: Program | None) -> None:
        """Let later expressions see a variable."""
        self._types[f"variables.{variable}"] = program.type if program else "dyn"
        self._environment = None


def condition_variables(
    request: AdmissionRequest, namespaces: Mapping[str, Object], params: JSON
) -> dict[str, Value]:
    """What expressions can ask about one request."""
    is_namespace = request.kind.kind == "Namespace" and not request.kind.group
    return {
        "object": request.object,
        "oldObject": request.old_object,
        "request": {
            "name": "",
            "dryRun": False,
            **{key: value for key, value in request.raw.items() if key in _REQUEST},
        },
        "namespaceObject": None if is_namespace else namespaces.get(request.namespace),
        "params": params,
    }


@dataclass(frozen=True, slots=True)
class Condition:
    """One of ``matchConditions``: all must be true for a document to apply."""

    name: str
    program: Program


class ConditionError(Exception):
    """A condition cannot be evaluated, and no other is false."""


def parse_conditions(spot: Cursor, compiler: ExpressionCompiler) -> tuple[Condition, ...]:
    """The conditions of a list that compile; faults are noted."""
    items = spot.items()
    read_all = [] if items is None else [_parse_condition(item, compiler) for item in items]
    return tuple(condition for condition in read_all if condition is not None)


def _parse_condition(spot: Cursor, compiler: ExpressionCompiler) -> Condition | None:
    keys = MappingReader(spot)
    name = keys.read_key("name", document_reader.parse_string)
    program = read_required_expression(spot, keys, "expression", compiler, "bool")
    keys.check_unknown_keys()
    return Condition(name or "", program) if program else None


def read_required_expression(
    spot: Cursor, keys: MappingReader, key: str, compiler: ExpressionCompiler, *types: str
) -> Program | None:
    """The program of a key that must be there."""
    found: list[Program | None] = []
    keys.read_key(key, lambda text: found.append(compiler.expression(text, *types)))
    if not found:
        return spot.child(key, None).add_error("is missing", "write an expression in CEL")
    return found[0]


def all_match(conditions: Sequence[Condition], evaluate: Callable[[Program], Value]) -> bool:
    """Whether no condition is false; raises as ``find_false`` does."""
    return find_false(conditions, evaluate) is None


def find_false(
    conditions: Sequence[Condition], evaluate: Callable[[Program], Value]
) -> Condition | None:
    """The first condition that is false, or ``None``.

    Raises ``ConditionError`` for the first that fails, where none is false: as kube-apiserver,
    which asks them all (webhook/matchconditions/matcher.go).
    """
    failure = ""
    for condition in conditions:
        try:
            if evaluate(condition.program) is not True:
                return condition
        except EvaluationError as error:
            failure = failure or f"matchCondition '{condition.name}' failed: {error}"
    if failure:
        raise ConditionError(failure)
    return None
