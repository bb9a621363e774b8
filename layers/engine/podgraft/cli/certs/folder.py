"""A folder of certificates: which file holds what, read and written as pairs.

``ca.pem`` and ``ca.key`` are the authority; ``NAME.pem`` and ``NAME.key`` a server or a client.
During a rotation, ``ca-bundle.pem`` also contains the old CA.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from cryptography import x509
from msgspec import Struct

from podgraft.cli import outputs
from podgraft.cli.certs import keys, pem, trust
from podgraft.cli.certs.issuance import Issuer, is_ca
from podgraft.cli.certs.keys import PrivateKey
from podgraft.cli.failure import CommandError
from podgraft.cli.folders import list_files
from podgraft.cli.outputs import SECRET, Output

AUTHORITY = "ca"
BUNDLE = "ca-bundle.pem"
_RESERVED = frozenset({AUTHORITY, BUNDLE.removesuffix(".pem")})


class KeyPair(Struct, frozen=True):
    """Where a certificate and its key are."""

    certificate: Path
    key: Path

    def save(
        self,
        certificate: x509.Certificate,
        key: PrivateKey,
        secret: bytes | None,
        *,
        force: bool,
        remedy: str = outputs.REPLACE,
        before: Sequence[Output] = (),
    ) -> "KeyPair":
        """Write a certificate and its key, and files *before* them: all or none."""
        pair = (
            Output(self.key, keys.encode_key(key, secret), SECRET),
            Output(self.certificate, pem.dump_certificates([certificate])),
        )
        outputs.write_files((*before, *pair), force=force, remedy=remedy)
        return self


class CertificateFolder(Struct, frozen=True):
    """The certificates under one path."""

    path: Path

    @property
    def bundle(self) -> Path:
        """Old and new authority together, while one takes over from the other."""
        return self.path / BUNDLE

    def key_pair(self, name: str) -> KeyPair:
        """The files of the certificate *name*."""
        if not name or Path(name).name != name or name.startswith("."):
            raise CommandError(f"{name!r}: give a plain file name, such as server")
        return KeyPair(self.path / f"{name}.pem", self.path / f"{name}.key")

    def leaf_pair(self, name: str) -> KeyPair:
        """The files of the server or client *name*; ``CommandError`` for a reserved name."""
        # Some file systems ignore case: there CA.pem is ca.pem.
        if name.lower() in _RESERVED:
            raise CommandError(
                f"name {name!r}: is reserved for the files of the CA; give another --name"
            )
        return self.key_pair(name)

    def certificate(self, name: str) -> x509.Certificate:
        """The certificate *name* itself, without its chain."""
        return pem.read_certificates(self.key_pair(name).certificate)[0]

    def issuer(self, secret: bytes | None) -> Issuer:
        """The authority, ready to sign."""
        pair = self.key_pair(AUTHORITY)
        if not pair.certificate.exists():
            raise CommandError(f"{pair.certificate}: there is no CA; create it: podgraft certs ca")
        certificate, key = (
            pem.read_certificates(pair.certificate)[0],
            keys.read_key(pair.key, secret),
        )
        if not is_ca(certificate):
            raise CommandError(
                f"{pair.certificate}: {trust.describe_subject(certificate)} is no CA"
            )
        if not keys.is_key_pair(key, certificate):
            raise CommandError(f"{pair.key}: is not the key of {pair.certificate}")
        return Issuer(certificate, key)

    def leaf_names(self) -> Iterator[str]:
        """The names of the servers and clients that have a certificate here."""
        for path in list_files(self.path):
            is_leaf = path.suffix == ".pem" and path.name != BUNDLE
            if is_leaf and not is_ca(pem.read_certificates(path)[0]):
                yield path.stem
