"""Every recorded expression gives what kube-apiserver 1.37 gave for it (tests/oracle/cel)."""

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest

from oracle.cel.expressions import GROUPS
from podgraft.kube.cel import CompileError, Environment, EvaluationError, Meter
from podgraft.kube.cel.library.conversions import double_text
from podgraft.kube.cel.library.times import text_of_timestamp
from podgraft.kube.cel.values import (
    Duration,
    Timestamp,
    TypeValue,
    Uint,
    Value,
    is_list,
    is_map,
    is_optional,
    kind,
    kubernetes_type,
)
from support.corpus import assert_corpus

FIXTURE = Path(__file__).with_name("fixtures") / "kubernetes.jsonl"
VARIABLES, *ROWS = [json.loads(line) for line in FIXTURE.read_text().splitlines()]


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of an expression, in the fixture's words."""

    outcome: str
    text: str
    cost: int = 0
    type: str = ""


@pytest.fixture(scope="module")
def environment() -> Environment:
    return Environment({"object": "dyn", "params": "dyn"})


def answer(environment: Environment, expression: str) -> Answer:
    try:
        program = environment.compile_(expression)
    except CompileError as error:
        return Answer("fault", str(error))
    meter = Meter(10**9)
    try:
        value = program.evaluate(VARIABLES, meter)
    except EvaluationError as error:
        return Answer("error", str(error), meter.spent)
    return Answer("value", describe(value), meter.spent, program.type)


def describe(value: Value) -> str:
    """As ``describe`` of main.go."""
    if is_optional(value):
        return f"optional({describe(value.value) if value.present else ''})"
    if is_list(value):
        return f"list[{', '.join(map(describe, value))}]"
    if is_map(value):
        entries = sorted(f"{describe(k)}: {describe(v)}" for k, v in value.items())
        return "map{" + ", ".join(entries) + "}"
    write = WRITERS.get(kind(value))
    return write(value) if write else f"{kubernetes_type(value)}({value})"


WRITERS: dict[type[object], Callable[[Value], str]] = {
    type(None): lambda _: "null",
    bool: lambda value: f"bool({str(value).lower()})",
    Uint: lambda value: f"uint({int(value)})",
    int: lambda value: f"int({value})",
    float: lambda value: f"double({double_text(value)})",
    str: lambda value: f"string({json.dumps(value, ensure_ascii=False)})",
    bytes: lambda value: f"bytes({base64.b64encode(value).decode()})",
    Duration: lambda value: f"duration({value.nanoseconds})",
    Timestamp: lambda value: f"timestamp({text_of_timestamp(Timestamp(value.nanoseconds))})",
    TypeValue: lambda value: f"type({value.name})",
}


def expected_text(row: dict[str, str]) -> str:
    return next(outcome for outcome in ("fault", "error", "value") if outcome in row)


@pytest.mark.parametrize("outcome", ["fault", "error", "value"])
def test_expressions_give_what_kubernetes_gives(outcome: str, environment: Environment) -> None:
    assert_corpus(
        [row for row in ROWS if expected_text(row) == outcome],
        name=itemgetter("expression"),
        expected=kubernetes_answer,
        actual=lambda row: answer(environment, row["expression"]),
        same=is_same_answer,
    )


def kubernetes_answer(row: dict[str, str]) -> Answer:
    outcome = expected_text(row)
    return Answer(outcome, row[outcome], type=row.get("type", ""))


def is_same_answer(ours: Any, kubernetes: Any) -> bool:
    """Whether two answers are the same; texts of faults and errors differ."""
    if ours.outcome != kubernetes.outcome or ours.outcome != "value":
        return ours.outcome == kubernetes.outcome
    return ours.text == kubernetes.text and ours.type == kubernetes.type


def test_cost_is_counted_as_kubernetes_counts_it(environment: Environment) -> None:
    """Nine of ten equal, none less than half: what Kubernetes ends, the meter ends."""
    valued = [row for row in ROWS if expected_text(row) == "value"]
    costs = [(answer(environment, row["expression"]).cost, row.get("cost", 0)) for row in valued]
    equal = sum(ours == theirs for ours, theirs in costs)

    assert equal / len(costs) > 0.9
    assert all(2 * ours + 2 >= theirs for ours, theirs in costs)


def test_the_fixture_is_whole() -> None:
    """It holds every expression of the oracle's table and no other."""
    lines = [line.strip() for text in GROUPS.values() for line in text.strip().splitlines()]

    assert lines == [row["expression"] for row in ROWS]
