"""The ways to install podgraft: what the pages name exists, and nothing is promised too early."""

import re
import tomllib
from pathlib import Path
from typing import Any

from podgraft.cli.completion import SHELLS
from podgraft.cli.init import KINDS
from podgraft.core.injectors.istio import releases

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "commands" / "index.md"
TEXT = PAGE.read_text()


def test_the_page_lists_every_extra() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    rows = re.findall(r"^\| `(\w+)` \| ", TEXT, re.MULTILINE)
    # function: only for AWS Lambda; dev: make setup.
    assert set(rows) == set(project["optional-dependencies"]) - {"dev", "function"}


def test_the_page_has_the_line_of_each_shell() -> None:
    shells = re.findall(r"podgraft completion (\w+)", TEXT)
    assert set(shells) >= set(SHELLS)


def test_the_metadata_is_complete() -> None:
    """What an index of packages shows, and what ``twine check --strict`` requires."""
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for key in ("authors", "classifiers", "description", "keywords", "license", "urls"):
        assert project[key], key
    assert {"Homepage", "Documentation", "Changelog", "Source"} <= set(project["urls"])
    assert project["classifiers"] == sorted(project["classifiers"])
    site = {f"https://podgraft.dev/{name}" for name in ("", "start/", "CHANGELOG/", "reporting/")}
    assert {url for url in project["urls"].values() if not url.endswith(".git")} == site


def test_no_page_installs_what_is_not_published() -> None:
    """There is no tag: no page and no message can install the package by its name.

    Delete this test with the first release.
    """
    by_name = re.compile(r"(?:pipx? (?:install|download)(?: --?\S+)*) '?podgraft\b(?!\[[\w,]+\] @)")
    assert "Nothing is published yet" in TEXT
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        text = page.read_text().replace(
            "After the first release, `pipx install podgraft` will work", ""
        )
        assert not by_name.search(text), page.name
    steps = " ".join(step for kind in KINDS.values() for step in kind.steps)
    assert not by_name.search(steps)


def test_newest_compared_releases_are_those_of_the_engine() -> None:
    minors = [minor for minor in releases.KNOWN if minor not in releases.UNRELEASED][-3:]
    names = [f"1.{minor}.{releases.LATEST[minor]}" for minor in minors]
    sentence = f"{', '.join(names)}, and {releases.UNRELEASED[releases.NEWEST]}"
    for page in ("docs/from-istio.md",):
        words = " ".join((ROOT / page).read_text().split())
        assert f"The newest that were compared are {sentence}" in words
        assert "every patch" not in words
