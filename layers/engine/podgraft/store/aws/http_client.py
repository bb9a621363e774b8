"""Parameter Store and S3 over HTTP, without a software development kit.

botocore is a third of a cold start: it reads models and rules for whatever a request might be. The
four requests of this package (GetParameter, GetParametersByPath, ListObjectsV2, GetObject) need
none of it where Lambda itself says who the function is and where it runs. Everywhere else
(profiles, roles, SnapStart's credentials, proxies, FIPS or dual-stack endpoints, tracing, other
partitions) botocore finds that out (``sdk.py``), as with ``PODGRAFT_AWS_CLIENT=botocore``.

What botocore would see to, and who does here:

- signatures: ``signing.py``, compared with botocore's by a test;
- TLS: Python's ``ssl``, which verifies name and certificate by the system's authorities or by
  ``AWS_CA_BUNDLE``;
- time limits and repetitions: ``aws.py``, the same for both ways; ``waiting.py`` keeps to them over
  name, addresses, TLS and all pieces of an answer together; every fault of the services is tested
  through both (``tests/store/test_aws_faults.py``);
- redirects: none are followed. A bucket in another region than the function's is refused;
- new credentials: Lambda replaces an environment before those it was started with expire.
"""

import json
import ssl
from collections.abc import Mapping
from functools import cache
from http.client import HTTP_PORT, HTTPS_PORT, HTTPConnection, HTTPException, HTTPResponse
from threading import Lock
from time import gmtime, monotonic, strftime
from typing import Any, cast
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

from msgspec import Struct

from podgraft.jsonvalue import JSON

from .client import CONNECT_SECONDS, READ_SECONDS, AwsServiceError, Listing
from .connection import DeadlineSocket, connect
from .sigv4 import AwsCredentials, Request, sign_headers

_OK = 200
_LEAST_SECONDS = 0.001  # none at all would be a socket that never waits
_AGENT = "podgraft"  # by which CloudTrail tells these requests from an SDK's
_S3 = "{http://s3.amazonaws.com/doc/2006-03-01/}"
# What only botocore understands; set, they say that there is more to it.
_BOTOCORE_VARIABLES = (
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_PROFILE",
    "AWS_USE_DUALSTACK_ENDPOINT",
    "AWS_USE_FIPS_ENDPOINT",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "https_proxy",
    "http_proxy",
)
_DOMAINS = {"cn": "amazonaws.com.cn"}
_STANDARD_REGION_PREFIXES = frozenset({"af", "ap", "ca", "cn", "eu", "il", "me", "mx", "sa", "us"})
_EXCLUDED_REGION_PREFIXES = ("us-iso", "eu-iso", "us-gov")


class AwsClientConfig(Struct, frozen=True, kw_only=True):
    """Who asks, and where; ``endpoints`` are URLs said for a service."""

    credentials: AwsCredentials
    region: str
    endpoints: Mapping[str, str]
    authorities: str | None = None  # a file of certificates instead of the system's

    def url(self, service: str) -> str:
        """Where a service is."""
        domain = _DOMAINS.get(self.region.partition("-")[0], "amazonaws.com")
        return self.endpoints.get(service) or f"https://{service}.{self.region}.{domain}"


def config_from_environment(environment: Mapping[str, str]) -> AwsClientConfig | None:
    """What Lambda says of the function; nothing where there is more to it than that."""
    given = environment.get
    key, secret = given("AWS_ACCESS_KEY_ID"), given("AWS_SECRET_ACCESS_KEY")
    region = given("AWS_REGION")
    if not (key and secret and region) or any(given(name) for name in _BOTOCORE_VARIABLES):
        return None
    if given("POWERTOOLS_TRACE_DISABLED") == "false":  # X-Ray's SDK sees botocore's calls alone
        return None
    if (
        region.startswith(_EXCLUDED_REGION_PREFIXES)
        or region.partition("-")[0] not in _STANDARD_REGION_PREFIXES
    ):
        return None
    return AwsClientConfig(
        credentials=AwsCredentials(key, secret, given("AWS_SESSION_TOKEN", "")),
        region=region,
        endpoints={
            name: given(f"AWS_ENDPOINT_URL_{name.upper()}") or given("AWS_ENDPOINT_URL", "")
            for name in ("ssm", "s3")
        },
        authorities=given("AWS_CA_BUNDLE"),
    )


class Ssm:
    """Parameter Store; JSON in and out."""

    def __init__(self, account: AwsClientConfig) -> None:
        self._service = _Service(account, "ssm")

    def __call__(
        self, operation: str, arguments: Mapping[str, JSON], seconds: float
    ) -> Mapping[str, Any]:
        """The answer to one operation."""
        headers = {
            "content-type": "application/x-amz-json-1.1",
            "x-amz-target": f"AmazonSSM.{operation}",
        }
        status, body = self._service.send_request(
            "POST", seconds, body=json.dumps(arguments), headers=headers
        )
        read = _parse_json(body)
        if status == _OK:
            return read
        raise AwsServiceError(str(read.get("__type", "")).rpartition("#")[2], status)


class S3:
    """Objects."""

    def __init__(self, account: AwsClientConfig) -> None:
        self._service = _Service(account, "s3")

    def keys(self, bucket: str, prefix: str, limit: int, seconds: float) -> Listing:
        """The objects below a prefix (ListObjectsV2)."""
        parameters = {"list-type": "2", "max-keys": str(limit), "prefix": prefix}
        found = _parse_xml(self._body(f"/{bucket}", parameters, seconds))
        entries = found.findall(f"{_S3}Contents")
        return Listing(
            keys=tuple(entry.findtext(f"{_S3}Key", "") for entry in entries),
            size=sum(int(entry.findtext(f"{_S3}Size", "0")) for entry in entries),
            is_complete=found.findtext(f"{_S3}IsTruncated", "false") == "false",
        )

    def read(self, bucket: str, key: str, seconds: float) -> bytes:
        """The content of an object (GetObject)."""
        return self._body(f"/{bucket}/{key}", {}, seconds)

    def _body(self, path: str, parameters: Mapping[str, str], seconds: float) -> bytes:
        status, body = self._service.send_request("GET", seconds, path, parameters)
        if status == _OK:
            return body
        raise AwsServiceError(_parse_xml(body).findtext("Code", "") if body else "", status)


class _Connection(HTTPConnection):
    """A connection over a line, which has to be told until when."""

    def __init__(self, host: str, port: int, line: DeadlineSocket) -> None:
        super().__init__(host, port)
        self.socket = line
        self.sock = line
        self.auto_open = 0  # not by itself: without a limit


class _Service:
    """One service over a connection that is kept. Threads may share it."""

    def __init__(self, account: AwsClientConfig, name: str) -> None:
        self._account = account
        self._name = name
        self._url = urlsplit(account.url(name))
        self._connection: _Connection | None = None
        self._lock = Lock()

    def __del__(self) -> None:
        self._drop_connection()

    def send_request(
        self,
        method: str,
        seconds: float,
        path: str = "/",
        parameters: Mapping[str, str] = {},
        headers: Mapping[str, str] = {},
        body: str = "",
    ) -> tuple[int, bytes]:
        """Status and body; raises ``OSError`` where there is no whole answer in *seconds*."""
        ends = monotonic() + seconds
        request = Request(
            method=method,
            host=self._url.netloc,
            path=path,
            parameters=parameters,
            headers=headers,
            body=body.encode(),
        )
        with self._lock:
            try:
                response = self._send_with_reconnect(request, ends)
                return response.status, response.read()
            except HTTPException as error:
                self._drop_connection()
                raise ConnectionError(type(error).__name__) from error
            except OSError:
                self._drop_connection()
                raise

    def _send_with_reconnect(self, request: Request, ends: float) -> HTTPResponse:
        """The beginning of the answer. A connection that was kept may be closed by now: that is
        known only once it was used, and no reason to wait for another refresh.
        """
        if self._connection is not None:
            try:
                return self._exchange(self._connection, request, ends)
            except (ConnectionError, HTTPException):
                self._drop_connection()
        self._connection = self._open_connection(ends)
        return self._exchange(self._connection, request, ends)

    def _exchange(self, connection: _Connection, request: Request, ends: float) -> HTTPResponse:
        account = self._account
        stamp = strftime("%Y%m%dT%H%M%SZ", gmtime())
        headers = sign_headers(request, account.credentials, self._name, account.region, stamp)
        query = f"?{request.query}" if request.query else ""
        path = request.escaped_path + query
        told = headers | {"user-agent": _AGENT}  # proxies may change it: not signed
        connection.socket.deadline = min(ends, monotonic() + READ_SECONDS)
        connection.request(request.method, path, request.body or None, told)
        return connection.getresponse()

    def _open_connection(self, ends: float) -> _Connection:
        host, secure = self._url.hostname or "", self._url.scheme == "https"
        port = self._url.port or (HTTPS_PORT if secure else HTTP_PORT)
        trust = _tls_context(self._account.authorities) if secure else None
        ends = min(ends, monotonic() + CONNECT_SECONDS)
        to = connect(host, port, ends)
        if trust is not None:
            to.settimeout(max(ends - monotonic(), _LEAST_SECONDS))  # for the whole handshake
            to = trust.wrap_socket(to, server_hostname=host)
        return _Connection(host, port, DeadlineSocket(to))

    def _drop_connection(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None


@cache
def _tls_context(authorities: str | None) -> ssl.SSLContext:
    """Whom both services have to prove to be: the system's authorities take 18 ms to read."""
    return ssl.create_default_context(cafile=authorities)


def _parse_json(body: bytes) -> Mapping[str, Any]:
    try:
        read: Any = json.loads(body)
    except ValueError as error:
        raise ConnectionError("the answer is not whole") from error
    if not isinstance(read, dict):
        raise ConnectionError("the answer is no object")
    return cast("dict[str, Any]", read)


def _parse_xml(body: bytes) -> ET.Element:
    try:
        return ET.fromstring(body)  # noqa: S314 — S3's own words, over TLS
    except ET.ParseError as error:
        raise ConnectionError("the answer is not whole") from error
