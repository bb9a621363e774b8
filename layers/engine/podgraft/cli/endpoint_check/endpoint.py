"""The check of an endpoint: one review, sent as kube-apiserver sends reviews.

The review is a synthetic one, so it changes nothing and counts in no metric. It is sent only to an
endpoint that the CAs verify. No message contains the token, also if a server repeats it.
"""

import http.client
import os
import socket
import ssl
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

from cryptography import x509
from msgspec import Struct
from msgspec.structs import replace

from podgraft.base import jsonvalue, system
from podgraft.base.jsonvalue import Object, list_at, object_at, string_at
from podgraft.cli.certs import trust
from podgraft.cli.certs.endpoint import (
    Address,
    BoundedSocket,
    explain_distrust,
    fetch_certificate,
    make_client_context,
)
from podgraft.cli.client_config import Destination, read_destination, redact_tokens
from podgraft.cli.failure import CommandError
from podgraft.cli.live.registrations import Webhook
from podgraft.cli.wording import format_count
from podgraft.kube.admission import SYNTHETIC_UID
from podgraft.kube.admission.synthetic import SYNTHETIC_REVIEW
from podgraft.service import paths
from podgraft.service.store.caller_token import is_damaged, parse_token

from .certificates import SOON_DAYS, CaStatus, count_days, count_token_days
from .faults import Fault, Finding

DEFAULT_TIMEOUT_SECONDS = 10
_CONNECT_SECONDS = 3
_TOKEN_DAYS = 14
_MAX_BYTES = 1 << 20
_MAX_TEXT = 300
_RETRY_SECONDS = 0.1
_LOG = "check the log of the endpoint"
# The fault and the remedy of each status; the others are NOT_LOADED.
_STATUSES: Mapping[int, tuple[Fault, str]] = {
    HTTPStatus.UNAUTHORIZED: (Fault.UNKNOWN_TOKEN, ""),
    HTTPStatus.FORBIDDEN: (
        Fault.SOURCE,
        (
            "use a separate credential for each cluster, and check the sources of the cluster and "
            "the access rules in front of the endpoint, such as a web ACL"
        ),
    ),
    HTTPStatus.NOT_FOUND: (
        Fault.INJECTOR,
        "check the injector and the URL; podgraft push creates the injector in a stack",
    ),
    HTTPStatus.TOO_MANY_REQUESTS: (
        Fault.THROTTLED,
        "wait for a minute, then test again; if it remains, raise ThrottlingRateLimit of the stack",
    ),
    HTTPStatus.INTERNAL_SERVER_ERROR: (
        Fault.NOT_LOADED,
        "push the bundle again, or roll back (podgraft rollback); see the log of the endpoint",
    ),
}


class EndpointTarget(Struct, frozen=True, kw_only=True):
    """The endpoint of a registration, and what kube-apiserver sends and trusts.

    ``roots`` are the certificates of caBundle; without them, the public CAs are trusted. ``token``
    is the one of the header, and ``client_files`` are a client certificate and its key. For
    ``start_seconds``, a server that starts can refuse connections. ``ca_remedy`` is where to set
    the CAs.
    """

    url: str
    roots: tuple[x509.Certificate, ...] = ()
    token: str | None = None
    client_files: tuple[Path, Path] | None = None
    timeout_seconds: int = DEFAULT_TIMEOUT_SECONDS
    start_seconds: int = 0
    ca_remedy: str = "set --ca-bundle to the CA that signed the certificate of the endpoint"

    @property
    def destination(self) -> Destination:
        """The parts of the URL."""
        return read_destination({"url": self.url})

    @property
    def path_token(self) -> str:
        """The token of the path; empty without one."""
        return self.destination.token or ""

    @property
    def place(self) -> str:
        """The host and the path up to the route, without the token."""
        target = self.destination.target
        path = paths.format_path(paths.Target(target.route, target.injector)) if target else ""
        return self.destination.address + path

    def redact(self, text: str) -> str:
        """Return a text of the server as one line, without the token and the path's variables."""
        target = self.destination.target
        variables = target.tail.split("/") if target else []
        secrets = [*variables[1::2], self.path_token, self.token]
        for secret in sorted(filter(None, secrets), key=len, reverse=True):
            text = text.replace(secret, "…")
        line = "".join(each if each.isprintable() else " " for each in " ".join(text.split()))
        return line if len(line) <= _MAX_TEXT else f"{line[:_MAX_TEXT]}…"


def make_target(webhook: Webhook, ca: CaStatus) -> EndpointTarget | None:
    """Return the target of a registered webhook; None for a Service, which only its cluster calls.

    In a pod of the cluster, the Service is called by its name.
    """
    client = object_at(webhook.manifest, "clientConfig")
    url = string_at(client, "url")
    service = object_at(client, "service")
    if not url and "KUBERNETES_SERVICE_HOST" in os.environ:
        host = read_destination(client).host
        url = f"https://{host}:{service.get('port', 443)}{string_at(service, 'path')}"
    timeout = webhook.manifest.get("timeoutSeconds")
    seconds = timeout if isinstance(timeout, int) else DEFAULT_TIMEOUT_SECONDS
    target = EndpointTarget(
        url=url,
        roots=ca.certificates,
        timeout_seconds=seconds,
        ca_remedy="register again: set --ca-bundle to the CA that signed the certificate",
    )
    return target if url else None


class EndpointReport(Struct, frozen=True, kw_only=True):
    """The findings, or the outcome of the review if none of them breaks it.

    ``certificate`` is the one that the endpoint presented, trusted or not. ``status`` is that of
    HTTP, and 0 without a response. ``stale`` is why the endpoint uses an older configuration.
    """

    findings: tuple[Finding, ...] = ()
    status: int = 0
    certificate: x509.Certificate | None = None
    decision: str = ""
    reason: str = ""
    policy_version: str = ""
    stale: str = ""
    milliseconds: int = 0
    warnings: tuple[str, ...] = ()

    @property
    def problems(self) -> tuple[str, ...]:
        """Why reviews fail, each with its remedy."""
        return tuple(str(each) for each in self.findings if each.breaks)

    @property
    def is_trusted(self) -> bool:
        """Whether the CAs verify the endpoint."""
        distrust = {Fault.HOST_NAME, Fault.EXPIRY, Fault.AUTHORITY}
        faults = {each.fault for each in self.findings if each.breaks}
        return self.certificate is not None and not faults & distrust

    def describe(self) -> str:
        """Return the outcome of the review in words."""
        reason = f" ({self.reason})" if self.reason else ""
        version = f", policy version {self.policy_version}" if self.policy_version else ""
        return f"{self.decision}{reason}{version}, {self.milliseconds} ms"


def check_endpoint(target: EndpointTarget) -> EndpointReport:
    """Send a review, and return what kube-apiserver would make of the response."""
    try:
        address = Address.parse(target.url)
    except CommandError as error:
        text = redact_tokens(str(error))
        return EndpointReport(
            findings=(Finding(Fault.CONNECTION, "clientConfig.url", text, "register again"),)
        )
    connection = make_connection(address, target, min(_CONNECT_SECONDS, target.timeout_seconds))
    try:
        leaf, findings = _connect(connection, address, target)
        findings += (*_check_token(target),)
        if leaf is None or any(each.breaks for each in findings):
            return EndpointReport(findings=findings, certificate=leaf)
        report = _send_review(connection, target, leaf)
        return replace(report, findings=(*report.findings, *findings))
    finally:
        connection.close()


def make_connection(
    address: Address, target: EndpointTarget, seconds: int
) -> http.client.HTTPSConnection:
    """Return the connection, which verifies the endpoint; nothing is sent yet."""
    context = make_client_context(target.roots)
    context.sslsocket_class = BoundedSocket
    if target.client_files is not None:
        context.load_cert_chain(*target.client_files, lambda: b"")
    return http.client.HTTPSConnection(address.host, address.port, timeout=seconds, context=context)


def _connect(
    connection: http.client.HTTPSConnection, address: Address, target: EndpointTarget
) -> tuple[x509.Certificate | None, tuple[Finding, ...]]:
    """Open a verified connection; return the certificate, and what is wrong with it."""
    try:
        _connect_to_starting(connection, target.start_seconds)
        tls = cast("ssl.SSLSocket", connection.sock)
        tls.settimeout(target.timeout_seconds)
        leaf = x509.load_der_x509_certificate(tls.getpeercert(binary_form=True) or b"")
        error = None
    except ssl.SSLCertVerificationError as caught:
        error = caught
        try:
            leaf = fetch_certificate(address)
        except CommandError as other:
            return None, (_make_connection_finding(address, str(other)),)
    except socket.gaierror as caught:
        remedy = (
            "create the DNS record (for a stack, with the output DomainTarget), or check the URL"
        )
        problem = f"does not resolve: no TLS connection: {caught}"
        return None, (Finding(Fault.DNS, str(address), problem, remedy),)
    except (OSError, ValueError) as caught:
        return None, (_make_connection_finding(address, f"no TLS connection: {caught}"),)
    return leaf, (*_check_certificate(leaf, address, target, error),)


def _connect_to_starting(connection: http.client.HTTPSConnection, start_seconds: int) -> None:
    deadline = system.monotonic() + start_seconds
    while True:
        try:
            return connection.connect()
        except ConnectionRefusedError:
            if system.monotonic() >= deadline:
                raise
        system.sleep(_RETRY_SECONDS)


def _make_connection_finding(address: Address, problem: str) -> Finding:
    text = problem.removeprefix(f"{address}: ")
    remedy = "start the endpoint, or check the network: route, security group, and proxy"
    return Finding(Fault.CONNECTION, str(address), text, remedy)


def _check_certificate(
    leaf: x509.Certificate,
    address: Address,
    target: EndpointTarget,
    error: ssl.SSLCertVerificationError | None,
) -> Iterator[Finding]:
    """Yield why kube-apiserver would not trust the certificate, or that it expires soon."""
    now = system.now()
    expired = {each for one in (leaf, *target.roots) for each in trust.time_problems(one, now)}
    names = {*trust.name_problems(leaf, address.host)}
    problems = (
        (*trust.leaf_problems(leaf, address.host, now),)
        if error is None
        else explain_distrust(leaf, address, target.roots, error, now)
    )
    place = f"kube-apiserver would not trust {address}"
    for problem in dict.fromkeys((*problems, *sorted(expired | names))):
        text = problem.removeprefix(f"{address}: ")
        if text == getattr(error, "verify_message", None) and expired | names:
            continue  # OpenSSL names the first problem in other words
        fault = Fault.EXPIRY if problem in expired else Fault.AUTHORITY
        fault = Fault.HOST_NAME if problem in names else fault
        remedies = [*trust.find_remedies([problem], address.host, None)]
        remedy = target.ca_remedy if fault is Fault.AUTHORITY or not remedies else remedies[0]
        yield Finding(fault, place, text, remedy)
    days = count_days(leaf)
    if 0 <= days < SOON_DAYS:
        problem, remedy = (
            f"its certificate expires in {format_count(days, 'day')}",
            "renew it (podgraft certs renew)",
        )
        yield Finding(Fault.EXPIRY, "endpoint", problem, remedy, breaks=False)


def _check_token(target: EndpointTarget) -> Iterator[Finding]:
    """Yield what the text of the token shows, without the store."""
    token = target.path_token or target.token or ""
    remedy = "register with a new token: podgraft tokens rotate"
    if is_damaged(token):
        problem = "the checksum of the token differs: the token was cut or mistyped"
        yield Finding(Fault.DAMAGED_TOKEN, target.place, problem, remedy)
    elif found := parse_token(token):
        yield from check_expiry(target.place, found.id, found.expires)


def check_expiry(place: str, identity: str, expires: str) -> Iterator[Finding]:
    """Yield that a token has expired, or expires soon. Only a response decides whether it works."""
    days = count_token_days(expires)
    if days is None or days > _TOKEN_DAYS:
        return
    when = f"expired on {expires}" if days < 0 else f"expires in {format_count(days, 'day')}"
    remedy = "issue and register a new token: podgraft tokens rotate"
    yield Finding(Fault.EXPIRED_TOKEN, place, f"token {identity} {when}", remedy, breaks=False)


def _send_review(
    connection: http.client.HTTPSConnection, target: EndpointTarget, certificate: x509.Certificate
) -> EndpointReport:
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if target.token:
        headers["Authorization"] = f"Bearer {target.token}"
    path = f"{urlsplit(target.url).path}?timeout={target.timeout_seconds}s"
    started = system.monotonic()
    try:
        connection.request("POST", path, jsonvalue.dump(SYNTHETIC_REVIEW), headers)
        response = connection.getresponse()
        body = response.read(_MAX_BYTES)
    except (OSError, http.client.HTTPException) as error:
        problem = f"no response: {target.redact(str(error) or repr(error))}"
        fault = Fault.SLOW if isinstance(error, TimeoutError) else Fault.CONNECTION
        finding = Finding(fault, target.place, problem, _LOG)
        return EndpointReport(findings=(finding,), certificate=certificate)
    milliseconds = round((system.monotonic() - started) * 1000)
    document = jsonvalue.load_object(body) or {}
    findings = (*_find_problems(target, response.status, document),)
    if findings:
        return EndpointReport(
            findings=findings,
            status=response.status,
            certificate=certificate,
            milliseconds=milliseconds,
        )
    return _read_review(object_at(document, "response"), target, certificate, milliseconds)


def _find_problems(target: EndpointTarget, status: int, document: Object) -> Iterator[Finding]:
    """Yield why kube-apiserver would not accept the response."""
    if status == HTTPStatus.OK:
        if object_at(document, "response").get("uid") != SYNTHETIC_UID:
            yield Finding(
                Fault.INJECTOR,
                target.place,
                "expected an AdmissionReview, got another response",
                "check that the URL is an endpoint of podgraft",
            )
        return
    text = string_at(document, "message")
    details = f": {target.redact(text)}" if text else ""
    phrase = http.client.responses.get(status, "unknown status")
    fault, remedy = _STATUSES.get(status, (Fault.NOT_LOADED, _LOG))
    problem = f"responds {status} ({phrase}){details}"
    yield Finding(fault, target.place, problem, remedy or _find_token_remedy(target))


def _find_token_remedy(target: EndpointTarget) -> str:
    if target.path_token or target.token:
        return (
            "register with a token of this endpoint: podgraft tokens issue, for the same stack or "
            "store"
        )
    if target.client_files:
        return "allow the subject of the client certificate: podgraft tokens allow"
    return (
        "the URL contains no token; register with --token-file. If kube-apiserver sends the "
        "credential from the files of --control-plane, only register --test can try it"
    )


def _read_review(
    review: Object, target: EndpointTarget, certificate: x509.Certificate, milliseconds: int
) -> EndpointReport:
    """Return the report of a valid response; other injectors than podgraft give no reason."""

    def annotation(name: str) -> str:
        return target.redact(string_at(review, "auditAnnotations", name))

    allowed = "inject" if review.get("patch") else "skip"
    return EndpointReport(
        status=HTTPStatus.OK,
        certificate=certificate,
        decision=annotation("decision") or (allowed if review.get("allowed") is True else "deny"),
        reason=annotation("reason"),
        policy_version=annotation("policy-version"),
        stale=annotation("stale"),
        milliseconds=milliseconds,
        warnings=tuple(target.redact(str(each)) for each in list_at(review, "warnings")),
    )
