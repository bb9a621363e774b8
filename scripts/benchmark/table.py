"""The table: each row a measurement, its baseline by name, and the ratio of their medians."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .timing import Timings


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line; times in seconds. ``target`` is the ratio that issue 7 asks for at most."""

    part: str
    name: str
    median: float
    p99: float
    repetitions: int
    baseline: str
    baseline_median: float
    target: float | None = None
    size: float | None = None
    per: str = ""

    @property
    def ratio(self) -> float:
        """How many times the baseline."""
        return self.median / self.baseline_median

    @property
    def met(self) -> bool | None:
        """Whether the target is met; ``None`` where there is none."""
        return None if self.target is None else self.ratio <= self.target

    @property
    def unit_cost(self) -> float | None:
        """Seconds per unit of size: it does not grow where the cost is linear."""
        return self.median / self.size if self.size else None

    def record(self) -> dict[str, Any]:
        """The row for a machine."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return fields | {"ratio": self.ratio, "met": self.met, "unit_cost": self.unit_cost}


def row(part: str, name: str, taken: Timings, baseline: tuple[str, Timings], **more: Any) -> Row:
    """A row of a measurement and its baseline."""
    called, base = baseline
    return Row(
        part=part,
        name=name,
        median=taken.median,
        p99=taken.p99,
        repetitions=len(taken.seconds),
        baseline=called,
        baseline_median=base.median,
        **more,
    )


def text(rows: Sequence[Row]) -> str:
    """The rows as a Markdown table, which is also what a terminal shows."""
    cells = [_HEADING, *(_cells(each) for each in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(_HEADING))]
    lines = [_line(line, widths) for line in cells]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([lines[0], rule, *lines[1:]])


def write(path: Path, rows: Iterable[Row], machine: Any) -> None:
    """The same as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    told = {"machine": machine, "rows": [each.record() for each in rows]}
    path.write_text(json.dumps(told, indent=1) + "\n")


def time(seconds: float) -> str:
    """A time with three figures in the unit that suits it."""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"


_HEADING = (
    "part",
    "what",
    "median",
    "p99",
    "n",
    "baseline",
    "its median",
    "ratio",
    "target",
    "each",
)


def _cells(each: Row) -> tuple[str, ...]:
    verdict = {True: "met", False: "MISSED", None: ""}[each.met]
    target = "" if each.target is None else f"≤ {each.target:g} {verdict}"
    unit = "" if each.unit_cost is None else f"{time(each.unit_cost)} {each.per}"
    return (
        each.part,
        each.name,
        time(each.median),
        time(each.p99),
        str(each.repetitions),
        each.baseline,
        time(each.baseline_median),
        f"{each.ratio:.2f}",
        target,
        unit,
    )


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "| " + " | ".join(c.ljust(w) for c, w in zip(cells, widths, strict=True)) + " |"
