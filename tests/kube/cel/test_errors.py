"""What is said about expressions that are wrong, and what only we do."""

import pytest

from podgraft.kube.cel import (
    CompileError,
    CostExceededError,
    Environment,
    EvaluationError,
    LazyMap,
    Meter,
)
from podgraft.kube.cel.errors import Problem

ENVIRONMENT = Environment(
    {"object": "dyn", "request": "Request"},
    {"Request": {"kind": "Kind", "name": "dyn"}, "Kind": {"group": "string"}},
)


def test_faults_are_drawn_under_their_line() -> None:
    with pytest.raises(CompileError) as raised:
        ENVIRONMENT.compile_("true &&\n  nope")

    assert raised.value.problems == (Problem(2, 3, "undeclared reference to 'nope'"),)
    assert str(raised.value) == "2:3: undeclared reference to 'nope'\n    nope\n    ^"


def test_a_fault_outside_the_text_is_reported_without_a_line() -> None:
    assert Problem(0, 0, "lost").excerpt("x") == "0:0: lost"


COMPILE_ERRORS = (
    ("(" * 300 + "1" + ")" * 300, "-1:0: expression recursion limit exceeded: 250"),
    ("request.nope", "1:8: undefined field 'nope'; there are kind, name"),
    ("request.kind.nope", "1:13: undefined field 'nope'; there are group"),
    ("object.all(x, request.nope == x)", "1:22: undefined field 'nope'; there are kind, name"),
    ("[1].filter(.y, true)", "1:13: undeclared reference to '.y'"),
    ("type(object) == dyn", "1:17: undeclared reference to 'dyn'"),
    ("[1].all(dyn, dyn > 0) && type(1) == dyn", "1:37: undeclared reference to 'dyn'"),
    ("google.protobuf.Any", "1:1: undeclared reference to 'google'"),
    ("google.protobuf.Value", "1:16: program instantiation failed: reference to undefined type"),
    (
        "'%.f'.format([1.0])",
        "1:13: could not parse formatting clause: error while parsing precision",
    ),
    ("'%.101f'.format([1.0])", "1:16: could not parse formatting clause: error while parsing prec"),
)


@pytest.mark.parametrize(("text", "message"), COMPILE_ERRORS)
def test_an_expression_with_a_fault_does_not_compile(text: str, message: str) -> None:
    with pytest.raises(CompileError) as raised:
        ENVIRONMENT.compile_(text)

    assert str(raised.value).startswith(message)


def test_fields_of_unknown_shape_are_left_to_their_values() -> None:
    assert ENVIRONMENT.compile_("request.name.x + object.y").type == "dyn"


def test_the_type_that_is_expected_is_checked() -> None:
    with pytest.raises(CompileError, match=r"must evaluate to one of \[bool int\] but got string"):
        ENVIRONMENT.compile_("'a'", "bool", "int")
    with pytest.raises(CompileError, match="must evaluate to bool but got dyn"):
        ENVIRONMENT.compile_("object.x", "bool")

    assert ENVIRONMENT.compile_("object.x == true", "bool").type == "bool"


def test_an_unknown_time_zone_is_an_error_when_it_is_met() -> None:
    program = ENVIRONMENT.compile_("timestamp('2024-01-01T00:00:00Z').getHours('Europe/Bern')")

    with pytest.raises(EvaluationError, match="unknown time zone Europe/Bern"):
        program.evaluate({}, Meter(100))


def test_nothing_absorbs_an_exceeded_budget() -> None:
    program = ENVIRONMENT.compile_("object.all(x, x >= 0) || true")

    with pytest.raises(CostExceededError, match="costs more than the 50 units it may"):
        program.evaluate({"object": list(range(100))}, Meter(50))


def test_loops_that_build_are_linear() -> None:
    """Ten thousand elements and entries: quadratic copying would take minutes."""
    program = ENVIRONMENT.compile_(
        "size(object.map(x, x)) + size(object.filter(x, x > 0))"
        " + size(object.transformMapEntry(i, v, {i: v}))"
    )

    assert program.evaluate({"object": list(range(10_000))}, Meter(10**8)) == 29_999


VARIABLES = Environment(
    {"object": "dyn", "variables": "Variables"},
    {"Variables": {"off": "bool", "text": "string", "map": "map(string,dyn)", "has": "bool"}},
)
_NAMED = {"off": False, "text": "", "map": {"a": 1}, "has": False}
VALUES = {
    "object": {"variables": {"off": 1}},
    "variables": LazyMap(_NAMED, _NAMED.__getitem__),
}
TESTS = (
    ("has(variables.off)", True),
    ("!has(variables.off)", False),
    ("!has(variables.off) || variables.off", False),
    ("has(variables.text)", True),
    ("has(variables.map) && has(variables.map.a)", True),
    ("has(variables.map) && has(variables.map.b)", False),
    ("has(variables.has)", True),
    ("has ( variables\n .  off )", True),
    ("has(object.variables) && has(object.variables.off)", True),
    ("'has(variables.off)' == \"has(variables.off)\"", True),
    (r"r'\d' == '\\d' && has(variables.off)", True),
    ("'''a' has(variables.off)'''.size() == 21", True),
    ("variables.off // has(variables.off)", False),
    ("[1].exists(x, has(variables.off) && x == 1)", True),
    ("variables.?off.hasValue() && variables.?off == optional.of(false)", True),
    ("variables.?text.orValue('b') == ''", True),
    ("dyn(variables).map.a == 1 && type(variables) == type(variables)", True),
)


@pytest.mark.parametrize(("text", "value"), TESTS)
def test_a_declared_variable_exists_whatever_its_value_is(text: str, value: bool) -> None:
    assert VARIABLES.compile_(text, "bool").evaluate(VALUES, Meter(1000)) is value


def test_an_error_in_a_variable_remains_an_error() -> None:
    def fail(name: str) -> object:
        raise EvaluationError(f"no such key: {name}")

    with pytest.raises(EvaluationError):
        VARIABLES.compile_("has(variables.off)").evaluate(
            {"variables": LazyMap({"off"}, fail)}, Meter(1000)
        )


@pytest.mark.parametrize("text", ["has(variables.other)", "variables.?other"])
def test_a_variable_that_is_not_declared_does_not_compile(text: str) -> None:
    with pytest.raises(CompileError, match="undefined field 'other'; there are has, map, off, te"):
        VARIABLES.compile_(text)


def test_a_problem_after_a_test_has_its_location() -> None:
    with pytest.raises(CompileError) as raised:
        VARIABLES.compile_("has(variables.off) && nope")

    assert raised.value.problems == (Problem(1, 23, "undeclared reference to 'nope'"),)


FEATURES: tuple[tuple[str, dict[str, int]], ...] = (
    ("[1].includes(1)", {"includes": 37}),
    ("object.`a-b`", {"a name in backticks": 37}),
    ("[1].sortBy(x, x)", {"the macro sortBy": 34}),
    ("{'a': 1}.all(k, v, v > 0)", {"the macro all": 32}),
    (
        "sets.contains([1], [1]) && quantity('1') == quantity('2')",
        {"sets.contains": 29, "quantity": 28},
    ),
    ("object.a.b + 1 == 2", {}),
)


@pytest.mark.parametrize(("text", "features"), FEATURES)
def test_the_features_of_new_releases_are_listed(text: str, features: dict[str, int]) -> None:
    assert ENVIRONMENT.compile_(text).features == features


def test_a_release_has_no_function_of_a_newer_one() -> None:
    old = Environment({"object": "dyn"}, release=33)
    with pytest.raises(CompileError, match="undeclared reference to 'distinct'"):
        old.compile_("[1].distinct()")
    assert old.compile_("semver('1.0.0').major()").type == "int"
