"""Where a request ends, whatever piece of it has arrived."""

from typing import Any

import pytest
from gunicorn.config import Config
from gunicorn.http.errors import ParseException

from podgraft.service.serve.framing import MAX_HEAD_BYTES, LengthRequiredError, read_message

CONFIGURATION = Config()
CLIENT = ("192.0.2.7", 1)
HEAD = b"POST /inject HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n"


def read(received: bytes, searched: int = 0) -> Any:
    return read_message(bytearray(received), searched, CONFIGURATION, CLIENT)


def test_a_head_is_found_once_it_is_complete() -> None:
    for length in range(len(HEAD)):
        assert read(HEAD[:length], max(0, length - 1)) is None
    for received in (HEAD, HEAD + b"12345", HEAD + b"12345GET /"):
        message = read(received, len(HEAD) - 1)
        assert (message.begin, message.end, message.body_bytes) == (len(HEAD), len(HEAD) + 5, 5)
        assert message.request.path == "/inject"


def test_a_body_is_what_has_arrived_of_it() -> None:
    message = read(HEAD)
    assert message.body(bytearray(HEAD + b"12345GET")).read() == b"12345"
    assert not message.is_complete(bytearray(HEAD + b"1234"))
    assert message.body(bytearray(HEAD + b"1234")).read() == b"1234"


def test_a_request_without_a_length_has_no_body() -> None:
    message = read(b"GET /ping HTTP/1.1\r\nHost: a\r\n\r\nGET /ping")
    assert message.body_bytes == 0


def test_a_chunked_body_needs_a_length() -> None:
    with pytest.raises(LengthRequiredError):
        read(b"POST /inject HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")


@pytest.mark.parametrize(
    "beginning",
    [b"GET / HTTP/1.1\nHost: a\n", b"x" * (MAX_HEAD_BYTES + 1), b"GARBAGE\r\n\r\n", b"\r\n\r\n"],
)
def test_what_cannot_become_a_request_is_not_waited_for(beginning: bytes) -> None:
    with pytest.raises(ParseException):
        read(beginning)
