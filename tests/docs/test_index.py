"""docs/pages.md and the navigation of the site list every page."""

import re

import pytest

from support.repository_pages import ROOT

DOCS = ROOT / "docs"
INDEX = (DOCS / "pages.md").read_text()
SITE = (ROOT / "mkdocs.yml").read_text()
PAGES = sorted(path.name for path in DOCS.glob("*.md") if path.name != "pages.md")


@pytest.mark.parametrize("page", PAGES)
def test_the_index_lists_a_page_once(page: str) -> None:
    assert INDEX.count(f"]({page})") == 1
    assert re.search(rf"^ *- .*: {re.escape(page)}$", SITE, re.MULTILINE)


def test_the_index_lists_no_other_page() -> None:
    assert sorted(re.findall(r"\]\(([\w-]+\.md)\)", INDEX)) == PAGES
    assert "  - All pages: pages.md\n" in SITE
