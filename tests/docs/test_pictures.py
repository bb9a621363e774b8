"""The pictures are SVG, with a text for readers who cannot see them, in both color schemes."""

import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from docs.limits import DOCS, ROOT

PICTURES = sorted((DOCS / "images").glob("*.svg"))
PAGES = (ROOT / "README.md", *sorted(DOCS.glob("*.md")))
_IMAGE = re.compile(r"!\[([^\]]*)\]\(([^)]+)\)")
_SVG = "{http://www.w3.org/2000/svg}"
# At 390 px, a page has 358 px for a picture: text of 15 units must remain readable.
WIDTH, SMALLEST_TEXT = 560, 15


@pytest.mark.parametrize("picture", PICTURES, ids=lambda path: path.stem)
def test_a_picture_has_a_text_both_schemes_and_no_raster(picture: Path) -> None:
    root = ET.fromstring(picture.read_text())  # noqa: S314 - our own file
    assert root.find(f"{_SVG}title") is not None
    assert root.find(f"{_SVG}desc") is not None
    assert root.find(f".//{_SVG}image") is None
    text = picture.read_text()
    assert "prefers-color-scheme: dark" in text
    assert len(root.findall(f"{_SVG}rect")) <= 17  # the page, and at most 16 boxes
    assert float(root.attrib["width"]) <= WIDTH
    assert min(map(int, re.findall(r"font(?:-size)?: ?(\d+)px", text))) >= SMALLEST_TEXT


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_an_image_of_a_page_exists_and_has_an_alternative(page: Path) -> None:
    for text, target in _IMAGE.findall(page.read_text()):
        assert len(text.split()) > 4
        assert target.endswith(".svg")
        assert (page.parent / target).exists(), target


def test_the_four_pictures_are_used() -> None:
    used = {Path(target).name for page in PAGES for _, target in _IMAGE.findall(page.read_text())}
    assert {picture.name for picture in PICTURES} <= used
    assert len(PICTURES) == 4


@pytest.mark.parametrize("picture", PICTURES, ids=lambda path: path.stem)
def test_no_text_leaves_its_box(picture: Path, tmp_path: Path) -> None:
    """Chromium measures each text: it ends inside the picture."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("needs Chromium")
    script = (
        "<script>addEventListener('load',()=>{const s=document.querySelector('svg'),"
        "w=s.viewBox.baseVal.width;document.title=[...s.querySelectorAll('text')]"
        ".filter(t=>{const b=t.getBBox();return b.x<8||b.x+b.width>w-8})"
        ".map(t=>t.textContent).join('|')||'ok'})</script>"
    )
    page = tmp_path / "page.html"
    page.write_text(f"<!doctype html><meta charset=utf-8>{picture.read_text()}{script}")
    done = subprocess.run(
        [program, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", page.as_uri()],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert re.findall(r"<title>(.*?)</title>", done.stdout)[0] == "ok"
