"""Quantities: Go's answers, laws, and numbers made to hurt."""

from contextlib import suppress
from fractions import Fraction
from operator import itemgetter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kube.go_fixtures import load_fixture
from podgraft.kube import Quantity, QuantityError, quantity
from podgraft.kube.quantity import Format
from support.corpus import assert_corpus

# Beyond this, and below zero, Go's Value and MilliValue are not always right (see quantity).
LARGEST = 2**63 / 1000

SUFFIXES = ("n", "u", "m", "", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "e3", "e-2")
TEXTS = st.from_regex(r"[+-]?[0-9]{1,20}(\.[0-9]{0,12})?", fullmatch=True)
QUANTITIES = st.builds(str.__add__, TEXTS, st.sampled_from(SUFFIXES))


def test_quantities_are_what_go_makes_of_them() -> None:
    assert_corpus(
        load_fixture("quantities"),
        name=itemgetter("text"),
        expected=lambda row: row.get("error") or row["want"],
        actual=describe_quantity,
        same=is_same_quantity,
    )


def describe_quantity(row: dict[str, Any]) -> object:
    """A quantity in the form of the fixture, or the text of its error."""
    try:
        parsed = quantity.parse(row["text"])
    except QuantityError as error:
        return str(error)
    other = quantity.parse(row["other"])
    return {
        "canonical": str(parsed),
        "format": parsed.format,
        "compare": parsed.compare(other),
        "product": str(parsed.multiply(other)),
        "sum": str(parsed.add(other)),
        "float": parsed.approximate(),
        "value": parsed.value(),
        "milli": parsed.milli_value(),
    }


def is_same_quantity(ours: Any, go: Any) -> bool:
    if isinstance(ours, str) or isinstance(go, str):
        return ours == go
    exact = ["canonical", "format", "compare", "product", "sum"]
    if 0 <= ours["float"] < LARGEST:
        exact += ["value", "milli"]
    close = ours["float"] == pytest.approx(float(go["float"]))
    return close and all(ours[key] == go[key] for key in exact)


@pytest.mark.parametrize(
    ("raw", "want"),
    [("1024Mi", "1Gi"), ("2000m", "2"), ("0.5", "500m"), (0.5, "500m"), (2, "2"), (" 1 ", "1")],
)
def test_json_has_quantities_as_text_and_as_numbers(raw: str | float, want: str) -> None:
    assert str(quantity.from_json(raw)) == want


@pytest.mark.parametrize(
    ("text", "cores"), [("2", 2), ("1500m", 2), ("1m", 1), ("0", 0), ("2.0001", 3), ("1Ki", 1024)]
)
def test_cores_are_rounded_up(text: str, cores: int) -> None:
    assert quantity.parse(text).value() == cores


@pytest.mark.parametrize(
    "text",
    ["1e999999999", "1e-999999999", "9" * 30 + "e2147483647", "0e2147483647", "1e2147483647"],
)
def test_an_exponent_of_any_size_costs_nothing(text: str) -> None:
    """Go takes minutes, or all memory, for some of these."""
    parsed = quantity.parse(text)
    assert parsed.compare(Quantity(1)) == (-1 if "-" in text or text[0] == "0" else 1)
    assert parsed.value() in (0, 1)
    assert len(str(parsed)) < 50
    one = Quantity(1, 0, Format.BINARY)
    for left, right in ((parsed, one), (one, parsed)):
        for compute in (left.add, left.multiply):
            with suppress(QuantityError):
                assert len(str(compute(right))) < 50


@pytest.mark.parametrize("text", ["1" * 5000, "0." + "1" * 5000, "1" * 5000 + "Ki"])
def test_a_text_with_too_many_digits_is_an_error(text: str) -> None:
    with pytest.raises(QuantityError, match="a quantity has at most 4000 digits"):
        quantity.parse(text)


def test_an_exponent_with_too_many_digits_is_the_error_of_go() -> None:
    with pytest.raises(QuantityError, match="unable to parse quantity's suffix"):
        quantity.parse("1e" + "1" * 5000)


def test_a_number_above_floats_is_infinite() -> None:
    assert quantity.parse("9" * 400).approximate() == float("inf")
    assert quantity.parse("-" + "9" * 400).approximate() == float("-inf")


@given(QUANTITIES)
def test_the_canonical_text_is_the_same_number(text: str) -> None:
    parsed = quantity.parse(text)
    again = quantity.parse(str(parsed))
    assert again.compare(parsed) == 0
    assert str(again) == str(parsed)


@given(QUANTITIES, QUANTITIES)
def test_comparison_is_that_of_the_numbers(left: str, right: str) -> None:
    one, other = quantity.parse(left), quantity.parse(right)
    numbers = [Fraction(q.unscaled) * Fraction(10) ** q.exponent for q in (one, other)]
    assert one.compare(other) == (numbers[0] > numbers[1]) - (numbers[0] < numbers[1])
    assert one.compare(other) == -other.compare(one)


@given(QUANTITIES)
def test_nothing_is_rounded_down(text: str) -> None:
    parsed = quantity.parse(text)
    number = Fraction(parsed.unscaled) * Fraction(10) ** parsed.exponent
    assert 0 <= abs(parsed.scale_unbounded(0)) - abs(number) < 1
