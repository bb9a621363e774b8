"""Signature Version 4 of AWS.

Source: IAM user guide, "AWS Signature Version 4 for API requests". Tests compare the signatures
with those of botocore, and with the example of the S3 API reference.
"""

import hmac
from collections.abc import Mapping
from hashlib import sha256
from urllib.parse import quote

from msgspec import Struct, field


class AwsCredentials(Struct, frozen=True):
    """The credentials that sign a request."""

    key: str
    secret: str
    token: str = ""

    def __repr__(self) -> str:
        return f"AwsCredentials(key={self.key!r})"


class Request(Struct, frozen=True, kw_only=True):
    """The signed parts of a request, with an unescaped path and unescaped parameters."""

    method: str
    host: str
    path: str = "/"
    parameters: Mapping[str, str] = field(default_factory=dict[str, str])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""

    @property
    def escaped_path(self) -> str:
        """The escaped path of the request; it is signed for S3, and if it is ``/``."""
        return quote(self.path, safe="/~")

    @property
    def query(self) -> str:
        """The escaped query of the request, sorted as for the signature."""
        pairs = sorted((quote(k, safe="~"), quote(v, safe="~")) for k, v in self.parameters.items())
        return "&".join(f"{key}={value}" for key, value in pairs)


def sign_headers(
    request: Request, credentials: AwsCredentials, service: str, region: str, timestamp: str
) -> dict[str, str]:
    """Return the headers to send; *timestamp* is a time such as ``20261121T060000Z``."""
    content = sha256(request.body).hexdigest()
    sent = {
        **{name.lower(): value for name, value in request.headers.items()},
        "host": request.host,
        "x-amz-content-sha256": content,
        "x-amz-date": timestamp,
    }
    if credentials.token:
        sent["x-amz-security-token"] = credentials.token
    names = sorted(sent)
    lines = [request.method, request.escaped_path, request.query]
    lines += [f"{name}:{sent[name].strip()}" for name in names]
    signed_names = ";".join(names)
    canonical = "\n".join([*lines, "", signed_names, content])
    scope = f"{timestamp[:8]}/{region}/{service}/aws4_request"
    string_to_sign = (
        f"AWS4-HMAC-SHA256\n{timestamp}\n{scope}\n{sha256(canonical.encode()).hexdigest()}"
    )
    signature = hmac.digest(
        _signing_key(credentials.secret, scope), string_to_sign.encode(), "sha256"
    ).hex()
    sent["authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={credentials.key}/{scope}, "
        f"SignedHeaders={signed_names}, Signature={signature}"
    )
    return sent


def _signing_key(secret: str, scope: str) -> bytes:
    """Return the signing key for one day, region, and service."""
    key = f"AWS4{secret}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    return key
