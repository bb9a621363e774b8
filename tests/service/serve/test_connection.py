"""What one call of ``Connection.receive`` reads."""

import ssl
from collections.abc import Sequence
from typing import Any

import pytest

from podgraft.service.serve.connection import Connection

RECORD = b"x" * 16_384


class Socket:
    """Returns one TLS record for each read; an exception is raised."""

    def __init__(self, records: Sequence[bytes | Exception]) -> None:
        self.records = list(records)

    def recv(self, _limit: int) -> bytes:
        record = self.records.pop(0)
        if isinstance(record, Exception):
            raise record
        return record

    def pending(self) -> int:
        return 0


def connect(records: Sequence[bytes | Exception], *, awaits_body: bool) -> Connection:
    sock: Any = Socket(records)
    connection = Connection(sock, ("192.0.2.1", 1), ("127.0.0.1", 443), "192.0.2.1")
    connection.awaits_body = awaits_body
    return connection


@pytest.mark.parametrize(("awaits_body", "reads"), [(False, 1), (True, 4)])
def test_only_a_large_body_is_read_in_several_records(awaits_body: bool, reads: int) -> None:
    connection = connect([RECORD] * 6, awaits_body=awaits_body)
    assert connection.receive()
    assert connection.received == RECORD * reads


@pytest.mark.parametrize("end", [ssl.SSLWantReadError(), BlockingIOError()])
def test_a_part_of_a_large_body_is_no_end(end: Exception) -> None:
    connection = connect([RECORD, end, b"rest", b"", b""], awaits_body=True)
    assert connection.receive()
    assert connection.received == RECORD
    assert connection.receive()  # the end comes with the next call
    assert connection.received == RECORD + b"rest"
    assert not connection.receive()


def test_an_exception_before_the_first_record_reaches_the_loop() -> None:
    for wanted in (ssl.SSLWantReadError, ssl.SSLWantWriteError, ConnectionResetError):
        connection = connect([wanted()], awaits_body=True)
        with pytest.raises(wanted):
            connection.receive()


def test_the_records_before_an_exception_remain() -> None:
    connection = connect([RECORD, ssl.SSLWantWriteError(), b"rest", b""], awaits_body=True)
    with pytest.raises(ssl.SSLWantWriteError):
        connection.receive()
    assert connection.receive()
    assert connection.received == RECORD + b"rest"
