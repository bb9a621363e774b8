"""Label selectors: Go's answers, and messages that say place, problem and remedy."""

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kube.go_fixtures import load_fixture
from podgraft.base.jsonvalue import JSON
from podgraft.kube import SelectorError, selectors
from support.corpus import assert_corpus

LABELS = st.dictionaries(st.sampled_from("abc"), st.sampled_from(("x", "y", "")))


def test_selectors_select_what_go_s_do() -> None:
    assert_corpus(
        load_fixture("selectors"),
        name=lambda row: str(row["selector"]),
        expected=lambda row: row.get("want", "refused"),
        actual=describe_selector,
    )


def describe_selector(row: dict[str, Any]) -> object:
    """A selector in the form of the fixture. podgraft has its own texts for errors."""
    try:
        selector = selectors.compile_(row["selector"])
    except SelectorError:
        return "refused"
    return {
        "matches": [selector.matches(labels) for labels in row["labels"]],
        "empty": selector.is_empty,
        "text": str(selector),
    }


def test_no_selector_selects_nothing_and_an_empty_one_everything() -> None:
    assert not selectors.compile_(None).matches({})
    assert not selectors.compile_(None).matches({"": ""})
    assert not selectors.compile_(None).is_empty
    assert selectors.compile_({}).matches({})
    assert selectors.compile_({"matchLabels": None, "matchExpressions": []}).is_empty


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    given: JSON
    want: tuple[str, ...]


FORM = 'letters, digits, "-", "_" and ".", with a letter or digit at both ends'
KEY_FORM = f'{FORM}, with an optional DNS name and "/" as prefix'


def expression(key: str, operator: str, *values: str) -> JSON:
    return {"matchExpressions": [{"key": key, "operator": operator, "values": [*values]}]}


ERRORS = (
    Case("a key", {"matchLabels": {"-a": ""}}, (f'/matchLabels: got "-a"; use {KEY_FORM}',)),
    Case(
        "a prefix",
        {"matchLabels": {"Example/a": ""}},
        (f'/matchLabels: got "Example/a"; use {KEY_FORM}',),
    ),
    Case(
        "a long prefix",
        {"matchLabels": {"p" * 254 + "/a": ""}},
        ('/matchLabels: got a prefix of 254 characters; use at most 253 before "/"',),
    ),
    Case(
        "a value",
        {"matchLabels": {"a/b": "x y"}},
        (f'/matchLabels/a~1b: got "x y"; use an empty value, or {FORM}',),
    ),
    Case(
        "a long value",
        expression("a", "In", "v", "w" * 64),
        ("/matchExpressions/0/values/1: got 64 characters; use at most 63",),
    ),
    Case(
        "an operator",
        expression("a", "Gt", "1"),
        ('/matchExpressions/0/operator: got "Gt"; use In, NotIn, Exists, DoesNotExist',),
    ),
    Case(
        "no values",
        expression("a", "NotIn"),
        ("/matchExpressions/0/values: got none; use at least one with NotIn",),
    ),
    Case(
        "values in vain",
        expression("a", "Exists", "x", "y"),
        ("/matchExpressions/0/values: got 2; use none with Exists",),
    ),
    Case(
        "several at once",
        {"matchLabels": {"": "?"}, "matchExpressions": [{}]},
        (
            f'/matchLabels: got ""; use {KEY_FORM}',
            f'/matchLabels/: got "?"; use an empty value, or {FORM}',
            f'/matchExpressions/0/key: got ""; use {KEY_FORM}',
            '/matchExpressions/0/operator: got ""; use In, NotIn, Exists, DoesNotExist',
        ),
    ),
    Case("a wrong type", [], ("got array; use a mapping",)),
    Case(
        "wrong types inside",
        {"matchLabels": {"a": 1}, "matchExpressions": [{"values": "x"}, 5]},
        (
            "/matchLabels/a: got number; use a string",
            "/matchExpressions/0/values: got string; use a list of strings",
            "/matchExpressions/1: got number; use a mapping",
        ),
    ),
)


@pytest.mark.parametrize("case", ERRORS, ids=lambda case: case.name)
def test_every_fault_of_a_selector_is_reported_with_its_remedy(case: Case) -> None:
    with pytest.raises(SelectorError) as caught:
        selectors.compile_(case.given)
    assert str(caught.value) == "; ".join(case.want)
    assert len(caught.value.errors) == len(case.want)


@given(LABELS, st.sampled_from("abc"), st.lists(st.sampled_from("xy"), min_size=1, unique=True))
def test_opposite_operators_select_the_rest(
    labels: dict[str, str], key: str, values: list[str]
) -> None:
    for one, other, listed in (("In", "NotIn", values), ("Exists", "DoesNotExist", [])):
        selected = selectors.compile_(expression(key, one, *listed)).matches(labels)
        assert selectors.compile_(expression(key, other, *listed)).matches(labels) is not selected
