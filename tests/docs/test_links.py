"""What pages name exists: each other and their headings, targets of make, files and folders."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = ("layers/engine/podgraft", "functions", "scripts", "tests", "tools")
PAGES = (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md")))

_LINK = re.compile(r"\]\((?!https?://)([^)#\s]*)(?:#([^)\s]+))?\)")
_HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
_MADE = re.compile(r"(?:^\$ |`)make ([a-z][a-z0-9-]*)", re.MULTILINE)
_TARGET = re.compile(r"^([a-z][a-z0-9-]*):", re.MULTILINE)
# A module, or a path that begins in one of our folders.
_PATH = re.compile(r"`((?:\w+/)*\w+\.py|(?:docs|functions|layers|samples|scripts|tests)/[\w./-]*)`")


@dataclass(frozen=True, slots=True)
class PageReference:
    """A word of a page, and whether what it names is there."""

    page: Path
    word: str
    exists: bool


def _links(page: Path, text: str) -> Iterator[PageReference]:
    for file, heading in _LINK.findall(text):
        target = page.parent / file if file else page
        there = target.exists() and (not heading or heading in _anchors(target.read_text()))
        yield PageReference(page, f"{file}#{heading}" if heading else file, there)


def _anchors(text: str) -> set[str]:
    """GitHub's ids of headings."""
    return {
        re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
        for heading in _HEADING.findall(text)
    }


def _targets(page: Path, text: str) -> Iterator[PageReference]:
    targets = set(_TARGET.findall((ROOT / "Makefile").read_text()))
    for word in _MADE.findall(text):
        yield PageReference(page, f"make {word}", word in targets)


def _paths(page: Path, text: str) -> Iterator[PageReference]:
    """Whole paths, and modules by what they are called inside of the package or beside it."""
    for word in _PATH.findall(text):
        inside = (next((ROOT / folder).rglob(word), None) for folder in CODE)
        yield PageReference(page, word, (ROOT / word).exists() or any(inside))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_names_is_there(page: Path) -> None:
    text = page.read_text()
    named = [*_links(page, text), *_targets(page, text), *_paths(page, text)]
    assert [each.word for each in named if not each.exists] == []


def test_pages_name_something() -> None:
    """Or the patterns would have missed what they are for."""
    named = [each for page in PAGES for each in _links(page, page.read_text())]
    made = [each for page in PAGES for each in _targets(page, page.read_text())]
    paths = [each for page in PAGES for each in _paths(page, page.read_text())]
    assert min(len(named), len(made), len(paths)) > 10
