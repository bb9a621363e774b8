"""Parameter Store and S3 over HTTP, without a software development kit.

botocore takes a third of a cold start, because it loads the models and rules of every request. If
the environment of Lambda contains the credentials and the region, the requests of this package
(GetParameters, GetParametersByPath, ListObjectsV2, GetObject, PutObject) do not need them. In all
other cases (profiles, roles, SnapStart, proxies, FIPS or dual-stack endpoints, tracing, other
partitions), and with ``PODGRAFT_AWS_CLIENT=botocore``, ``botocore_client.py`` sends the requests.

The tasks of botocore, and their replacements:

- signatures: ``sigv4.py``; a test compares it with botocore;
- TLS: Python's ``ssl``, which verifies the name and the certificate with the CAs of the system or
  of ``AWS_CA_BUNDLE``;
- timeouts and retries: ``client.py``, for both clients; ``connection.py`` applies one deadline to
  name resolution, all addresses, TLS, and all parts of a response.
  ``tests/store/test_aws_faults.py`` tests every error of the services with both clients;
- redirects: not followed. A bucket in another region is rejected;
- credential refresh: not needed, because Lambda replaces an environment before its credentials
  expire.
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
_MIN_SECONDS = 0.001  # a timeout of 0 would make the socket non-blocking
_AGENT = "podgraft"  # identifies these requests in CloudTrail
_S3 = "{http://s3.amazonaws.com/doc/2006-03-01/}"
# Variables that only botocore supports. If one is set, botocore must be used.
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
    """Credentials, region, and the configured endpoint URLs by service."""

    credentials: AwsCredentials
    region: str
    endpoints: Mapping[str, str]
    authorities: str | None = None  # a file of CA certificates that replaces the system's

    def url(self, service: str) -> str:
        """Return the URL of a service."""
        domain = _DOMAINS.get(self.region.partition("-")[0], "amazonaws.com")
        return self.endpoints.get(service) or f"https://{service}.{self.region}.{domain}"


def config_from_environment(environment: Mapping[str, str]) -> AwsClientConfig | None:
    """Return the configuration from Lambda's environment; ``None`` if botocore is required."""
    get_variable = environment.get
    key, secret = get_variable("AWS_ACCESS_KEY_ID"), get_variable("AWS_SECRET_ACCESS_KEY")
    region = get_variable("AWS_REGION")
    if not (key and secret and region) or any(get_variable(name) for name in _BOTOCORE_VARIABLES):
        return None
    if get_variable("POWERTOOLS_TRACE_DISABLED") == "false":  # the X-Ray SDK traces only botocore
        return None
    if (
        region.startswith(_EXCLUDED_REGION_PREFIXES)
        or region.partition("-")[0] not in _STANDARD_REGION_PREFIXES
    ):
        return None
    return AwsClientConfig(
        credentials=AwsCredentials(key, secret, get_variable("AWS_SESSION_TOKEN", "")),
        region=region,
        endpoints={
            name: get_variable(f"AWS_ENDPOINT_URL_{name.upper()}")
            or get_variable("AWS_ENDPOINT_URL", "")
            for name in ("ssm", "s3")
        },
        authorities=get_variable("AWS_CA_BUNDLE"),
    )


class Ssm:
    """The client of Parameter Store: JSON requests and responses."""

    def __init__(self, account: AwsClientConfig) -> None:
        self._service = _Service(account, "ssm")

    def __call__(
        self, operation: str, arguments: Mapping[str, JSON], seconds: float
    ) -> Mapping[str, Any]:
        """Return the response of one operation."""
        headers = {
            "content-type": "application/x-amz-json-1.1",
            "x-amz-target": f"AmazonSSM.{operation}",
        }
        status, body = self._service.send_request(
            "POST", seconds, body=json.dumps(arguments).encode(), headers=headers
        )
        read = _parse_json(body)
        if status == _OK:
            return read
        raise AwsServiceError(str(read.get("__type", "")).rpartition("#")[2], status)


class S3:
    """The client of S3."""

    def __init__(self, account: AwsClientConfig) -> None:
        self._service = _Service(account, "s3")

    def keys(self, bucket: str, prefix: str, limit: int, seconds: float) -> Listing:
        """List the objects below a prefix (ListObjectsV2)."""
        parameters = {"list-type": "2", "max-keys": str(limit), "prefix": prefix}
        page = _parse_xml(self._body(f"/{bucket}", parameters, seconds))
        entries = page.findall(f"{_S3}Contents")
        return Listing(
            keys=tuple(entry.findtext(f"{_S3}Key", "") for entry in entries),
            size=sum(int(entry.findtext(f"{_S3}Size", "0")) for entry in entries),
            is_complete=page.findtext(f"{_S3}IsTruncated", "false") == "false",
        )

    def read(self, bucket: str, key: str, seconds: float) -> bytes:
        """Return the content of an object (GetObject)."""
        return self._body(f"/{bucket}/{key}", {}, seconds)

    def put_object(self, bucket: str, key: str, content: bytes, seconds: float) -> None:
        """Store a new object (PutObject)."""
        status, body = self._service.send_request(
            "PUT", seconds, f"/{bucket}/{key}", body=content, headers={"if-none-match": "*"}
        )
        if status != _OK:
            raise AwsServiceError(_parse_xml(body).findtext("Code", "") if body else "", status)

    def _body(self, path: str, parameters: Mapping[str, str], seconds: float) -> bytes:
        status, body = self._service.send_request("GET", seconds, path, parameters)
        if status == _OK:
            return body
        raise AwsServiceError(_parse_xml(body).findtext("Code", "") if body else "", status)


class _Connection(HTTPConnection):
    """A connection over a socket that enforces a deadline."""

    def __init__(self, host: str, port: int, line: DeadlineSocket) -> None:
        super().__init__(host, port)
        self.socket = line
        self.sock = line
        self.auto_open = 0  # http.client would open a connection without a deadline


class _Service:
    """One service over a persistent connection. Threads can share it."""

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
        body: bytes = b"",
    ) -> tuple[int, bytes]:
        """Return status and body; raises ``OSError`` without a complete response in *seconds*."""
        ends = monotonic() + seconds
        request = Request(
            method=method,
            host=self._url.netloc,
            path=path,
            parameters=parameters,
            headers=headers,
            body=body,
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
        """Return the response, before its body is read.

        The server can have closed a persistent connection. Only its use reveals that, so the
        request is sent again over a new connection.
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
        all_headers = headers | {"user-agent": _AGENT}  # proxies may change it: not signed
        connection.socket.deadline = min(ends, monotonic() + READ_SECONDS)
        connection.request(request.method, path, request.body or None, all_headers)
        return connection.getresponse()

    def _open_connection(self, ends: float) -> _Connection:
        host, secure = self._url.hostname or "", self._url.scheme == "https"
        port = self._url.port or (HTTPS_PORT if secure else HTTP_PORT)
        trust = _tls_context(self._account.authorities) if secure else None
        ends = min(ends, monotonic() + CONNECT_SECONDS)
        to = connect(host, port, ends)
        if trust is not None:
            to.settimeout(max(ends - monotonic(), _MIN_SECONDS))  # for the complete handshake
            to = trust.wrap_socket(to, server_hostname=host)
        return _Connection(host, port, DeadlineSocket(to))

    def _drop_connection(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None


@cache
def _tls_context(authorities: str | None) -> ssl.SSLContext:
    """Return the shared TLS context: loading the CAs of the system takes 18 ms."""
    return ssl.create_default_context(cafile=authorities)


def _parse_json(body: bytes) -> Mapping[str, Any]:
    try:
        read: Any = json.loads(body)
    except ValueError as error:
        raise ConnectionError("the response is incomplete") from error
    if not isinstance(read, dict):
        raise ConnectionError("the response must be a JSON object")
    return cast("dict[str, Any]", read)


def _parse_xml(body: bytes) -> ET.Element:
    try:
        return ET.fromstring(body)  # noqa: S314 — S3's own words, over TLS
    except ET.ParseError as error:
        raise ConnectionError("the response is incomplete") from error
