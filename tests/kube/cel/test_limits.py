"""The limits of an expression, which are those of its text: no caller's stack changes a verdict."""

from collections.abc import Iterator
from time import process_time

import pytest

from podgraft.kube.cel import (
    Budget,
    CompileError,
    CostExceededError,
    Environment,
    EvaluationError,
    Meter,
    Program,
    ReviewLimitError,
    extent,
)
from podgraft.kube.cel.limits import MAX_LEVELS, MAX_NODES
from podgraft.kube.cel.syntax import children
from podgraft.kube.cel.values import type_name
from podgraft.kube.document_reader import Cursor, Diagnostics
from podgraft.kube.matching.conditions import ExpressionCompiler
from podgraft.kube.validation.variables import Activation, PolicyVariable
from support.deep_stack import call_at_depth

# More frames than any caller has: the handler compiles at 34 frames, and evaluates at 43.
DEEP = 400
ENVIRONMENT = Environment({"object": "dyn", "v": "dyn"}, patch_types=True)
# What can be repeated, each with what is before, inside, and after it.
NESTS = {
    "all": ("[1].all(x, ", "true", ")"),
    "exists of an outer": ("[v].exists(x, x && ", "x", ")"),
    "exists_one": ("[1].exists_one(x, ", "true", ")"),
    "map": ("[1].map(x, ", "1", ")"),
    "map with a condition": ("[1].map(x, true, ", "1", ")"),
    "filter": ("", "[1]", ".filter(x, true)"),
    "sortBy": ("", "[1]", ".sortBy(x, x)"),
    "optMap": ("optional.of(1).optMap(x, ", "1", ")"),
    "optMap of an outer": ("optional.of(v).optMap(x, [x][0] == ", "1", ")"),
    "transformMap": ("[1].transformMap(k, w, true, ", "1", ")"),
    "field": ("", "object", ".b"),
    "field of a map": ("{'b': ", "{'b': v}", "}.b"),
    "index": ("", "object", "[0]"),
    "inner index": ("object[", "object", "]"),
    "optional field": ("", "object", ".?b"),
    "presence": ("has({'b': ", "v", "}.b)"),
    "sum": ("1 + ", "1", ""),
    "sum to the left": ("", "v", " + v"),
    "sum in brackets": ("v + (", "v", ")"),
    "condition": ("v ? 1 : ", "1", ""),
    "condition first": ("(", "v", " ? v : v)"),
    "list": ("[", "1", "]"),
    "list of a variable": ("[", "v", "]"),
    "optional element": ("[?optional.of(", "v", ")]"),
    "map of a constant": ("{'a': ", "1", "}"),
    "map of a variable": ("{'a': ", "v", "}"),
    "struct": ("Object{a: ", "v", "}"),
    "call": ("dyn(", "v", ")"),
    "method": ("", "'a'", ".trim()"),
    "not": ("!(", "v", ")"),
    "and": ("v && (", "v", ")"),
    "or and not": ("v || v && !(", "v", ")"),
    "format": ("'%s'.format([", "v", "])"),
    "patch": ("[JSONPatch{op: 'add', path: '', value: ", "v", "}]"),
}


def compile_at(frames: int, text: str) -> Program | str:
    """The program, or the text of the refusal."""

    def run() -> Program | str:
        try:
            return ENVIRONMENT.compile_(text)
        except CompileError as error:
            return str(error)

    return call_at_depth(frames, run)


def evaluate_at(frames: int, program: Program) -> object:
    """The type of the value, or the text of the error."""

    def run() -> object:
        try:
            return type_name(program.evaluate({"object": {}, "v": True}, Meter(10**9)))
        except EvaluationError as error:
            return str(error)

    return call_at_depth(frames, run)


def find_most(nest: tuple[str, str, str]) -> int:
    """How often a nest can be repeated at most: a bisection, as more is never less deep."""
    before, inside, after = nest
    least, most = 0, 260
    while least < most:
        middle = (least + most + 1) // 2
        text = before * middle + inside + after * middle
        if isinstance(compile_at(0, text), Program):
            least = middle
        else:
            most = middle - 1
    return least


@pytest.mark.parametrize("name", NESTS)
def test_a_verdict_does_not_depend_on_the_stack_of_the_caller(name: str) -> None:
    """At the limit, an expression compiles and evaluates from a deep stack; a level more, never."""
    before, inside, after = NESTS[name]
    most = find_most(NESTS[name])
    assert most >= 30

    text = before * most + inside + after * most
    shallow, deep = compile_at(0, text), compile_at(DEEP, text)
    assert isinstance(shallow, Program)
    assert isinstance(deep, Program)
    assert evaluate_at(DEEP, deep) == evaluate_at(0, shallow)

    more = before * (most + 1) + inside + after * (most + 1)
    assert compile_at(DEEP, more) == compile_at(0, more)


@pytest.mark.parametrize(("before", "inside", "after"), [("", "a", ".b"), ("1+", "1", "")])
def test_what_the_parser_of_cel_go_accepts_of_one_kind_compiles(
    before: str, inside: str, after: str
) -> None:
    environment = Environment({"a": "dyn"})
    environment.compile_(before * 250 + inside + after * 250)


def test_a_deep_expression_is_refused_at_its_start() -> None:
    text = "[1].all(x, " * 200 + "true" + ")" * 200
    with pytest.raises(CompileError) as raised:
        ENVIRONMENT.compile_(text)
    (problem,) = raised.value.problems
    assert problem.message == (
        f"nested deeper than {MAX_LEVELS} levels, with its macros and variables"
    )


def test_copies_of_macros_have_a_limit() -> None:
    """``optMap`` evaluates what is before it twice, so each one doubles the expression."""
    compile_ = ENVIRONMENT.compile_
    compile_("optional.of(1)" + ".optMap(x, x)" * 8)
    with pytest.raises(CompileError, match=f"to more than {MAX_NODES} parts"):
        compile_("optional.of(1)" + ".optMap(x, x)" * 40)
    with pytest.raises(CompileError, match=f"to more than {MAX_NODES} parts"):
        compile_("optional.of(1)" + ".optFlatMap(x, optional.of(x))" * 40)


def test_the_steps_of_a_type_check_grow_with_the_text() -> None:
    """Each call binds a type parameter; a check that copied all of them would be quadratic."""
    text = "[" + ", ".join(["[1][0]"] * 10_000) + "]"
    assert len(children(ENVIRONMENT.compile_(text).root)) == 10_000


def make_chain(count: int) -> Iterator[PolicyVariable | None]:
    """Variables that each read the one before; ``None`` for the first that is refused."""
    compiler, diagnostics = ExpressionCompiler(params=False), Diagnostics()
    text = "object.n"
    for number in range(count):
        program = compiler.expression(Cursor(text, "", diagnostics))
        if program is None:
            (error,) = diagnostics.errors
            assert f"nested deeper than {MAX_LEVELS} levels" in error.problem
            assert error.remedy == "nest fewer parts, macros, and variables in each other"
            yield None
            return
        name = f"v{number}"
        compiler.declare(name, program)
        yield PolicyVariable(name, program)
        text = f"variables.{name} + 1"


def test_a_chain_of_variables_has_the_limit_of_an_expression() -> None:
    chain = [*make_chain(200)]
    assert chain.pop() is None
    assert len(chain) >= 40
    variables = [variable for variable in chain if variable]

    def run() -> object:
        activation = Activation({"object": {"n": 1}}, variables)
        return activation.evaluate(variables[-1].program, Budget(10**9))

    assert call_at_depth(0, run) == call_at_depth(DEEP, run) == len(variables)


DOUBLED = "".join(f".map(x{number}, [x{number}, x{number}])" for number in range(60))


@pytest.mark.parametrize(
    "text",
    [
        "... == ...",
        "... != ...",
        "[...] in [[...]]",
        "....indexOf(...[0]) == 0",
        "dyn(...).includes(...[0])",
        "sets.contains(..., ...)",
        "sets.equivalent(..., ...)",
        "sets.intersects(..., ...)",
        "[..., ...].distinct().size() == 1",
        "'%s'.format([...]) == ''",
        "....flatten().size() == 2",
        "dyn(...).flatten(100).size() == 2",
        "Object{a: ...} == Object{a: ...}",
        "optional.of(...) == optional.of(...)",
        "{'a': ...} == {'a': ...}",
    ],
)
def test_a_value_that_contains_another_many_times_is_not_read(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each ``map`` contains what is before it twice: 2**60 values, and little memory."""
    monkeypatch.setattr(extent, "MAX_VALUES", 1_000)
    doubled = f"[1]{DOUBLED}"
    program = ENVIRONMENT.compile_(text.replace("...", doubled))
    with pytest.raises(ReviewLimitError, match="a value with more than 1000 members"):
        program.evaluate({"object": {}, "v": True}, Meter(10**9))


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("object.l.all(x, x in object.l)", 3_000),
        ("object.l.all(x, dyn(x) in dyn(object.l))", 3_000),
        ("object.l.all(x, object.l == object.l)", 2_000),
    ],
)
def test_what_all_functions_of_an_evaluation_read_has_a_limit(text: str, size: int) -> None:
    """kube-apiserver charges one unit for such a call: 20,000 names took two minutes."""
    program = ENVIRONMENT.compile_(text)
    variables = {"object": {"l": [f"n{number}" for number in range(size)]}, "v": True}
    assert program.evaluate(variables, Meter(10**9)) is True
    variables["object"] = {"l": [f"n{number}" for number in range(20_000)]}
    with pytest.raises(ReviewLimitError, match="more than 10000000 members in total"):
        program.evaluate(variables, Meter(10**9))


@pytest.mark.parametrize(
    "text",
    [
        "object.replace('a', object)",
        "object.replace('', object)",
        "object.replace('a', object, 1000)",
        "object.split('').join(object)",
    ],
)
def test_a_text_that_a_function_makes_has_a_limit(text: str) -> None:
    """An annotation of 60,000 characters became a text of 3.6 GB."""
    program = ENVIRONMENT.compile_(f"{text}.size()")
    with pytest.raises(ReviewLimitError, match="makes a text of more than 16000000 characters"):
        program.evaluate({"object": "a" * 60_000, "v": True}, Meter(10**9))
    assert program.evaluate({"object": "aXa", "v": True}, Meter(10**9)) in (7, 9, 15)


@pytest.mark.parametrize(
    "call",
    [
        *("int(object.s)", "uint(object.s)", "double(object.s)", "bool(object.s)"),
        *("duration(object.s)", "timestamp(object.s)", "isURL(object.s)", "bytes(object.s)"),
        *("object.s.findAll('')", "object.s.findAll('a')", "object.s < object.t"),
        *("object.s + object.t", "string(bytes(object.s))", "object.l.distinct()"),
        *("sets.equivalent(object.l, object.l)", "object.l.sortBy(x, x)"),
    ],
)
@pytest.mark.parametrize("char", ["0", "\0", "é", "a"])
def test_a_call_that_costs_little_ends_early_for_a_long_text_or_list(call: str, char: str) -> None:
    """Kubernetes charges one unit for most of these, or after the call; each took hours."""
    program = ENVIRONMENT.compile_(f"object.l.exists(x, [dyn({call})] == [1] && false)")
    names = [f"n{number}" for number in range(20_000)]
    values = {"l": names, "s": char * 300_000, "t": char * 300_001}
    start = process_time()
    with pytest.raises((CostExceededError, ReviewLimitError)):
        program.evaluate({"object": values, "v": True}, Meter(10**6))
    assert process_time() - start < 10


def test_keys_of_a_map_are_searched_for_without_a_limit() -> None:
    """A map of 5,000 keys is small; each search reads none of the others."""
    program = ENVIRONMENT.compile_("object.all(k, k in object)")
    keys = {f"k{number}": number for number in range(5_000)}
    assert program.evaluate({"object": keys, "v": True}, Meter(10**6)) is True


def test_concatenated_lists_have_a_limit() -> None:
    """Each ``map`` doubles a list, which Go does without a copy, for one unit."""
    program = ENVIRONMENT.compile_("[[1]]" + ".map(x, x + x)" * 40)
    with pytest.raises(ReviewLimitError, match="a value with more than 2000000 members"):
        program.evaluate({"object": {}, "v": True}, Meter(10**9))


def test_objects_as_deep_as_a_request_can_be_are_compared() -> None:
    first: object = {"a": None}
    second: object = {"a": None}
    for _ in range(97):
        first, second = {"a": [first]}, {"a": [second]}
    program = Environment({"object": "dyn", "oldObject": "dyn"}).compile_(
        "object == oldObject && [object].indexOf(oldObject) == 0 && object in [oldObject]"
    )

    def run() -> object:
        return program.evaluate({"object": first, "oldObject": second}, Meter(10**9))

    assert call_at_depth(DEEP, run) is True


@pytest.mark.parametrize(("text", "is_integer"), [("1e999999999", False), ("0e999999999", True)])
def test_an_exponent_of_any_size_costs_nothing(text: str, is_integer: bool) -> None:
    program = ENVIRONMENT.compile_("quantity(object).isInteger()")
    assert program.evaluate({"object": text}, Meter(100)) is is_integer


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("'aaa'.replace('a', 'b', object.n) == ''", 2**63),
        ("'a,b'.split(',', object.n) == []", 2**64),
        ("double(object.n) > 0.0", 10**400),
        ("object.n in [1.0]", 10**400),
    ],
)
def test_an_integer_of_more_than_64_bits_is_no_argument(text: str, number: int) -> None:
    with pytest.raises(EvaluationError):
        ENVIRONMENT.compile_(text).evaluate({"object": {"n": number}}, Meter(10**6))
