"""Persistent connections are shared by all workers."""

import socket
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from podgraft.service.serve.connection_counts import ConnectionCounts
from service.serve.running import Served, prepare, serving

CONNECTIONS = 16
WORKERS = 2


def count_files(pid: int, kind: str) -> int:
    """The open files of a process that are of a kind, such as ``socket:``."""
    count = 0
    for file in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # it was closed meanwhile
            count += kind in str(file.readlink())
    return count


def await_workers(served: Served) -> list[int]:
    """The processes of the workers, when all wait for connections."""
    while True:
        workers = served.workers()
        if len(workers) == WORKERS and all(count_files(pid, "eventpoll") for pid in workers):
            return workers


@pytest.mark.parametrize("at_once", [True, False])
def test_each_worker_gets_its_share_of_the_connections(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, at_once: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    prepare(tmp_path)
    with serving(tmp_path, "--workers", str(WORKERS)) as served, ExitStack() as opened:
        before = {pid: count_files(pid, "socket:") for pid in await_workers(served)}
        clients: list[socket.socket] = []
        for _ in range(CONNECTIONS):
            address = ("127.0.0.1", served.port)
            clients.append(opened.enter_context(socket.create_connection(address, 20)))
            if not at_once:
                handshake = served.context.wrap_socket(clients.pop(), server_hostname="127.0.0.1")
                opened.enter_context(handshake)
        for client in clients:
            opened.enter_context(served.context.wrap_socket(client, server_hostname="127.0.0.1"))
        shares = [count_files(pid, "socket:") - count for pid, count in before.items()]
    assert sum(shares) == CONNECTIONS
    assert min(shares) >= CONNECTIONS // 4  # a busy machine may run one of them first


def test_a_worker_with_fewer_connections_is_found() -> None:
    counts = ConnectionCounts(3)
    counts.publish(0, 2)
    counts.publish(1, 1)
    assert counts.has_fewer(0, 2)
    assert not counts.has_fewer(1, 1)
    assert not counts.has_fewer(2, 1)


def test_no_connection_waits_for_a_worker_that_stops_or_has_not_started() -> None:
    counts = ConnectionCounts(2)
    assert not counts.has_fewer(0, 5)
    counts.publish(1, 0)
    assert counts.has_fewer(0, 5)
    counts.close(1)
    assert not counts.has_fewer(0, 5)


def test_a_difference_of_an_eighth_is_accepted() -> None:
    counts = ConnectionCounts(2)
    counts.publish(1, 40)
    assert not counts.has_fewer(0, 45)
    assert counts.has_fewer(0, 46)


def test_a_worker_without_a_slot_is_not_counted() -> None:
    counts = ConnectionCounts(1)
    counts.publish(0, 3)
    counts.publish(1, 0)
    assert counts.has_fewer(1, 4)
    assert not counts.has_fewer(0, 4)
