"""An expression gives the value or the error that kube-apiserver gives for it.

Without Go: a recorded expression, rewritten so that the value stays the same. With Go: expressions
that are combined from the recorded ones.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from fuzz import go_programs, mutation
from fuzz.byte_source import ByteRandom
from fuzz.go_programs import Row
from fuzz.harness import check_claim
from kube.cel import test_kubernetes as recorded
from podgraft.kube.cel import Environment, EvaluationError, Meter
from podgraft.kube.cel.errors import CompileError, CostExceededError, ReviewLimitError

# Each gives the value of the expression.
_REWRITES = (
    "{}",
    "({})",
    "true ? ({0}) : ({0})",
    "[({})][0]",
    "{{'k': ({})}}.k",
    "[({})].map(x, x)[0]",
    "optional.of(({})).value()",
    "[1].map(i, ({}))[0]",
    "dyn({})",
    "false ? ({0}) : (({0}))",
)
_COMBINATIONS = (
    "({0}) == ({1})",
    "[({0}), ({1})]",
    "[dyn({0}), dyn({1})].all(x, x == x)",
    "type({0}) == type({1})",
    "({0}) + ({1})",
    "dyn({0}) < dyn({1})",
    "dyn({0}) in [dyn({1})]",
    "string(dyn({0})) + string(dyn({1}))",
    "size(dyn({0})) > 0 || dyn({1}) == 1",
    "{{'a': dyn({0}), 'b': dyn({1})}}.exists(k, k == 'a')",
    "dyn({0}) == dyn({1}) ? 'same' : 'other'",
    "has(object.spec) && ({0}) != ({1})",
)


@cache
def environment() -> Environment:
    """The environment of the recorded expressions."""
    return Environment({"object": "dyn", "params": "dyn"})


@cache
def _rows() -> tuple[Row, ...]:
    rows = (*recorded.ROWS, *go_programs.load_recorded("cel"))
    return tuple(row for row in rows if not is_known_difference(row))


def is_known_difference(row: Row) -> bool:
    """Whether docs/overlays.md lists the difference: sums of quantities."""
    expression = row["expression"]
    return "quantity" in expression and (".add(" in expression or ".sub(" in expression)


def fuzz(data: bytes) -> str:
    """Evaluate one expression, and compare the result."""
    random = ByteRandom(data)
    kind = random.random()
    if kind < 0.6:
        return _check_rewritten(random)
    if kind < 0.8 and not go_programs.is_live():
        return _evaluate_damaged(random)
    expression = make_expression(random)
    actual = recorded.answer(environment(), expression)
    again = recorded.answer(environment(), expression)
    check_claim(actual == again, "two evaluations differ", actual, again, expression)
    if go_programs.is_live():
        row = ask_go(expression)
        expected = recorded.kubernetes_answer(row)
        same = is_known_difference(row) or recorded.is_same_answer(actual, expected)
        check_claim(same, "engine", actual, "kube-apiserver", row, expression)
    return actual.outcome


def make_expression(random: ByteRandom) -> str:
    """Two recorded expressions in one."""
    parts = [random.choice(_rows())["expression"] for _ in range(2)]
    return random.choice(_COMBINATIONS).format(*parts)


@cache
def _program() -> go_programs.GoProgram:
    program = go_programs.find_program("cel")
    program.ask(recorded.VARIABLES)
    return program


def ask_go(expression: str) -> Row:
    """kube-apiserver's answer to an expression."""
    return _program().ask({"expression": expression})


def _check_rewritten(random: ByteRandom) -> str:
    row = random.choice(_rows())
    expected = recorded.kubernetes_answer(row)
    rewrite = random.choice(_REWRITES)
    if expected.outcome == "fault":
        # A literal of mixed types and dyn() hide what the checker rejects.
        rewrite = random.choice(_REWRITES[:2])
    actual = recorded.answer(environment(), rewrite.format(row["expression"]))
    same = actual.outcome == expected.outcome and (
        expected.outcome != "value" or not expected.text or actual.text == expected.text
    )
    check_claim(same, "engine", actual, "kube-apiserver", expected, rewrite, row["expression"])
    return f"recorded {expected.outcome}"


def _evaluate_damaged(random: ByteRandom) -> str:
    """A damaged expression compiles, or has errors with a position; it never crashes."""
    text = mutation.mutate_text(random, random.choice(_rows())["expression"])
    try:
        program = environment().compile_(text)
        program.evaluate(_variables(), Meter(10**6))
    except CompileError as error:
        check_claim(bool(error.problems), "an error without a problem", text)
        return "damaged: fault"
    except (EvaluationError, CostExceededError, ReviewLimitError):
        return "damaged: error"
    return "damaged: value"


def _variables() -> dict[str, Any]:
    return recorded.VARIABLES
