"""A proxy that answers instead of AWS: never an empty account, and never a first push."""

from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from podgraft.cli import main
from support.aws_account import CREDENTIALS
from support.server_thread import run_server
from support.store_fixture import BUNDLE

# A page that is no XML, and one that is.
PAGES = (
    (404, b"<html>the page of a proxy</html>"),
    (404, b"<!doctype html><html lang=en><title>404</title><br>the page of a proxy"),
    (200, b"<!doctype html><html lang=en><title>Log in</title><br>the page of a proxy"),
)
COMMANDS = (
    "policy history --injector x --parameter-prefix /p",
    "policy history --injector x --config stack:s",
    "policy push . --injector x --parameter-prefix /p",
    "policy push . --injector x --parameter-prefix /p --dry-run",
    "policy diff . --injector x --parameter-prefix /p",
    "policy pull out --injector x --parameter-prefix /p",
    "policy rollback 1 --injector x --parameter-prefix /p",
    "policy edit --injector x --parameter-prefix /p",
    "policy prune --injector x --parameter-prefix /p --yes",
    "policy delete --injector x --parameter-prefix /p --yes",
    "policy denied --parameter-prefix /p",
    "tokens list --parameter-prefix /p",
    "tokens issue --cluster a --parameter-prefix /p",
)


class Proxy(BaseHTTPRequestHandler):
    """Answers each request with the page of its path."""

    def answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        status, page = PAGES[int(self.path[1:2])]
        self.send_response(status)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    do_GET = do_POST = do_PUT = answer

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 — the base class's name
        """Write nothing."""


@pytest.fixture(scope="module")
def endpoint() -> Generator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as server, run_server(server):
        yield f"http://127.0.0.1:{server.server_address[1]}"


@pytest.mark.parametrize("page", range(len(PAGES)))
@pytest.mark.parametrize("command", COMMANDS)
def test_a_page_of_a_proxy_is_an_error(
    command: str,
    page: int,
    endpoint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in BUNDLE.items():
        Path("bundle").mkdir(exist_ok=True)
        Path("bundle", name).write_bytes(content)
    environment = {**CREDENTIALS, "AWS_ENDPOINT_URL": f"{endpoint}/{page}", "AWS_MAX_ATTEMPTS": "1"}
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    status = main(command.split())

    out, err = capsys.readouterr()
    assert status == (2 if " diff " in command else 1)
    if PAGES[page][0] == 404 and "response without XML" not in err:
        assert "got HTTP 404 without an error code of AWS" in err
    assert err.startswith("error: ")
    assert "html" not in out + err
