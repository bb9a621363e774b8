"""Durations in Go's and protobuf's formats."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgraft.core.injectors.istio.config import durations
from podgraft.core.injectors.istio.config.durations import SECOND, DurationError

NANOSECONDS = st.integers(-(1 << 62), 1 << 62)

OK = (
    ("0", 0, "0s", "0s"),
    ("45s", 45 * SECOND, "45s", "45s"),
    ("60s", 60 * SECOND, "60s", "1m0s"),
    ("0.5s", SECOND // 2, "0.500s", "500ms"),
    ("1.000001s", 1_000_001_000, "1.000001s", "1.000001s"),
    ("1h30m", 5400 * SECOND, "5400s", "1h30m0s"),
    ("-1.5h", -5400 * SECOND, "-5400s", "-1h30m0s"),
    (".5ms", 500_000, "0.000500s", "500µs"),
    ("1.s", SECOND, "1s", "1s"),
    ("7ns", 7, "0.000000007s", "7ns"),
    ("2µs", 2_000, "0.000002s", "2µs"),
    ("1us", 1_000, "0.000001s", "1µs"),
)

BAD = ("", "5", "s", "5 s", "1d", ".s", "--1s", "1s-", "9999999999999h")


@pytest.mark.parametrize(("text", "nanoseconds", "protobuf", "go"), OK)
def test_a_duration_is_parsed_and_formatted(
    text: str, nanoseconds: int, protobuf: str, go: str
) -> None:
    assert durations.parse(text) == nanoseconds
    assert (durations.format_protobuf(nanoseconds), durations.format_go(nanoseconds)) == (
        protobuf,
        go,
    )


@pytest.mark.parametrize("text", BAD)
def test_an_invalid_duration_is_rejected(text: str) -> None:
    with pytest.raises(DurationError):
        durations.parse(text)


@given(NANOSECONDS)
def test_formatted_durations_parse_to_the_same_value(nanoseconds: int) -> None:
    assert durations.parse(durations.format_protobuf(nanoseconds)) == nanoseconds
    assert durations.parse(durations.format_go(nanoseconds)) == nanoseconds
