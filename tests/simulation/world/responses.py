"""Responses of AWS as botocore gets them from its HTTP client."""

from __future__ import annotations

import io
import json
from typing import Any
from xml.sax.saxutils import escape

from botocore.awsrequest import AWSResponse, HeadersDict


class AwsError(Exception):
    """An error response of a service."""

    def __init__(self, code: str, status: int = 400) -> None:
        super().__init__(code)
        self.code = code
        self.status = status


class RawBody(io.BytesIO):
    """The body of a response, as urllib3 gives it."""

    def stream(self, **_: Any) -> Any:
        """Yield the content."""
        while chunk := self.read(65_536):
            yield chunk


def make_response(url: str, status: int, body: bytes, headers: dict[str, str]) -> Any:
    """Return the response of an HTTP request."""
    sent = {"content-length": str(len(body)), "x-amzn-requestid": "simulated", **headers}
    fields: Any = HeadersDict(sent)
    return AWSResponse(url, status, fields, RawBody(body))


def encode_json(fields: Any) -> tuple[bytes, dict[str, str]]:
    """Return the body and the headers of a JSON response."""
    return json.dumps(fields).encode(), {"content-type": "application/x-amz-json-1.1"}


def encode_error(service: str, error: AwsError) -> tuple[bytes, dict[str, str]]:
    """Return the body and the headers of an error."""
    if service not in {"s3", "cloudformation"}:
        return encode_json({"__type": error.code, "message": "simulated"})
    text = f"<Error><Code>{escape(error.code)}</Code><Message>simulated</Message></Error>"
    if service == "cloudformation":
        text = f"<ErrorResponse>{text}</ErrorResponse>"
    return text.encode(), {"content-type": "application/xml"}
