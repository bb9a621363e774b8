"""``ip("10.0.0.1")`` and ``cidr("10.0.0.0/8")`` (Kubernetes library/ip.go, cidr.go; Go's netip).

The standard library's ``ipaddress`` reads addresses as netip does; it is loaded when the first one
is met.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from podgraft.kube.cel.cost import copy_cost, traversal_cost
from podgraft.kube.cel.errors import EvaluationError
from podgraft.kube.cel.overloads import function, member

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv6Address

_Address: TypeAlias = "IPv4Address | IPv6Address"

_BITS = {4: 32, 6: 128}
_LENGTH = re.compile(r"0|[1-9][0-9]{0,2}", re.ASCII)


@dataclass(frozen=True, slots=True)
class IP:
    """An address of either family."""

    CEL_NAME: ClassVar = "net.IP"

    address: _Address

    def __str__(self) -> str:
        return str(self.address)


@dataclass(frozen=True, slots=True)
class CIDR:
    """An address and the length of its prefix, including the bits after the prefix."""

    CEL_NAME: ClassVar = "net.CIDR"

    address: _Address
    length: int

    def __str__(self) -> str:
        return f"{self.address}/{self.length}"

    def contains_address(self, address: _Address) -> bool:
        """Whether the address begins with the prefix."""
        if address.version != self.address.version:
            return False
        shift = _BITS[address.version] - self.length
        return int(address) >> shift == int(self.address) >> shift

    def masked(self) -> CIDR:
        """The same with the bits after the prefix cleared."""
        from ipaddress import ip_address

        shift = _BITS[self.address.version] - self.length
        cleared = int(self.address) >> shift << shift
        return CIDR(ip_address(cleared.to_bytes(len(self.address.packed))), self.length)


def _address(text: str) -> _Address:
    from ipaddress import IPv6Address, ip_address

    try:
        address = ip_address(text)
    except ValueError as error:
        raise EvaluationError(
            f'IP Address "{text}" parse error during conversion from string: '
            f'ParseAddr("{text}"): unable to parse IP'
        ) from error
    if isinstance(address, IPv6Address):
        if address.scope_id is not None:
            raise EvaluationError(f'IP address "{text}" with zone value is not allowed')
        if address.ipv4_mapped is not None:
            raise EvaluationError(f'IPv4-mapped IPv6 address "{text}" is not allowed')
    return address


def _cidr(text: str) -> CIDR:
    head, _, tail = text.rpartition("/")
    try:
        address = _address(head)
        if not _LENGTH.fullmatch(tail) or int(tail) > _BITS[address.version]:
            raise EvaluationError(f'netip.ParsePrefix("{text}"): bad bits after slash')  # noqa: TRY301 - one place words it
    except EvaluationError as error:
        raise EvaluationError(
            f"network address parse error during conversion from string: {error}"
        ) from error
    return CIDR(address, int(tail))


def _ip(text: str) -> IP:
    return IP(_address(text))


def _prefix_address(cidr: CIDR) -> IP:
    return IP(cidr.address)


def _is_ip(text: str) -> bool:
    try:
        _address(text)
    except EvaluationError:
        return False
    return True


def _is_cidr(text: str) -> bool:
    try:
        _cidr(text)
    except EvaluationError:
        return False
    return True


def _is_canonical(text: str) -> bool:
    return str(_address(text)) == text


def _contains_cidr(outer: CIDR, inner: CIDR) -> bool:
    return outer.length <= inner.length and outer.contains_address(inner.address)


def _is_link_local_multicast(ip: IP) -> bool:
    """224.0.0.0/24, or ff02::/16 with any flags."""
    packed = ip.address.packed
    if ip.address.version == 4:  # noqa: PLR2004 - the family
        return packed[:3] == b"\xe0\x00\x00"
    return packed[0] == 0xFF and packed[1] & 0x0F == 0x02  # noqa: PLR2004 - RFC 4291 §2.7


def _is_global_unicast(ip: IP) -> bool:
    """netip.Addr.IsGlobalUnicast: private addresses count, as they do in Go."""
    address = ip.address
    broadcast = address.packed == b"\xff\xff\xff\xff"
    return not (
        broadcast
        or address.is_unspecified
        or address.is_loopback
        or address.is_multicast
        or address.is_link_local
    )


_I, _C = IP.CEL_NAME, CIDR.CEL_NAME

NETWORK = (
    function("ip", f"string -> {_I}", _ip, traversal_cost),
    function("isIP", "string -> bool", _is_ip, traversal_cost),
    function("ip.isCanonical", "string -> bool", _is_canonical, copy_cost),
    function("string", f"{_I} -> string", str),
    member("family", f"{_I} -> int", attrgetter("address.version")),
    member("isUnspecified", f"{_I} -> bool", attrgetter("address.is_unspecified")),
    member("isLoopback", f"{_I} -> bool", attrgetter("address.is_loopback")),
    member("isLinkLocalMulticast", f"{_I} -> bool", _is_link_local_multicast),
    member("isLinkLocalUnicast", f"{_I} -> bool", attrgetter("address.is_link_local")),
    member("isGlobalUnicast", f"{_I} -> bool", _is_global_unicast),
    function("cidr", f"string -> {_C}", _cidr, traversal_cost),
    function("isCIDR", "string -> bool", _is_cidr, traversal_cost),
    function("string", f"{_C} -> string", str),
    member("containsIP", f"{_C} {_I} -> bool", lambda cidr, ip: cidr.contains_address(ip.address)),
    member(
        "containsIP",
        f"{_C} string -> bool",
        lambda cidr, text: cidr.contains_address(_address(text)),
    ),
    member("containsCIDR", f"{_C} {_C} -> bool", _contains_cidr),
    member(
        "containsCIDR",
        f"{_C} string -> bool",
        lambda outer, text: _contains_cidr(outer, _cidr(text)),
    ),
    member("ip", f"{_C} -> {_I}", _prefix_address),
    member("prefixLength", f"{_C} -> int", attrgetter("length")),
    member("masked", f"{_C} -> {_C}", CIDR.masked),
)
