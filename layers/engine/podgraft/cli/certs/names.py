"""The names of a certificate: subjectAltNames, matched as in kube-apiserver.

kube-apiserver uses Go's crypto/x509: the common name is ignored, an IP address must be an address
in the certificate, and ``*`` matches exactly the complete first label
(``Certificate.VerifyHostname``). A name that Go never matches is rejected.
"""

import re
from collections.abc import Callable, Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TypeAlias

from cryptography import x509
from msgspec import Struct

from podgraft.cli.failure import raise_findings

Address: TypeAlias = IPv4Address | IPv6Address

MAX_NAME_LENGTH = 253  # RFC 1035 §3.1 less the length octet of the root
MAX_LABEL_LENGTH = 63  # RFC 1035 §2.3.4

# RFC 952 has no underscores, but Go matches them, and some internal names have them.
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?")


class SubjectAltNames(Struct, frozen=True):
    """The DNS names and IP addresses of one certificate, in the order they were given."""

    dns: tuple[str, ...] = ()
    addresses: tuple[Address, ...] = ()

    def __str__(self) -> str:
        return ", ".join((*self.dns, *map(str, self.addresses))) or "no names"

    def matches_host(self, host: str) -> bool:
        """Whether Go takes a certificate with these names for *host*."""
        address = parse_address(host)
        if address is not None:
            return _unmap_ipv4(address) in map(_unmap_ipv4, self.addresses)
        host_name = host.lower().removesuffix(".")
        return any(_matches(pattern.lower(), host_name) for pattern in self.dns)

    def extension(self) -> x509.SubjectAlternativeName:
        """The names as a certificate holds them."""
        return x509.SubjectAlternativeName(
            [*map(x509.DNSName, self.dns), *map(x509.IPAddress, self.addresses)]
        )


def parse_names(texts: Iterable[str]) -> SubjectAltNames:
    """Separate names and addresses; raises ``CommandError`` with all errors."""
    dns: dict[str, None] = {}
    addresses: dict[Address, None] = {}
    faults: list[str] = []
    for text in texts:
        address = parse_address(text)
        name = text.lower()
        broken = (words for is_invalid, words in _NAME_RULES if is_invalid(name))
        fault = _address_problem(text, address) if address else next(broken, None)
        if fault:
            faults.append(f"{text!r}: {fault}")
        elif address:
            addresses[address] = None
        else:
            dns[name] = None
    if not faults and not dns and not addresses:
        faults.append("no name given: kube-apiserver needs at least one DNS name or IP address")
    raise_findings(faults)
    return SubjectAltNames(tuple(dns), tuple(addresses))


def names_of(certificate: x509.Certificate) -> SubjectAltNames:
    """The names that *certificate* carries; none where it has no subjectAltName."""
    try:
        extension = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    except x509.ExtensionNotFound:
        return SubjectAltNames()
    alternatives = extension.value
    hosts = alternatives.get_values_for_type(x509.IPAddress)
    return SubjectAltNames(
        tuple(alternatives.get_values_for_type(x509.DNSName)),
        tuple(host for host in hosts if isinstance(host, IPv4Address | IPv6Address)),
    )


def parse_address(text: str) -> Address | None:
    """Return the IP address of a host, which a URL writes in brackets; ``None`` for a name."""
    try:
        return ip_address(text.removeprefix("[").removesuffix("]"))
    except ValueError:
        return None


def _unmap_ipv4(address: Address) -> Address:
    """Go compares ``::ffff:10.0.0.1`` and ``10.0.0.1`` as equal (net.IP.Equal)."""
    return (isinstance(address, IPv6Address) and address.ipv4_mapped) or address


def _matches(pattern: str, host: str) -> bool:
    first, *rest = pattern.split(".")
    host_first, *host_rest = host.split(".")
    if first == "*":
        return bool(rest) and bool(host_first) and rest == host_rest
    return bool(host) and pattern == host


def _address_problem(text: str, address: Address) -> str | None:
    if isinstance(address, IPv6Address) and address.scope_id:
        return "a certificate cannot contain a zone (%)"
    if _unmap_ipv4(address) != address:
        return f"write {_unmap_ipv4(address)}: OpenSSL does not match the mapped form"
    if address.is_unspecified:
        return f"{text} is where a server listens, not where it is reached"
    return None


def _is_invalid_label(label: str) -> bool:
    return len(label) > MAX_LABEL_LENGTH or not _LABEL.fullmatch(label)


# The first rule that a name breaks is reported; frequent errors are first.
_NAME_RULES: tuple[tuple[Callable[[str], bool], str], ...] = (
    (lambda name: not name, "is empty"),
    (lambda name: "://" in name, "is a URL; give the host alone, without https:// and path"),
    (lambda name: "/" in name, "is no host name; a certificate takes no path and no address range"),
    (lambda name: ":" in name, "give the host alone; the port is no part of a certificate"),
    (
        lambda name: not name.isascii(),
        "write the name in its ASCII form (xn--…), as DNS and kube-apiserver do",
    ),
    (lambda name: name.endswith("."), "leave out the dot at the end: Go matches no such name"),
    (lambda name: len(name) > MAX_NAME_LENGTH, f"is longer than {MAX_NAME_LENGTH} characters"),
    (lambda name: name == "*", "Go matches no bare *; name the domain, as in *.example.com"),
    (
        lambda name: "*" in name.removeprefix("*."),
        "Go matches * only as the whole leftmost label, as in *.example.com",
    ),
    (
        lambda name: name.rsplit(".", 1)[-1].isdigit(),
        "ends like an IP address but is none; check its digits",
    ),
    (
        lambda name: any(map(_is_invalid_label, name.removeprefix("*.").split("."))),
        "every label is 1 to 63 letters, digits, - or _, and neither starts nor ends with -",
    ),
)
