"""A failing corpus shows five differences as a table, cut where the answers differ."""

import re

import pytest

from .corpus import Difference, assert_corpus, format_table


def test_a_corpus_that_agrees_passes() -> None:
    assert_corpus(range(9), expected=lambda row: row + 1, actual=lambda row: row + 1)


def test_an_empty_corpus_fails() -> None:
    with pytest.raises(AssertionError, match="the corpus is empty"):
        assert_corpus((), expected=str, actual=str)


def test_the_first_five_differences_are_a_table() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_corpus(range(9), expected=lambda row: f"go {row}", actual=lambda row: f"us {row}")
    table = str(caught.value).splitlines()
    assert table == [
        "9 of 9 rows differ",
        "row | expected | actual",
        "--- | -------- | ------",
        *(f"{row}   | 'go {row}'   | 'us {row}'" for row in range(5)),
        "and 4 more",
    ]


def test_a_crash_is_the_difference_of_its_row_alone() -> None:
    with pytest.raises(AssertionError, match=re.escape("1 of 3 rows differ")) as caught:
        assert_corpus((1, 0, 2), expected=lambda row: 1 // (row or 1), actual=lambda row: 1 // row)
    assert "raised ZeroDivisionError" in str(caught.value)


@pytest.mark.parametrize("position", [0, 30, 70, 199])
def test_a_long_text_is_cut_around_its_first_difference(position: int) -> None:
    expected = "a" * 200
    actual = expected[:position] + "b" + expected[position + 1 :]
    *_, line = format_table([Difference("row", expected, actual)]).splitlines()
    row, left, right = line.split(" | ")
    assert (row.strip(), "b" in right, "b" in left) == ("row", True, False)
    assert max(len(left), len(right)) <= 56


def test_a_line_break_does_not_break_the_table() -> None:
    table = format_table([Difference("{{ a }}\n{{ b }}", "x", "y\udcff")])
    assert table.splitlines()[-1] == r"{{ a }}\n{{ b }} | x        | y\udcff"
