"""The documentation site in Chromium, on a static host: the playground works in it."""

import re
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from support.effort import part
from support.server_thread import run_server

from . import pictures
from .browser import Browser
from .conftest import ROOT, Site, require_browser

FOLDER = ROOT / "build" / "site"


class _Handler(SimpleHTTPRequestHandler):
    """Serves files, and logs nothing."""

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of http.server
        del format, args


@pytest.fixture(scope="module")
def documentation() -> Iterator[Site]:
    require_browser()
    if not (FOLDER / "try" / "index.html").exists():
        pytest.skip("build/site is missing, or has no playground: run make site")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=str(FOLDER)))
    with run_server(server):
        yield Site(f"http://127.0.0.1:{server.server_port}/")


def test_the_playground_works_in_the_site_and_leads_back(
    browser: Browser, documentation: Site
) -> None:
    browser.do("open", url=f"{documentation.url}try/")
    observed = browser.do("requests")

    assert browser.text("#word") == "Injected"
    assert observed["problems"] == []
    assert all(url.startswith(documentation.url) for url in observed["requests"])
    assert browser.evaluate("document.querySelector('.brand').href") == documentation.url
    assert browser.evaluate("document.getElementById('about').href") == (
        f"{documentation.url}samples/istio/"
    )


def test_the_start_page_shows_a_real_result_and_leads_to_the_playground(
    browser: Browser, documentation: Site
) -> None:
    browser.do("goto", url=documentation.url)
    card = browser.evaluate("document.querySelector('.card').innerText")
    bottom = "document.querySelector('.act--primary').getBoundingClientRect().bottom"

    assert "Injected" in card
    assert "inject, with 20 patch operations" in card
    assert browser.evaluate("document.querySelector('.act--primary').href").endswith("/try/")
    for width, height in ((390, 844), (1280, 900)):
        browser.do("viewport", width=width, height=height)
        assert browser.evaluate(bottom) < height


@pytest.mark.parametrize("scheme", pictures.SCHEMES)
@pytest.mark.parametrize("width", pictures.WIDTHS)
def test_the_start_page_is_as_its_picture(
    browser: Browser, documentation: Site, width: int, scheme: str
) -> None:
    pictures.require_fonts()
    browser.do("goto", url=documentation.url, options={"colorScheme": scheme})
    browser.do("viewport", width=width, height=pictures.WIDTHS[width], scheme=scheme)
    browser.do("waitFor", expression="document.fonts.status === 'loaded'")

    pictures.compare(browser, f"home-{width}-{scheme}")


# What is not in a frame that scrolls, and is cut off at the right edge of the window. Commands have
# no such frame.
_CUT_OFF = """
[document.documentElement, ...document.querySelectorAll("article *")]
  .filter((e) => !e.closest("pre, .md-typeset__scrollwrap, .headerlink"))
  .filter((e) => e.getBoundingClientRect().right > innerWidth + 1 || e.scrollWidth > innerWidth)
  .concat([...document.querySelectorAll(".language-sh code")].filter(
    (e) => e.scrollWidth > e.clientWidth))
  .map((e) => `${e.tagName}: ${e.textContent.trim().slice(0, 40)}`)
"""
_WITHOUT_TEXT = "[...document.querySelectorAll('article img')].filter((i) => !i.alt).length"


def list_pages() -> list[str]:
    """The path of each page of the site."""
    sitemap = FOLDER / "sitemap.xml"
    if not sitemap.exists():
        return []
    return re.findall(r"<loc>https://podgraft\.dev/(.*?)</loc>", sitemap.read_text())


def test_every_page_is_complete_at_each_width_and_accessible(
    browser: Browser, documentation: Site
) -> None:
    """The pages of a folder look the same: one has all widths, and the dark colors."""
    pages = list_pages()
    last = {page.split("/")[0] if page.count("/") > 1 else "": page for page in pages}
    whole = ["", *last.values()]
    found: dict[str, object] = {}
    browser.do("goto", url=documentation.url)
    for page in [*whole, *part([page for page in pages if page not in whole], by=3)]:
        is_whole = page in whole
        browser.do("visit", url=f"{documentation.url}{page}")
        for width in pictures.WIDTHS if is_whole else (390, 1280):
            browser.do("viewport", width=width, height=900, scheme="light")
            found[f"{page} {width}"] = browser.evaluate(_CUT_OFF)
        found[f"{page} images"] = browser.evaluate(_WITHOUT_TEXT)
        found[f"{page} light"] = browser.do("axe")["violations"]
        if is_whole:
            browser.do("viewport", width=1280, height=900, scheme="dark")
            found[f"{page} dark"] = browser.do("axe", rules=["color-contrast"])["violations"]

    assert len(pages) > 50
    assert {place: problems for place, problems in found.items() if problems} == {}


@pytest.mark.parametrize(
    "page", ["", "commands/", "schemas/policy/", "conformance/", "samples/istio/"]
)
def test_no_page_loads_another_origin(browser: Browser, documentation: Site, page: str) -> None:
    browser.do("goto", url=f"{documentation.url}{page}")
    observed = browser.do("requests")

    assert len(observed["requests"]) > 3
    assert all(url.startswith((documentation.url, "data:")) for url in observed["requests"])


# The texts that break within a word.
_BROKEN = """
(() => [...document.querySelectorAll("{}")].filter((each) => each.getClientRects().length > 1)
  .map((each) => each.textContent))()
"""


def test_on_a_phone_no_option_and_no_key_breaks_within_a_word(
    browser: Browser, documentation: Site
) -> None:
    browser.do("goto", url=f"{documentation.url}start/")
    browser.do("viewport", width=360, height=740)
    options = "document.querySelectorAll('.language-sh .option').length"
    assert browser.evaluate(options) > 5
    assert browser.evaluate(_BROKEN.format(".language-sh .option")) == []

    browser.do("visit", url=f"{documentation.url}schemas/policy/")
    assert browser.evaluate(_BROKEN.format("td:first-child code")) == []


def test_the_menu_and_the_search_of_a_narrow_page_open_by_the_keyboard(
    browser: Browser, documentation: Site
) -> None:
    browser.do("goto", url=f"{documentation.url}start/")
    browser.do("viewport", width=640, height=360)  # 1280 × 720 at 200 %
    for name in ("Menu", "Search"):
        for _ in range(8):
            browser.do("press", keys=["Tab"])
            if browser.evaluate("document.activeElement.ariaLabel") == name:
                break
        browser.do("press", keys=["Enter"])
        toggle = "__drawer" if name == "Menu" else "__search"
        assert browser.evaluate(f"document.getElementById('{toggle}').checked"), name
        browser.evaluate(f"document.getElementById('{toggle}').click()")


_COPY = """
(() => {
  const copied = [];
  const note = () => copied.push(document.activeElement.value);
  document.addEventListener("copy", note, true);
  const buttons = document.querySelectorAll(".highlight [data-clipboard-target]");
  for (const button of buttons) button.click();
  document.removeEventListener("copy", note, true);
  return copied;
})()
"""


@pytest.mark.parametrize("page", ["start/", "aws/", "certificates/", "kube-inject/"])
def test_copied_commands_have_no_prompt(browser: Browser, documentation: Site, page: str) -> None:
    browser.do("goto", url=f"{documentation.url}{page}")
    browser.do("waitFor", expression="document.querySelector('[data-clipboard-target]') !== null")
    copied = browser.evaluate(_COPY)

    assert copied
    assert all(copied)
    assert not any(line.startswith("$ ") for text in copied for line in text.splitlines())


# The first page of a search for each word; the reference page for each key.
FOUND = {
    "schemas/policy/": [
        "policy",
        "ignoredNamespaces",
        "neverInjectSelector",
        "alwaysInjectSelector",
        "istioRelease",
        "allows",
        "presets",
        "features",
        "nativeSidecars",
        "clusters",
        "rollout",
        "defaultTemplates",
        "injectedAnnotations",
    ],
    "schemas/overlay/": [
        "Overlay",
        "matchConstraints",
        "matchConditions",
        "resourceRules",
        "values",
        "template",
        "objectSelector",
        "namespaceSelector",
        "labelSelector",
    ],
    "parameters/": [
        "RefreshSeconds",
        "StartMode",
        "ProvisionedConcurrency",
        "MemorySize",
        "Tracing",
        "Runtime",
        "DomainName",
        "AlarmTopic",
        "ReservedConcurrency",
    ],
    "start/": ["start"],
    "concepts/": ["bundle"],
    "webhook-from-scratch/": ["caBundle"],
    "app-mesh/": ["App Mesh"],
    "privileges/": ["privileges"],
    "aws/": ["cost", "uninstall"],
    "platforms/": ["EKS", "GKE"],
    "in-cluster/": ["cert-manager", "Helm"],
    "monitoring/": ["metrics", "Prometheus"],
    "security/": ["threat model"],
    "kube-inject/": ["kube-inject"],
    "rollouts/": ["canary", "shadow"],
    "fleet/": ["recovery"],
    "preview/": ["preview"],
    "certificates/": ["rotate CA"],
    "runbook/": ["alarm", "throttled", "troubleshooting"],
    "performance/": ["latency"],
    "from-istio/": ["istiod", "revision"],
    "overlays/": ["sprig", "Kyverno"],
    "policies/": ["rollback"],
    "clusters/": ["fail open", "failurePolicy", "token", "x509"],
    "explain/": ["why not injected", "playground", "exit status"],
    "selective-injection/": ["opt out"],
    "conformance/": ["supported Istio releases"],
}


def test_a_search_finds_the_page_of_a_word_first(browser: Browser, documentation: Site) -> None:
    browser.do("goto", url=f"{documentation.url}start/")
    browser.do("click", selector=".md-search__input")
    first = "document.querySelector('.md-search-result__link')"
    expected = {word: page for page, words in FOUND.items() for word in words}
    for word, page in expected.items():
        browser.evaluate("void (document.querySelector('.md-search__input').value = '')")
        browser.do("type", text=word)
        path = f"{first} && new URL({first}.href).pathname"
        browser.do("waitFor", expression=f"({path}) === '/{page}'", seconds=15)

    assert len(expected) >= 40
