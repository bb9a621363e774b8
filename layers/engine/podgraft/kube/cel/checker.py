"""The parser and type checker: cel-cpp with the binding ``cel-expr-python``.

The binding is loaded when the first expression is compiled, so a bundle without rules does not
pay for it. Its environment is described in YAML (cel-spec's env config), which unlike its Python
classes can declare type parameters; JSON is YAML, so the description is printed as JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from .errors import CompileError, Problem, locate_problem
from .library import HAS_VARIABLE
from .overloads import Overload, is_parameter

# Macros that Kubernetes has (environment/base.go, release 1.37); functions of these libraries
# that take other types there are declared by ``library``.
_EXTENSIONS = (
    {"name": "two-var-comprehensions"},
    {"name": "optional"},
    {"name": "sets"},
    {"name": "lists", "version": 2},
)

_Type: TypeAlias = "dict[str, str | bool | list[_Type]]"


class Checker:
    """An environment: the standard library, ``overloads``, and variables with their types."""

    __slots__ = ("_environment", "_variables")

    def __init__(self, overloads: Iterable[Overload], variables: Mapping[str, str]) -> None:
        # The wheel has stubs, but no py.typed.
        from cel_expr_python import cel  # pyright: ignore[reportMissingTypeStubs]

        self._variables = frozenset(variables)
        self._environment = cel.NewEnv(
            config=cel.NewEnvConfigFromYaml(_environment_description(tuple(overloads), variables))
        )

    def check(self, text: str) -> tuple[bytes, str]:
        """Check an expression. Return the serialized checked expression and the name of its type.

        Raises ``CompileError``.
        """
        try:
            expression = self._environment.compile(self._mark_tests(text))
        except RuntimeError as error:
            raise CompileError(text, tuple(_parse_problems(str(error)))) from error
        return expression.serialize(), _spell_type(expression.return_type().name())

    def _mark_tests(self, text: str) -> str:
        """Replace ``has`` by ``HAS_VARIABLE`` where its argument is a declared variable.

        cel-cpp resolves ``variables.x`` to a name before it applies ``has``, and loses the test:
        ``has(variables.x)`` would be the value of the variable. All locations remain the same.
        """

        def replace(match: re.Match[str]) -> str:
            if match["mark"]:
                problem = f"undeclared reference to '{HAS_VARIABLE}'"
                raise CompileError(text, (locate_problem(text, match.start(), problem),))
            if match["name"] is None or f"variables.{match['name']}" not in self._variables:
                return match[0]
            return HAS_VARIABLE + match["argument"]

        return _TEST.sub(replace, text)


# A comment or a string, which no test can start in; the mark; or ``has(variables.NAME)``.
_TEST = re.compile(
    r"""
      //[^\n]*
    | (?: [bB]?[rR] | [rR][bB] ) (?: \"{3} .*? \"{3} | '{3} .*? '{3} | "[^"\n]*" | '[^'\n]*' )
    | \"{3} (?: \\. | [^\\] )*? \"{3} | '{3} (?: \\. | [^\\] )*? '{3}
    | "(?: \\. | [^"\\\n] )*" | '(?: \\. | [^'\\\n] )*'
    | (?P<mark> \b_v_\b )
    | (?<![\w.]) has (?P<argument> \s* \( \s* variables \s* \. \s* (?P<name> [A-Za-z_]\w* ) \s* \) )
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)


def _spell_type(name: str) -> str:
    """The name of a type in CEL's form: ``list(dyn)`` for ``LIST<DYN>`` of the binding."""
    small = re.sub(r"(?<![.\w])[A-Z]+\b", lambda match: match[0].lower(), name)
    return small.replace("<", "(").replace(">", ")").replace(" ", "")


def _environment_description(overloads: tuple[Overload, ...], variables: Mapping[str, str]) -> str:
    functions: dict[str, list[object]] = {}
    for overload in overloads:
        functions.setdefault(overload.name, []).append(_declaration(overload))
    return json.dumps(
        {
            "name": "kubernetes",
            "stdlib": {"exclude_functions": [{"name": name} for name in _EXTENDED]},
            "extensions": _EXTENSIONS,
            "functions": [
                {"name": name, "overloads": declared} for name, declared in functions.items()
            ],
            "variables": [
                {"name": name, **_parse_type(type_)} for name, type_ in variables.items()
            ],
        }
    )


# Standard functions with more overloads in Kubernetes: cel-cpp takes a function from one place
# only, so ``library/`` declares these completely.
_EXTENDED = ("string", "_<_", "_<=_", "_>_", "_>=_")


def _declaration(overload: Overload) -> dict[str, object]:
    parameters = [_parse_type(name) for name in overload.parameters]
    declaration: dict[str, object] = {"id": overload.id, "return": _parse_type(overload.result)}
    if overload.member:
        return {**declaration, "target": parameters[0], "args": parameters[1:]}
    return {**declaration, "args": parameters}


def _parse_type(name: str) -> _Type:
    """Parse ``map(string,list(A))`` to the form of the environment description."""
    outer, _, inner = name.partition("(")
    if is_parameter(outer):
        return {"type_name": outer, "is_type_param": True}
    if not inner:
        return {"type_name": outer}
    return {
        "type_name": outer,
        "params": [_parse_type(argument) for argument in _split_arguments(inner[:-1])],
    }


def _split_arguments(text: str) -> list[str]:
    """Split at the commas outside parentheses."""
    return re.findall(r"[^,()]+(?:\((?:[^()]|\([^()]*\))*\))?", text)


_PROBLEM = re.compile(
    r"^(?:INVALID_ARGUMENT: )?ERROR: <input>:(-?\d+):(-?\d+): (.*)$", re.MULTILINE
)
_TOO_DEEP = re.compile(r"recursion (?:limit|depth)[^\d]*(\d+)")


# The parser lists all tokens that it accepts; the location says more.
_UNEXPECTED_TOKEN = re.compile(
    r"Syntax error: (?:mismatched|extraneous) input ('(?:[^']|\\')*') expecting \{.*\}", re.DOTALL
)


def _simplify(message: str) -> str:
    """A problem without the tokens that the parser expects; one expected token remains."""
    match = _UNEXPECTED_TOKEN.fullmatch(message)
    if match is None:
        return message
    end = match[1] == "'<EOF>'"
    problem = "the expression ends too early" if end else f"unexpected {match[1]}"
    return f"Syntax error: {problem}; write a value, a field, or a function here"


def _parse_problems(message: str) -> list[Problem]:
    """Parse cel-cpp's message; a problem without a location has line 1 and column 1."""
    too_deep = _TOO_DEEP.search(message)
    if too_deep:
        return [Problem(1, 1, f"nested deeper than {too_deep[1]} levels")]
    problems = [
        Problem(int(line), int(column), _simplify(message_text.removesuffix(" (in container '')")))
        for line, column, message_text in _PROBLEM.findall(message)
    ]
    return problems or [Problem(1, 1, message.removesuffix(" [INVALID_ARGUMENT]"))]
