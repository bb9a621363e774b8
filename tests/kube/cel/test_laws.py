"""Laws of the values and functions, and that no object makes an expression crash."""

import math
from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from podgraft.base.jsonvalue import JSON
from podgraft.kube.cel import Environment, EvaluationError, Meter
from podgraft.kube.cel.equality import equal
from podgraft.kube.cel.library.conversions import double_text
from podgraft.kube.cel.library.times import duration, text_of_duration, text_of_timestamp, timestamp
from podgraft.kube.cel.values import INT_MAX, INT_MIN, NANOSECONDS, Duration, Timestamp

ENVIRONMENT = Environment({"object": "dyn"})
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

scalars = st.none() | st.booleans() | st.integers(INT_MIN, INT_MAX) | st.floats() | st.text()
values: st.SearchStrategy[JSON] = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)

seconds = st.integers(timestamp("0001-01-01T00:00:00Z").nanoseconds // NANOSECONDS, 253_402_300_799)


@given(seconds, st.integers(0, NANOSECONDS - 1))
def test_timestamps_read_back_what_they_print(second: int, nanosecond: int) -> None:
    value = Timestamp(second * NANOSECONDS + nanosecond)

    assert timestamp(text_of_timestamp(value)) == value


@given(seconds)
def test_timestamps_are_those_of_the_calendar(second: int) -> None:
    printed = (EPOCH + timedelta(seconds=second)).strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")

    assert text_of_timestamp(Timestamp(second * NANOSECONDS)) == printed


@given(st.integers(-(2**52), 2**52))
def test_durations_read_back_what_they_print(nanoseconds: int) -> None:
    """Go prints the seconds as a float64, and reads a fraction by a float64: one may be lost."""
    read = duration(text_of_duration(Duration(nanoseconds)))
    assert abs(read.nanoseconds - nanoseconds) <= 1


@given(st.floats(allow_nan=False))
def test_doubles_read_back_what_they_print(value: float) -> None:
    assert float(double_text(value).replace("Inf", "inf")) == value


@given(values, values)
def test_equality_is_symmetric(left: JSON, right: JSON) -> None:
    assert equal(left, right) == equal(right, left)


@given(values)
def test_a_value_equals_itself_unless_it_holds_nan(value: JSON) -> None:
    assert equal(value, value) != _holds_nan(value)


def _holds_nan(value: JSON) -> bool:
    match value:
        case float():
            return math.isnan(value)
        case list():
            return any(map(_holds_nan, value))
        case dict():
            return any(map(_holds_nan, value.values()))
        case _:
            return False


# Expressions that meet any value with any function; each must give a value or an error.
PROGRAMS = [
    ENVIRONMENT.compile_(text)
    for text in (
        "object == object",
        "object.a.b || true",
        "object.all(x, x == object)",
        "object.map(x, [x, object])",
        "object.existsOne(i, v, v == i)",
        "object.transformMap(k, v, v)",
        "object.transformMapEntry(k, v, {v: k})",
        "{object: 1}",
        "object[0] + object[1]",
        "object < object || object > object",
        "-object",
        "object in object",
        "size(object)",
        "string(object)",
        "int(object) + 1",
        "double(object)",
        "bytes(object)",
        "timestamp(object)",
        "duration(object)",
        "'%s %d'.format([object, object])",
        "'%x'.format([object])",
        "object.isSorted()",
        "object.sum()",
        "object.max()",
        "object.sort()",
        "object.flatten(5)",
        "sets.contains(object, object)",
        "object.join(',')",
        "object.split('a', 2)",
        "object.substring(1)",
        "object.find('a+')",
        "object.matches(object)",
        "quantity(object).add(1)",
        "semver(object)",
        "url(object).getQuery()",
        "ip(object)",
        "cidr(object).masked()",
        "format.dns1123Subdomain().validate(object)",
        "format.datetime().validate(object)",
        "object.?a[?0].orValue(object)",
        "type(object) == string",
    )
]


@settings(deadline=None)
@given(values | st.text("0123456789.-+eEvV:/%[]aZ@", max_size=5000))
def test_every_value_gives_a_value_or_an_error(value: JSON) -> None:
    for program in PROGRAMS:
        try:
            program.evaluate({"object": value}, Meter(10**9))
        except EvaluationError:
            continue


@settings(deadline=None)
@given(values)
def test_evaluation_changes_nothing(value: JSON) -> None:
    """The object is raw JSON, shared with everything else that looks at it."""
    before = repr(value)
    for program in PROGRAMS:
        try:
            program.evaluate({"object": value}, Meter(10**9))
        except EvaluationError:
            continue
    assert repr(value) == before
