"""Programs: functions, names, limits, and errors that show their place."""

import re
import subprocess
import sys
import traceback

import pytest

from podgraft.golang.fmt import sprintf
from podgraft.golang.reflect import ANY, INT, STRING, Method, Struct, Value, struct_type
from podgraft.golang.texttemplate import (
    ExecError,
    Function,
    FunctionError,
    LimitError,
    Limits,
    Program,
    TemplateError,
    compile_,
)


def compile_template(text: str, **functions: Function) -> Program:
    return compile_(text, name="t", functions=functions)


def render(text: str, data: Value = None, **functions: Function) -> str:
    return compile_template(text, **functions).render(data)


def shout(word: str) -> str:
    return f"{word.upper()}!"


SHOUT = Function(shout, (STRING,), result=STRING)


def test_a_function_may_take_the_name_of_a_builtin() -> None:
    """Even of one that the compiler makes Python's own."""
    assert render('{{len "a"}}', len=SHOUT) == "A!"
    assert render('{{not "a"}}{{eq "a"}}', eq=SHOUT, **{"not": SHOUT}) == "A!A!"


def test_a_function_may_take_the_name_of_an_exit() -> None:
    """As templates had them that were written before there were break and continue."""
    assert render('{{break "a"}}{{range .}}{{end}}', [], **{"break": SHOUT}) == "A!"
    with pytest.raises(TemplateError, match="outside"):
        render("{{continue}}", **{"break": SHOUT})


def test_a_refused_function_is_refused_at_load() -> None:
    refused = Function(shout, unsupported_reason="it reads the clock")
    with pytest.raises(TemplateError) as error:
        render("a\n{{if false}}{{now}}{{end}}", now=refused)
    assert str(error.value) == 'template: t:2: function "now" is not supported: it reads the clock'


def test_what_one_program_defines_another_does_not_see() -> None:
    compile_template('{{define "x"}}{{end}}')
    with pytest.raises(ExecError, match='template "x" not defined'):
        render('{{template "x"}}')


def test_a_program_renders_again_and_with_other_data() -> None:
    program = compile_template("{{range .}}{{.}}{{else}}none{{end}}")
    assert [program.render(data) for data in ([1, 2], [], None, [1, 2])] == [
        "12",
        "none",
        "none",
        "12",
    ]


# Errors

DRAWINGS = {
    "a\n\t{{ print .x | nope }}": """\
template: t:2: function "nope" not defined
  \t{{ print .x | nope }}
  \t              ^^^^""",
    "a\n  image: {{ .x.y.z }}\nb": """\
template: t:2:14: executing "t" at <.x.y.z>: can't evaluate field y in type interface {}
    image: {{ .x.y.z }}
              ^^^^^^""",
    "{{ index .l\n  5 }}": """\
template: t:1:3: executing "t" at <index .l 5>: error calling index: index out of range: 5
  {{ index .l
     ^^^^^^^^""",
    "é {{if .x}}{{end}} {{(": """\
template: t:1: unclosed action
  é {{if .x}}{{end}} {{(
                        ^""",
}


@pytest.mark.parametrize("template", DRAWINGS)
def test_an_error_draws_its_place(template: str) -> None:
    with pytest.raises((TemplateError, ExecError)) as error:
        render(template, {"x": "text", "l": [1]})
    assert f"{error.value}\n{error.value.span.excerpt}" == DRAWINGS[template]


def test_an_error_has_its_parts_as_attributes() -> None:
    with pytest.raises(ExecError) as error:
        render('{{define "d"}}\n é{{.x.y}}{{end}}{{template "d" .}}', {"x": "s"})
    parts = error.value
    assert (parts.name, parts.line, parts.column) == ("t", 2, 7)
    assert (parts.executing, parts.expression) == ("d", ".x.y")
    assert parts.reason == "can't evaluate field y in type interface {}"
    assert parts.span.source.text[parts.span.start : parts.span.end] == ".x.y"


def _fails(_: Value) -> Value:
    raise FunctionError("it would not")


ODD = struct_type("t.Odd", {"Fails": Method(_fails, result=ANY)})


@pytest.mark.parametrize("path", [".x.Fails", ".x.Fails.y.z", "$.x.Fails.y"])
@pytest.mark.parametrize("function", ["", "print ", "len ", "printf "])
def test_a_method_that_fails_on_the_way_along_fields_is_named(function: str, path: str) -> None:
    """The place is that of all the fields."""
    with pytest.raises(ExecError) as error:
        render(f"{{{{{function}{path}}}}}", {"x": Struct(ODD, {})})
    assert error.value.reason == "error calling Fails: it would not"
    assert error.value.expression == path


def test_pythons_traceback_shows_the_template() -> None:
    """With carets under the very expression, for whoever debugs the engine."""
    with pytest.raises(ExecError) as error:
        render('a\n  {{ "x" | index .l 1 }}\n', {"l": []})
    shown = "".join(traceback.format_exception(error.value))
    assert 'File "template t", line 2, in template_0' in shown
    assert '    {{ "x" | index .l 1 }}\n             ^^^^^^^^^^\n' in shown


def test_without_columns_in_code_the_line_is_still_right() -> None:
    """CPython can be told to keep no columns; errors lose theirs, not more."""
    program = (
        "from podgraft.golang.texttemplate import ExecError, compile_\n"
        "try: compile_('a\\n{{.x}}\\n{{.x.y.z}}', name='t', functions={}).render({'x': {'y': 1}})\n"
        "except ExecError as error: print(error.line, error.reason)\n"
    )
    command = [sys.executable, "-X", "no_debug_ranges", "-c", program]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout == "3 can't evaluate field z in type interface {}\n"


def test_a_function_that_renders_passes_on_its_errors() -> None:
    """As Istio's ``render`` does: the inner place is in the outer message."""
    inner = compile_("{{.x.y}}", name="inner", functions={})
    call = Function(lambda: inner.render({"x": 1}), result=STRING)
    with pytest.raises(ExecError) as error:
        render("{{ again }}", again=call)
    assert str(error.value) == (
        'template: t:1:3: executing "t" at <again>: error calling again: '
        'template: inner:1:4: executing "inner" at <.x.y>: '
        "can't evaluate field y in type interface {}"
    )


def test_a_limit_that_an_inner_program_meets_stays_a_limit() -> None:
    inner = compile_("{{range 9}}{{end}}", name="inner", functions={})
    call = Function(lambda: inner.render(None, limits=Limits(steps=5)), result=STRING)
    with pytest.raises(LimitError) as error:
        render("{{ again }}", again=call)
    assert str(error.value) == "template: t:1:3: template: inner:1:8: takes more than 5 steps"


def test_a_bug_in_a_function_is_no_error_of_the_template() -> None:
    """It must not be taken for the operator's fault."""
    with pytest.raises(ZeroDivisionError):
        render("{{bug}}", bug=Function(lambda: 1 // 0))


# Limits

SMALL = Limits(output_bytes=1000, depth=20, steps=500)
EXCESSES = (
    ('{{define "r"}}{{template "r"}}{{end}}{{template "r"}}', "more than 20 deep"),
    ("{{range 501}}{{end}}", "more than 500 steps"),
    ("{{range 100}}{{range 100}}{{end}}{{end}}", "more than 500 steps"),
    ("{{range 499}}four{{end}}", "more than 1000 bytes"),
    ("{{range 400}}é {{end}}", "more than 1000 bytes"),
    ('{{printf "%1001d" 1}}', "more than 1000 bytes"),
    ('{{printf "%1000000d" 1}}' * 40, "more than 1000 bytes"),
    ('{{printf "' + "%1000000d" * 9 + '" 1 2 3 4 5 6 7 8 9}}', "more than 8388608 characters"),
)  # fmt: skip


@pytest.mark.parametrize(("template", "excess"), EXCESSES, ids=lambda case: case[:40])
def test_a_template_that_wants_too_much_is_stopped(template: str, excess: str) -> None:
    with pytest.raises(LimitError, match=r"^template: t:1:\d+: ") as error:
        compile_template(template).render(None, limits=SMALL)
    assert excess in str(error.value)
    assert error.value.span.excerpt.count("\n") == 1


def test_what_is_within_the_limits_renders() -> None:
    text = '{{range 499}}{{end}}{{printf "%1000d" 1}}'
    assert len(compile_template(text).render(None, limits=SMALL)) == 1000


def test_values_nested_too_deeply_are_an_excess_too() -> None:
    deep: Value = []
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(LimitError, match="nests values too deeply"):
        render("{{.}}", deep)


def test_memory_stays_bounded_between_two_looks_at_the_output() -> None:
    """No more writes stand uncounted than a few dozen, be there a loop or not."""
    straight = compile_template('{{printf "%9000d" 1}}' * 1000)
    with pytest.raises(LimitError):
        straight.render(None, limits=SMALL)


def test_dead_ends_are_known_before_they_are_reached() -> None:
    text = (
        '{{define "d"}}{{if false}}{{len}}{{end}}{{end}}'
        '{{if .x}}{{printf 1}}{{template "nope"}}{{$x = 1}}{{len .y}}{{end}}'
    )
    program = compile_template(text)
    assert program.render({}) == ""
    assert [str(error).split(": executing ")[1] for error in program.static_failures] == [
        '"d" at <len>: wrong number of args for len: want 1 got 0',
        '"t" at <1>: expected string; found 1',
        '"t" at <{{template "nope"}}>: template "nope" not defined',
        '"t" at <1>: undefined variable: $x',
    ]
    assert compile_template("{{and .f ($x := 1)}}{{$x = 2}}{{$x}}").static_failures == ()


# What templates cannot do

HOSTILE = (
    "{{.__class__}}",
    "{{.s.__class__.__mro__}}",
    "{{.m.get}}",
    "{{.m.items}}{{.l.append}}",
    "{{(.s).upper}}",
    "{{$.__init__.__globals__}}",
    "{{range .l}}{{.real}}{{end}}",
    '{{.s.format "a"}}',
    "{{index .m `__class__`}}",
    "{{index .l `__len__`}}",
)


@pytest.mark.parametrize("template", HOSTILE)
def test_no_attribute_of_python_is_in_reach(template: str) -> None:
    data = {"s": "text", "m": {"a": 1}, "l": [1]}
    try:
        seen = render(template, data)
    except ExecError as error:
        seen = str(error)
    assert re.search("^(<no value>)*$|can't evaluate field|error calling index", seen)


@pytest.mark.parametrize(
    "name",
    [
        "a'b",
        'a"b',
        "a\\b",
        "a\nb",
        "a\0b",
        "{x}",
        "f'{1}'",
        "__import__('os')",
        "é\udcff",
        "",
        "%s",
    ],
)
def test_names_are_never_code(name: str) -> None:
    """Neither a template's own name, nor those it defines, nor its text."""
    literal = f"`{name}`" if "`" not in name else '"x"'
    text = f"{{{{define {literal}}}}}{name}{{{{end}}}}{name}{{{{template {literal}}}}}"
    program = compile_(text.replace("{x}", "x"), name=f"t{name}", functions={})
    assert program.render(None) == name.replace("{x}", "x") * 2


def test_surrogates_and_quotes_come_through_unchanged() -> None:
    for text in ("'''", '"""', "\\", "\udcff", "{x!r}", "%(a)s", "\r\n", "\u2028"):
        assert render(text) == text
        assert render("{{.}}", text) == text


# Functions


def test_a_function_gets_what_its_parameters_define() -> None:
    taken: list[Value] = []

    def take(*values: Value) -> str:
        taken.extend(values)
        return ""

    many = Function(take, (STRING,), variadic=ANY)
    render("{{take `a` 1 nil .x .l}}{{.l | take `b`}}", {"l": [1]}, take=many)
    assert taken == ["a", 1, None, None, [1], "b", [1]]
    with pytest.raises(ExecError, match="wrong type for value; expected string; got int"):
        render("{{take .}}", 1, take=many)


def test_a_function_fails_in_its_own_words() -> None:
    def fail(count: int) -> Value:
        raise FunctionError(f"no {count}")

    with pytest.raises(ExecError) as error:
        render("{{fail 3 | print}}", fail=Function(fail, (INT,)))
    assert (
        str(error.value) == 'template: t:1:2: executing "t" at <fail 3>: error calling fail: no 3'
    )


def test_a_number_may_be_too_wide_for_its_format() -> None:
    """Go looks whether a width is above a million before it reads the last digit."""
    assert sprintf.sprintf("%10000010d", (1,)) == "%!(NOVERB)%!(EXTRA int=1)"
    assert len(sprintf.sprintf("%1000000d", (1,))) == 1_000_000
