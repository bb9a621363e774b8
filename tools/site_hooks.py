"""MkDocs hooks: pages of the repository outside docs/, and the playground.

The site has the folders of the repository, except that the pages of ``docs/`` are at its root.
Links between the pages are rewritten to that layout. A link to another file of the repository
copies the file into the site.
"""

import posixpath
import re
import shutil
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

_files: Any = import_module("mkdocs.structure.files")  # only in the environment of the site

ROOT = Path(__file__).parents[1]
PLAYGROUND = "try"
# Pages by their path in the site; the README is the start page.
_PAGES = {
    "index.md": "README.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "tests/README.md": "tests/README.md",
    "samples/README.md": "samples/README.md",
    # Its address would differ from that of docs/security.md only in case.
    "reporting.md": "SECURITY.md",
}
_LINK = re.compile(r"(\]\()(?!https?://|#|mailto:)([^)\s]+)(\))")
_CODE = re.compile(r"(^```.*?^```$|`[^`\n]*`)", re.MULTILINE | re.DOTALL)
_FRAME = f"""\
<p><a href="../{PLAYGROUND}/">Open the playground on a page of its own</a></p>
<iframe src="../{PLAYGROUND}/" title="podgraft playground" loading="lazy"
  style="width: 100%; height: 48rem; border: 1px solid"></iframe>

"""


def on_files(files: Any, config: Any) -> Any:
    """Add the pages outside docs/, and the files that pages link to."""
    pages = {
        **_PAGES,
        **{
            f"samples/{path.parent.name}/README.md": str(path.relative_to(ROOT))
            for path in sorted(ROOT.glob("samples/*/README.md"))
        },
    }
    for uri, source in pages.items():
        files.append(_files.File.generated(config, uri, content=(ROOT / source).read_text()))
    linked = {target for page in [*files.documentation_pages()] for target in _find_targets(page)}
    for target in sorted(linked):
        if files.get_file_from_path(target) is None and (ROOT / target).is_file():
            files.append(_files.File.generated(config, target, abs_src_path=str(ROOT / target)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Rewrite the links to the layout of the site; embed the playground in its page."""
    del config, files
    text = _replace_links(markdown, page.file.src_uri)
    if page.file.src_uri == "playground.md" and (ROOT / "build" / "playground" / "sw.js").exists():
        heading, _, rest = text.partition("\n")
        return f"{heading}\n\n{_FRAME}{rest}"
    return text


def on_post_build(config: Any) -> None:
    """Copy the playground into the site, if it is built."""
    if (ROOT / "build" / "playground" / "sw.js").exists():
        shutil.copytree(ROOT / "build" / "playground", Path(config["site_dir"]) / PLAYGROUND)


def source_of(uri: str) -> str:
    """The path in the repository of a page of the site."""
    if uri in _PAGES:
        return _PAGES[uri]
    return uri if uri.startswith("samples/") else f"docs/{uri}"


def uri_of(source: str) -> str:
    """The path in the site of a file of the repository."""
    if source == "README.md":
        return "index.md"
    if source == "SECURITY.md":
        return "reporting.md"
    if (ROOT / source).is_dir() and (ROOT / source / "README.md").exists():
        return f"{source}/README.md"
    return source.removeprefix("docs/")


def _find_targets(page: Any) -> set[str]:
    targets: set[str] = set()
    _replace_links(page.content_string, page.src_uri, targets)
    return targets


def _replace_links(markdown: str, uri: str, targets: set[str] | None = None) -> str:
    """The text with links of the site; adds the path of each target to *targets*."""
    folder = posixpath.dirname(source_of(uri))

    def replace(match: re.Match[str]) -> str:
        link = urlsplit(match[2])
        target = uri_of(posixpath.normpath(posixpath.join(folder, link.path)))
        if targets is not None:
            targets.add(target)
        relative = posixpath.relpath(target, posixpath.dirname(uri) or ".")
        return match[1] + relative + (f"#{link.fragment}" if link.fragment else "") + match[3]

    parts = _CODE.split(markdown)
    return "".join(
        part if index % 2 else _LINK.sub(replace, part) for index, part in enumerate(parts)
    )
