"""The table of a fuzz run in docs/reliability.md."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from fuzz.campaign import Progress

PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"
BEGIN = "<!-- fuzz: `make fuzz SECONDS=... WRITE=1` writes this table. -->"
END = "<!-- end of fuzz -->"


def render_table(progress: Sequence[Progress], seconds: float, day: date, *, live: bool) -> str:
    """The figures of a run, with the duration and the machine's part in the comparison."""
    tried = sum(each.tried for each in progress)
    found = sum(len(each.findings) for each in progress)
    answers = "asking Go itself" if live else "with recorded answers of Go"
    seeds = f"from {progress[0].first_seed}"
    duration = f"{seconds:,.0f} s for all harnesses together, on one core"
    figures = f"{tried:,} inputs, {found} findings. The seeds of each harness start {seeds}."
    lines = [
        f"Last run: {day.isoformat()}, {duration}, {answers}: {figures}",
        "",
        "| harness | claim | inputs | findings | seconds | outcomes |",
        "|---|---|---|---|---|---|",
    ]
    for each in progress:
        cells = (
            f"`{each.harness.name}`",
            each.harness.claim,
            f"{each.tried:,}",
            f"{len(each.findings)}",
            f"{each.seconds:,.0f}",
            describe_outcomes(each),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def describe_outcomes(progress: Progress) -> str:
    """The most frequent outcomes with their share."""
    total = max(1, progress.outcomes.total())
    shares = (f"{name} {100 * n / total:.0f} %" for name, n in progress.outcomes.most_common(4))
    return ", ".join(shares)
