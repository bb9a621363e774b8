"""The table: each row a measurement, its baseline by name, and the ratio of their medians."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from .amounts import Unit, format_amount
from .timing import Timings


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row of the table, in seconds, or in bytes with ``unit`` "B".

    ``target`` is the maximum ratio, or the maximum power of a series. Rows of one ``series`` differ
    in ``size``. The last row has the ``power`` of the size by which the cost grows (growth.py).
    """

    part: str
    name: str
    median: float
    p99: float
    repetitions: int
    baseline: str
    baseline_median: float
    unit: Unit = "s"
    target: float | None = None
    series: str = ""
    size: float | None = None
    per: str = ""
    power: float | None = None
    rate: float | None = None
    errors: int | None = None
    note: str = ""

    @property
    def ratio(self) -> float:
        """How many times the baseline."""
        return self.median / self.baseline_median

    @property
    def is_target_met(self) -> bool | None:
        """Whether the target is reached; ``None`` without a target."""
        if self.target is None:
            return None
        return (self.ratio if self.power is None else self.power) <= self.target

    @property
    def unit_cost(self) -> float | None:
        """Seconds per unit of size: it does not grow where the cost is linear."""
        return self.median / self.size if self.size and self.per else None

    def record(self) -> dict[str, Any]:
        """The row for a machine."""
        own = {each.name: getattr(self, each.name) for each in fields(self)}
        return own | {"ratio": self.ratio, "met": self.is_target_met, "unit_cost": self.unit_cost}


def make_row(
    part: str, name: str, timings: Timings, baseline: tuple[str, Timings], **more: Any
) -> Row:
    """A row of a measurement and its baseline."""
    called, base = baseline
    return Row(
        part=part,
        name=name,
        median=timings.median,
        p99=timings.p99,
        repetitions=len(timings.seconds),
        baseline=called,
        baseline_median=base.median,
        **more,
    )


def render_markdown(rows: Sequence[Row]) -> str:
    """The rows as a Markdown table, which is also what a terminal shows."""
    cells = [_HEADING, *(_row_cells(each) for each in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(_HEADING))]
    lines = [_format_line(line, widths) for line in cells]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([lines[0], rule, *lines[1:]])


def write_json(path: Path, rows: Iterable[Row], machine: Mapping[str, str]) -> None:
    """The same as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    document = {"machine": machine, "rows": [each.record() for each in rows]}
    path.write_text(json.dumps(document, indent=1) + "\n")


def read_json(path: Path) -> tuple[list[Row], dict[str, str]]:
    """The rows and the machine that ``write`` wrote."""
    document = json.loads(path.read_text())
    field_names = {each.name for each in fields(Row)}
    rows = [
        Row(**{k: v for k, v in record.items() if k in field_names}) for record in document["rows"]
    ]
    return rows, document["machine"]


_HEADING = ("part", "what", "median", "p99", "n", "baseline", "its median", "ratio", "goal", "more")


def _row_cells(each: Row) -> tuple[str, ...]:
    return (
        each.part,
        each.name,
        format_amount(each.median, each.unit),
        format_amount(each.p99, each.unit),
        f"{each.repetitions:,}",
        each.baseline,
        format_amount(each.baseline_median, each.unit),
        f"{each.ratio:.2f}",
        _format_target(each),
        "; ".join(_notes(each)),
    )


def _format_target(each: Row) -> str:
    if each.target is None:
        return ""
    target = f"{each.target:.3g}" if each.power is None else f"size^{each.target:g}"
    return f"≤ {target} {'met' if each.is_target_met else 'MISSED'}"


def _notes(each: Row) -> Iterable[str]:
    if each.rate is not None:
        yield f"{each.rate:.0f}/s"
    if each.errors is not None:
        yield f"{each.errors} errors"
    if each.unit_cost is not None:
        yield f"{format_amount(each.unit_cost, each.unit)} {each.per}"
    if each.power is not None:
        yield f"grows as size^{each.power:.2f}" if each.power else "hardly grows"
    if each.note:
        yield each.note


def _format_line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "| " + " | ".join(c.ljust(w) for c, w in zip(cells, widths, strict=True)) + " |"
