"""Every command of a page, a chart, or a hint that registers webhooks names the namespaces."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

_CHOICES = ("--revision ", "--namespace-selector ", "--object-selector ", "--all-namespaces")
_COMMAND = re.compile(r"podgraft register [^`\n]*--(?:url|service|config|cluster)[^`\n]*")


def _commands() -> Iterator[tuple[str, str]]:
    files = [ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("deploy/kubernetes/*.md")]
    files += [*ROOT.glob("samples/*/README.md"), *ROOT.glob("deploy/charts/*/templates/NOTES.txt")]
    for file in files:
        text = file.read_text().replace("\\\n", " ")
        for found in _COMMAND.findall(text):
            yield file.relative_to(ROOT).as_posix(), found


@pytest.mark.parametrize(("page", "command"), list(_commands()))
def test_a_printed_registration_names_its_namespaces(page: str, command: str) -> None:
    assert any(choice in command for choice in _CHOICES), page


def test_the_pages_with_a_first_registration_are_found() -> None:
    pages = {page for page, _ in _commands()}
    assert {"docs/start.md", "docs/clusters.md", "docs/from-istio.md"} <= pages
    assert "deploy/charts/podgraft/templates/NOTES.txt" in pages
