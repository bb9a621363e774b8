"""Signature Version 4, by which AWS knows who asks.

AWS documents it (IAM user guide, "AWS Signature Version 4 for API requests"); tests compare it with
botocore's for requests of every form, and with the example of the S3 reference.
"""

import hmac
from collections.abc import Mapping
from hashlib import sha256
from urllib.parse import quote

from msgspec import Struct, field


class AwsCredentials(Struct, frozen=True):
    """Who signs."""

    key: str
    secret: str
    token: str = ""

    def __repr__(self) -> str:
        return f"AwsCredentials(key={self.key!r})"


class Request(Struct, frozen=True, kw_only=True):
    """What is signed; the path and the parameters are not escaped yet."""

    method: str
    host: str
    path: str = "/"
    parameters: Mapping[str, str] = field(default_factory=dict[str, str])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""

    @property
    def escaped_path(self) -> str:
        """The path as it is sent, and signed for S3 and wherever it is ``/``."""
        return quote(self.path, safe="/~")

    @property
    def query(self) -> str:
        """The parameters as they are sent and signed."""
        pairs = sorted((quote(k, safe="~"), quote(v, safe="~")) for k, v in self.parameters.items())
        return "&".join(f"{key}={value}" for key, value in pairs)


def sign_headers(
    request: Request, credentials: AwsCredentials, service: str, region: str, timestamp: str
) -> dict[str, str]:
    """The headers to send; ``stamp`` is the time as ``20261121T060000Z``."""
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
    listed = ";".join(names)
    canonical = "\n".join([*lines, "", listed, content])
    scope = f"{timestamp[:8]}/{region}/{service}/aws4_request"
    told = f"AWS4-HMAC-SHA256\n{timestamp}\n{scope}\n{sha256(canonical.encode()).hexdigest()}"
    signature = hmac.digest(_signing_key(credentials.secret, scope), told.encode(), "sha256").hex()
    sent["authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={credentials.key}/{scope}, "
        f"SignedHeaders={listed}, Signature={signature}"
    )
    return sent


def _signing_key(secret: str, scope: str) -> bytes:
    """The key for one day, region and service."""
    key = f"AWS4{secret}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    return key
