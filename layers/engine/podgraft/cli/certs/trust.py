"""Whether a client with given roots trusts a server, and the problems if it does not.

The errors of a verifier («candidates exhausted») do not name the problem, so this module checks the
path itself. It also runs the path validation of cryptography, which knows more rules (path length,
name constraints). The rules are those of Go: kube-apiserver accepts roots without key usage and key
identifiers.
"""

import base64
import shlex
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.x509 import verification
from cryptography.x509.oid import ExtendedKeyUsageOID
from cryptography.x509.verification import Criticality, ExtensionPolicy

from podgraft.cli.certs import names, pem
from podgraft.cli.certs.issuance import is_ca
from podgraft.cli.failure import CommandError

Certificates: TypeAlias = Sequence[x509.Certificate]


def find_trust_problems(
    chain: Certificates, roots: Certificates, host: str, now: datetime
) -> tuple[str, ...]:
    """Every reason why a client that trusts *roots* refuses *chain* for *host*; none if it accepts.

    *chain* contains the certificates that the server sends, its own first.
    """
    problems = (*leaf_problems(chain[0], host, now), *path_problems(chain, roots, now))
    return problems or _verify(chain, roots, host, now)


def leaf_problems(leaf: x509.Certificate, host: str, now: datetime) -> Iterator[str]:
    """Yield the problems of a server certificate, without its signature."""
    yield from time_problems(leaf, now)
    yield from name_problems(leaf, host)
    if not _is_server_certificate(leaf):
        subject = describe_subject(leaf)
        yield f"{subject} is not for servers: its extended key usage lacks serverAuth"


def name_problems(leaf: x509.Certificate, host: str) -> Iterator[str]:
    """Yield why *host* is no name of a server certificate."""
    carried = names.names_of(leaf)
    if carried == names.SubjectAltNames():
        yield (
            f"{describe_subject(leaf)} has no subjectAltName, and kube-apiserver ignores the "
            "common name; make a new certificate"
        )
    elif not carried.matches_host(host):
        yield f"the certificate is valid for {carried}, not for {host}"


def path_problems(chain: Certificates, roots: Certificates, now: datetime) -> Iterator[str]:
    """Yield the problems on the path from the leaf to a root, up to the first gap."""
    current = chain[0]
    for _ in range(len(chain)):
        above = next((root for root in roots if is_signed_by(current, root)), None)
        if above is not None:
            yield from time_problems(above, now)
            return
        link = next(
            (one for one in chain[1:] if one != current and is_signed_by(current, one)), None
        )
        if link is None:
            break
        if not is_ca(link):
            yield f"{describe_subject(link)} in the server's chain is no CA"
        yield from time_problems(link, now)
        current = link
    yield _unknown_ca_problem(current, roots)


def order_problems(chain: Certificates) -> Iterator[str]:
    """Whether each is signed by the next, as AWS and TLS 1.2 (RFC 5246 §7.4.2) insist."""
    for lower, upper in pairwise(chain):
        if not is_signed_by(lower, upper):
            subjects = f"{describe_subject(lower)} is not signed by {describe_subject(upper)}"
            yield f"wrong order: {subjects}"


def time_problems(certificate: x509.Certificate, now: datetime) -> Iterator[str]:
    """Whether *certificate* is valid *now*."""
    begin, end = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    if now > end:
        yield f"{describe_subject(certificate)} has expired on {end:%Y-%m-%d %H:%M} UTC"
    elif now < begin:
        yield f"{describe_subject(certificate)} is not valid before {begin:%Y-%m-%d %H:%M} UTC"


def describe_distrust(authority: str, problems: Sequence[str], host: str, file: Path | None) -> str:
    """Return place, problems, and remedy for an endpoint that kube-apiserver would not trust.

    *file* is the server certificate, if the operator gave it.
    """
    unique = dict.fromkeys(problem.removeprefix(f"{authority}: ") for problem in problems)
    text = "; ".join((*unique, *find_remedies(tuple(unique), host, file)))
    return f"kube-apiserver would not trust {authority}: {text}"


def find_remedies(problems: Sequence[str], host: str, file: Path | None) -> Iterator[str]:
    """Yield the remedy of problems, if there is one command for it."""
    if any(" not for " in problem or "has expired" in problem for problem in problems):
        name = shlex.quote(file.stem) if file else "NAME"
        folder = f" --dir {shlex.quote(str(file.parent))}" if file else ""
        yield (
            f"renew the server certificate: podgraft certs renew {name}{folder} --host "
            f"{shlex.quote(host)} --force"
        )
    elif any("was signed by" in problem or "issuer" in problem for problem in problems):
        yield "set --ca-bundle to the CA that signed the certificate of the endpoint"


def check_roots(certificates: Certificates) -> tuple[x509.Certificate, ...]:
    """Return unique roots; raises ``CommandError`` if a certificate is not a CA."""
    for certificate in certificates:
        if not is_ca(certificate):
            raise CommandError(
                f"{describe_subject(certificate)} is no CA: a bundle holds the CA that signed the "
                "server's certificate, not that certificate"
            )
    return tuple(dict.fromkeys(certificates))


def encode_ca_bundle(certificates: Certificates) -> str:
    """The text of ``clientConfig.caBundle``: base64 of the roots' PEM."""
    return base64.b64encode(pem.dump_certificates(check_roots(certificates))).decode()


def describe_subject(certificate: x509.Certificate) -> str:
    """Return the subject, or the serial number without one, for messages."""
    return certificate.subject.rfc4514_string() or f"certificate {certificate.serial_number:x}"


def is_signed_by(certificate: x509.Certificate, issuer: x509.Certificate) -> bool:
    """Whether *issuer* signed *certificate*: its name and its key."""
    try:
        certificate.verify_directly_issued_by(issuer)
    except (ValueError, TypeError, InvalidSignature):
        return False
    return True


def _is_server_certificate(leaf: x509.Certificate) -> bool:
    try:
        usages = leaf.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    except x509.ExtensionNotFound:
        return True
    accepted = {ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE}
    return not accepted.isdisjoint(usages)


def _unknown_ca_problem(last: x509.Certificate, roots: Certificates) -> str:
    issuer = last.issuer.rfc4514_string()
    if any(root.subject == last.issuer for root in roots):
        return (
            f"{describe_subject(last)} was signed by another CA of the same name ({issuer}): same "
            "name, other key"
        )
    ca_names = "; ".join(map(describe_subject, roots)) or "no CA"
    return f"{describe_subject(last)} was signed by {issuer}, but the bundle holds {ca_names}"


def _verify(chain: Certificates, roots: Certificates, host: str, now: datetime) -> tuple[str, ...]:
    # Go demands these two extensions; the web's further rules for CAs are not kube-apiserver's.
    lenient = ExtensionPolicy.permit_all()
    ca_policy = lenient.require_present(x509.BasicConstraints, Criticality.AGNOSTIC, None)
    leaf_policy = lenient.require_present(x509.SubjectAlternativeName, Criticality.AGNOSTIC, None)
    builder = (
        verification.PolicyBuilder()
        .store(verification.Store(list(roots)))
        .time(now)
        .extension_policies(ca_policy=ca_policy, ee_policy=leaf_policy)
    )
    try:
        builder.build_server_verifier(_subject(host)).verify(chain[0], list(chain[1:]))
    except (verification.VerificationError, ValueError) as error:
        return (f"path validation fails: {error}",)
    return ()


def _subject(host: str) -> x509.DNSName | x509.IPAddress:
    address = names.parse_address(host)
    return x509.IPAddress(address) if address else x509.DNSName(host.lower().removesuffix("."))
