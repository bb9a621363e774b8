"""The pages stay short: each has a budget, and so has the whole."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from docs import limits
from docs.limits import DOCS, ROOT, count_words
from podgraft.core.bundle.manifests import KINDS

BUDGETS = {name: words for group in limits.GROUPS.values() for name, words in group.items()}
ALL = {**BUDGETS, **limits.CONTRIBUTORS}
_FIRST_COMMAND = re.compile(r"^ *```(?:sh|console|yaml|json|text)\b", re.MULTILINE)
# Pages about a subject, which begin with its words and not with a command.
SUBJECTS = {"concepts", "security", "performance", "conformance", "runbook", "app-mesh"}


def read(name: str) -> str:
    return (DOCS / f"{name}.md").read_text()


@pytest.mark.parametrize(
    ("page", "limit"),
    [
        (ROOT / "README.md", limits.README),
        (DOCS / "start.md", limits.START),
        (DOCS / "performance.md", limits.PERFORMANCE),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_the_first_pages_are_short(page: Path, limit: int) -> None:
    assert count_words(page.read_text()) <= limit


def test_all_pages_together_are_short() -> None:
    assert sum(count_words(page.read_text()) for page in limits.list_pages()) <= limits.ALL_PAGES
    assert len(BUDGETS) <= limits.USER_PAGES
    assert {page.stem for page in limits.list_pages()} == ALL.keys()


@pytest.mark.parametrize("name", ALL)
def test_a_page_has_at_most_its_budget(name: str) -> None:
    words, budget = count_words(read(name)), ALL[name]
    assert words <= budget * limits.TOLERANCE, f"{name}.md: {words} words, budget {budget}"


def test_the_pages_of_commands_are_short() -> None:
    words = {page.name: count_words(page.read_text()) for page in DOCS.glob("commands/*.md")}
    assert sum(words.values()) <= limits.COMMANDS, words
    assert max(words.values()) <= limits.COMMANDS_OF_A_PAGE, words


@pytest.mark.parametrize("name", sorted(BUDGETS.keys() - SUBJECTS))
def test_a_guide_begins_with_its_first_command_or_file(name: str) -> None:
    text = read(name)
    match = _FIRST_COMMAND.search(text)
    assert match
    # A table before the command has at most as many words again.
    prose = "\n".join(line for line in text[: match.start()].splitlines() if "|" not in line)
    assert count_words(prose) <= 70, prose


def test_readme_begins_with_its_first_command() -> None:
    text = (ROOT / "README.md").read_text()
    assert count_words(text.partition("```sh")[0]) <= 120


def read_navigation() -> list[dict[str, Any]]:
    text = re.sub(r"!!python/\S+", "", (ROOT / "mkdocs.yml").read_text())
    return yaml.safe_load(text)["nav"]


def list_targets(entry: object) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    elif isinstance(entry, list):
        for each in cast("list[object]", entry):
            yield from list_targets(each)
    elif isinstance(entry, dict):
        for each in cast("dict[str, object]", entry).values():
            yield from list_targets(each)


def test_the_navigation_has_four_groups_of_seven() -> None:
    home, *groups = read_navigation()
    assert home == {"Home": "index.md"}
    entries = {name: value for group in groups for name, value in group.items()}
    assert entries.keys() == limits.GROUPS.keys()
    for name, pages in limits.GROUPS.items():
        assert len(entries[name]) <= 7
        assert {f"{page}.md" for page in pages} <= set(list_targets(entries[name]))


def test_pages_outside_the_navigation_are_named() -> None:
    targets = set(list_targets(read_navigation()))
    text = (ROOT / "mkdocs.yml").read_text()
    outside = {line.strip() for line in text.partition("not_in_nav: |\n")[2].splitlines()}
    for page in DOCS.rglob("*.md"):
        name = page.relative_to(DOCS).as_posix()
        assert (name in targets) is (f"/{name}" not in outside), name


WAY = ("start", "concepts", "policies", "clusters", "monitoring", "runbook")


def test_one_way_leads_through_the_pages() -> None:
    """README, start, concepts, policies, clusters, monitoring, runbook."""
    assert "(docs/start.md)" in (ROOT / "README.md").read_text()
    for name, following in pairwise(WAY):
        assert re.findall(r"^Next: \[[^]]+\]\((\S+)\)", read(name), re.MULTILINE) == [
            f"{following}.md"
        ]


def test_concepts_lists_the_kinds_of_manifests() -> None:
    """The table of a bundle has each kind that podgraft reads."""
    section = read("concepts").partition("| manifest | use |")[2].partition("\n\n")[0]
    bindings = {kind for kind in KINDS if kind.endswith("Binding")}
    assert {kind for kind in KINDS if f"`{kind}`" not in section} == bindings
