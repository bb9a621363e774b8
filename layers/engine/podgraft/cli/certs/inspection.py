"""The inspection of a certificate file, for people and for monitoring."""

from collections.abc import Iterator
from datetime import datetime
from enum import IntEnum

from cryptography import x509
from msgspec import Struct

from podgraft.cli.certs import keys, names, trust
from podgraft.cli.certs.issuance import CertificatePurpose, certificate_purpose, is_ca
from podgraft.cli.certs.keys import PrivateKey
from podgraft.cli.certs.trust import Certificates
from podgraft.cli.endpoint_check.certificates import count_days
from podgraft.cli.wording import format_count


class ExitStatus(IntEnum):
    """The exit status, as for monitoring plugins: OK, warning, critical, unknown."""

    FINE = 0
    ACT_SOON = 1
    BROKEN = 2
    UNREADABLE = 3


class InspectionRequest(Struct, frozen=True, kw_only=True):
    """What to inspect, and against what; everything but the chain may be unknown."""

    chain: Certificates
    key: PrivateKey | None = None
    roots: Certificates = ()
    hosts: tuple[str, ...] = ()
    now: datetime
    warn_days: int


class InspectionReport(Struct, frozen=True):
    """The findings about one file."""

    lines: tuple[str, ...]
    errors: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def status(self) -> ExitStatus:
        """The exit status of the findings."""
        if self.errors:
            return ExitStatus.BROKEN
        return ExitStatus.ACT_SOON if self.warnings else ExitStatus.FINE


def inspect_chain(question: InspectionRequest) -> InspectionReport:
    """Inspect a certificate chain, and its key, CA, and hosts if they are set."""
    faults = dict.fromkeys((*_certificate_errors(question), *_trust_errors(question)))
    return InspectionReport(
        tuple(_summary_lines(question)), tuple(faults), tuple(_expiry_warnings(question))
    )


def _summary_lines(question: InspectionRequest) -> Iterator[str]:
    leaf, now = question.chain[0], question.now
    yield f"subject    {trust.describe_subject(leaf)}"
    yield f"purpose    {_describe_purpose(leaf)}"
    yield f"names      {names.names_of(leaf)}"
    yield f"issuer     {leaf.issuer.rfc4514_string()}"
    yield f"serial     {leaf.serial_number:x}"
    yield f"valid      {leaf.not_valid_before_utc:%Y-%m-%d} to {leaf.not_valid_after_utc:%Y-%m-%d}"
    yield f"days left  {count_days(leaf, now)}"
    yield f"file       {_describe_layout(question.chain)}"
    if question.key is not None:
        matches = keys.is_key_pair(question.key, leaf)
        yield f"key        {'belongs to the certificate' if matches else 'of another certificate'}"


def _describe_layout(chain: Certificates) -> str:
    """The certificates of the file: a chain, each signed by the next, or a bundle of CAs."""
    link = " and " if is_ca(chain[0]) else " <- "
    return link.join(map(trust.describe_subject, chain))


def _describe_purpose(leaf: x509.Certificate) -> str:
    if is_ca(leaf):
        return "CA"
    return certificate_purpose(leaf).name.lower()


def _certificate_errors(question: InspectionRequest) -> Iterator[str]:
    if not is_ca(question.chain[0]):  # CAs in one file are a bundle, and no chain
        yield from trust.order_problems(question.chain)
    if question.key is not None and not keys.is_key_pair(question.key, question.chain[0]):
        yield "the key is of another certificate"


def _trust_errors(question: InspectionRequest) -> Iterator[str]:
    chain, roots, now = question.chain, question.roots, question.now
    leaf = chain[0]
    if is_ca(leaf):
        for authority in chain:
            yield from trust.time_problems(authority, now)
        return
    if certificate_purpose(leaf) is CertificatePurpose.CLIENT:
        yield from trust.time_problems(leaf, now)
        yield from trust.path_problems(chain, roots, now) if roots else ()
        return
    for host in question.hosts or (_first_host(leaf),):
        if roots:
            yield from trust.find_trust_problems(chain, roots, host, now)
        else:
            yield from trust.leaf_problems(leaf, host, now)


def _first_host(leaf: x509.Certificate) -> str:
    """Return a host of the certificate, if the operator names none."""
    carried = names.names_of(leaf)
    hosts = (*carried.dns, *map(str, carried.addresses))
    return hosts[0].replace("*", "any", 1) if hosts else ""


def _expiry_warnings(question: InspectionRequest) -> Iterator[str]:
    for certificate in dict.fromkeys((*question.chain, *question.roots)):
        left = count_days(certificate, question.now)
        if 0 <= left < question.warn_days:
            subject = trust.describe_subject(certificate)
            yield f"{subject} expires in {format_count(left, 'day')}; renew it"
