"""What an expression reads of its variables, with what the programs of ``variables`` read."""

import pytest

from podgraft.base.field_reads import EACH
from podgraft.kube.cel import Program
from podgraft.kube.cel.reads import find_reads
from podgraft.kube.document_reader import Cursor, Diagnostics
from podgraft.kube.matching.conditions import ExpressionCompiler


def read_paths(text: str, *variables: str) -> set[str]:
    """The paths that an expression reads; the variables are a, b, and so on."""
    compiler, diagnostics = ExpressionCompiler(params=False), Diagnostics()
    programs: dict[str, Program] = {}
    for name, source in zip("abcdefghijklmnopqrstuvwxyz", variables, strict=False):
        program = compiler.expression(Cursor(source, "", diagnostics))
        assert program is not None
        compiler.declare(name, program)
        programs[name] = program
    program = compiler.expression(Cursor(text, "", diagnostics))
    assert program is not None
    return {
        ".".join((variable, *("*" if step == EACH else step for step in path)))
        for variable, path, _ in find_reads(program, programs)
    }


CHOICE = "object.x ? object.y : object.z"
CASES: tuple[tuple[str, tuple[str, ...], set[str]], ...] = (
    ("object.a.b == 1", (), {"object.a.b"}),
    ("has(object.a.b)", (), set()),  # whether a path is present is always known
    # A variable that is a part, and what selects it
    ("variables.a.n", ("object.m",), {"object.m.n"}),
    (f"({CHOICE}).n", (), {"object.x", "object.y.n", "object.z.n"}),
    ("variables.a", (CHOICE,), {"object.x", "object.y", "object.z"}),
    ("variables.a.n", (CHOICE,), {"object.x", "object.y.n", "object.z.n"}),
    ("has(variables.a.n)", (CHOICE,), {"object.x"}),
    ("size(variables.a)", (CHOICE,), {"object.x", "object.y", "object.z"}),
    ("variables.a.all(e, e == 1)", (CHOICE,), {"object.x", "object.y.*", "object.z.*"}),
    (
        "variables.b.n",
        (CHOICE, "variables.a"),
        {"object.x", "object.y.n", "object.z.n"},
    ),
    (
        "variables.a + variables.b",
        (CHOICE, "[object.w]"),
        {"object.x", "object.y", "object.z", "object.w"},
    ),
)  # fmt: skip


@pytest.mark.parametrize(("text", "variables", "paths"), CASES)
def test_the_reads_are_those_of_all_that_decides_the_value(
    text: str, variables: tuple[str, ...], paths: set[str]
) -> None:
    assert read_paths(text, *variables) == paths


@pytest.mark.parametrize(
    ("first", "path"), [("object.l", "object.l"), ("object.l.map(x, x)", "object.l.*")]
)
def test_each_variable_is_read_once_however_many_read_it(first: str, path: str) -> None:
    """Twenty-six variables that read the one before twice would be 2**25 reads."""
    names = "abcdefghijklmnopqrstuvwxyz"
    doubled = [f"variables.{name} + variables.{name}" for name in names[:-1]]
    assert path in read_paths("variables.z == []", first, *doubled)
