"""A folder of certificates: which file holds what, read and written as pairs.

``ca.pem`` and ``ca.key`` are the authority; ``NAME.pem`` and ``NAME.key`` a server or a client.
Beside a rotation's new authority, ``ca-bundle.pem`` holds the old one too.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509

import outputs
from certificates import keys, pem, trust
from certificates.errors import CertificateError
from certificates.issuing import Issuer, is_authority
from certificates.keys import PrivateKey
from outputs import SECRET, Output

AUTHORITY = "ca"
BUNDLE = "ca-bundle.pem"


@dataclass(frozen=True, slots=True)
class Pair:
    """Where a certificate and its key are."""

    certificate: Path
    key: Path


@dataclass(frozen=True, slots=True)
class Folder:
    """The certificates under one path."""

    path: Path

    @property
    def bundle(self) -> Path:
        """Old and new authority together, while one takes over from the other."""
        return self.path / BUNDLE

    def pair(self, name: str) -> Pair:
        """The files of the certificate *name*."""
        if not name or Path(name).name != name or name.startswith("."):
            raise CertificateError(f"{name!r}: give a plain file name, such as server")
        return Pair(self.path / f"{name}.pem", self.path / f"{name}.key")

    def certificate(self, name: str) -> x509.Certificate:
        """The certificate *name* itself, without its chain."""
        return pem.read(self.pair(name).certificate)[0]

    def issuer(self, secret: bytes | None) -> Issuer:
        """The authority, ready to sign."""
        pair = self.pair(AUTHORITY)
        if not pair.certificate.exists():
            raise CertificateError(f"{pair.certificate}: there is no CA; make it with: certs.py ca")
        certificate, key = pem.read(pair.certificate)[0], keys.read(pair.key, secret)
        if not is_authority(certificate):
            raise CertificateError(f"{pair.certificate}: {trust.subject(certificate)} is no CA")
        if not keys.belong_together(key, certificate):
            raise CertificateError(f"{pair.key}: is not the key of {pair.certificate}")
        return Issuer(certificate, key)

    def leaves(self) -> Iterator[str]:
        """The names of the servers and clients that have a certificate here."""
        for path in sorted(self.path.glob("*.pem")):
            if path.name != BUNDLE and not is_authority(pem.read(path)[0]):
                yield path.stem

    def save(
        self,
        name: str,
        certificate: x509.Certificate,
        key: PrivateKey,
        secret: bytes | None,
        *,
        force: bool,
    ) -> Pair:
        """Write a certificate and its key together."""
        pair = self.pair(name)
        both = (
            Output(pair.key, keys.encode(key, secret), SECRET),
            Output(pair.certificate, pem.dump([certificate])),
        )
        outputs.write(both, force=force)
        return pair
