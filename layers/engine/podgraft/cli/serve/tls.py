"""TLS for ``podgraft serve``: certificates that are replaced while requests are being answered."""

import logging
import ssl
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

from cryptography import x509

from podgraft.cli.failure import CommandError

_LOG = logging.getLogger(__name__)

_FileStats: TypeAlias = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class TLSFiles:
    """What a server shows, and whose clients it knows."""

    certificate: Path
    key: Path
    client_ca: Path | None = None
    passphrase: bytes | None = None

    def load(self) -> ssl.SSLContext:
        """A context from the files as they are.

        Raises ``OSError`` (``ssl.SSLError`` is one), or ``ValueError`` for a certificate that no
        client accepts now.
        """
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        # Without a function OpenSSL would ask at the terminal for the passphrase of a key.
        context.load_cert_chain(self.certificate, self.key, lambda: self.passphrase or b"")
        context.set_alpn_protocols(["http/1.1"])  # all that kube-apiserver offers beyond loopback
        if self.client_ca is not None:
            context.load_verify_locations(self.client_ca)
            # Whether a caller needs a certificate is for the app to say, in words that reach the
            # user; one that is shown must be valid all the same.
            context.verify_mode = ssl.CERT_OPTIONAL
        self._check_validity(datetime.now(UTC))
        return context

    def _check_validity(self, now: datetime) -> None:
        """Refuse a certificate outside its validity, which OpenSSL would present all the same."""
        certificate, *_ = x509.load_pem_x509_certificates(self.certificate.read_bytes())
        begins, ends = certificate.not_valid_before_utc, certificate.not_valid_after_utc
        if now >= ends:
            raise ValueError(f"the certificate expired on {ends:%Y-%m-%d %H:%M} UTC; renew it")
        if now < begins:
            raise ValueError(
                f"the certificate is not valid before {begins:%Y-%m-%d %H:%M} UTC; "
                "check the clock, or use another one"
            )

    def file_stats(self) -> _FileStats | None:
        """What changes when a file does; None while one is missing, as during a replacement."""
        paths = (self.certificate, self.key, *([self.client_ca] if self.client_ca else ()))
        try:
            stats = [path.stat() for path in paths]
        except OSError:
            return None
        return tuple((one.st_ino, one.st_size, one.st_mtime_ns) for one in stats)


class ReloadingContext:
    """The newest context that loads: a broken replacement leaves the old certificate in service."""

    def __init__(self, files: TLSFiles) -> None:
        self.files = files
        self._stats = files.file_stats()
        try:
            self._context = files.load()
        except (OSError, ValueError) as error:
            raise CommandError(
                f"{files.certificate} and {files.key} do not load: {error}"
            ) from error

    def current(self) -> ssl.SSLContext:
        """The context for the next connection; connections that are open keep theirs."""
        stats = self.files.file_stats()
        if stats is not None and stats != self._stats:
            self._stats = stats  # also where it does not load: told once, not at every connection
            self._reload()
        return self._context

    def _reload(self) -> None:
        try:
            self._context = self.files.load()
        except (OSError, ValueError) as error:
            _LOG.warning("the old certificate stays: the new one does not load: %s", error)
        else:
            _LOG.info("serving the certificate of %s anew", self.files.certificate)
