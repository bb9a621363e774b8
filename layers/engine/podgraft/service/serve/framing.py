"""Message framing: where a request starts and ends in the bytes of a connection (RFC 9112).

gunicorn's parser validates the head. This module finds the end of the head and of the body in
received bytes. It does no I/O, so no thread waits on a socket.

The hazard is request smuggling. If the server and a proxy in front of it disagree about the end of
a request, the rest of one request becomes the start of another. So only one framing is accepted: a
Content-Length that the parser has validated. Chunked bodies and bare line feeds are rejected.
"""

from dataclasses import dataclass
from io import BytesIO
from typing import Any

from gunicorn.http.errors import (
    InvalidHeader,
    InvalidRequestLine,
    LimitRequestHeaders,
    NoMoreData,
    ParseException,
)
from gunicorn.http.parser import RequestParser

# The head of kube-apiserver has about 500 bytes. With the limits of gunicorn (100 fields of 8 KiB),
# every unauthenticated client could fill most of a megabyte.
MAX_HEAD_BYTES = 65_536

_HEAD_END = b"\r\n\r\n"


class LengthRequiredError(ParseException):
    """The request has a chunked body, without a length."""


@dataclass(frozen=True, slots=True)
class Message:
    """A request with a complete head, and the start and the end of its body."""

    request: Any  # gunicorn's Request
    begin: int
    end: int

    @property
    def body_bytes(self) -> int:
        """The length of the body, by the head."""
        return self.end - self.begin

    @property
    def expects_continue(self) -> bool:
        """Whether the client sends the body only after ``100 Continue``."""
        return any(name == "EXPECT" for name, _ in self.request.headers)

    def is_complete(self, received: bytearray) -> bool:
        """Whether the body has arrived."""
        return len(received) >= self.end

    def body(self, received: bytearray) -> BytesIO:
        """Return the body for the application, or the part of it that has arrived."""
        return BytesIO(received[self.begin : self.end])


def read_message(
    received: bytearray, searched: int, configuration: Any, client: Any
) -> Message | None:
    """Parse the head at the start of *received*; return ``None`` while it is incomplete.

    The first *searched* bytes do not contain the end of the head. Raises ``ParseException`` for
    invalid HTTP/1.1, and for a body without a length.
    """
    end = received.find(_HEAD_END, max(0, searched - len(_HEAD_END) + 1))
    if end < 0:
        _check_beginning(received)
        return None
    begin = end + len(_HEAD_END)
    if begin > MAX_HEAD_BYTES:
        raise LimitRequestHeaders("head")
    try:
        request: Any = next(RequestParser(configuration, [bytes(received[:begin])], client))
    except (StopIteration, NoMoreData) as error:
        raise InvalidRequestLine("") from error
    return Message(request, begin, begin + _body_bytes(request))


def _check_beginning(received: bytearray) -> None:
    """Reject a head that cannot become valid, instead of waiting for its end."""
    if len(received) > MAX_HEAD_BYTES:
        raise LimitRequestHeaders("head")
    if received.count(b"\n") != received.count(b"\r\n"):
        raise InvalidHeader("bare LF")


def _body_bytes(request: Any) -> int:
    """Return the length of the body; the parser rejects invalid and contradictory lengths."""
    fields: dict[str, str] = dict(request.headers)
    if "TRANSFER-ENCODING" in fields:
        raise LengthRequiredError
    return int(fields.get("CONTENT-LENGTH", 0))
