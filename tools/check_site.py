#!/usr/bin/env python3
"""Check each link of the built documentation site, without network.

    check_site.py [FOLDER]

Each internal link must lead to a file of the site, and its fragment to an element. No page can load
a script, a style, an image, or a frame from another origin. Links to other sites are not requested.
"""

import argparse
import posixpath
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LINKS = {("a", "href"), ("link", "href"), ("img", "src"), ("script", "src"), ("iframe", "src")}
# Relations of <link> that a browser does not load.
_UNLOADED = {"canonical", "next", "prev", "edit"}
_STYLE_URL = re.compile(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)")


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a page; ``is_loaded`` if the browser loads its target with the page."""

    target: str
    is_loaded: bool


class _Page(HTMLParser):
    """The links and the ids of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[Link] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect the attributes of an element."""
        values = {name: value or "" for name, value in attrs}
        self.ids.update(values[name] for name in ("id", "name") if name in values)
        for name, value in values.items():
            if (tag, name) in _LINKS:
                is_loaded = tag != "a" and values.get("rel", "") not in _UNLOADED
                self.links.append(Link(value, is_loaded))


@dataclass(slots=True)
class Site:
    """The files of a built site, which is published at an address."""

    folder: Path
    address: str = ""
    external: set[str] = field(default_factory=set[str])

    def find_problems(self) -> Iterator[str]:
        """Each link that does not work: ``page: problem``."""
        for path in sorted(self.folder.rglob("*.html")):
            page = path.relative_to(self.folder).as_posix()
            for link in _read_page(path).links:
                problem = self._check(page, link)
                if problem:
                    yield f"{page}: {problem}"
        for path in sorted(self.folder.rglob("*.css")):
            for match in _STYLE_URL.finditer(path.read_text()):
                url = match[1] or match[2]
                if urlsplit(url).netloc:
                    yield f"{path.relative_to(self.folder)}: loads {url}; copy it into the site"

    def _check(self, page: str, link: Link) -> str:
        target = link.target
        if self.address and target.startswith(self.address):
            target = f"/{target.removeprefix(self.address)}"
        parts = urlsplit(target)
        if parts.scheme in {"data", "mailto"}:
            return ""
        if parts.scheme or parts.netloc:
            self.external.add(link.target)
            return f"loads {link.target}; copy it into the site" if link.is_loaded else ""
        path = unquote(parts.path)
        name = posixpath.normpath(posixpath.join("/", posixpath.dirname(page), path))[1:]
        file = self.folder / (name if path else page)
        if file.is_dir():
            file /= "index.html"
        if not file.is_file():
            return f"{link.target} leads to no file; correct the link"
        fragment = unquote(parts.fragment)
        if fragment and file.suffix == ".html" and fragment not in _read_page(file).ids:
            return f"{link.target} leads to no heading; correct the part after #"
        return ""


@cache
def _read_page(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text())
    return page


def main() -> int:
    """Print each problem; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("build/site"))
    parser.add_argument("--address", default="", help="Address at which the site is published.")
    options = parser.parse_args()
    if not (options.folder / "index.html").is_file():
        print(f"error: {options.folder}: contains no site; run make site", file=sys.stderr)
        return 1
    site = Site(options.folder, options.address)
    problems = list(site.find_problems())
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    pages = len(list(options.folder.rglob("*.html")))
    print(f"{options.folder}: {pages} pages, {len(problems)} broken links")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
