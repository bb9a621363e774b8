"""The comparison of two measurements, row by row.

As benchstat does, it reports a difference only if the Mann-Whitney U test finds one (p < 0.05), so
that noise is no regression.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from math import erfc, sqrt

from msgspec import Struct

from .results import Measurement, Row

SIGNIFICANT = 0.05


class RowVerdict(StrEnum):
    """The result of the comparison of one row."""

    SLOWER = "slower"
    FASTER = "faster"
    EQUAL = "equal"
    ADDED = "added"
    REMOVED = "removed"


class RowComparison(Struct, frozen=True, kw_only=True):
    """A row before and after the change.

    ``change_percent`` and ``p_value`` exist if both versions have the row.
    """

    name: str
    before: Row | None
    after: Row | None
    verdict: RowVerdict
    change_percent: float | None = None
    p_value: float | None = None


class BenchComparison(Struct, frozen=True, kw_only=True):
    """All rows; ``threshold_percent`` is the change from which a slower row is a regression.

    If ``is_relative``, the changes are those of the ratio to the calibration.
    """

    before: Measurement
    after: Measurement
    threshold_percent: float
    rows: tuple[RowComparison, ...]
    is_relative: bool = False

    @property
    def regressions(self) -> tuple[RowComparison, ...]:
        """The rows that are slower by more than the threshold."""
        return tuple(row for row in self.rows if row.verdict is RowVerdict.SLOWER)


def compare(
    before: Measurement, after: Measurement, threshold_percent: float, *, is_relative: bool
) -> BenchComparison:
    """Compare two measurements; if relative, in units of the calibration of each."""
    old = before.relative() if is_relative else before
    new = after.relative() if is_relative else after
    names = dict.fromkeys(row.name for measurement in (new, old) for row in measurement.rows)
    rows = (_compare_row(name, (before, after), (old, new), threshold_percent) for name in names)
    return BenchComparison(
        before=before,
        after=after,
        threshold_percent=threshold_percent,
        rows=tuple(rows),
        is_relative=is_relative,
    )


def _compare_row(
    name: str,
    measured: tuple[Measurement, Measurement],
    compared: tuple[Measurement, Measurement],
    threshold_percent: float,
) -> RowComparison:
    before, after = (measurement.find_row(name) for measurement in measured)
    old, new = (measurement.find_row(name) for measurement in compared)
    if old is None or new is None:
        verdict = RowVerdict.ADDED if old is None else RowVerdict.REMOVED
        return RowComparison(name=name, before=before, after=after, verdict=verdict)
    change = 100 * (new.median / old.median - 1) if old.median else 0.0
    p_value = compute_p_value(old.seconds, new.seconds)
    verdict = RowVerdict.EQUAL
    if p_value < SIGNIFICANT and abs(change) > threshold_percent:
        verdict = RowVerdict.SLOWER if change > 0 else RowVerdict.FASTER
    return RowComparison(
        name=name,
        before=before,
        after=after,
        verdict=verdict,
        change_percent=change,
        p_value=p_value,
    )


def compute_p_value(first: Sequence[float], second: Sequence[float]) -> float:
    """The two-sided p-value of the Mann-Whitney U test.

    It uses the normal approximation with a correction for ties and continuity.
    """
    count_first, count_second = len(first), len(second)
    total = count_first + count_second
    ranks, ties = _rank([*first, *second])
    statistic = sum(ranks[:count_first]) - count_first * (count_first + 1) / 2
    mean = count_first * count_second / 2
    spread = count_first * count_second / 12 * (total + 1 - ties / (total * (total - 1)))
    if spread <= 0:
        return 1.0
    distance = max(0.0, abs(statistic - mean) - 0.5)
    return erfc(distance / sqrt(2 * spread))


def _rank(values: Sequence[float]) -> tuple[list[float], int]:
    """The rank of each value, equal values with their average rank, and the sum of t³ - t."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    ties, start = 0, 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for position in order[start:end]:
            ranks[position] = (start + end + 1) / 2
        ties += (end - start) ** 3 - (end - start)
        start = end
    return ranks, ties
