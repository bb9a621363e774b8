"""The comparison of two measurements: changes, significance, and units."""

import pytest

from podgraft.cli.policy.bench.comparison import RowVerdict, compare, compute_p_value
from podgraft.cli.policy.bench.results import Measurement, Row

STEADY = tuple(1 + number / 100 for number in range(20))


def make_measurement(*rows: tuple[str, float], calibration: float = 1.0) -> Measurement:
    """A measurement with rows of these medians, and a range of 20 %."""
    return Measurement(
        name="version",
        objects="sha256:0",
        calibration=(calibration,) * len(STEADY),
        rows=tuple(
            Row(name=name, objects=1, seconds=tuple(factor * each for each in STEADY))
            for name, factor in rows
        ),
    )


@pytest.mark.parametrize(
    ("factor", "threshold", "verdict"),
    [
        (1.0, 0, RowVerdict.EQUAL),
        (1.01, 0, RowVerdict.EQUAL),  # within the noise of the samples
        (1.5, 10, RowVerdict.SLOWER),
        (1.5, 60, RowVerdict.EQUAL),
        (0.5, 10, RowVerdict.FASTER),
        (0.5, 60, RowVerdict.EQUAL),
    ],
)
def test_a_row_is_slower_over_the_threshold_if_the_difference_is_significant(
    factor: float, threshold: float, verdict: RowVerdict
) -> None:
    before, after = (make_measurement(("review", each)) for each in (1.0, factor))

    comparison = compare(before, after, threshold, is_relative=False)

    (row,) = comparison.rows
    assert row.verdict is verdict
    assert row.change_percent == pytest.approx(100 * (factor - 1))
    assert bool(comparison.regressions) is (verdict is RowVerdict.SLOWER)


def test_added_and_removed_rows_are_no_regressions() -> None:
    before = make_measurement(("review", 1), ("template old", 1))
    after = make_measurement(("review", 1), ("template new", 9))

    comparison = compare(before, after, 10, is_relative=False)

    assert [(row.name, row.verdict) for row in comparison.rows] == [
        ("review", RowVerdict.EQUAL),
        ("template new", RowVerdict.ADDED),
        ("template old", RowVerdict.REMOVED),
    ]
    assert not comparison.regressions


def test_a_saved_measurement_is_compared_by_the_calibration_of_its_machine() -> None:
    before = make_measurement(("review", 2.0), calibration=2.0)
    after = make_measurement(("review", 1.0), calibration=1.0)

    assert compare(before, after, 10, is_relative=True).rows[0].verdict is RowVerdict.EQUAL
    slow = make_measurement(("review", 2.0), calibration=1.0)
    assert compare(before, slow, 10, is_relative=True).regressions[0].name == "review"


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        # U = 0 of a mean of 12.5, less 0.5, by sqrt(25 * 11 / 12): z = 2.5067
        ((1, 2, 3, 4, 5), (6, 7, 8, 9, 10), 0.012186),
        # U = 9; ties of 3, 4, and 3: by sqrt(25 / 12 * (11 - 108 / 90)): z = 0.6639
        ((1, 1, 2, 2, 3), (1, 2, 2, 3, 3), 0.506729),
        ((1, 2, 3), (1, 2, 3), 1.0),
        ((5, 5, 5), (5, 5, 5), 1.0),
    ],
)
def test_the_p_value_is_that_of_mann_whitney(
    first: tuple[float, ...], second: tuple[float, ...], expected: float
) -> None:
    assert compute_p_value(first, second) == pytest.approx(expected, rel=1e-4)
    assert compute_p_value(second, first) == pytest.approx(expected, rel=1e-4)
