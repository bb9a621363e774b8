"""docs/performance.md: the table of the last run between two markers, with data and chart files."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from podgraft.cli.failure import CommandError

from . import plot, table
from .table import Row

DATA = "performance.json"
BEGIN = "<!-- What follows was written by python -m bench --write-docs. -->"
END = "<!-- What was written by python -m bench ends. -->"


class PageError(CommandError):
    """The page has no markers for the table; the message contains the missing one."""


def write_page(folder: Path, rows: Sequence[Row], machine: Mapping[str, str]) -> None:
    """Keep a run in *folder*: ``performance.json``, ``.svg``, and the table in ``.md``."""
    page = folder / "performance.md"
    text = replace_table(page.read_text(), rows, machine)
    table.write_json(folder / DATA, rows, machine)
    (folder / "performance.svg").write_text(plot.render_svg(plot.make_panels(rows)))
    page.write_text(text)


def replace_table(page: str, rows: Sequence[Row], machine: Mapping[str, str]) -> str:
    """Replace the rows of the page."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise PageError(f"performance.md: the lines {BEGIN} and {END} must stand in it")
    return f"{before}{BEGIN}\n\n{_render_run(rows, machine)}\n\n{END}{after}"


def _render_run(rows: Sequence[Row], machine: Mapping[str, str]) -> str:
    machine_lines = "".join(f"- {name}: {value}\n" for name, value in machine.items())
    return f"{machine_lines}\n{table.render_markdown(rows)}"
