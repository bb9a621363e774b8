"""Laws that hold for any template, format and value."""

import subprocess
import sys
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from oracle.go_types import PROBES
from oracle.typed import decode
from podgraft.golang.fmt import sprintf
from podgraft.golang.reflect import round_to_float32
from podgraft.golang.strconv.ftoa import format_float
from podgraft.golang.strconv.quote import quote, unquote
from podgraft.golang.texttemplate import ExecError, LimitError, TemplateError, compile_
from support.effort import scaled

from .answers import answer
from .generator import DATA, Generator

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
PIECES = st.sampled_from(
    (
        *("{{", "}}", "{{-", "-}}", "(", ")", "|", ".", ".x", "$", "$x", ":=", "=", ",", '"', "`"),
        *(
            "'",
            "1",
            "a",
            "if",
            "else",
            "end",
            "range",
            "with",
            "define",
            "template",
            "block",
            "nil",
        ),
        *(
            "true",
            "print",
            "/*",
            "*/",
            "+",
            "-",
            "e",
            "i",
            "0x",
            "\n",
            "é",
            "\\",
            "{{end}}",
            "{{if}}",
        ),
    )
)


@given(st.lists(PIECES | st.text(max_size=3), max_size=25).map(" ".join))
def test_text_is_a_template_or_has_an_error_with_its_line(text: str) -> None:
    error = failure(text)
    if error is not None:
        assert 1 <= error.line <= text.count("\n") + 1
        assert error.span.excerpt


def failure(text: str) -> TemplateError | ExecError | LimitError | None:
    try:
        compile_(text, name="t", functions={}).render({"x": 1})
    except (TemplateError, ExecError, LimitError) as error:
        return error
    return None


@settings(max_examples=scaled(200))
@given(st.randoms(use_true_random=False))
def test_a_generated_template_renders_or_fails_the_same_way_twice(random: Random) -> None:
    row = {"template": Generator(random, 0.8).template(), "data": DATA, "functions": "probe"}
    assert answer(row) == answer(row)


@given(st.text(alphabet="%-+# 0123456789.*[]vdsqxXbcUteEfgGTwé!", max_size=20), st.lists(VALUES))
def test_any_format_prints_any_values(format_: str, values: list[object]) -> None:
    assert isinstance(sprintf.sprintf(format_, values), str)


@given(st.text())
def test_what_is_quoted_can_be_read_back(text: str) -> None:
    assert unquote(quote(text)) == text
    assert unquote(quote(text, ascii_only=True)) == text
    assert quote(text, ascii_only=True).isascii()


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_shortest_digits_give_the_number_back(value: float) -> None:
    for verb in "efgx":
        text = format_float(value, verb)
        assert (float.fromhex if verb == "x" else float)(text) == value


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_the_shortest_digits_of_a_float32_do_too(value: float) -> None:
    assert round_to_float32(float(format_float(value, "g", bits=32))) == value


@given(VALUES)
def test_printing_a_value_is_the_same_in_every_way(value: object) -> None:
    """But for nil, of which an action says that there is no value."""
    shown = sprintf.sprint(value)
    assert sprintf.sprintf("%v", (value,)) == shown
    assert sprintf.sprintln(value) == f"{shown}\n"
    template = compile_("{{.}}{{print .}}", name="t", functions={})
    assert template.render(value) == ("<no value>" if value is None else shown) + shown


def test_code_and_output_do_not_depend_on_the_hash_seed() -> None:
    program = (
        "import ast\n"
        "from golang.texttemplate.cases import language\n"
        "from podgraft.golang.texttemplate import BUILTINS, TemplateError\n"
        "from podgraft.golang.texttemplate.compile.compiler import compile_templates\n"
        "from podgraft.golang.texttemplate.parse.parser import parse\n"
        "from podgraft.golang.texttemplate.parse.source import Source\n"
        "for text in language.TEMPLATES:\n"
        "    source = Source('t', text)\n"
        "    try: trees = parse(source, ('{{', '}}'), BUILTINS)\n"
        "    except TemplateError as error: print(error)\n"
        "    else: print(ast.dump(compile_templates(source, trees, BUILTINS).module))\n"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0]
    assert runs[0] == runs[1]


def test_the_generator_makes_templates_that_work_and_that_do_not() -> None:
    """Else the laws above would say little."""
    random = Random(5)  # noqa: S311 - to be the same each time
    data = decode(DATA)
    outcomes = {"fine": 0, "failed": 0}
    for _ in range(200):
        try:
            compile_(Generator(random).template(), name="t", functions=PROBES).render(data)
        except (TemplateError, ExecError):
            outcomes["failed"] += 1
        else:
            outcomes["fine"] += 1
    assert min(outcomes.values()) > 50
