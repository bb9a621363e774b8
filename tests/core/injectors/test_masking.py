"""Plain text, and masks, which are always plain text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgraft.core.injectors.masking import Masker
from podgraft.core.injectors.plain_text import is_plain_text
from podgraft.kube.yaml import NotYAMLError, load

TEXTS = st.text(st.sampled_from("ab:- ,#'\"{}[]&*!|>%@`\n\t\\~$./é×\u2028"), max_size=8) | st.text()


@given(TEXTS)
def test_a_masked_text_is_plain_and_has_the_same_length(text: str) -> None:
    masked = Masker().mask(text)

    assert isinstance(masked, str)
    assert is_plain_text(masked) or not masked
    assert (masked is text) == is_plain_text(text) or not text
    size = len(text.encode("utf-8", "surrogatepass"))
    assert len(masked) == size if masked is not text else True


CHARACTERS = (
    ("", True),
    ("a", True),
    ("hub/proxyv2:1.30@sha256:0f", True),
    ("--flag=a b", True),
    ("*", True),
    ("$(POD)", True),
    ("-", False),
    ("a -", False),
    ("a:", False),
    ("a: b", False),
    (":a", False),
    ("a  b", False),
    (" a", False),
    ("a ", False),
    ("a,b", False),
    ("---x", False),
    ("...", False),
    ("..", False),
    ("null", False),
    ("NU", False),
    ("~", False),
    ("$patch", False),
    ("$pat", False),
    ("é", False),
    ("a\n", False),
)


@pytest.mark.parametrize(("text", "harmless"), CHARACTERS)
def test_plain_text_is_free_of_yaml_syntax(text: str, harmless: bool) -> None:
    assert is_plain_text(text) is harmless


HARMLESS = st.text(st.sampled_from("ab1:-. /$(N*null"), min_size=1, max_size=6).filter(
    is_plain_text
)
SCALARS = ("k: {}{}", "k: x{}{}", 'k: "{}{}"', "k: [{}{}]", "k: {{a: {}{}}}", "- {}{}", "k: {} {}")


@given(HARMLESS, HARMLESS, st.sampled_from(SCALARS))
def test_two_adjacent_plain_texts_are_plain(first: str, second: str, around: str) -> None:
    """Except an alias without an anchor, which is an error."""
    text = around.format(first, second)
    try:
        found = load(text)
    except NotYAMLError:
        assert "*" in text
        return

    shape = load(around.format("a", "b"))
    assert _shape(found) == _shape(shape)
    assert "null" not in (first + second).lower() or first + second in text


def _shape(value: object) -> object:
    match value:
        case dict():
            return {key: _shape(each) for key, each in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        case list():
            return [_shape(each) for each in value]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        case _:
            return None
