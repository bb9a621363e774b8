"""Each page and heading that people linked to leads to a page that has the anchor."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

import site_redirects
from docs.limits import DOCS, ROOT

# The pages of the first tree, before the groups of seven.
OLD_PAGES = (
    *("accounts", "architecture", "aws-check", "bundles", "census", "certificates"),
    *("changing-policies", "commands", "conformance", "deploying", "environment", "gitops"),
    *("glossary", "injection-by-hand", "installing", "licenses", "live-clusters", "logs"),
    *("migrating-from-istio", "overlay", "pages", "parameters", "performance", "playground"),
    *("policy", "privileges", "registration", "reliability", "rollout", "rollout-concepts"),
    *("rules", "runbook", "running-in-a-cluster", "security", "several-sidecars", "signing"),
    *("supply-chain", "test", "testing-policies", "tutorial", "urls"),
)
TARGETS = sorted(
    {
        *site_redirects.PAGES.values(),
        *(new for anchors in site_redirects.ANCHORS.values() for new in anchors.values()),
    }
)


def find_page(name: str) -> Path:
    """The source of an address of the site."""
    if not name:
        return ROOT / "README.md"
    return next(path for path in (DOCS / f"{name}.md", DOCS / name / "index.md") if path.exists())


@pytest.mark.parametrize("name", OLD_PAGES)
def test_an_old_page_exists_or_redirects(name: str) -> None:
    exists = (DOCS / f"{name}.md").exists() or (DOCS / name / "index.md").exists()
    assert exists is not (name in site_redirects.PAGES)


@pytest.mark.parametrize("target", TARGETS)
def test_a_target_has_its_anchor(target: str) -> None:
    page, _, anchor = target.partition("#")
    text = re.sub(r"^```.*?^```$", "", find_page(page).read_text(), flags=re.MULTILINE | re.DOTALL)
    headings = {
        re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"^#+ +(.+)$", text, re.MULTILINE)
    }
    assert not anchor or anchor in headings


def test_a_redirect_works_without_a_script_and_moves_old_headings(tmp_path: Path) -> None:
    config = {"site_dir": str(tmp_path), "site_url": "https://podgraft.dev/"}
    site_redirects.on_post_build(config)
    text = (tmp_path / "registration" / "index.html").read_text()
    assert 'http-equiv="refresh" content="0; url=../clusters/"' in text
    assert 'rel="canonical" href="https://podgraft.dev/clusters/"' in text
    assert '"rotate-a-token": "../clusters/#rotate-and-revoke"' in text
    assert 'url=../"' in (tmp_path / "pages" / "index.html").read_text()


def test_a_page_that_remains_moves_its_old_headings() -> None:
    page = SimpleNamespace(file=SimpleNamespace(src_uri="security.md"))
    html = site_redirects.on_page_content("<h1>Security</h1>", page, None, None)
    assert '"the-guard": "../security/#the-other-functions"' in html
    other = SimpleNamespace(file=SimpleNamespace(src_uri="start.md"))
    assert site_redirects.on_page_content("x", other, None, None) == "x"
