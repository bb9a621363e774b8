"""MkDocs hooks: pages of the repository outside docs/, and the playground.

The site has the folders of the repository, except that the pages of ``docs/`` are at its root.
Links between the pages are rewritten to that layout. A link to another file of the repository
copies the file into the site.
"""

import json
import posixpath
import re
import shutil
import sys
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

sys.path.append(str(Path(__file__).parent))
_files: Any = import_module("mkdocs.structure.files")  # only in the environment of the site
_markdown: Any = import_module("markdown")
_card: Any = import_module("playground_build.card")

ROOT = Path(__file__).parents[1]
PLAYGROUND = "try"
_FEATURES = ROOT / "tools" / "site_features.md"  # on the start page, before the next heading
_BUILT = ROOT / "build" / "playground"
_ADDRESS = "https://podgraft.dev/"
# Files of the playground that each page uses, by their path in the site.
_SHARED = {
    "stylesheets/tokens.css": "playground/page/tokens.css",
    "stylesheets/path.css": "playground/page/path.css",
    "images/logo.svg": "playground/page/logo.svg",
}
# Reference pages come first in a search for a key, and guides before commands and samples.
_FACTORS = {
    "schemas/policy.md": 4,
    "schemas/overlay.md": 8,
    "parameters.md": 4,
    "commands/": 0.4,
    "samples/": 0.4,
}
# Words that visitors look for, by the page that is for them.
_WORDS = {
    "aws.md": ["cost", "price", "uninstall"],
    "certificates.md": ["rotate", "renew", "expired"],
    "clusters.md": ["open", "revoke", "failurepolicy", "token", "tokens"],
    "conformance.md": ["supported", "differences"],
    "explain.md": ["why", "injected", "playground", "exit", "status"],
    "fleet.md": ["recovery", "region"],
    "from-istio.md": ["istiod", "revision"],
    "in-cluster.md": ["helm", "cert", "manager"],
    "kube-inject.md": ["kube", "inject", "istioctl"],
    "monitoring.md": ["metrics", "prometheus"],
    "overlays.md": ["sprig", "kyverno"],
    "performance.md": ["latency", "milliseconds"],
    "platforms.md": ["eks", "gke", "aks", "egress"],
    "policies.md": ["rollback", "undo"],
    "rollouts.md": ["canary", "shadow"],
    "runbook.md": ["alarm", "throttled", "503", "troubleshooting"],
    "schemas/overlay.md": ["overlay", "template", "values"],
    "schemas/policy.md": ["clusters", "policy", "rollout"],
    "selective-injection.md": ["opt"],
}
# Pages by their path in the site; the README is the start page.
_PAGES = {
    "index.md": "README.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "layers/engine/README.md": "layers/engine/README.md",
    "tests/README.md": "tests/README.md",
    "samples/README.md": "samples/README.md",
    # Its address would differ from that of docs/security.md only in case.
    "reporting.md": "SECURITY.md",
}
_LINK = re.compile(r"(\]\()(?!https?://|#|mailto:)([^)\s]+)(\))")
_CODE = re.compile(r"(^```.*?^```$|`[^`\n]*`)", re.MULTILINE | re.DOTALL)
_PRE = re.compile(r"(<pre.*?</pre>)", re.DOTALL)
_IS_SHELL = re.compile(r'class="language-sh [^<]*$')
_INLINE = re.compile(r"<code>[^<]*</code>")
_OPTION = re.compile(r"([ >\[(|])(--?[A-Za-z][\w-]*)")
_README_START = re.compile(r"# podgraft\n\n\*\*(?P<title>.+?)\*\*\n\n(?P<lead>(?:.+\n)+)\n")


def on_files(files: Any, config: Any) -> Any:
    """Add the pages outside docs/, and the files that pages link to."""
    pages = {
        **_PAGES,
        **{
            f"samples/{path.parent.name}/README.md": str(path.relative_to(ROOT))
            for path in sorted(ROOT.glob("samples/*/README.md"))
        },
    }
    for uri, source in _SHARED.items():
        files.append(_files.File.generated(config, uri, abs_src_path=str(ROOT / source)))
    for uri, source in pages.items():
        files.append(_files.File.generated(config, uri, content=(ROOT / source).read_text()))
    linked = {target for page in [*files.documentation_pages()] for target in _find_targets(page)}
    for target in sorted(linked):
        if files.get_file_from_path(target) is None and (ROOT / target).is_file():
            files.append(_files.File.generated(config, target, abs_src_path=str(ROOT / target)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Rewrite the links to the layout of the site; make the start page from the README."""
    del config, files
    uri = page.file.src_uri
    is_home = uri == "index.md"
    if is_home:
        markdown = markdown.replace("\n## ", f"\n{_FEATURES.read_text()}\n## ", 1)
    text = _replace_links(markdown, uri)
    _set_words(page)
    return _make_home(text, page) if is_home else text


def _set_words(page: Any) -> None:
    """Add the words for which the page is the first result; the theme searches tags first."""
    uri = page.file.src_uri
    if uri in _WORDS:
        page.meta["tags"] = _WORDS[uri]
    for start, factor in _FACTORS.items():
        if uri.startswith(start):
            page.meta["search"] = {"boost": factor}


def _make_home(text: str, page: Any) -> str:
    """The README without its first lines, which the template shows next to a real result."""
    match = _README_START.match(text)
    if match is None:
        raise ValueError("README.md: expected a heading, a sentence in bold, and a paragraph")
    lead = _markdown.markdown(match["lead"])
    hero = {"title": match["title"].rstrip("."), "lead": lead, "card": _make_card()}
    page.meta.update(template="home.html", hide=["navigation", "toc"], hero=hero)
    return f"## How it works\n\n{text[match.end() :]}"


def on_page_content(html: str, page: Any, config: Any, files: Any) -> str:
    """Break no line inside an option of a command; an empty cell is no heading."""
    del page, config, files
    parts = _PRE.split(html.replace("<th></th>", "<td></td>"))
    for index, part in enumerate(parts):
        if index % 2 == 0:
            parts[index] = _INLINE.sub(lambda match: _join_options(match[0]), part)
        elif _IS_SHELL.search(parts[index - 1]):
            parts[index] = _join_options(part)
    return "".join(parts)


def _join_options(code: str) -> str:
    return _OPTION.sub(r'\1<span class="option">\2</span>', code)


def _make_card() -> str:
    """The recorded result of the playground; empty without a playground."""
    recorded = sorted(_BUILT.glob("*/examples.json"))
    if not recorded:
        return ""
    review = json.loads(recorded[0].read_text())["first"]["answer"]
    return str(_card.render_card(review["documents"][0], f"{PLAYGROUND}/"))


def on_post_build(config: Any) -> None:
    """Copy the playground into the site, if it is built; its links lead to this site."""
    if (_BUILT / "sw.js").exists():
        folder = Path(config["site_dir"]) / PLAYGROUND
        shutil.copytree(_BUILT, folder)
        index = folder / "index.html"
        index.write_text(index.read_text().replace(f'"{_ADDRESS}', '"../'))


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
