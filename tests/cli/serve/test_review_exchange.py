"""The loop responds to a review as gunicorn and Flask do, and only to reviews."""

import itertools
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from gunicorn.config import Config
from gunicorn.http.errors import ParseException

from podgraft.cli.bench.bench_input import review_body, sample_input
from podgraft.cli.serve.connection import Connection
from podgraft.cli.serve.exchange import Exchange, run_exchange
from podgraft.cli.serve.framing import read_message
from podgraft.cli.serve.review_exchange import MAX_QUICK_BYTES, PendingExchange, begin_review
from podgraft.jsonvalue import JSON
from podgraft.store.folder import FolderCallers, FolderStore
from podgraft.web import JsonResponse, create_app, find_webhook
from support.effort import IS_LONG
from support.store_fixture import PATH_TOKEN, TOKEN, admit, write_injector

# gunicorn accepts SCRIPT_NAME and X-Forwarded-For of this client.
CLIENT, SERVER = ("127.0.0.1", 4711), ("127.0.0.1", 8443)
FIRST_LINES = (
    "POST {} HTTP/1.1",
    "POST {}?timeout=1s HTTP/1.1",
    "POST {} HTTP/1.0",
    "GET {} HTTP/1.1",
    "PUT {}?x=\xe9 HTTP/1.1",
)
PATHS = (
    "/inject",
    "/mutate",
    "/default/validate",
    "/missing/inject",
    "/inject/cluster/prod-eu",
    f"/k/{PATH_TOKEN}/inject",
    "/k/wrong/inject",
    f"/k/{PATH_TOKEN}%2Fmissing/inject",
    "/default/%69nject",
    "//inject",
    "/k/inject",
    "/inject/inject",
    "/readyz",
    "/",
)
FIELDS: tuple[tuple[str, ...], ...] = (
    (f"Authorization: Bearer {TOKEN}", "Content-Type: application/json"),
    (f"authorization: bearer {TOKEN}", 'content-type: application/json; charset="utf-8"'),
    ("Authorization: Bearer wrong", "Content-Type: application/json"),
    ("Content-Type: application/json",),
    (f"Authorization: Bearer {TOKEN}", "Content-Type: text/plain"),
    (f"Authorization: Bearer {TOKEN}",),
    (f"Authorization: Bearer {TOKEN}", "Authorization: Basic eDp5"),
    (f"Authorization: Bearer {TOKEN}", "Content-Type: text/html", "Content-Type: application/json"),
    (f"Authorization: Bearer {TOKEN}", "Content-Type: application/json", "Connection: close"),
    (f"Authorization: Bearer {TOKEN}", "Content-Type: application/json", "SCRIPT_NAME: /inject"),
    (f"Authorization: Bearer {TOKEN}", "Content-Type: application/json", "SCRIPT-NAME: /inject"),
    ("Authorization: Bearer \xe9", "Content-Type: application/json", "X-Forwarded-For: 192.0.2.9"),
)
TEXT = review_body(sample_input().pod, 1)
BODIES = (
    TEXT,
    TEXT + b" " * MAX_QUICK_BYTES,
    TEXT[:50],
    b"",
    b"{}",
    TEXT.replace(b"app", "\xe4pp".encode()),
)
Serve = Callable[[Connection], Exchange]
Parts = tuple[str, str, tuple[str, ...], bytes, bool]


class Side:
    """A web application with its own log, and a way to serve one request with it."""

    def __init__(self, folder: Path) -> None:
        self.log: list[dict[str, JSON]] = []
        self.app = create_app(
            FolderStore(folder),
            FolderCallers(folder),
            request_log=lambda record: self.log.append({**record, "milliseconds": 0}),
        )
        self.host: Any = SimpleNamespace(alive=True, cfg=Config(), log=None)

    def serve_directly(self, connection: Connection) -> tuple[Exchange, bool]:
        """The exchange, and whether the web application was not needed."""
        webhook = find_webhook(self.app)
        assert webhook is not None
        step = begin_review(self.host, connection, webhook)
        if step is None:
            return self.serve_with_flask(connection), False
        return step if isinstance(step, Exchange) else step(), True

    def serve_with_flask(self, connection: Connection) -> Exchange:
        """The exchange with gunicorn's WSGI environment and Flask."""
        return run_exchange(self.host, connection, self.app)


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Side, Side]:
    """Two servers of one store."""
    admit(tmp_path, "prod-eu", TOKEN, PATH_TOKEN)
    write_injector(tmp_path)
    return Side(tmp_path), Side(tmp_path)


def make_connection(parts: Parts) -> Connection | None:
    """A connection that received a request, or its head alone; ``None`` if the head is invalid."""
    first, path, fields, body, is_complete = parts
    lines = (first.format(path), "Host: a", f"Content-Length: {len(body)}", *fields)
    head = "\r\n".join((*lines, "", "")).encode("latin-1")
    without_socket: Any = SimpleNamespace(getpeercert=lambda _=False: None)
    connection = Connection(without_socket, CLIENT, SERVER, CLIENT[0])
    connection.received += head + (body if is_complete else body[:-1])
    try:
        connection.message = read_message(connection.received, 0, Config(), CLIENT)
    except ParseException:
        return None
    return connection


def describe(exchange: Exchange) -> tuple[bytes, bool, bool, bool]:
    """All of an exchange but its date."""
    text = re.sub(rb"\r\nDate: [^\r]+", b"", exchange.response)
    return text, exchange.closes, exchange.is_review, exchange.needs_body


def make_all_parts() -> list[Parts]:
    every: list[Parts] = [*itertools.product(FIRST_LINES, PATHS, FIELDS, BODIES, (True, False))]
    return every if IS_LONG else Random(1).sample(every, 2000)  # noqa: S311 - the same each time


def test_each_request_gets_the_same_response_and_log_line(sides: tuple[Side, Side]) -> None:
    direct, whole = sides
    counts = {True: 0, False: 0}
    for parts in make_all_parts():
        one, other = make_connection(parts), make_connection(parts)
        if one is None or other is None:
            continue
        exchange, is_direct = direct.serve_directly(one)
        assert describe(exchange) == describe(whole.serve_with_flask(other)), parts
        assert direct.log == whole.log, parts
        counts[is_direct] += 1
    assert min(counts.values()) > 100, counts


@pytest.mark.parametrize("path", PATHS[:7])
@pytest.mark.parametrize("fields", FIELDS[:6])
def test_a_review_does_not_need_flask(
    sides: tuple[Side, Side], path: str, fields: tuple[str, ...]
) -> None:
    for is_complete in (True, False):
        connection = make_connection((FIRST_LINES[0], path, fields, TEXT, is_complete))
        assert connection is not None
        assert sides[0].serve_directly(connection)[1]


def test_only_a_large_body_needs_a_thread(sides: tuple[Side, Side]) -> None:
    side = sides[0]
    webhook = find_webhook(side.app)

    def begin(fields: tuple[str, ...], body: bytes) -> Exchange | PendingExchange | None:
        connection = make_connection((FIRST_LINES[0], "/inject", fields, body, True))
        assert connection is not None
        assert webhook is not None
        return begin_review(side.host, connection, webhook)

    load_all(side)
    side.log.clear()
    large = TEXT + b" " * MAX_QUICK_BYTES
    refused, reviewed = begin(FIELDS[2], large), begin(FIELDS[0], TEXT)
    assert isinstance(refused, Exchange)
    assert isinstance(reviewed, Exchange)
    assert reviewed.is_review
    pending = begin(FIELDS[0], large)
    assert not isinstance(pending, Exchange)
    assert pending is not None
    assert pending().is_review
    assert [record["code"] for record in side.log] == [401, 200, 200]


def load_all(side: Side) -> None:
    """Review a pod as a thread does, so all files are loaded."""
    connection = make_connection((FIRST_LINES[0], "/inject", FIELDS[0], TEXT, True))
    assert connection is not None
    assert side.serve_with_flask(connection).is_review


@pytest.mark.parametrize("is_complete", [True, False])
def test_the_loop_loads_nothing(
    sides: tuple[Side, Side], tmp_path: Path, *, is_complete: bool
) -> None:
    side = sides[0]
    webhook = find_webhook(side.app)
    assert webhook is not None

    def begin(body: bytes) -> Exchange | PendingExchange | None:
        connection = make_connection((FIRST_LINES[0], "/inject", FIELDS[0], body, is_complete))
        assert connection is not None
        return begin_review(side.host, connection, webhook)

    def change_callers() -> None:
        admit(tmp_path, "prod-eu", TOKEN, PATH_TOKEN, "other")

    def change_policy() -> None:
        write_injector(tmp_path, policy="policy: disabled")

    for change in (change_callers, change_policy) if is_complete else (change_callers,):
        load_all(side)
        change()
        side.log.clear()
        pending = begin(TEXT)
        assert not isinstance(pending, Exchange)
        assert side.log == []
        assert pending is not None
        exchange = pending()
        assert exchange.needs_body is not is_complete
        assert exchange.is_review is is_complete
        assert isinstance(begin(TEXT), Exchange)  # it is loaded now
    if is_complete:
        assert [record["decision"] for record in side.log] == ["skip", "skip"]


def test_script_name_leaves_the_path_to_gunicorn(
    sides: tuple[Side, Side], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCRIPT_NAME", "/base")
    direct, whole = sides
    for path in ("/base/inject", "/inject"):
        parts = (FIRST_LINES[0], path, FIELDS[0], TEXT, True)
        one, other = make_connection(parts), make_connection(parts)
        assert one is not None
        assert other is not None
        exchange, is_direct = direct.serve_directly(one)
        assert not is_direct
        assert describe(exchange) == describe(whole.serve_with_flask(other))


def test_an_internal_error_becomes_a_response(
    sides: tuple[Side, Side], monkeypatch: pytest.MonkeyPatch
) -> None:
    side, lines = sides[0], list[str]()

    def write_error(text: str, *values: object) -> None:
        lines.append(text % values)

    def fail(*_: object) -> JsonResponse:
        raise ZeroDivisionError(TOKEN)

    side.host.log = SimpleNamespace(error=write_error)
    monkeypatch.setattr(find_webhook(side.app), "respond", fail)
    connection = make_connection((FIRST_LINES[0], "/inject", FIELDS[0], TEXT, True))
    assert connection is not None
    assert side.serve_directly(connection)[0].response.startswith(b"HTTP/1.1 500 ")
    assert CLIENT[0] in lines[-1]
    assert "ZeroDivisionError" in lines[-1]
    assert TOKEN not in lines[-1]
    assert len(lines) == 1
