"""What a certificate file says, and what is wrong with it: for people and for monitoring."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum

from cryptography import x509

from certificates import keys, names, trust
from certificates.issuing import Kind, is_authority, kind
from certificates.keys import PrivateKey
from certificates.trust import Certificates


class Status(IntEnum):
    """The exit status, as monitoring plugins count: fine, act soon, act now, cannot tell."""

    FINE = 0
    ACT_SOON = 1
    BROKEN = 2
    UNREADABLE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What to inspect, and against what; everything but the chain may be unknown."""

    chain: Certificates
    key: PrivateKey | None = None
    roots: Certificates = ()
    hosts: tuple[str, ...] = ()
    now: datetime
    warn_days: int


@dataclass(frozen=True, slots=True)
class Report:
    """The findings about one file."""

    lines: tuple[str, ...]
    faults: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def status(self) -> Status:
        """What the findings come to."""
        if self.faults:
            return Status.BROKEN
        return Status.ACT_SOON if self.warnings else Status.FINE


def inspect(question: Question) -> Report:
    """Judge a certificate chain, with its key, its CA and its hosts where they are given."""
    faults = dict.fromkeys((*_own_faults(question), *_trust_faults(question)))
    return Report(tuple(_lines(question)), tuple(faults), tuple(_warnings(question)))


def days_left(certificate: x509.Certificate, now: datetime) -> int:
    """Whole days until *certificate* expires; negative once it has."""
    return (certificate.not_valid_after_utc - now).days


def _lines(question: Question) -> Iterator[str]:
    leaf, now = question.chain[0], question.now
    yield f"subject    {trust.subject(leaf)}"
    yield f"purpose    {_purpose(leaf)}"
    yield f"names      {names.of(leaf)}"
    yield f"issuer     {leaf.issuer.rfc4514_string()}"
    yield f"serial     {leaf.serial_number:x}"
    yield f"valid      {leaf.not_valid_before_utc:%Y-%m-%d} to {leaf.not_valid_after_utc:%Y-%m-%d}"
    yield f"days left  {days_left(leaf, now)}"
    yield f"file       {_layout(question.chain)}"
    if question.key is not None:
        matches = keys.belong_together(question.key, leaf)
        yield f"key        {'belongs to the certificate' if matches else 'of another certificate'}"


def _layout(chain: Certificates) -> str:
    """The certificates of the file: a chain, each signed by the next, or a bundle of CAs."""
    link = " and " if is_authority(chain[0]) else " <- "
    return link.join(map(trust.subject, chain))


def _purpose(leaf: x509.Certificate) -> str:
    if is_authority(leaf):
        return "CA"
    return kind(leaf).name.lower()


def _own_faults(question: Question) -> Iterator[str]:
    if not is_authority(question.chain[0]):  # CAs in one file are a bundle, and no chain
        yield from trust.order_faults(question.chain)
    if question.key is not None and not keys.belong_together(question.key, question.chain[0]):
        yield "the key is of another certificate"


def _trust_faults(question: Question) -> Iterator[str]:
    chain, roots, now = question.chain, question.roots, question.now
    leaf = chain[0]
    if is_authority(leaf):
        for authority in chain:
            yield from trust.time_faults(authority, now)
        return
    if kind(leaf) is Kind.CLIENT:
        yield from trust.time_faults(leaf, now)
        yield from trust.path_faults(chain, roots, now) if roots else ()
        return
    for host in question.hosts or (_own_host(leaf),):
        if roots:
            yield from trust.faults(chain, roots, host, now)
        else:
            yield from trust.leaf_faults(leaf, host, now)


def _own_host(leaf: x509.Certificate) -> str:
    """A host that the certificate speaks for, where the operator names none."""
    carried = names.of(leaf)
    hosts = (*carried.dns, *map(str, carried.addresses))
    return hosts[0].replace("*", "any", 1) if hosts else ""


def _warnings(question: Question) -> Iterator[str]:
    for certificate in dict.fromkeys((*question.chain, *question.roots)):
        left = days_left(certificate, question.now)
        if 0 <= left < question.warn_days:
            yield f"{trust.subject(certificate)} expires in {left} days; renew it"
