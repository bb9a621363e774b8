"""The links of a built site: files and headings exist, and no page loads another origin."""

import subprocess
import sys
from pathlib import Path

import pytest

from check_site import Site

ROOT = Path(__file__).parents[2]
PAGE = '<h2 id="there">There</h2>'


def make_site(folder: Path, html: str) -> Site:
    (folder / "guide").mkdir(parents=True)
    (folder / "index.html").write_text(f"{PAGE}{html}")
    (folder / "guide" / "index.html").write_text(PAGE)
    (folder / "a b.json").write_text("{}")
    return Site(folder, "https://example.org/")


@pytest.mark.parametrize(
    "html",
    [
        '<a href="guide/">',
        '<a href="guide/#there">',
        '<a href="#there">',
        '<a href="">',
        '<a href="/guide/index.html">',
        '<a href="a%20b.json">',
        '<a href="https://example.com/x">',
        '<a href="mailto:a@example.com">',
        '<img src="data:,">',
        '<link rel="canonical" href="https://example.org/guide/">',
        '<iframe src="guide/"></iframe>',
    ],
)
def test_a_link_that_works(tmp_path: Path, html: str) -> None:
    assert list(make_site(tmp_path, html).find_problems()) == []


@pytest.mark.parametrize(
    ("html", "problem"),
    [
        ('<a href="other/">', "index.html: other/ leads to no file; correct the link"),
        ('<a href="guide/#no">', "index.html: guide/#no leads to no heading"),
        ('<a href="#no">', "index.html: #no leads to no heading"),
        ('<a href="../../etc/passwd">', "leads to no file"),
        ('<img src="x.png">', "index.html: x.png leads to no file"),
        ('<link rel="canonical" href="https://example.org/x/">', "leads to no file"),
        ('<script src="https://cdn.example.com/a.js">', "loads https://cdn.example.com/a.js; copy"),
        ('<link rel="stylesheet" href="//fonts.example.com/a">', "loads //fonts.example.com/a"),
        ('<iframe src="https://example.com/"></iframe>', "loads https://example.com/"),
    ],
)
def test_a_link_that_does_not_work(tmp_path: Path, html: str, problem: str) -> None:
    (found,) = make_site(tmp_path, html).find_problems()

    assert problem in found


@pytest.mark.parametrize(
    "css", ["a{b:url(https://example.com/a.woff)}", '@import "//example.com/a.css";']
)
def test_a_style_cannot_load_another_origin(tmp_path: Path, css: str) -> None:
    site = make_site(tmp_path, "")
    (tmp_path / "a.css").write_text(css)

    assert len(list(site.find_problems())) == 1


def test_the_script_fails_with_each_problem(tmp_path: Path) -> None:
    make_site(tmp_path, '<a href="other/">')
    command = [sys.executable, str(ROOT / "tools" / "check_site.py"), str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)

    assert result.returncode == 1
    assert "error: index.html: other/ leads to no file" in result.stderr
    assert "1 broken links" in result.stdout


def test_a_folder_without_a_site_is_an_error(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "tools" / "check_site.py"), str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)

    assert result.returncode == 1
    assert "contains no site; run make site" in result.stderr
