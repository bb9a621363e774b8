"""What pages name exists: each other and their headings, targets of make, files and folders."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

from podgraft import cli

ROOT = Path(__file__).parents[2]
CODE = ("layers/engine/podgraft", "functions", "scripts", "tools", "tests")
PAGES = (
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted(ROOT.glob("samples/**/README.md")),
    ROOT / "tests" / "README.md",
)

_LINK = re.compile(r"\]\((?!https?://)([^)#\s]*)(?:#([^)\s]+))?\)")
_HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
_MADE = re.compile(r"(?:^(?:\$ )?|`)make ([a-z][a-z0-9-]*)", re.MULTILINE)
_TARGET = re.compile(r"^([a-z][a-z0-9-]*):", re.MULTILINE)
# A module, or a path that begins in one of our folders.
_PATH = re.compile(r"`((?:\w+/)*\w+\.py|(?:docs|functions|layers|samples|scripts|tests)/[\w./-]*)`")

_BLOCK = re.compile(r"^ *```(?!text).*?\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"`([^`\n]+)`")
_COMMAND = re.compile(r"(?:^ *(?:\$ )?|\| |&& )podgraft ([a-z-].*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PageReference:
    """A word of a page, and whether what it names is there."""

    page: Path
    word: str
    exists: bool


def _links(page: Path, text: str) -> Iterator[PageReference]:
    for file, heading in _LINK.findall(text):
        target = page.parent / file if file else page
        # The site has no page of a folder without README.md.
        is_page = target.is_file() or (target / "README.md").is_file()
        there = is_page and (not heading or heading in _anchors(target.read_text()))
        yield PageReference(page, f"{file}#{heading}" if heading else file, there)


def _anchors(text: str) -> set[str]:
    """GitHub's ids of headings, without those of comments in blocks."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
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


def _commands(page: Path, text: str) -> Iterator[PageReference]:
    """Commands of podgraft with their options, in blocks and in code spans."""
    joined = text.replace("\\\n", " ")
    code = [*_BLOCK.findall(joined), *_SPAN.findall(_BLOCK.sub("", joined))]
    for found in (words for part in code for words in _COMMAND.findall(part)):
        words = re.split(r"[|>;]|&&", found)[0].split()
        name, options = _read_command(words)
        if name is None:
            yield PageReference(page, f"podgraft {' '.join(words[:2])}", exists=False)
            continue
        for word in words:
            option = word.partition("=")[0].rstrip(",.:;)")
            if re.fullmatch(r"--[a-z][\w-]*", option):
                yield PageReference(page, f"podgraft {name} {option}", option in options)


def _read_command(words: list[str]) -> tuple[str | None, set[str]]:
    """The command that words name, and its options with those of its groups; None if unknown."""
    command: click.Command = cli.podgraft
    path: list[str] = []
    options = {"--help", "--version", "--help-all"}
    for word in words:
        options |= {name for each in command.params for name in (*each.opts, *each.secondary_opts)}
        if not isinstance(command, click.Group):
            break
        child = command.get_command(click.Context(command), word)
        if child is not None:
            command, path = child, [*path, word]
        elif not path and re.fullmatch(r"[a-z][a-z-]+", word):
            return None, options
    options |= {name for each in command.params for name in (*each.opts, *each.secondary_opts)}
    return " ".join(path), options


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_names_is_there(page: Path) -> None:
    text = page.read_text()
    named = [*_links(page, text), *_targets(page, text), *_paths(page, text)]
    named += _commands(page, text)
    assert [each.word for each in named if not each.exists] == []


def test_pages_name_something() -> None:
    """Or the patterns would have missed what they are for."""
    named = [each for page in PAGES for each in _links(page, page.read_text())]
    made = [each for page in PAGES for each in _targets(page, page.read_text())]
    paths = [each for page in PAGES for each in _paths(page, page.read_text())]
    assert min(len(named), len(made), len(paths)) > 10
