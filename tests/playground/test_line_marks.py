"""Marks name the template line of each piece of a rendered text."""

import pytest

from podgraft.golang import texttemplate
from podgraft_playground.line_marks import mark_lines, split_marks

TEMPLATES = (
    "a: 1\nb: {{ . }}\nc: 3\n",
    "{{- if . }}\na: 1\n{{- else }}\nb: 2\n{{- end }}\nc: 3\n",
    (
        '{{ define "x" }}in x{{ end }}a: {{ template "x" . }}\n'
        "{{- range list 1 2 }}\n- {{ . }}\n{{- end }}\n"
    ),
    "{{- /* comment */ -}}\n  {{ $v := . -}}\n  a: {{ $v | quote }}\n",
    '{{ block "y" . }}b\r\nc\u2028d{{ end }}',
    "",
)  # fmt: skip


def compile_template(text: str) -> texttemplate.Program:
    from podgraft.core.injectors.overlay.data import FUNCTIONS

    return texttemplate.compile_(text, name="t", functions=FUNCTIONS)


@pytest.mark.parametrize("text", TEMPLATES)
def test_a_marked_program_writes_the_same_text(text: str) -> None:
    program = compile_template(text)

    assert split_marks(mark_lines(program).render("v")).text == program.render("v")


@pytest.mark.parametrize(
    ("text", "piece", "line"),
    [
        (TEMPLATES[0], "a:", 1),
        (TEMPLATES[0], "v", 2),
        (TEMPLATES[0], "c:", 3),
        (TEMPLATES[1], "a:", 2),
        (TEMPLATES[1], "c:", 6),
        (TEMPLATES[2], "in x", 1),
        (TEMPLATES[2], "- 1", 3),
        (TEMPLATES[3], "a:", 3),
    ],
)
def test_a_piece_has_the_line_of_its_template(text: str, piece: str, line: int) -> None:
    marked = split_marks(mark_lines(compile_template(text)).render("v"))

    assert marked.find_line(marked.text.index(piece)) == line
