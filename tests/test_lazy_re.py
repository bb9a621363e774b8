"""A pattern that is compiled later is one that is compiled now."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgraft.lazy_re import lazy_compile

TEXTS = st.text("ab-é\n", max_size=8)


@given(TEXTS)
def test_every_method_returns_the_same_as_the_compiled_patterns(text: str) -> None:
    late, now = lazy_compile("(a+)-?", re.IGNORECASE), re.compile("(a+)-?", re.IGNORECASE)
    assert late.sub("<\\1>", text) == now.sub("<\\1>", text)
    assert late.subn("", text, 1) == now.subn("", text, 1)
    assert late.split(text) == now.split(text)
    for name in ("fullmatch", "match", "search"):
        found, wanted = (getattr(each, name)(text) for each in (late, now))
        assert (found and found.span(1)) == (wanted and wanted.span(1))
    assert [each.span() for each in late.finditer(text)] == [
        each.span() for each in now.finditer(text)
    ]


def test_bytes_have_patterns_too() -> None:
    assert lazy_compile(b"a+").fullmatch(b"aa")


def test_what_a_pattern_states_of_itself_is_there() -> None:
    assert (lazy_compile("(?P<n>a)").pattern, lazy_compile("(?P<n>a)").groupindex) == (
        "(?P<n>a)",
        {"n": 1},
    )


def test_what_is_no_expression_fails_when_it_is_used() -> None:
    late = lazy_compile("(")
    with pytest.raises(re.error):
        late.match("")


def test_nothing_is_compiled_before_the_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []

    def compile_(text: str, flags: int) -> re.Pattern[str]:
        compiled.append(text)
        return now(text, flags)

    now = re.compile
    monkeypatch.setattr("podgraft.lazy_re.re.compile", compile_)
    late = lazy_compile("a")
    assert compiled == []
    assert late.match("a")
    assert late.search("ba")
    assert compiled == ["a"]
