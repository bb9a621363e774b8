"""HTTP faults below the application: invalid, late, or oversized requests.

The response is a v1 ``Status``, as for all other faults, because kube-apiserver forwards its
message to the user. It never quotes the request: the path and the headers can contain tokens.
"""

from dataclasses import dataclass
from http import HTTPStatus

from gunicorn.http.errors import (
    ExpectationFailed,
    LimitRequestHeaders,
    LimitRequestLine,
    ParseException,
)
from gunicorn.util import http_date

from podgraft.kube import admission
from podgraft.kube.admission import MAX_REQUEST_BYTES
from podgraft.service.serve.framing import LengthRequiredError


@dataclass(frozen=True, slots=True)
class HTTPFault:
    """A fault: the code, and a message for the caller."""

    code: HTTPStatus
    message: str
    retry_after_seconds: int = 0  # kube-apiserver retries after this time, until its own timeout

    def encode(self) -> bytes:
        """Format the complete response; the connection is closed after it."""
        body = admission.encode(admission.errored(self.code, self.message))
        head = (
            f"HTTP/1.1 {self.code.value} {self.code.phrase}\r\n"
            f"Date: {http_date()}\r\n"
            "Connection: close\r\n"
            "Content-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n"
        )
        if self.retry_after_seconds:
            head += f"Retry-After: {self.retry_after_seconds}\r\n"
        return f"{head}\r\n".encode("ascii") + body


HEAD_TIMEOUT = HTTPFault(
    HTTPStatus.REQUEST_TIMEOUT, "request: the head did not arrive in time; send it in one piece"
)
BODY_TIMEOUT = HTTPFault(
    HTTPStatus.REQUEST_TIMEOUT,
    "request: the body is shorter than its Content-Length, or did not arrive in time",
)
BODY_TOO_LARGE = HTTPFault(
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    f"request: the body must have at most {MAX_REQUEST_BYTES} bytes",
)
BUSY = HTTPFault(
    HTTPStatus.SERVICE_UNAVAILABLE,
    "request: too many large bodies are arriving; try again",
    retry_after_seconds=1,
)
INTERNAL = HTTPFault(
    HTTPStatus.INTERNAL_SERVER_ERROR, "internal error; see the log of podgraft serve"
)
PLAIN_HTTP = HTTPFault(
    HTTPStatus.BAD_REQUEST, "connection: expected TLS, got plain HTTP; use https://"
)


def parse_fault(error: ParseException) -> HTTPFault:
    """Return the fault of a request that the parser rejects."""
    match error:
        case LengthRequiredError():
            return HTTPFault(
                HTTPStatus.LENGTH_REQUIRED,
                "request: chunked bodies are unsupported; send Content-Length",
            )
        case LimitRequestLine():
            return HTTPFault(
                HTTPStatus.REQUEST_URI_TOO_LONG,
                "request line: too long; shorten the path of the URL",
            )
        case LimitRequestHeaders():
            return HTTPFault(
                HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
                "request: the head is too large; send fewer or shorter header fields",
            )
        case ExpectationFailed():
            return HTTPFault(
                HTTPStatus.EXPECTATION_FAILED,
                "header Expect: unsupported expectation; use 100-continue or omit the header",
            )
        case _:
            kind = type(error).__name__
            return HTTPFault(
                HTTPStatus.BAD_REQUEST, f"request: invalid HTTP/1.1 ({kind}); check the client"
            )
