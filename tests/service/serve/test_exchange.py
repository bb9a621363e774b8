"""One exchange with the web application: a body that may come, a body that may not, an error."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from gunicorn.config import Config

from bench.bench_input import review_body, sample_input
from podgraft.base.jsonvalue import JSON
from podgraft.kube.admission import MAX_REQUEST_BYTES
from podgraft.service.http import admits_body, create_app
from podgraft.service.serve.connection import Connection
from podgraft.service.serve.exchange import Exchange, run_exchange
from podgraft.service.serve.framing import read_message
from podgraft.service.store.folder import FolderCallers, FolderStore
from support.store_fixture import PATH_TOKEN, TOKEN, admit, write_injector

CLIENT, SERVER = ("127.0.0.1", 4711), ("127.0.0.1", 8443)
BODY = review_body(sample_input().pod, 1)
FIELDS = (f"Authorization: Bearer {TOKEN}", "Content-Type: application/json")


class Server:
    """A web application with its log."""

    def __init__(self, folder: Path) -> None:
        self.log: list[dict[str, JSON]] = []
        self.errors: list[str] = []
        self.app = create_app(
            FolderStore(folder), FolderCallers(folder), request_log=self._write_record
        )
        log = SimpleNamespace(error=self._write_error)
        self.host: Any = SimpleNamespace(alive=True, cfg=Config(), log=log)

    def _write_record(self, record: Any) -> None:
        self.log.append(record)

    def _write_error(self, text: str, *values: object) -> None:
        self.errors.append(text % values)

    def run(self, connection: Connection) -> Exchange:
        return run_exchange(
            self.host, connection, self.app, lambda environ: admits_body(self.app, environ)
        )


@pytest.fixture
def server(tmp_path: Path) -> Server:
    admit(tmp_path, "prod-eu", TOKEN, PATH_TOKEN)
    return Server(write_injector(tmp_path))


def make_connection(
    path: str = "/inject",
    fields: tuple[str, ...] = FIELDS,
    *,
    body: bytes = BODY,
    length: int | None = None,
) -> Connection:
    """A connection that has received a request, or a part of its body."""
    length = len(body) if length is None else length
    lines = (f"POST {path} HTTP/1.1", "Host: a", f"Content-Length: {length}", *fields)
    without_certificate: Any = SimpleNamespace(getpeercert=lambda _=False: None)
    connection = Connection(without_certificate, CLIENT, SERVER, CLIENT[0])
    connection.received += "\r\n".join((*lines, "", "")).encode() + body
    connection.message = read_message(connection.received, 0, Config(), CLIENT)
    return connection


def test_a_complete_request_gets_its_response(server: Server) -> None:
    exchange = server.run(make_connection())
    assert exchange.response.startswith(b"HTTP/1.1 200 ")
    assert (exchange.is_review, exchange.closes, exchange.needs_body) == (True, False, False)


@pytest.mark.parametrize("path", ["/inject", f"/k/{PATH_TOKEN}/inject", "/nothing"])
def test_a_caller_may_send_a_large_body(server: Server, path: str) -> None:
    fields = FIELDS[1:] if path.startswith("/k/") else FIELDS
    exchange = server.run(make_connection(path, fields, length=len(BODY) + 1))
    assert exchange.needs_body
    assert server.log == []  # the application has not run


@pytest.mark.parametrize("fields", [FIELDS[1:], ("Authorization: Bearer wrong", FIELDS[1])])
def test_another_client_gets_its_refusal_without_the_body(
    server: Server, fields: tuple[str, ...]
) -> None:
    exchange = server.run(make_connection(fields=fields, length=len(BODY) + 1))
    assert exchange.response.startswith(b"HTTP/1.1 401 ")
    assert (exchange.closes, exchange.needs_body) == (True, False)
    assert [record["code"] for record in server.log] == [401]


def test_a_body_above_the_limit_is_refused_at_once(server: Server) -> None:
    exchange = server.run(make_connection(length=MAX_REQUEST_BYTES + 1))
    assert exchange.response.startswith(b"HTTP/1.1 413 ")
    assert exchange.closes


def test_an_internal_error_becomes_a_response_without_its_text(server: Server) -> None:
    def fail(*_: object) -> list[bytes]:
        raise ZeroDivisionError(TOKEN)

    exchange = run_exchange(server.host, make_connection(), fail, lambda _: False)
    assert exchange.response.startswith(b"HTTP/1.1 500 ")
    [line] = server.errors
    assert CLIENT[0] in line
    assert "ZeroDivisionError" in line
    assert TOKEN not in line
