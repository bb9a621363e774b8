"""One turn of the loop after the other, with clients that are sockets of this process."""

import socket
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack
from typing import Any

import pytest
from gunicorn.config import Config

from podgraft.base.jsonvalue import JSON
from podgraft.service.serve.connection import Connection, PlainSocket
from podgraft.service.serve.connection_loop import ConnectionLoop
from podgraft.service.serve.connection_set import ConnectionSet
from podgraft.service.serve.exchange import Exchange
from podgraft.service.serve.incident_log import Incidents

REQUEST = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"


class Loop:
    """A loop with its connections, its incidents, and how it serves requests."""

    def __init__(self, serve: Callable[[Connection], None], stack: ExitStack) -> None:
        self.lines: list[str] = []
        self.connections = ConnectionSet(10, 10)
        self.loop = ConnectionLoop(Config(), self.connections, Incidents(self._write), serve)
        self._stack = stack

    def _write(self, record: Mapping[str, JSON]) -> None:
        self.lines.append(str(record["message"]))

    def connect(self) -> socket.socket:
        """A client with a connection to the loop."""
        client, accepted = socket.socketpair()
        client.settimeout(1.0)
        self._stack.enter_context(client)
        server: Any = PlainSocket.from_accepted(accepted)
        connection = Connection(server, ("192.0.2.1", 1), ("127.0.0.1", 443), "192.0.2.1")
        self._stack.callback(connection.close)
        self.loop.add(connection)
        return client

    def turn(self, times: int = 1) -> None:
        """Run turns that do not wait."""
        for _ in range(times):
            self.loop.turn(0.0)


@pytest.fixture
def stack() -> Generator[ExitStack]:
    with ExitStack() as opened:
        yield opened


def test_requests_that_arrive_together_get_one_response_in_each_turn(stack: ExitStack) -> None:
    def serve(connection: Connection) -> None:
        connection.outgoing = b"."
        made.loop.finish(connection, Exchange(b".", closes=False))

    made = Loop(serve, stack)
    clients = [made.connect(), made.connect()]
    count = 1500  # more than Python's limit of nested calls
    for client in clients:
        client.sendall(REQUEST * count)
    for _ in range(count):
        made.turn()
        assert [client.recv(count) for client in clients] == [b".", b"."]
    assert made.lines == []


def test_a_request_that_fails_ends_only_its_connection(stack: ExitStack) -> None:
    def serve(connection: Connection) -> None:
        if b"fail" in connection.received:
            raise ZeroDivisionError(connection.received.decode())
        connection.outgoing = b"."
        made.loop.finish(connection, Exchange(b".", closes=False))

    made = Loop(serve, stack)
    failing, working = made.connect(), made.connect()
    failing.sendall(REQUEST.replace(b"/ ", b"/fail "))
    working.sendall(REQUEST)
    made.turn()
    assert failing.recv(1) == b""
    assert working.recv(1) == b"."
    assert len(made.connections) == 1
    (line,) = made.lines
    assert "ZeroDivisionError" in line
    assert "/fail" not in line
