"""README states the job of every dependency of podgraft, and of no other package."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_each_dependency_has_a_row() -> None:
    section = (ROOT / "README.md").read_text().partition("## What each dependency does\n")[2]
    rows = re.findall(r"^\| \[([\w-]+)\]\(https://", section.partition("\n## ")[0], re.MULTILINE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = [re.split(r"[>=\[]", each)[0] for each in project["dependencies"]]
    assert sorted(rows) == sorted(names)
