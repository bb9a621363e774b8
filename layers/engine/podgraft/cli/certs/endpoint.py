"""A live endpoint: its certificates, and whether a client with given roots trusts them."""

import socket
import ssl
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from cryptography import x509
from msgspec import Struct

from podgraft.base import system
from podgraft.cli.certs import pem, trust
from podgraft.cli.client_config import redact_url
from podgraft.cli.failure import CommandError, convert_errors

HTTPS_PORT = 443
TIMEOUT_SECONDS = 10.0  # kube-apiserver's own default for a webhook


class Address(Struct, frozen=True):
    """Where the endpoint is."""

    host: str
    port: int = HTTPS_PORT

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @classmethod
    def parse(cls, text: str) -> "Address":
        """Read ``https://host:port/…`` or ``host:port``; raises ``CommandError``."""
        place = repr(redact_url(text))
        with convert_errors(ValueError, place=place):
            parts = urlsplit(text if "://" in text else f"https://{text}")
            host, port = parts.hostname, parts.port
        if not host or parts.scheme != "https":
            raise CommandError(f"{place}: give the endpoint as https://host[:port]")
        return cls(host, port or HTTPS_PORT)


def find_trust_problems(
    address: Address, roots: Sequence[x509.Certificate], now: datetime
) -> tuple[str, ...]:
    """Every reason why a client that trusts *roots* (none: the public ones) refuses the endpoint.

    OpenSSL gives the verdict in a real handshake, our own rules the reason.
    """
    try:
        leaf = shake_hands(address, make_client_context(roots))
    except ssl.SSLCertVerificationError as error:
        return explain_distrust(fetch_certificate(address), address, roots, error, now)
    return tuple(trust.leaf_problems(leaf, address.host, now))


class BoundedSocket(ssl.SSLSocket):
    """For one response: its timeout is that of all reads, as in kube-apiserver, not of each."""

    _deadline: float | None = None

    def recv_into(self, buffer: Any, nbytes: int | None = None, flags: int = 0) -> int:
        """Read bytes as ``ssl.SSLSocket``; raises ``TimeoutError``."""
        now = system.monotonic()
        if self._deadline is None:
            self._deadline = now + (self.gettimeout() or 0)
        if now >= self._deadline:
            raise TimeoutError("The read operation timed out")  # as in ssl
        self.settimeout(self._deadline - now)
        return super().recv_into(buffer, nbytes, flags)


def make_client_context(roots: Sequence[x509.Certificate]) -> ssl.SSLContext:
    """A TLS client as kube-apiserver: it trusts *roots* only, or without them the public CAs."""
    context = ssl.create_default_context(cadata=pem.dump_certificates(roots).decode() or None)
    # Python 3.13 requires extensions of certificates that Go does not.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    context.hostname_checks_common_name = False
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def explain_distrust(
    leaf: x509.Certificate,
    address: Address,
    roots: Sequence[x509.Certificate],
    error: ssl.SSLCertVerificationError,
    now: datetime,
) -> tuple[str, ...]:
    """The reasons for which OpenSSL rejected the certificate of the endpoint."""
    explained = trust.find_trust_problems([leaf], roots, address.host, now) if roots else ()
    return explained or (f"{address}: {error.verify_message}",)


def fetch_certificate(address: Address) -> x509.Certificate:
    """The certificate that the endpoint shows, trusted or not."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return shake_hands(address, context)


def shake_hands(address: Address, context: ssl.SSLContext) -> x509.Certificate:
    """The certificate of the endpoint, after a handshake; no data is sent."""
    try:
        with (
            socket.create_connection((address.host, address.port), TIMEOUT_SECONDS) as plain,
            context.wrap_socket(plain, server_hostname=address.host) as secure,
        ):
            der = secure.getpeercert(binary_form=True)
    except ssl.SSLCertVerificationError:
        raise
    except OSError as error:
        raise CommandError(f"{address}: no TLS connection: {error}") from error
    if der is None:
        raise CommandError(f"{address}: showed no certificate")
    return x509.load_der_x509_certificate(der)
