"""What kube-apiserver's own compiler of policies makes of 6,159 expressions, recorded.

- 2,187 of the 2,192 expressions of cel-spec's tests (508bd98; 2,456 tests), whether or not
  Kubernetes has their functions and messages, and 26 again with the values of their variables. The
  cost of the other five differs each time in Go: the order of a map is random.
- 2,087 of the Go tests of Kubernetes 1.37.2 (apiserver, apiextensions-apiserver, admission
  registration, dynamic resources), some of them in suites.jsonl; ``object`` replaces ``self``.
- The sixty verdicts of the paper, constructors of mutations, results of each kind of expression,
  and some at random.

Compared are the verdict, all problems with their positions, the type, the value or error, and the
cost (tests/oracle/cel/record.py). Of the 6,159, ``EXPLAINED`` differ.
"""

import json
import os
import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from random import SystemRandom
from typing import Any

import pytest

from kube.cel.test_kubernetes import describe
from oracle.cel import record
from podgraft.kube.cel import (
    Budget,
    CompileError,
    CostExceededError,
    Environment,
    EvaluationError,
    ReviewLimitError,
    Value,
)
from podgraft.kube.cel.equality import GoTypes
from podgraft.kube.cel.values import is_list, is_map
from podgraft.kube.matching.conditions import STRUCTS, TYPES
from podgraft.kube.matching.go_values import OBJECTS, GoValues
from podgraft.kube.structured import release_schema
from podgraft.kube.validation.variables import Activation, PolicyVariable
from support.effort import scaled

FIXTURE = Path(__file__).with_name("fixtures") / "policies.jsonl"
HEAD, *ROWS = [json.loads(line) for line in FIXTURE.read_text().splitlines()]
TYPED_HEAD, *TYPED_ROWS = [json.loads(line) for line in record.COMPARISONS.read_text().splitlines()]
KINDS: Mapping[str, Sequence[str]] = {
    "": (),
    "variable": (),
    "mutation": (),
    "validation": ("bool",),
    "message": ("string",),
    "audit": ("string", "null"),
    "apply": ("Object",),
    "patch": ("list(JSONPatch)",),
}
MUTATIONS = ("apply", "patch", "mutation")
Row = dict[str, Any]

# What differs, and why; docs/overlays.md says the same to users.
REASONS: Mapping[str, re.Pattern[str]] = {
    "protobuf's Any and Empty": re.compile(r"google\.protobuf\.(Any|Empty)"),
    "authorizers": re.compile(r"\b(authorizer\b|(namespace|name)\()"),
    "bytes as a key of a constant": re.compile(r"\{b''"),
    "one key for 1 and true": re.compile(r"1: .*true: "),
    "all variables as a value": re.compile(r"\bvariables\b(?!\s*[.\[])"),
    "an error inside an optional": re.compile(r"(\[\?|optional\.of).*(\du|\d\.\d)"),
}

EXPLAINED = {
    "authorizers": 26,
    "protobuf's Any and Empty": 3,
    "bytes as a key of a constant": 1,
    "one key for 1 and true": 1,
    "all variables as a value": 1,
}


class GoMaps(GoTypes):
    """Values of which all lists and maps are lists and maps of Go."""

    def __init__(self, values: Mapping[str, Value]) -> None:
        self.values = values

    def type_of(self, value: Value) -> str | None:
        return "map(dyn, dyn)" if any(value is each for each in walk(self.values)) else None


def walk(value: Value) -> Iterator[Value]:
    if is_map(value) or is_list(value):
        yield value
        for each in value.values() if is_map(value) else value:
            yield from walk(each)


class World:
    """The environments and variables of the first line of a fixture."""

    def __init__(self, head: Row = HEAD) -> None:
        self.types = {**TYPES, "params": "dyn", "variables": "kubernetes.variables"}
        self.fields: dict[str, str] = {}
        self.variables: list[PolicyVariable] = []
        for variable in head.get("variables", ()):
            program = self.environment(patch_types=False).compile_(variable["expression"])
            self.fields[variable["name"]] = program.signature
            self.variables.append(PolicyVariable(variable["name"], program))
        names = ("object", "oldObject", "params", "request", "namespaceObject")
        self.values = {**dict.fromkeys(names), **head["values"]}
        is_typed = head.get("typed", False)
        self.go = (
            GoValues(self.values, OBJECTS, release_schema) if is_typed else GoMaps(self.values)
        )

    def environment(self, *, patch_types: bool) -> Environment:
        structs = {**STRUCTS, "kubernetes.variables": self.fields}
        return Environment(self.types, structs, patch_types=patch_types)

    def answer(self, row: Row) -> Row:
        """What podgraft makes of a row."""
        environment = self.environment(patch_types=row.get("kind") in MUTATIONS)
        try:
            program = environment.compile_(row["expression"], *KINDS[row.get("kind", "")])
        except CompileError as error:
            return {"refused": [(p.line, p.column, p.message) for p in error.problems]}
        budget = Budget(10_000_000)
        answer: Row = {"type": program.type}
        try:
            value = Activation(self.values, self.variables, self.go).evaluate(program, budget)
            answer["value"] = describe(value)
        except (EvaluationError, CostExceededError, ReviewLimitError) as error:
            answer["error"] = str(error)
        return {**answer, "cost": 10_000_000 - budget.remaining}


@pytest.fixture(scope="module")
def world() -> World:
    return World()


def find_difference(theirs: Row, ours: Row) -> str:
    """The first thing that differs; empty where nothing does."""
    if ("refused" in theirs) != ("refused" in ours):
        return "verdict"
    if "refused" in theirs:
        return _compare_problems(theirs["refused"], ours["refused"])
    if theirs["type"] != ours["type"]:
        return "type"
    if ("error" in theirs) != ("error" in ours):
        return "outcome"
    # Go prints its structs in other words.
    is_mutation = theirs.get("kind") in MUTATIONS and theirs["type"] not in {"bool", "int"}
    if "value" in theirs and not is_mutation and theirs["value"] != ours["value"]:
        return "value"
    # An evaluation that fails may stop elsewhere; what it costs is not compared.
    return "" if "error" in theirs or theirs.get("cost", 0) == ours["cost"] else "cost"


def _compare_problems(theirs: list[Row], ours: list[tuple[int, int, str]]) -> str:
    """Compare all problems; of a syntax error, its place, as ANTLR recovers from it."""
    expected = sorted(
        (p.get("line", 1), p.get("column", 1), _shorten(p["message"])) for p in theirs
    )
    actual = sorted((line, column, _shorten(message)) for line, column, message in ours)
    syntax = next((place for *place, text in expected if text.startswith("Syntax error")), None)
    if syntax is not None:
        return "" if syntax in [list(place) for *place, _ in actual] else "place"
    if any("line" not in p for p in theirs):  # found after the check: without a place
        return "" if expected[0][2] == actual[0][2] else "problem"
    return "" if expected == actual else "problems"


def _shorten(message: str) -> str:
    """A problem without what only one side says."""
    message = message.replace(" (in container '')", "")
    message = re.sub(r"\b_var\d+", "_var", message)  # Go counts the variables of types it drops
    message = re.sub(r"; there are [\w, ]+$", "", message)
    return re.sub(r"^(invalid \w+ argument).*", r"\1", message, flags=re.DOTALL)


def test_policies_are_compiled_and_evaluated_as_in_kubernetes(world: World) -> None:
    found: list[str] = []
    explained: Counter[str] = Counter()
    for row in ROWS:
        ours = world.answer(row)
        difference = find_difference(row, ours)
        if not difference:
            continue
        reason = next((why for why, text in REASONS.items() if text.search(row["expression"])), "")
        explained[reason] += 1
        if not reason:
            found.append(f"{difference}: {row['expression']}\n  {row}\n  {ours}")

    assert not found, "\n".join(found[:20])
    assert explained == EXPLAINED


def find_unexplained(world: World, rows: Iterable[Row]) -> list[str]:
    """The rows that differ without a reason."""
    answers = ((row, world.answer(row)) for row in rows)
    return [
        f"{difference}: {row}\n  {ours}"
        for row, ours in answers
        if (difference := find_difference(row, ours)) and not _is_explained(row, ours)
    ]


def test_values_of_go_are_compared_as_in_kubernetes() -> None:
    """Comparisons, memberships, and indexes: of a Pod, its request, and what expressions make."""
    assert len(TYPED_ROWS) > 1_400
    assert find_unexplained(World(TYPED_HEAD), TYPED_ROWS) == []


def test_before_1_37_objects_are_compared_as_what_expressions_make() -> None:
    world = World(TYPED_HEAD)
    world.go = GoValues(world.values, OBJECTS, lambda: release_schema(36))
    answers = [
        world.answer({"expression": text})["value"]
        for text in ("object.spec == 1", "1 in object.spec", "object.spec.containers[0u] != null")
    ]

    assert answers == ["bool(false)", "bool(false)", "bool(true)"]


def test_errors_have_the_words_of_kubernetes_mostly(world: World) -> None:
    """All but errors of overloads, which name the types here and not always there."""
    failed = [row for row in ROWS if "error" in row and "no such overload" not in row["error"]]
    other = [row for row in failed if world.answer(row).get("error") != row["error"]]

    assert len(failed) > 150
    assert len(other) / len(failed) < 0.12


def test_the_fixture_has_refusals_errors_and_values() -> None:
    kinds = Counter(next(k for k in ("refused", "error", "value") if k in row) for row in ROWS)

    assert min(kinds.values()) > 300


@pytest.mark.parametrize("optional", ["optional.of([1])", "optional.none()"])
def test_an_optional_is_no_list(optional: str) -> None:
    answer = World(HEAD).answer({"expression": f"dyn({optional}).all(e, true)"})
    assert answer["error"] == "got '*types.Optional', expected iterable type"


def answer(text: str) -> Row:
    return World(HEAD).answer({"expression": text})


@pytest.mark.parametrize(
    ("values", "is_in"),
    [("dyn(9007199254740992.0)", "false"), ("dyn(9007199254740992.0), dyn(object)", "true")],
    ids=["a set of constants", "a list"],
)
def test_a_set_compares_an_integer_with_a_double_exactly(values: str, is_in: str) -> None:
    """2^53 + 1, which is no double; the list compares it as a double."""
    assert answer(f"dyn(9007199254740993) in [{values}]")["value"] == f"bool({is_in})"


def test_has_of_has_is_has() -> None:
    assert answer("has(has(object.nope))") == answer("has(object.nope)")
    problem = (1, 9, "invalid argument to has() macro")
    assert answer("has(has(object))")["refused"] == [problem, problem]


@pytest.mark.skipif(
    "PODGRAFT_LIVE_ORACLE" not in os.environ, reason="set PODGRAFT_LIVE_ORACLE=1 to ask Go itself"
)
def test_kube_apiserver_agrees_on_expressions_never_seen_before(
    world: World, tmp_path: Path
) -> None:
    """3,000 typed, damaged, and odd expressions, and 1,000 comparisons; 110,000 with LONG_TESTS."""
    folder = Path(record.__file__).parent
    program = tmp_path / "oracle"
    subprocess.run(["go", "build", "-o", program, "."], cwd=folder, check=True)
    seed = SystemRandom().randrange(2**31)
    _, *answers = record.ask(str(program), (HEAD, *record.make_rows(scaled(33_000, by=33), seed)))
    compared = record.make_comparisons(scaled(10_000, by=10), seed)
    _, *typed = record.ask(str(program), (TYPED_HEAD, *compared))

    assert find_unexplained(world, answers) == [], seed
    assert find_unexplained(World(TYPED_HEAD), typed) == [], seed


def _is_explained(theirs: Row, ours: Row) -> bool:
    """Whether kube-apiserver panics, or the reason is known."""
    text = json.dumps([theirs.get("refused"), theirs.get("error")])
    if "panic: " in text or "internal error: " in text:
        return True
    if "unsupported key type" in json.dumps([ours.get("refused"), ours.get("error")]):
        return True
    return any(reason.search(theirs["expression"]) for reason in REASONS.values())
