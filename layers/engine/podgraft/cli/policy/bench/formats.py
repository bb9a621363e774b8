"""The output of ``podgraft policy bench``: a table, Markdown, or JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from statistics import median

from podgraft.base import jsonvalue

from .amounts import format_amount
from .comparison import BenchComparison, RowComparison, RowVerdict
from .results import Measurement, Row

_HEADER = ("row", "median", "range", "objects")
_COMPARED_HEADER = ("row", "before", "after", "change", "p", "verdict")


class BenchFormat(StrEnum):
    """The output formats."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"


def format_measurement(measurement: Measurement, output: BenchFormat) -> str:
    """Format the rows of one version."""
    if output is BenchFormat.JSON:
        return jsonvalue.dump({**measurement.to_json()}) + "\n"
    rows = [
        (row.name, _amount(row.median), _range(row), str(row.objects)) for row in measurement.rows
    ]
    return f"{_title(measurement)}\n\n{_table(_HEADER, rows, output)}"


def format_comparison(comparison: BenchComparison, output: BenchFormat) -> str:
    """Format the rows of two versions, and the verdict."""
    if output is BenchFormat.JSON:
        return jsonvalue.dump(_encode_comparison(comparison)) + "\n"
    rows = [_comparison_cells(row) for row in comparison.rows]
    title = f"{_title(comparison.after)}; before: {comparison.before.name}"
    note = _describe_calibration(comparison) if comparison.is_relative else ""
    return f"{title}\n\n{_table(_COMPARED_HEADER, rows, output)}\n{note}{_summary(comparison)}\n"


def _describe_calibration(comparison: BenchComparison) -> str:
    before, after = (
        _amount(median(each.calibration)) for each in (comparison.before, comparison.after)
    )
    return f"change: relative to fixed work, which took {before} before and {after} after\n"


def _title(measurement: Measurement) -> str:
    rounds = len(measurement.calibration)
    return f"time per object, {rounds} rounds: {measurement.name}"


def _summary(comparison: BenchComparison) -> str:
    regressions, threshold = comparison.regressions, f"{comparison.threshold_percent:g} %"
    if not regressions:
        return f"no row is slower by more than {threshold}"
    names = ", ".join(row.name for row in regressions)
    return f"slower by more than {threshold}: {names}"


def _comparison_cells(row: RowComparison) -> tuple[str, ...]:
    change = "" if row.change_percent is None else f"{row.change_percent:+.1f} %"
    p_value = "" if row.p_value is None else f"{row.p_value:.3f}"
    verdict = "" if row.verdict is RowVerdict.EQUAL else str(row.verdict)
    return row.name, _format_row(row.before), _format_row(row.after), change, p_value, verdict


def _format_row(row: Row | None) -> str:
    return "" if row is None else f"{_amount(row.median)} ({_range(row)})"


def _amount(seconds: float) -> str:
    return format_amount(seconds, "s")


def _range(row: Row) -> str:
    return f"{_amount(min(row.seconds))} to {_amount(max(row.seconds))}"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]], output: BenchFormat) -> str:
    cells = [header, *rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    padded = [[cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in cells]
    if output is BenchFormat.TEXT:
        return "".join(f"{'  '.join(row).rstrip()}\n" for row in padded)
    padded.insert(1, ["-" * width for width in widths])
    return "".join(f"| {' | '.join(row)} |\n" for row in padded)


def _encode_comparison(comparison: BenchComparison) -> jsonvalue.Object:
    rows: list[jsonvalue.JSON] = [
        {
            "name": row.name,
            "verdict": str(row.verdict),
            "changePercent": row.change_percent,
            "pValue": row.p_value,
        }
        for row in comparison.rows
    ]
    return {
        "measurement": {**comparison.after.to_json()},
        "baseline": {**comparison.before.to_json()},
        "isRelative": comparison.is_relative,
        "thresholdPercent": comparison.threshold_percent,
        "regressions": [row.name for row in comparison.regressions],
        "comparison": rows,
    }
