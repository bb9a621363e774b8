"""``podgraft playground``: serve the built web page on this machine.

The page evaluates its input in the browser. The server only reads the files of one folder, on the
loopback interface.
"""

import gzip
import sys
from functools import lru_cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

import click

from . import assets
from .failure import CommandError

_ADDRESS = "127.0.0.1"
_DEFAULT_PORT = 8765
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".gz": "application/gzip",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".zip": "application/zip",
}
_COMPRESSED = {".css", ".html", ".js", ".json", ".mjs", ".txt"}
_POLICY_MARKER = 'http-equiv="Content-Security-Policy" content="'
_TIMEOUT_SECONDS = 10
_ONE_YEAR = "public, max-age=31536000, immutable"


@click.command("playground")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=_DEFAULT_PORT,
    show_default=True,
    help="Port on 127.0.0.1; 0 selects a free port.",
)
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the page; default: that of the installed package, or build/playground.",
)
def command(*, port: int, folder: Path | None) -> None:
    """Serve the playground on http://127.0.0.1, and print its address.

    The wheel of a release contains the page. In the source tree, build it first with make
    playground. Ctrl+C stops the server.
    """
    with open_server(folder or find_page(), port) as server:
        click.echo(f"http://{_ADDRESS}:{server.server_port}/")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            sys.stderr.write("\n")


def find_page(packaged: Path = assets.PACKAGED) -> Path:
    """The folder of the page in the wheel, or where make playground builds it."""
    page = packaged / "playground"
    return page if page.is_dir() else Path("build/playground")


def open_server(folder: Path, port: int) -> ThreadingHTTPServer:
    """A server for the folder; raises ``CommandError``."""
    index = folder / "index.html"
    if not index.is_file():
        raise CommandError(
            f"{folder}: contains no playground; install the wheel of a release, run make "
            "playground in the source tree, or use --folder"
        )
    files = StaticFiles(folder.resolve(), _read_policy(index.read_text()))

    class Handler(_Handler):
        """Serves these files."""

        static_files = files

    try:
        return ThreadingHTTPServer((_ADDRESS, port), Handler)
    except OSError as error:
        raise CommandError(f"--port {port}: {error.strerror}; use another port") from error


def _read_policy(page: str) -> str:
    """The content security policy of the page, which the workers need in a header."""
    _, _, rest = page.partition(_POLICY_MARKER)
    return rest.partition('"')[0] or "default-src 'none'"


class StaticFiles:
    """The files of a folder, and the headers of each."""

    def __init__(self, folder: Path, policy: str) -> None:
        self.folder = folder
        self.policy = policy
        self.compress = lru_cache(maxsize=64)(self._compress)

    def find(self, path: str) -> Path | None:
        """The file of a URL path; ``None`` for any other path."""
        name = unquote(urlsplit(path).path).lstrip("/") or "index.html"
        parts = PurePosixPath(name).parts
        if ".." in parts or "\0" in name:
            return None
        file = (self.folder / name).resolve()
        return file if file.is_file() and file.is_relative_to(self.folder) else None

    def headers(self, file: Path) -> dict[str, str]:
        """The headers of a response with the file."""
        is_hashed = file.parent != self.folder
        return {
            "Content-Type": _TYPES.get(file.suffix, "application/octet-stream"),
            "Cache-Control": _ONE_YEAR if is_hashed else "no-cache",
            "Content-Security-Policy": self.policy,
            "Cross-Origin-Opener-Policy": "same-origin",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        }

    def _compress(self, file: Path, modified: int) -> bytes:
        del modified  # part of the key
        return gzip.compress(file.read_bytes(), compresslevel=6)


class _Handler(BaseHTTPRequestHandler):
    """Answers GET and HEAD; ``static_files`` is set by a subclass."""

    static_files: StaticFiles
    protocol_version = "HTTP/1.1"
    timeout = _TIMEOUT_SECONDS
    server_version = "podgraft"
    sys_version = ""

    def do_GET(self) -> None:
        """Send a file."""
        self._send(has_body=True)

    def do_HEAD(self) -> None:
        """Send the headers of a file."""
        self._send(has_body=False)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of http.server
        """Log no requests."""
        del format, args

    def _send(self, *, has_body: bool) -> None:
        file = self.static_files.find(self.path)
        if file is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        headers = self.static_files.headers(file)
        if file.suffix in _COMPRESSED and "gzip" in self.headers.get("Accept-Encoding", ""):
            content = self.static_files.compress(file, file.stat().st_mtime_ns)
            headers |= {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
        else:
            content = file.read_bytes()
        self.send_response(HTTPStatus.OK)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        if has_body:
            self.wfile.write(content)
