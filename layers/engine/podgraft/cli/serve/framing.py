"""Message framing: where a request begins and ends in the bytes of a connection (RFC 9112).

gunicorn's parser judges the head. This module finds the end of the head and of the body, so nobody
has to wait on a socket to find out. It performs no I/O.
"""

from dataclasses import dataclass
from io import BytesIO
from typing import Any, Protocol

from gunicorn.http.errors import (
    InvalidHeader,
    InvalidRequestLine,
    LimitRequestHeaders,
    NoMoreData,
    ParseException,
)
from gunicorn.http.parser import RequestParser

# kube-apiserver's head has some 500 bytes. gunicorn's limits (100 fields of 8 KiB) are per field,
# and would let every unauthenticated client fill most of a megabyte.
MAX_HEAD_BYTES = 65_536

_HEAD_END = b"\r\n\r\n"


class Body(Protocol):
    """What the application reads as ``wsgi.input``."""

    def read(self, size: int = ..., /) -> bytes:
        """Read at most *size* bytes."""
        ...


class LengthRequiredError(ParseException):
    """The body is sent in chunks, without its length."""


class BodyPendingError(BaseException):
    """The application reads a body that has not arrived.

    It unwinds the application, which must not treat it as an error: hence no ``Exception``.
    """


class PendingBody:
    """The body of a request while its rest is missing."""

    def read(self, size: int = -1, /) -> bytes:
        """Raise ``BodyPendingError``: the caller would wait for the client otherwise."""
        raise BodyPendingError(size)


@dataclass(frozen=True, slots=True)
class Message:
    """A request with a complete head: where its body begins and ends."""

    request: Any  # gunicorn's Request
    begin: int
    end: int

    @property
    def body_bytes(self) -> int:
        """The length of the body that the head announces."""
        return self.end - self.begin

    @property
    def expects_continue(self) -> bool:
        """Whether the client sends the body only after ``100 Continue``."""
        return any(name == "EXPECT" for name, _ in self.request.headers)

    def is_complete(self, received: bytearray) -> bool:
        """Whether the body has arrived."""
        return len(received) >= self.end

    def body(self, received: bytearray) -> Body:
        """The body as the application reads it, which never waits."""
        if not self.is_complete(received):
            return PendingBody()
        return BytesIO(received[self.begin : self.end])


def read_message(
    received: bytearray, searched: int, configuration: Any, client: Any
) -> Message | None:
    """Read the head at the beginning of *received*; None while it is incomplete.

    The end of the head is not in the first *searched* bytes. Raises ``ParseException`` for what is
    not HTTP/1.1, and for a body without a length.
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
    """Refuse a head that can no longer become valid, instead of waiting for its end."""
    if len(received) > MAX_HEAD_BYTES:
        raise LimitRequestHeaders("head")
    if received.count(b"\n") != received.count(b"\r\n"):
        raise InvalidHeader("bare LF")


def _body_bytes(request: Any) -> int:
    """The length of the body; the parser has refused lengths that are invalid or contradictory."""
    fields: dict[str, str] = dict(request.headers)
    if "TRANSFER-ENCODING" in fields:
        raise LengthRequiredError
    return int(fields.get("CONTENT-LENGTH", 0))
