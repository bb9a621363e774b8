"""The inspection of a certificate file, for people and for monitoring."""

from collections.abc import Iterator
from datetime import datetime
from enum import IntEnum
from functools import cached_property

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


class Inspection(Struct, frozen=True, kw_only=True, dict=True):
    """The inspection of a certificate chain, and of its key, CA, and hosts if they are known."""

    chain: Certificates
    key: PrivateKey | None = None
    roots: Certificates = ()
    hosts: tuple[str, ...] = ()
    now: datetime
    warn_days: int

    def describe(self) -> Iterator[str]:
        """Yield the lines of the summary."""
        leaf = self.chain[0]
        first, last = leaf.not_valid_before_utc, leaf.not_valid_after_utc
        yield f"subject    {trust.describe_subject(leaf)}"
        yield f"purpose    {_describe_purpose(leaf)}"
        yield f"names      {names.names_of(leaf)}"
        yield f"issuer     {leaf.issuer.rfc4514_string()}"
        yield f"serial     {leaf.serial_number:x}"
        yield f"valid      {first:%Y-%m-%d} to {last:%Y-%m-%d}"
        yield f"days left  {count_days(leaf, self.now)}"
        yield f"file       {_describe_layout(self.chain)}"
        if self.key is not None:
            matches = keys.is_key_pair(self.key, leaf)
            owner = "belongs to the certificate" if matches else "of another certificate"
            yield f"key        {owner}"

    @cached_property
    def errors(self) -> tuple[str, ...]:
        """What is wrong; raises ``CommandError`` for an invalid host."""
        return tuple(dict.fromkeys((*_certificate_errors(self), *_trust_errors(self))))

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """Which certificates expire soon."""
        certificates = dict.fromkeys((*self.chain, *self.roots))
        ends = [(each, count_days(each, self.now)) for each in certificates]
        return tuple(
            f"{trust.describe_subject(each)} expires in {format_count(left, 'day')}; renew it"
            for each, left in ends
            if 0 <= left < self.warn_days
        )

    @property
    def status(self) -> ExitStatus:
        """The exit status of the findings."""
        if self.errors:
            return ExitStatus.BROKEN
        return ExitStatus.ACT_SOON if self.warnings else ExitStatus.FINE


def _describe_layout(chain: Certificates) -> str:
    """The certificates of the file: a chain, each signed by the next, or a bundle of CAs."""
    link = " and " if is_ca(chain[0]) else " <- "
    return link.join(map(trust.describe_subject, chain))


def _describe_purpose(leaf: x509.Certificate) -> str:
    if is_ca(leaf):
        return "CA"
    return certificate_purpose(leaf).name.lower()


def _certificate_errors(inspected: Inspection) -> Iterator[str]:
    if not is_ca(inspected.chain[0]):  # CAs in one file are a bundle, and no chain
        yield from trust.order_problems(inspected.chain)
    if inspected.key is not None and not keys.is_key_pair(inspected.key, inspected.chain[0]):
        yield "the key is of another certificate"


def _trust_errors(inspected: Inspection) -> Iterator[str]:
    chain, roots, now = inspected.chain, inspected.roots, inspected.now
    leaf = chain[0]
    if is_ca(leaf):
        for authority in chain:
            yield from trust.time_problems(authority, now)
        return
    if certificate_purpose(leaf) is CertificatePurpose.CLIENT:
        yield from trust.time_problems(leaf, now)
        yield from trust.path_problems(chain, roots, now) if roots else ()
        return
    for host in inspected.hosts or (_first_host(leaf),):
        if roots:
            yield from trust.find_trust_problems(chain, roots, host, now)
        else:
            yield from trust.leaf_problems(leaf, host, now)


def _first_host(leaf: x509.Certificate) -> str:
    """Return a host of the certificate, if the operator names none."""
    carried = names.names_of(leaf)
    hosts = (*carried.dns, *map(str, carried.addresses))
    return hosts[0].replace("*", "any", 1) if hosts else ""
