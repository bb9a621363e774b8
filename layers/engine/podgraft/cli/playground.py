"""``podgraft playground``: serve the built web page on this machine.

The page evaluates its input in the browser. The server only reads the files of one folder, on the
loopback interface.
"""

import sys
from http import HTTPStatus
from io import BytesIO
from pathlib import Path

import click
import flask
from flask import Flask, Response, abort
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from podgraft.cli import command_help
from podgraft.cli.shared_options import NEW_FOLDER, number_option

from . import assets
from .failure import CommandError

_ADDRESS = "127.0.0.1"
_DEFAULT_PORT = 8765
# The page decompresses these itself, so no response states that its content is encoded.
_ARCHIVES = {".gz": "application/gzip", ".zip": "application/zip"}
_POLICY_MARKER = 'http-equiv="Content-Security-Policy" content="'
_ONE_YEAR = 31_536_000  # seconds; folders have the hash of their content as their name
_HEADERS = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@command_help.command("playground")
@number_option(
    "--port",
    minimum=0,
    maximum=65535,
    default=_DEFAULT_PORT,
    text="Port on 127.0.0.1; 0 selects a free port.",
)
@click.option(
    "--folder",
    type=NEW_FOLDER,
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


def find_page() -> Path:
    """The folder of the page in the wheel, or where make playground builds it."""
    page = assets.PACKAGED / "playground"
    return page if page.is_dir() else Path("build/playground")


def open_server(folder: Path, port: int) -> BaseWSGIServer:
    """A server for the folder; raises ``CommandError``."""
    index = folder / "index.html"
    if not index.is_file():
        raise CommandError(
            f"{folder}: contains no playground; install the wheel of a release, run make "
            "playground in the source tree, or use --folder"
        )
    app = make_app(folder.resolve(), _read_policy(index.read_text()))
    try:
        return make_server(_ADDRESS, port, app, threaded=True, request_handler=_SilentHandler)
    except OSError as error:
        raise CommandError(f"--port {port}: {error.strerror}; use another port") from error


def make_app(folder: Path, policy: str) -> Flask:
    """The application that sends the files of *folder*, with *policy* for scripts of the page."""
    app = Flask(__name__, static_folder=None)

    @app.get("/", defaults={"name": "index.html"})
    @app.get("/<path:name>")
    def send_file(name: str) -> Response:  # pyright: ignore[reportUnusedFunction]
        if "\0" in name or not (folder / name).resolve().is_relative_to(folder):
            abort(HTTPStatus.NOT_FOUND)
        path = folder / name
        if not path.is_file():
            abort(HTTPStatus.NOT_FOUND)
        # Read at once: Werkzeug leaves a file open if the browser ends the connection.
        content, changed = path.read_bytes(), path.stat().st_mtime
        response = flask.send_file(
            BytesIO(content),
            mimetype=_ARCHIVES.get(path.suffix),
            download_name=path.name,
            etag=f"{changed}-{len(content)}",
            last_modified=changed,
            max_age=_ONE_YEAR if "/" in name else None,
        )
        response.headers.update({**_HEADERS, "Content-Security-Policy": policy})
        if "/" in name:
            response.cache_control.immutable = True
        return response

    return app


def _read_policy(page: str) -> str:
    """The content security policy of the page, which the workers need in a header."""
    _, _, rest = page.partition(_POLICY_MARKER)
    return rest.partition('"')[0] or "default-src 'none'"


class _SilentHandler(WSGIRequestHandler):
    """Logs no requests."""

    def log(self, type: str, message: str, *args: object) -> None:  # noqa: A002 — Werkzeug's name
        """Log nothing."""
