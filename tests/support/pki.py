"""A CA of the tests, their clock, and Go's opinion of what the CA signed."""

import json
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509

from podgraft.cli.certs import issuance, keys, names, pem
from podgraft.cli.certs.issuance import Issuer, Validity
from podgraft.cli.certs.keys import KeyType, PrivateKey

# The real clock, because a handshake knows no other; whole seconds, as certificates count.
# An hour ago, so a test that compares it with a certificate that a command issues fails always, and
# not only after a long run.
NOW = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=1)


class Authority:
    """A CA that signs certificates for tests."""

    def __init__(self, common_name: str | None = None, days: int = issuance.AUTHORITY_DAYS) -> None:
        key = keys.make_key(KeyType.P_256)
        certificate = issuance.make_ca(key, common_name, Validity.from_now(NOW, days))
        self.issuer = Issuer(certificate, key)
        self.certificate = certificate

    def server(
        self, *hosts: str, key: PrivateKey | None = None, start: datetime = NOW, days: int = 300
    ) -> x509.Certificate:
        """A certificate for *hosts*."""
        public = (key or keys.make_key(KeyType.P_256)).public_key()
        lifetime = Validity.from_now(start, days)
        return issuance.make_server_certificate(
            names.parse_names(hosts), public, self.issuer, lifetime
        )


@dataclass(frozen=True, slots=True)
class VerifyRequest:
    """Whether a client that trusts *roots* accepts *chain* for *host*."""

    chain: tuple[x509.Certificate, ...]
    roots: tuple[x509.Certificate, ...]
    host: str
    now: datetime = NOW


def verify_with_go(goverify: Path, questions: Iterable[VerifyRequest]) -> list[str]:
    """Go's results: empty if it accepts the certificate, else its error."""
    lines = "".join(
        json.dumps(
            {
                "roots": pem.dump_certificates(question.roots).decode(),
                "chain": pem.dump_certificates(question.chain).decode(),
                "host": question.host,
                "now": question.now.isoformat(),
            }
        )
        for question in questions
    )
    result = subprocess.run([goverify], input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in result.stdout.splitlines()]


def write_pair(folder: Path, *hosts: str) -> tuple[Path, Path]:
    """Write a server certificate of a new CA and its key; their paths."""
    private = keys.make_key(KeyType.P_256)
    certificate, key = folder / "server.pem", folder / "server.key"
    key.write_bytes(keys.encode_key(private, None))
    server = Authority().server(*(hosts or ("127.0.0.1",)), key=private)
    certificate.write_bytes(pem.dump_certificates([server]))
    return certificate, key
