"""Parse trees: they print as the source they came from, and reading that gives them again."""

from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from oracle.go_types import PROBES
from podgraft.golang.strconv.quote import quote
from podgraft.golang.texttemplate import BUILTINS, LimitError, TemplateError
from podgraft.golang.texttemplate.parse import nodes
from podgraft.golang.texttemplate.parse.parser import MAX_LOOPS, MAX_NESTING, parse
from podgraft.golang.texttemplate.parse.source import Source

from .generator import Generator

FUNCTIONS = {**BUILTINS, **PROBES}
PRINTED = (
    # As they are written
    ("a{{.x.y}}b", None),
    ('{{print "a" `b` 1 0x1F \'c\' true nil . $}}', None),
    ("{{$x := .a | print 1 | len}}", None),
    ("{{(.a).b.c}}", None),
    ("{{print.x}}", None),
    ("{{if .a}}b{{else}}c{{end}}", None),
    ("{{range $i, $x := .l}}{{break}}{{continue}}{{else}}d{{end}}", None),
    ("{{with $x := 1}}{{$x = 2}}{{end}}", None),
    ('{{template "x" .a}}{{template "y"}}', None),
    # In a plainer form
    ("a {{- /* gone */ -}} b", "ab"),
    ("{{- .x -}} b", "{{.x}}b"),
    ("{{  print   1|len  }}", "{{print 1 | len}}"),
    ("{{if .a}}b{{else if .c}}d{{end}}", "{{if .a}}b{{else}}{{if .c}}d{{end}}{{end}}"),
    ("{{with .a}}b{{else with .c}}d{{end}}", "{{with .a}}b{{else}}{{with .c}}d{{end}}{{end}}"),
    ("{{block `x` .a}}b{{end}}", '{{template "x" .a}}'),
    ('{{define "x"}}b{{end}}c', "c"),
)  # fmt: skip


def trees(text: str) -> dict[str, nodes.Template]:
    return parse(Source("t", text), ("{{", "}}"), FUNCTIONS)


@pytest.mark.parametrize(("template", "printed"), PRINTED, ids=lambda case: case or "itself")
def test_a_tree_prints_as_source(template: str, printed: str | None) -> None:
    assert nodes.to_source(trees(template)["t"].body) == (printed or template)


def test_a_template_has_the_functions_it_calls_and_no_others() -> None:
    parsed = trees(
        "{{define `d`}}{{len .}}{{end}}{{print (.x | not)}}{{block `b` and}}{{or}}{{end}}"
    )
    assert {name: tree.calls for name, tree in parsed.items()} == {
        "t": {"print", "not", "and"},
        "d": {"len"},
        "b": {"or"},
    }


@given(st.randoms(use_true_random=False))
def test_reading_a_printed_tree_gives_the_same_tree(random: Random) -> None:
    """But for text that ends with a brace, which would open an action too early."""
    try:
        first = trees(Generator(random).template())
    except TemplateError:
        return
    printed = "".join(
        f"{{{{define {quote(name)}}}}}{nodes.to_source(tree.body)}{{{{end}}}}"
        for name, tree in first.items()
        if name != "t"
    ) + nodes.to_source(first["t"].body)
    assume("{{{" not in printed)
    again = trees(printed)
    assert {name: merge_texts(tree.body) for name, tree in again.items()} == {
        name: merge_texts(tree.body) for name, tree in first.items()
    }


def merge_texts(body: nodes.Nodes) -> nodes.Nodes:
    """``body`` with neighbouring texts made one: what parted them, a comment, is gone."""
    found: list[nodes.Statement] = []
    for node in body:
        if isinstance(node, nodes.Branch):
            otherwise = None if node.else_body is None else merge_texts(node.else_body)
            found.append(replace(node, body=merge_texts(node.body), else_body=otherwise))
        elif isinstance(node, nodes.Text) and found and isinstance(found[-1], nodes.Text):
            found[-1] = nodes.Text(found[-1].text + node.text)
        else:
            found.append(node)
    return tuple(found)


@pytest.mark.parametrize(
    ("opening", "closing", "limit"),
    [
        ("{{if .}}", "{{end}}", MAX_NESTING),
        ("{{with .}}{{else}}", "{{end}}", MAX_NESTING),
        ("{{range .}}", "{{end}}", MAX_LOOPS),
        ("{{range .}}{{else}}", "{{end}}", MAX_LOOPS),
    ],
)
def test_nesting_is_limited_and_up_to_there_compiles(
    opening: str, closing: str, limit: int
) -> None:
    trees(opening * limit + closing * limit)
    with pytest.raises(LimitError, match=rf"template: t:1:\d+: nests.* deeper than {limit} levels"):
        trees(opening * (limit + 1))


def test_parentheses_are_limited_too() -> None:
    """Each of them costs Python some frames."""
    trees("{{" + "(" * MAX_NESTING + "1" + ")" * MAX_NESTING + "}}")
    with pytest.raises(LimitError, match="nests deeper"):
        trees("{{" + "(" * (MAX_NESTING + 1))
