"""The playground on loopback, and Chromium that shows it; without either, the tests are skipped."""

import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from wsgiref.types import StartResponse, WSGIEnvironment

import pytest
from werkzeug.serving import BaseWSGIServer

from playground_build import page
from podgraft.cli.playground import open_server
from support.server_thread import run_server

from .browser import Browser

ROOT = Path(__file__).parents[3]


@dataclass(slots=True)
class Site:
    """The server, and the requests that reached it, with the bytes of each response, compressed."""

    url: str
    requests: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])


def _program(*names: str) -> str:
    if not os.environ.get("PODGRAFT_E2E_PLAYGROUND"):
        pytest.skip("runs in make e2e-playground")
    for name in names:
        path = shutil.which(name)
        if path:
            return path
    pytest.skip(f"{names[0]} is missing: install it to test the playground in a browser")


def require_browser() -> None:
    """Skip the test if a program is missing, or outside of ``make e2e-playground``."""
    _program("node")
    _program("chromium", "chromium-browser")


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    """The built page, served as ``podgraft playground`` serves it."""
    require_browser()
    folder = ROOT / "build" / "playground"
    if not (folder / "index.html").exists():
        pytest.skip("build/playground is missing: run make playground")
    server = open_server(folder, 0)
    site = Site(f"http://127.0.0.1:{server.server_port}/")
    _record(server, site, folder)
    with run_server(server):
        yield site


def _record(server: BaseWSGIServer, site: Site, folder: Path) -> None:
    """Note each request, with the bytes that a server with gzip sends for it."""
    app = server.app

    def note(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path: str = environ["PATH_INFO"]
        file = folder / (path.lstrip("/") or "index.html")
        size = page.compressed_size(file.name, file.read_bytes()) if file.is_file() else 0
        site.requests.append((path, size))
        return app(environ, start_response)

    server.app = note


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium."""
    require_browser()
    modules = (ROOT / os.environ.get("PODGRAFT_E2E_TOOLS", ".tools") / "browser").resolve()
    if not (modules / "node_modules").exists():
        pytest.skip("playwright-core is missing: run make e2e-playground")
    with Browser(_program("node"), _program("chromium", "chromium-browser"), modules) as browser:
        yield browser
