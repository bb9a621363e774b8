"""What ``podgraft serve`` answers below the application: a Status that the client can read."""

import json
import signal
import socket
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from podgraft.kube.admission import MAX_REQUEST_BYTES
from service.serve.running import (
    JSON,
    PATH,
    REVIEW,
    Answer,
    Served,
    issue_token,
    prepare,
    read_all,
    serving,
)

HASTY = Path(__file__).with_name("hasty_server.py")
BODY = json.dumps(REVIEW).encode()
LINE = "POST /inject HTTP/1.1\r\nHost: a\r\n"

Start = Callable[..., Served]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Generator[tuple[Path, str]]:
    """A store, certificates and a token."""
    folder = tmp_path_factory.mktemp("served")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        prepare(folder)
        yield folder, issue_token()


@pytest.fixture(scope="module")
def served(place: tuple[Path, str]) -> Iterator[Served]:
    with serving(place[0]) as running:
        yield running


@pytest.fixture(scope="module")
def hasty(place: tuple[Path, str]) -> Iterator[Served]:
    """The server with short time limits."""
    with serving(place[0], program=HASTY) as running:
        yield running


@pytest.fixture
def start(place: tuple[Path, str]) -> Iterator[Start]:
    """Start servers that are stopped at the end."""
    with ExitStack() as stack:

        def begin(program: Path | None = None) -> Served:
            return stack.enter_context(serving(place[0], program=program))

        yield begin


def head(token: str, length: int | str, *lines: str) -> bytes:
    fields = [
        f"POST {PATH} HTTP/1.1",
        "Host: a",
        f"Authorization: Bearer {token}",
        f"Content-Type: {JSON}",
        f"Content-Length: {length}",
        *lines,
    ]
    return ("\r\n".join(fields) + "\r\n\r\n").encode()


FAULTS: tuple[tuple[str, str, int], ...] = (
    ("a header of 100 KB", f"{LINE}A: {'x' * 100_000}\r\n\r\n", 431),
    ("200 headers", LINE + "".join(f"A{i}: x\r\n" for i in range(200)) + "\r\n", 431),
    ("a path of 100 KB", f"POST /{'x' * 100_000} HTTP/1.1\r\n\r\n", 431),
    ("a path token of 9 KB", f"POST /k/{'x' * 9000}/inject HTTP/1.1\r\n\r\n", 414),
    ("a negative length", f"{LINE}Content-Length: -5\r\n\r\n", 400),
    ("a length of 5,000 digits", f"{LINE}Content-Length: {'9' * 5000}\r\n\r\n", 400),
    ("two lengths", f"{LINE}Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
    (
        "a length and a coding",
        f"{LINE}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        400,
    ),
    ("a coding that is none", f"{LINE}Transfer-Encoding: x\r\n\r\n", 400),
    ("a chunked body", f"{LINE}Transfer-Encoding: chunked\r\n\r\n1\r\n{{\r\n0\r\n\r\n", 411),
    ("a header name with a blank", f"{LINE}A B: c\r\n\r\n", 400),
    ("a NUL in a header", f"{LINE}A: b\0c\r\n\r\n", 400),
    ("a continuation line", f"{LINE}A: b\r\n c\r\n\r\n", 400),
    ("two hosts", f"{LINE}Host: b\r\n\r\n", 400),
    ("line feeds alone", "POST /inject HTTP/1.1\nHost: a\n\n", 400),
    ("garbage", "GARBAGE\r\n\r\n", 400),
    ("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
    ("the PROXY protocol", f"PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n{LINE}\r\n", 400),
    ("an expectation", f"{LINE}Expect: tea\r\n\r\n", 417),
    ("no host", "POST /inject HTTP/1.1\r\nHost:\r\n\r\n", 401),
    # No client is a proxy that gunicorn trusts, not even one on this machine.
    ("SCRIPT_NAME", f"{LINE}SCRIPT_NAME: /x\r\n\r\n", 401),
    ("two schemes", f"{LINE}X-Forwarded-Proto: http\r\nX-Forwarded-Ssl: on\r\n\r\n", 401),
)


@pytest.mark.parametrize(("name", "text", "code"), FAULTS, ids=[name for name, _, _ in FAULTS])
def test_what_is_not_http_is_answered_with_a_status(
    name: str, text: str, code: int, served: Served
) -> None:
    answer = served.send(text.encode()) if code != 401 else _only(served, text.encode())
    assert answer.code == code, (name, answer.body)
    assert "xxx" not in answer.status["message"]


def _only(served: Served, data: bytes) -> Answer:
    """The response of a request whose connection stays open."""
    with served.open() as tls:
        tls.sendall(data)
        return next_answer(tls)


def next_answer(tls: socket.socket) -> Answer:
    """Read one response."""
    data = b""
    while b"\r\n\r\n" not in data:
        received = tls.recv(1)
        assert received, data
        data += received
    length = int(Answer(data).headers.get("content-length", "0"))
    while len(data.partition(b"\r\n\r\n")[2]) < length:
        data += tls.recv(65536)
    return Answer(data)


def test_plain_http_gets_the_remedy(served: Served) -> None:
    with socket.create_connection(("127.0.0.1", served.port), 20) as plain:
        plain.sendall(b"GET /ping HTTP/1.1\r\nHost: a\r\n\r\n")
        answer = next_answer(plain)
    assert answer.code == 400
    assert answer.status["message"] == "connection: expected TLS, got plain HTTP; use https://"


@pytest.mark.parametrize("size", [7_000_000, 9_000_000])
def test_a_body_that_is_too_large_is_refused_so_that_the_client_can_read_it(
    size: int, served: Served, place: tuple[Path, str]
) -> None:
    """The client sends all of it before it reads, as http.client does."""
    answer = served.send(head(place[1], size) + b" " * size)
    assert answer.code == 413
    assert answer.status["reason"] == "RequestEntityTooLarge"
    assert answer.headers["connection"] == "close"


def test_nothing_large_is_collected_for_an_unknown_caller(served: Served) -> None:
    answer = served.send(head("x", MAX_REQUEST_BYTES) + b"{")
    assert (answer.code, answer.headers["connection"]) == (401, "close")


@pytest.mark.parametrize("size", [0, 60_000, 70_000, 3_000_000, MAX_REQUEST_BYTES])
def test_bodies_of_all_sizes_arrive_in_pieces(
    size: int, served: Served, place: tuple[Path, str]
) -> None:
    """The review, and blanks after it: on one connection, and read to their last byte."""
    body = BODY + b" " * (size - len(BODY))
    with served.open() as tls:
        for _ in range(2):
            tls.sendall(head(place[1], len(body)))
            for start in range(0, len(body), 1_000_000):
                tls.sendall(body[start : start + 1_000_000])
            answer = next_answer(tls)
            assert (answer.code, answer.headers["connection"]) == (200, "keep-alive")
            assert json.loads(answer.body)["response"]["allowed"] is True


def test_a_client_that_expects_continue_gets_it(served: Served, place: tuple[Path, str]) -> None:
    for body in (BODY, BODY + b" " * 100_000):
        with served.open() as tls:
            tls.sendall(head(place[1], len(body), "Expect: 100-continue"))
            assert next_answer(tls).code == 100
            tls.sendall(body)
            assert next_answer(tls).code == 200
    with served.open() as tls:
        tls.sendall(head("x", 100_000, "Expect: 100-continue"))
        assert next_answer(tls).code == 401


def test_requests_that_arrive_together_are_answered_in_order(
    served: Served, place: tuple[Path, str]
) -> None:
    ping = b"GET /ping HTTP/1.1\r\nHost: a\r\n\r\n"
    with served.open() as tls:
        tls.sendall(ping + head(place[1], len(BODY)) + BODY + ping + ping[:9])
        assert next_answer(tls).body == b"pong"
        assert b"patch" in next_answer(tls).body
        assert next_answer(tls).body == b"pong"
        tls.sendall(ping[9:])
        assert next_answer(tls).body == b"pong"


def test_old_http_and_other_methods_are_answered_as_ever(served: Served) -> None:
    answer = served.send(b"GET /ping HTTP/1.0\r\n\r\n")
    assert (answer.code, answer.body, answer.headers["connection"]) == (200, b"pong", "close")
    answer = served.send(b"HEAD /ping HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    assert (answer.code, answer.headers["content-length"], answer.body) == (200, "4", b"")
    assert served.send(b"TRACE /ping HTTP/1.1\r\nConnection: close\r\n\r\n").code == 405


LATE: tuple[tuple[str, bytes, int], ...] = (
    ("half a head", LINE.encode(), 408),
    ("a head that trickles", b"POST", 408),
    ("half a body", head("x", 9000) + b"{", 408),
)


@pytest.mark.parametrize(("name", "data", "code"), LATE, ids=[name for name, _, _ in LATE])
def test_what_does_not_arrive_in_time_is_refused(
    name: str, data: bytes, code: int, hasty: Served
) -> None:
    answer = hasty.send(data)
    assert answer.code == code, name
    assert answer.status["reason"] == "Timeout"


def test_a_large_body_that_does_not_arrive_is_refused(
    hasty: Served, place: tuple[Path, str]
) -> None:
    assert hasty.send(head(place[1], 900_000) + b" " * 80_000).code == 408


def test_silence_ends(hasty: Served) -> None:
    with hasty.open() as tls:
        assert read_all(tls) == b""
    with socket.create_connection(("127.0.0.1", hasty.port), 20) as plain:
        assert plain.recv(1) == b""


def test_large_bodies_have_a_bound_together(hasty: Served, place: tuple[Path, str]) -> None:
    answer = hasty.send(head(place[1], 4_000_000) + b" " * 3_900_000)
    assert (answer.code, answer.headers["retry-after"]) == (503, "1")
    assert answer.status["reason"] == "ServiceUnavailable"
    assert hasty.send(head(place[1], len(BODY), "Connection: close") + BODY).code == 200


def test_stopping_waits_neither_for_silence_nor_for_a_body(
    start: Start, place: tuple[Path, str]
) -> None:
    served = start(program=HASTY)
    with served.open() as idle, served.open() as half, served.open() as review:
        for tls in (idle, review):
            tls.sendall(b"GET /ping HTTP/1.1\r\nHost: a\r\n\r\n")
            assert next_answer(tls).body == b"pong"
        half.sendall(LINE.encode())
        review.sendall(head(place[1], len(BODY)) + BODY[:-1])
        review.sendall(b"")
        served.process.send_signal(signal.SIGTERM)
        review.sendall(BODY[-1:])
        # The answer can be on its way before the worker learns that it stops.
        assert next_answer(review).code == 200
        assert read_all(review) == b""
        assert b" 408 " in read_all(half)
        assert read_all(idle) == b""
    assert "head timeout: 1" in served.stop()


def test_a_server_that_stops_lets_no_new_client_wait(start: Start, place: tuple[Path, str]) -> None:
    served = start()
    with served.open() as review:
        review.sendall(head(place[1], len(BODY)) + BODY[:-1])
        served.process.send_signal(signal.SIGTERM)
        # It takes a moment until the workers have received the signal.
        assert any(_is_refused(served.port) for _ in range(100))
        review.sendall(BODY[-1:])
        assert next_answer(review).code == 200
    served.stop()


def _is_refused(port: int) -> bool:
    time.sleep(0.02)
    with suppress(ConnectionError), socket.create_connection(("127.0.0.1", port), 20):
        return False
    return True


def test_invalid_requests_do_not_fill_the_log(start: Start) -> None:
    served = start()
    for _ in range(70):
        assert served.send(b"GARBAGE\r\n\r\n").code == 400
    written = served.stop()
    assert written.count("invalid HTTP") == 60
    assert "other invalid requests: 10" in written
