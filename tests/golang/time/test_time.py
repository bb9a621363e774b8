"""Moments, layouts and durations; what Go says of more of them is recorded beside sprig's tests."""

from calendar import monthrange

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgraft.golang.time.durations import DurationError, format_duration, parse_duration
from podgraft.golang.time.layouts import format_time
from podgraft.golang.time.moments import LOCAL, UTC, Moment, Zone, date_from_days, days_since_epoch
from podgraft.golang.time.parse import LayoutError, parse_time

RFC_3339 = "2006-01-02T15:04:05.999999999Z07:00"

DAYS = (
    ((1970, 1, 1), 0),
    ((2000, 2, 29), 11016),
    ((1, 1, 1), -719162),
    ((0, 3, 1), -719468),
    ((-400, 3, 1), -865565),
    ((9999, 12, 31), 2932896),
)
FORMATTED = (
    (Moment(0), "Mon Jan _2 15:04:05 MST 2006", "Thu Jan  1 00:00:00 UTC 1970"),
    (Moment(0, 0, Zone("", 19800)), "-0700 MST", "+0530 +0530"),
    (Moment(0, 0, Zone("", -30)), "-07:00:00", "+00:00:-30"),
    (Moment(0, 500_000_000), ".000 .999 .0", ".500 .5 .5"),
    (Moment(), "2006-01-02", "0001-01-01"),
    (Moment(-62_167_219_200 - 1), "2006 06", "-0001 01"),
)
UNREADABLE = (
    (
        "2006-01-02",
        "2006-13-02",
        'parsing time "2006-13-02": month out of range',
    ),
    (
        "2006-01-02",
        "2006-1-02",
        'parsing time "2006-1-02" as "2006-01-02": cannot parse "1-02" as "01"',
    ),
    (
        "15h é",
        "12h è",
        r'parsing time "12h \xc3\xa8" as "15h \xc3\xa9": cannot parse "\xa8" as "h \xc3\xa9"',
    ),
)
DURATIONS = (
    (0, "0s"),
    (1, "1ns"),
    (1_100, "1.1µs"),
    (2_200_000, "2.2ms"),
    (3_300_000_000, "3.3s"),
    (245_000_000_000, "4m5s"),
    (18_367_000_000_000, "5h6m7s"),
    (-(1 << 63), "-2562047h47m16.854775808s"),
)


@pytest.mark.parametrize(("date", "days"), DAYS)
def test_days_are_counted_from_1970(date: tuple[int, int, int], days: int) -> None:
    assert days_since_epoch(*date) == days
    assert date_from_days(days) == date


@pytest.mark.parametrize(("moment", "layout", "want"), FORMATTED)
def test_a_moment_is_written_by_its_layout(moment: Moment, layout: str, want: str) -> None:
    assert format_time(moment, layout) == want


@pytest.mark.parametrize(("layout", "text", "reason"), UNREADABLE)
def test_what_cannot_be_read_is_reported(layout: str, text: str, reason: str) -> None:
    with pytest.raises(LayoutError) as caught:
        parse_time(layout, text)
    assert str(caught.value) == reason


@pytest.mark.parametrize(("nanoseconds", "text"), DURATIONS)
def test_a_duration_is_written_and_read(nanoseconds: int, text: str) -> None:
    assert format_duration(nanoseconds) == text
    assert parse_duration(text) == nanoseconds


@pytest.mark.parametrize("text", ["", "-", "1", ".s", "1x", "1 h", "9223372036854775808ns"])
def test_what_is_no_duration_is_reported(text: str) -> None:
    with pytest.raises(DurationError, match=r"^time: "):
        parse_duration(text)


@given(st.integers(-(10**12), 10**12))
def test_every_day_has_one_date(days: int) -> None:
    year, month, day = date_from_days(days)
    assert days_since_epoch(year, month, day) == days
    assert 1 <= day <= monthrange(year, month)[1]


@given(
    st.integers(-62_135_596_800, 253_402_300_799),
    st.integers(0, 999_999_999),
    st.integers(-23 * 60, 23 * 60),
)
def test_a_moment_reads_as_it_was_written(seconds: int, nanoseconds: int, minutes: int) -> None:
    zone = Zone("", minutes * 60) if minutes else LOCAL
    moment = Moment(seconds, nanoseconds, zone)
    if 0 < moment.date[0] < 10_000:
        text = format_time(moment, RFC_3339)
        read = parse_time(RFC_3339, text)
        assert (read.seconds, read.nanoseconds) == (seconds, nanoseconds)
        assert format_time(read, RFC_3339) == text


@given(st.integers(-(1 << 63), (1 << 63) - 1))
def test_a_duration_reads_as_it_was_written(nanoseconds: int) -> None:
    assert parse_duration(format_duration(nanoseconds)) == nanoseconds


def test_times_know_whether_they_are_local() -> None:
    assert parse_time("2006", "2000").zone is LOCAL
    assert parse_time("2006 MST", "2000 UTC").zone is UTC
    assert parse_time("2006 Z07:00", "2000 Z").zone is UTC
    assert parse_time("2006 MST", "2000 CEST").zone == Zone("CEST", 0)
    assert parse_time("2006 MST", f"2000 GMT-{'0' * 5000}3").zone.offset == -3 * 3600
