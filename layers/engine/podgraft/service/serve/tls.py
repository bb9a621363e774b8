"""TLS for ``podgraft serve``: certificates are reloaded while the server runs."""

import logging
import ssl
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeAlias

from cryptography import x509

from podgraft.base import system


class ServeError(Exception):
    """The server cannot start; ``str()`` is one line for the operator."""


_LOG = logging.getLogger(__name__)

_FileStats: TypeAlias = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedCertificate:
    """A certificate that the server uses, with its names and the end of its validity."""

    use: str  # server, or client-ca
    names: tuple[str, ...]
    ends: datetime

    @property
    def name(self) -> str:
        """The first name."""
        return self.names[0] if self.names else ""


@dataclass(frozen=True, slots=True)
class TLSFiles:
    """The files of a TLS server: its certificate, its key, and the CA of its clients."""

    certificate: Path
    key: Path
    client_ca: Path | None = None
    passphrase: bytes | None = None

    def load(self) -> ssl.SSLContext:
        """Make a context from the current files.

        Raises ``OSError`` (``ssl.SSLError`` is one), ``ValueError`` for a certificate outside of
        its validity, or ``ServeError`` for an invalid CA of the clients.
        """
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        # Python's own minimum depends on its build: Debian's leaves it to the settings of OpenSSL.
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        # Without this function, OpenSSL would prompt for the passphrase on the terminal.
        context.load_cert_chain(self.certificate, self.key, lambda: self.passphrase or b"")
        context.set_alpn_protocols(
            ["http/1.1"]
        )  # kube-apiserver offers only this, except on loopback
        if self.client_ca is not None:
            _load_authorities(context, self.client_ca)
            # The application rejects requests without a certificate, with a message for the user.
            # TLS only verifies certificates that clients present.
            context.verify_mode = ssl.CERT_OPTIONAL
        self._check_validity(system.now())
        return context

    def describe_error(self, error: OSError | ValueError) -> str:
        """Return place, problem, and remedy of an error of ``load``."""
        files = f"{self.certificate} and {self.key}"
        match getattr(error, "reason", None):
            case "KEY_VALUES_MISMATCH":
                problem = f"{self.key}: belongs to another certificate than {self.certificate}"
                return f"{problem}; use the key that was created with it"
            case _ if isinstance(error, ssl.SSLError) and _is_encrypted(self.key):
                return f"{self.key}: the passphrase is missing or wrong; set --passphrase-file"
            case _ if isinstance(error, ssl.SSLError):
                remedy = "use PEM files, as podgraft certs server writes them"
                return f"{files}: no PEM certificate with its key: {error}; {remedy}"
            case _:
                return f"{files} do not load: {error}"

    def _check_validity(self, now: datetime) -> None:
        """Reject a certificate outside of its validity, because OpenSSL would present it."""
        certificate, *_ = x509.load_pem_x509_certificates(self.certificate.read_bytes())
        begins, ends = certificate.not_valid_before_utc, certificate.not_valid_after_utc
        if now >= ends:
            raise ValueError(f"the certificate expired on {ends:%Y-%m-%d %H:%M} UTC; renew it")
        if now < begins:
            raise ValueError(
                f"the certificate is not valid before {begins:%Y-%m-%d %H:%M} UTC; "
                "check the clock, or use another certificate"
            )

    def read_certificates(self) -> tuple[ServedCertificate, ...]:
        """Return the certificate of the server, then the CAs of its clients."""
        server, *_ = x509.load_pem_x509_certificates(self.certificate.read_bytes())
        authorities = (
            x509.load_pem_x509_certificates(self.client_ca.read_bytes()) if self.client_ca else []
        )
        return (
            _describe_certificate(server, "server", _host_names(server)),
            *(
                _describe_certificate(each, "client-ca", (each.subject.rfc4514_string(),))
                for each in authorities
            ),
        )

    def file_stats(self) -> _FileStats | None:
        """Return stats that change with the files; ``None`` while one is missing or replaced."""
        paths = (self.certificate, self.key, *([self.client_ca] if self.client_ca else ()))
        try:
            stats = [path.stat() for path in paths]
        except OSError:
            return None
        return tuple((stat.st_ino, stat.st_size, stat.st_mtime_ns) for stat in stats)


def _load_authorities(context: ssl.SSLContext, file: Path) -> None:
    """Trust the certificates in a file; raises ``OSError``, or ``ServeError`` without any."""
    try:
        context.load_verify_locations(file)
    except ssl.SSLError as error:
        remedy = "set --client-ca to the PEM file of the CA, as podgraft certs ca writes it"
        raise ServeError(f"{file}: contains no PEM certificate; {remedy}") from error


def _is_encrypted(key: Path) -> bool:
    with suppress(OSError):  # the certificate is invalid, and the key is unreadable
        return b"ENCRYPTED" in key.read_bytes()
    return False


def _describe_certificate(
    certificate: x509.Certificate, use: str, names: tuple[str, ...]
) -> ServedCertificate:
    return ServedCertificate(use=use, names=names, ends=certificate.not_valid_after_utc)


def _host_names(certificate: x509.Certificate) -> tuple[str, ...]:
    """Return the host names and addresses that clients compare, without repetitions."""
    try:
        extension = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    except x509.ExtensionNotFound:
        return ()
    hosts = extension.value.get_values_for_type(x509.DNSName)
    addresses = extension.value.get_values_for_type(x509.IPAddress)
    return tuple(dict.fromkeys([*hosts, *map(str, addresses)]))


class ReloadingContext:
    """The newest context that loads. After an invalid replacement, the old one remains in use."""

    def __init__(self, files: TLSFiles) -> None:
        self.files = files
        self._stats = files.file_stats()
        try:
            self._context = files.load()
            self._certificates = files.read_certificates()
        except (OSError, ValueError) as error:
            raise ServeError(files.describe_error(error)) from error

    def current(self) -> ssl.SSLContext:
        """Return the context for the next connection. Open connections are not affected."""
        stats = self.files.file_stats()
        if stats is not None and stats != self._stats:
            self._stats = stats  # also if it does not load, to log the error only once
            self._reload()
        return self._context

    def certificates(self) -> tuple[ServedCertificate, ...]:
        """Return the certificates in use."""
        self.current()
        return self._certificates

    def _reload(self) -> None:
        try:
            context, certificates = self.files.load(), self.files.read_certificates()
        except (OSError, ValueError, ServeError) as error:
            _LOG.warning(
                "cannot load the new certificate; still serving the old certificate: %s", error
            )
        else:
            self._context, self._certificates = context, certificates
            _LOG.info("reloaded the certificate of %s", self.files.certificate)
