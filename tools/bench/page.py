"""The data and the chart of the last run, next to docs/performance.md, which has a summary."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from . import plot, table
from .table import Row

DATA = "performance.json"
CHART = "performance.svg"


def write_page(folder: Path, rows: Sequence[Row], machine: Mapping[str, str]) -> None:
    """Keep a run in *folder*: ``performance.json``, and its chart ``performance.svg``."""
    table.write_json(folder / DATA, rows, machine)
    (folder / CHART).write_text(plot.render_svg(plot.make_panels(rows)))
