"""Tokens: what there is between delimiters, and what white space is left."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgraft.golang.texttemplate.parse.lexer import TokenKind, tokens

CASES = (
    # Text and trimming
    ("", ""),
    ("text", "text:text"),
    ("a {{- .x -}} b", "text:a left:{{ field:.x right:}} text:b"),
    ("a {{-1}}", "text:a_ left:{{ number:-1 right:}}"),
    ("a\n{{/* c */ -}}\nb", "text:a~ text:b"),
    ("\n {{- 1}}", "left:{{ number:1 right:}}"),
    # Operands
    ("{{.x.y $}}", "left:{{ field:.x field:.y space:_ variable:$ right:}}"),
    ("{{$a.b}}", "left:{{ variable:$a field:.b right:}}"),
    ("{{. nil}}", "left:{{ dot:. space:_ nil:nil right:}}"),
    ("{{true if}}", "left:{{ bool:true space:_ keyword:if right:}}"),
    ("{{'a' `r` \"s\"}}", "left:{{ character:'a' space:_ raw:`r` space:_ string:\"s\" right:}}"),
    ("{{-1.5e3 0x1F}}", "left:{{ number:-1.5e3 space:_ number:0x1F right:}}"),
    ("{{1+2i}}", "left:{{ complex:1+2i right:}}"),
    ("{{$x:=é_1}}", "left:{{ variable:$x declare::= word:é_1 right:}}"),
    ("{{($x)|f,}}", "left:{{ open:( variable:$x close:) pipe:| word:f other:, right:}}"),
    # Faults end the tokens
    ("{{@", "left:{{ other:@ error:unclosed_action"),
    ("{{.x", "left:{{ field:.x error:unclosed_action"),
    ("{{(}}", "left:{{ open:( error:unclosed_left_paren"),
    ("{{)}} b", "left:{{ error:unexpected_right_paren"),
)  # fmt: skip


@pytest.mark.parametrize(("template", "wanted"), CASES, ids=lambda case: case or "empty")
def test_a_template_is_cut_into_tokens(template: str, wanted: str) -> None:
    found = tokens(template, ("{{", "}}"))
    shown = (f"{token.kind.value}:{token.text}" for token in found[:-1])
    assert " ".join(re.sub(" ", "_", re.sub("\n", "~", one)) for one in shown) == wanted
    assert found[-1].kind is TokenKind.END


@given(st.text(alphabet="{}- \n.x$1(|\"`'/*a@é", max_size=40))
def test_what_is_between_tokens_is_white_space_and_marks(template: str) -> None:
    """Nothing of the text is lost but trimmed space, trim marks, and comments."""
    at = 0
    for token in tokens(template, ("{{", "}}")):
        if token.kind is TokenKind.ERROR:
            return
        between = template[at : token.start]
        assert re.fullmatch(r"(?:[ \n]|-|\{\{-? ?/\*.*?\*/(?: -)?\}\})*", between, re.DOTALL)
        assert template[token.start : token.end] == token.text
        at = token.end
