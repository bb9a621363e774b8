"""architecture.md states the job of every dependency of podgraft, and of no other package."""

import re
from pathlib import Path

from supply_chain.pins import read_dependencies

ROOT = Path(__file__).parents[2]


def test_each_dependency_has_a_row() -> None:
    section = (
        (ROOT / "docs" / "architecture.md")
        .read_text()
        .partition("## What each dependency does\n")[2]
    )
    rows = re.findall(r"^\| \[([\w-]+)\]\(https://", section.partition("\n## ")[0], re.MULTILINE)
    names = {each.name for each in read_dependencies(ROOT, ("all", "function"))}
    assert sorted(rows) == sorted(names)
