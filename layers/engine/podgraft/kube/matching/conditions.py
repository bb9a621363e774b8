"""``matchConditions``, and the variables of expressions about a request.

``ExpressionCompiler`` compiles expressions with the variables of kube-apiserver.
``condition_variables`` returns these variables for one request. This module imports CEL, so only
bundles with rules import it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from podgraft.base.jsonvalue import JSON, Object
from podgraft.kube import document_reader
from podgraft.kube.admission import AdmissionRequest
from podgraft.kube.cel import CompileError, Environment, EvaluationError, Program, Structs, Value
from podgraft.kube.document_reader import Cursor, MappingReader, make_list_parser
from podgraft.kube.types import NEWEST

from .constraints import find_namespace

T = TypeVar("T")

# CEL's messages contain the location and the problem. The remedies by the begin of a message.
_CORRECT = "correct the expression at this position"
_REMEDIES: Mapping[str, str] = {
    "undeclared reference to 'params'": "set paramKind of the policy, or read no parameters",
    "undeclared reference to 'variables'": (
        "read a variable only in mutations, validations, messages, and variables after it"
    ),
    "nested deeper than": "nest fewer parts, macros, and variables in each other",
    "optMap and optFlatMap copy": "write what is before them as a variable",
}

# apiserver/pkg/admission/plugin/cel/compile.go, BuildRequestType and BuildNamespaceType.
STRUCTS: Structs = {
    "kubernetes.GroupVersionKind": dict.fromkeys(("group", "version", "kind"), "string"),
    "kubernetes.GroupVersionResource": dict.fromkeys(("group", "version", "resource"), "string"),
    "kubernetes.UserInfo": {
        "username": "string",
        "uid": "string",
        "groups": "list(string)",
        "extra": "map(string,list(string))",
    },
    "kubernetes.AdmissionRequest": {
        "kind": "kubernetes.GroupVersionKind",
        "resource": "kubernetes.GroupVersionResource",
        "subResource": "string",
        "requestKind": "kubernetes.GroupVersionKind",
        "requestResource": "kubernetes.GroupVersionResource",
        "requestSubResource": "string",
        "name": "string",
        "namespace": "string",
        "operation": "string",
        "userInfo": "kubernetes.UserInfo",
        "dryRun": "bool",
        "options": "dyn",
    },
    "kubernetes.NamespaceSpec": {"finalizers": "list(string)"},
    "kubernetes.NamespaceCondition": {
        **dict.fromkeys(("status", "type", "message", "reason"), "string"),
        "lastTransitionTime": "timestamp",
    },
    "kubernetes.NamespaceStatus": {
        "conditions": "list(kubernetes.NamespaceCondition)",
        "phase": "string",
    },
    "kubernetes.NamespaceMetadata": {
        **dict.fromkeys(("name", "generateName", "namespace", "UID", "resourceVersion"), "string"),
        **dict.fromkeys(("labels", "annotations"), "map(string,string)"),
        **dict.fromkeys(("creationTimestamp", "deletionTimestamp"), "timestamp"),
        **dict.fromkeys(("deletionGracePeriodSeconds", "generation"), "int"),
        "finalizers": "list(string)",
    },
    "kubernetes.Namespace": {
        "metadata": "kubernetes.NamespaceMetadata",
        "spec": "kubernetes.NamespaceSpec",
        "status": "kubernetes.NamespaceStatus",
    },
}
_REQUEST = STRUCTS["kubernetes.AdmissionRequest"]
TYPES: Mapping[str, str] = {
    "object": "dyn",
    "oldObject": "dyn",
    "request": "kubernetes.AdmissionRequest",
    "namespaceObject": "kubernetes.Namespace",
}
_AUTHORIZER = "authorizer is not available: only kube-apiserver can evaluate permissions"
_APPLY = "apply this policy to the cluster, and remove it from the bundle"


_VARIABLES = "kubernetes.variables"


class ExpressionCompiler:
    """The compiler of the expressions of one policy; an expression can use previous variables.

    ``release`` is the oldest minor release of Kubernetes that the policy is for: features of CEL
    that it does not have get a warning. Without one, none does.
    """

    def __init__(self, *, params: bool, release: int = NEWEST) -> None:
        self._release = release
        self._types = {**TYPES, "params": "dyn"} if params else dict(TYPES)
        self._variables: dict[str, str] = {}
        self._levels: dict[str, int] = {}

    def expression(self, cursor: Cursor, *types: str, patch_types: bool = False) -> Program | None:
        """Compile an expression that returns exactly one of ``types``.

        With ``patch_types``, it can construct ``Object`` and ``JSONPatch``. Adds errors to the
        diagnostics.
        """
        source = document_reader.parse_string(cursor)
        if source is None:
            return None
        if not source.strip():
            return cursor.add_error("is empty", "write an expression in CEL")
        try:
            program = self._environment(patch_types=patch_types).compile_(source, *types)
        except CompileError as error:
            self._add_errors(cursor, error)
            return None
        for feature, minor in sorted(program.features.items()):
            if minor > self._release:
                cursor.warn(
                    f"{feature} is new in Kubernetes 1.{minor}",
                    f"podgraft accepts it; kube-apiserver 1.{self._release} rejects the document",
                )
        return program

    def _environment(self, *, patch_types: bool) -> Environment:
        structs = {**STRUCTS, _VARIABLES: self._variables} if self._variables else STRUCTS
        return Environment(self._types, structs, patch_types=patch_types, levels=self._levels)

    def _add_errors(self, cursor: Cursor, error: CompileError) -> None:
        """Add all errors; for an expression with ``authorizer``, only that error."""
        authorizer_problems = [each for each in error.problems if "'authorizer" in each.message]
        for problem in authorizer_problems[:1] or error.problems:
            message = _AUTHORIZER if authorizer_problems else problem.message
            remedy = _APPLY if authorizer_problems else _find_remedy(message)
            at = f"line {problem.line}, column {problem.column}: " if problem.line > 0 else ""
            cursor.add_error(f"{at}{message}", remedy)

    def declare(self, variable: str, program: Program | None) -> None:
        """Declare a variable for the following expressions."""
        self._types["variables"] = _VARIABLES
        self._variables[variable] = program.signature if program else "dyn"
        self._levels[variable] = program.levels if program else 0


def _find_remedy(message: str) -> str:
    found = (remedy for begin, remedy in _REMEDIES.items() if message.startswith(begin))
    return next(found, _CORRECT)


def condition_variables(
    request: AdmissionRequest, namespaces: Mapping[str, Object], params: JSON
) -> dict[str, Value]:
    """The variables of expressions for one request.

    As in kube-apiserver, an empty text is absent: ``request.name`` of a pod with ``generateName``.
    """
    fields = {key: value for key, value in request.raw.items() if key in _REQUEST and value != ""}
    return {
        "object": request.object,
        "oldObject": request.old_object,
        "request": {"dryRun": False, **fields},
        "namespaceObject": _namespace_object(request, namespaces),
        "params": params,
    }


# What kube-apiserver gives every Namespace, and manifests leave out.
_EVERY_NAMESPACE: Object = {"spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}}


def _namespace_object(request: AdmissionRequest, namespaces: Mapping[str, Object]) -> Object | None:
    is_namespace = request.kind.kind == "Namespace" and not request.kind.group
    if is_namespace or not request.namespace:
        return None
    return {**_EVERY_NAMESPACE, **find_namespace(request.namespace, namespaces)}


@dataclass(frozen=True, slots=True)
class Condition:
    """One of ``matchConditions``: all must be true for a document to apply."""

    name: str
    program: Program


class ConditionError(Exception):
    """A condition fails, and no other is false; ``original`` is the text of Kubernetes."""

    def __init__(self, text: str, original: str) -> None:
        super().__init__(text)
        self.original = original


def read_expressions(
    keys: MappingReader,
    key: str,
    read: Callable[[Cursor, ExpressionCompiler], T | None],
    compiler: ExpressionCompiler,
) -> tuple[T, ...]:
    """Read a list of expressions in order: an expression can use earlier ones."""
    return keys.read_key(key, make_list_parser(lambda item: read(item, compiler))) or ()


def read_conditions(keys: MappingReader, compiler: ExpressionCompiler) -> tuple[Condition, ...]:
    """Read ``matchConditions``; adds errors to the diagnostics."""
    return read_expressions(keys, "matchConditions", _parse_condition, compiler)


def _parse_condition(cursor: Cursor, compiler: ExpressionCompiler) -> Condition | None:
    keys = MappingReader(cursor)
    name = keys.read_text("name")
    program = read_required_expression(cursor, keys, "expression", compiler, "bool")
    keys.check_unknown_keys()
    return Condition(name, program) if program else None


def read_required_expression(
    cursor: Cursor, keys: MappingReader, key: str, compiler: ExpressionCompiler, *types: str
) -> Program | None:
    """Compile the expression of a required key."""
    if keys.raw.get(key) is None:
        cursor.add_key_error(key, "is missing", "write an expression in CEL")
    return keys.read_key(key, lambda text: compiler.expression(text, *types))


def find_false(
    conditions: Sequence[Condition], evaluate: Callable[[Program], Value]
) -> Condition | None:
    """The first condition that is false, or ``None``.

    Raises ``ConditionError`` for the first that fails, if none is false: as kube-apiserver, which
    evaluates all of them (webhook/matchconditions/matcher.go).
    """
    failure = ""
    texts: dict[str, None] = {}
    for condition in conditions:
        try:
            if evaluate(condition.program) is not True:
                return condition
        except EvaluationError as error:
            failure = failure or f"matchCondition '{condition.name}' failed: {error}"
            texts[f"expression '{condition.program.text}' resulted in error: {error}"] = None
    if failure:
        raise ConditionError(
            failure, ", ".join(texts) if len(texts) == 1 else f"[{', '.join(texts)}]"
        )
    return None
