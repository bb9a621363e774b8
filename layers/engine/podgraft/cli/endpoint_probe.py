"""The probe of an endpoint: one review, sent as kube-apiserver sends reviews.

``register --test`` and ``status --test`` use it. The review is a synthetic one, so it changes
nothing and counts in no metric. It is sent only to an endpoint that the CAs verify. No message
contains the token, also if a server repeats it.
"""

import http.client
import json
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from cryptography import x509

from podgraft.base import jsonvalue, system
from podgraft.cli.certs import trust
from podgraft.cli.certs.endpoint import (
    Address,
    explain_distrust,
    fetch_certificate,
    make_client_context,
)
from podgraft.cli.certs.errors import CertificateError
from podgraft.kube.admission import SYNTHETIC_UID
from podgraft.kube.admission.synthetic import SYNTHETIC_REVIEW
from podgraft.service import paths

DEFAULT_TIMEOUT_SECONDS = 10
_MAX_BYTES = 1 << 20
_MAX_TEXT = 300
_RETRY_SECONDS = 0.1
_REMEDIES: Mapping[int, str] = {
    HTTPStatus.FORBIDDEN: (
        "use a separate credential for each cluster, and check the access rules in front of the "
        "endpoint, such as a web ACL"
    ),
    HTTPStatus.NOT_FOUND: (
        "check the injector and the URL; podgraft push creates the injector in a stack"
    ),
    HTTPStatus.TOO_MANY_REQUESTS: "wait for a minute, then probe again",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeTarget:
    """The endpoint of a registration, and what kube-apiserver sends and trusts.

    ``roots`` are the certificates of caBundle; without them, the public CAs are trusted. ``token``
    is the one of the header, and ``client_files`` are a client certificate and its key. For
    ``start_seconds``, a server that starts can refuse connections.
    """

    url: str
    roots: tuple[x509.Certificate, ...] = ()
    token: str | None = None
    client_files: tuple[Path, Path] | None = None
    timeout_seconds: int = DEFAULT_TIMEOUT_SECONDS
    start_seconds: int = 0

    @property
    def path_token(self) -> str:
        """The token of the path; empty without one."""
        token, _ = paths.split_token(urlsplit(self.url).path)
        return token or ""

    @property
    def place(self) -> str:
        """The host and the path up to the route, without the token."""
        parts = urlsplit(self.url)
        target = paths.parse(paths.split_token(parts.path)[1])
        path = paths.format_path(paths.Target(target.route, target.injector)) if target else ""
        return parts.netloc.rpartition("@")[2] + path

    def redact(self, text: str) -> str:
        """Return a text of the server as one line, without the token and the path's variables."""
        target = paths.parse(paths.split_token(urlsplit(self.url).path)[1])
        variables = target.tail.split("/") if target else []
        secrets = [*variables[1::2], self.path_token, self.token]
        for secret in sorted(filter(None, secrets), key=len, reverse=True):
            text = text.replace(secret, "…")
        line = "".join(each if each.isprintable() else " " for each in " ".join(text.split()))
        return line if len(line) <= _MAX_TEXT else f"{line[:_MAX_TEXT]}…"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeReport:
    """The result: *problems*, each with its remedy, or the outcome of the review.

    ``certificate`` is the one that the endpoint presented, trusted or not. ``status`` is that of
    HTTP, and 0 without a response.
    """

    problems: tuple[str, ...] = ()
    status: int = 0
    certificate: x509.Certificate | None = None
    decision: str = ""
    reason: str = ""
    policy_version: str = ""
    milliseconds: int = 0
    warnings: tuple[str, ...] = ()

    def describe(self) -> str:
        """Return the outcome of the review in words."""
        reason = f" ({self.reason})" if self.reason else ""
        version = f", policy version {self.policy_version}" if self.policy_version else ""
        return f"{self.decision}{reason}{version}, {self.milliseconds} ms"


def probe_endpoint(target: ProbeTarget) -> ProbeReport:
    """Send a review, and return what kube-apiserver would make of the response."""
    try:
        address = Address.parse(target.url)
        connection, certificate, problems = _connect_to_starting(address, target)
    except CertificateError as error:
        return ProbeReport(problems=(f"{error}; start the endpoint, or check the network",))
    try:
        if problems:
            text = trust.describe_distrust(str(address), problems, address.host, None)
            return ProbeReport(problems=(text,), certificate=certificate)
        return _send_review(connection, target, certificate)
    finally:
        connection.close()


def _connect_to_starting(
    address: Address, target: ProbeTarget
) -> tuple[http.client.HTTPSConnection, x509.Certificate, tuple[str, ...]]:
    deadline = system.monotonic() + target.start_seconds
    while True:
        try:
            return _connect(address, target)
        except CertificateError as error:
            is_refused = isinstance(error.__cause__, ConnectionRefusedError)
            if not is_refused or system.monotonic() >= deadline:
                raise
        system.sleep(_RETRY_SECONDS)


def _connect(
    address: Address, target: ProbeTarget
) -> tuple[http.client.HTTPSConnection, x509.Certificate, tuple[str, ...]]:
    """Open a verified connection; raises ``CertificateError`` without one."""
    now = system.now()
    context = make_client_context(target.roots)
    if target.client_files is not None:
        context.load_cert_chain(*target.client_files, lambda: b"")
    connection = http.client.HTTPSConnection(
        address.host, address.port, timeout=target.timeout_seconds, context=context
    )
    try:
        connection.connect()
    except ssl.SSLCertVerificationError as error:
        leaf = fetch_certificate(address)
        return connection, leaf, explain_distrust(leaf, address, target.roots, error, now)
    except OSError as error:
        raise CertificateError(f"{address}: no TLS connection: {error}") from error
    der = cast("ssl.SSLSocket", connection.sock).getpeercert(binary_form=True)
    if der is None:
        raise CertificateError(f"{address}: showed no certificate")
    leaf = x509.load_der_x509_certificate(der)
    return connection, leaf, tuple(trust.leaf_problems(leaf, address.host, now))


def _send_review(
    connection: http.client.HTTPSConnection, target: ProbeTarget, certificate: x509.Certificate
) -> ProbeReport:
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
        problem = f"{target.place}: no response: {target.redact(str(error) or repr(error))}"
        return ProbeReport(
            problems=(f"{problem}; check the log of the endpoint",), certificate=certificate
        )
    milliseconds = round((system.monotonic() - started) * 1000)
    document = _parse_object(body)
    problems = tuple(_find_problems(target, response.status, document))
    if problems:
        return ProbeReport(
            problems=problems,
            status=response.status,
            certificate=certificate,
            milliseconds=milliseconds,
        )
    return _read_review(document["response"], target, certificate, milliseconds)


def _find_problems(target: ProbeTarget, status: int, document: Mapping[str, Any]) -> Iterator[str]:
    """Yield why kube-apiserver would not accept the response."""
    if status == HTTPStatus.OK:
        review = document.get("response")
        if not isinstance(review, dict) or cast("Any", review).get("uid") != SYNTHETIC_UID:
            yield (
                f"{target.place}: expected an AdmissionReview, got another response; check that "
                "the URL is an endpoint of podgraft"
            )
        return
    text = document.get("message")
    details = f": {target.redact(text)}" if isinstance(text, str) and text else ""
    phrase = http.client.responses.get(status, "unknown status")
    yield f"{target.place}: responds {status} ({phrase}){details}; {_find_remedy(target, status)}"


def _find_remedy(target: ProbeTarget, status: int) -> str:
    if status != HTTPStatus.UNAUTHORIZED:
        return _REMEDIES.get(status, "check the log of the endpoint")
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
    review: Any, target: ProbeTarget, certificate: x509.Certificate, milliseconds: int
) -> ProbeReport:
    """Return the report of a valid response; other injectors than podgraft give no reason."""
    found: Any = review.get("auditAnnotations")
    annotations = cast("dict[str, Any]", found) if isinstance(found, dict) else {}

    def annotation(name: str) -> str:
        value = annotations.get(name)
        return target.redact(value) if isinstance(value, str) else ""

    allowed = "inject" if review.get("patch") else "skip"
    found = review.get("warnings")
    warnings = cast("list[Any]", found) if isinstance(found, list) else []
    return ProbeReport(
        status=HTTPStatus.OK,
        certificate=certificate,
        decision=annotation("decision") or (allowed if review.get("allowed") is True else "deny"),
        reason=annotation("reason"),
        policy_version=annotation("policy-version"),
        milliseconds=milliseconds,
        warnings=tuple(target.redact(str(each)) for each in warnings),
    )


def _parse_object(body: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(body)
    except ValueError:
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
