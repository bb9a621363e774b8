"""The documentation site in Chromium, on a static host: the playground works in it."""

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

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
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield Site(f"http://127.0.0.1:{server.server_port}/")
    server.shutdown()
    server.server_close()
    thread.join()


def test_the_playground_works_in_its_page(browser: Browser, documentation: Site) -> None:
    browser.do("goto", url=f"{documentation.url}playground/")
    browser.evaluate("document.querySelector('iframe').scrollIntoView()")
    browser.do(
        "waitFor",
        expression="document.querySelector('iframe').contentDocument"
        "?.getElementById('text')?.textContent.includes('injected') ?? false",
    )
    observed = browser.do("requests")

    assert observed["problems"] == []
    assert all(url.startswith((documentation.url, "data:,")) for url in observed["requests"])


@pytest.mark.parametrize("page", ["", "commands/", "policy/", "conformance/", "samples/istio/"])
def test_no_page_loads_another_origin(browser: Browser, documentation: Site, page: str) -> None:
    browser.do("goto", url=f"{documentation.url}{page}")
    observed = browser.do("requests")

    assert len(observed["requests"]) > 3
    assert all(url.startswith((documentation.url, "data:")) for url in observed["requests"])


_COPY = """
(() => {
  const copied = [];
  const note = () => copied.push(document.activeElement.value);
  document.addEventListener("copy", note, true);
  const blocks = [...document.querySelectorAll(".highlight")];
  const consoles = blocks.filter((each) => each.querySelector(".gp"));
  for (const block of consoles) block.querySelector("[data-clipboard-target]").click();
  document.removeEventListener("copy", note, true);
  return [consoles.length, copied];
})()
"""


@pytest.mark.parametrize(
    "page", ["deploying/", "certificates/", "injection-by-hand/", "installing/"]
)
def test_copied_commands_have_no_prompt_and_no_output(
    browser: Browser, documentation: Site, page: str
) -> None:
    browser.do("goto", url=f"{documentation.url}{page}")
    browser.do("waitFor", expression="document.querySelector('[data-clipboard-target]') !== null")
    blocks, copied = browser.evaluate(_COPY)

    assert blocks > 0
    assert len(copied) == blocks
    assert all(copied)
    assert not any(line.startswith("$") for text in copied for line in text.splitlines())
