"""IP addresses and prefixes as net/netip parses and formats them."""

import re
from ipaddress import IPv6Address
from string import hexdigits

from msgspec import Struct
from msgspec.structs import replace

from podgraft.golang.strconv.atoi import NumError, parse_int
from podgraft.golang.strconv.quote import quote

IPV4_BITS, IPV6_BITS = 32, 128
_LENGTH = re.compile(r"0|[1-9][0-9]*")
_GROUPS = 8
_GROUP_DIGITS = 4
_DOTS = 3
_LARGEST_OCTET = 255
_MAPPED = 0xFFFF  # the bits above an IPv4 address in an IPv4-mapped IPv6 address


class AddressError(ValueError):
    """The text is not an IP address; the message is netip's."""


class PrefixError(ValueError):
    """The text is not ``address/length``; the message is netip's."""


class Addr(Struct, frozen=True):
    """An address: its value, the bits of its family (32 or 128), and the zone of IPv6."""

    value: int
    bits: int
    zone: str = ""

    def __str__(self) -> str:
        if self.is_4:
            return ".".join(map(str, self.value.to_bytes(4)))
        zone = f"%{self.zone}" if self.zone else ""
        if self.is_4in6:
            return f"::ffff:{Addr(self.value & 0xFFFFFFFF, IPV4_BITS)}{zone}"
        return f"{IPv6Address(self.value)}{zone}"

    @property
    def is_4(self) -> bool:
        """Whether the address is an IPv4 address; false for IPv4-mapped ones."""
        return self.bits == IPV4_BITS

    @property
    def is_4in6(self) -> bool:
        """Whether the address is an IPv4-mapped IPv6 address."""
        return not self.is_4 and self.value >> IPV4_BITS == _MAPPED

    @property
    def is_unspecified(self) -> bool:
        """``0.0.0.0`` or ``::`` without a zone."""
        return not self.value and not self.zone

    @property
    def is_loopback(self) -> bool:
        """``127.0.0.0/8`` or ``::1``."""
        address = self.unmap()
        return address.starts_with(127, 8) if address.is_4 else address.value == 1

    @property
    def is_multicast(self) -> bool:
        """``224.0.0.0/4`` or ``ff00::/8``."""
        address = self.unmap()
        return address.starts_with(0xE, 4) if address.is_4 else address.starts_with(0xFF, 8)

    @property
    def is_link_local_unicast(self) -> bool:
        """``169.254.0.0/16`` or ``fe80::/10``."""
        address = self.unmap()
        if address.is_4:
            return address.starts_with(0xA9FE, 16)
        return address.starts_with(0xFE80 >> 6, 10)

    @property
    def is_link_local_multicast(self) -> bool:
        """``224.0.0.0/24``, or ``ff02::/16`` with any flags."""
        address = self.unmap()
        if address.is_4:
            return address.starts_with(0xE00000, 24)
        return address.value >> 112 & 0xFF0F == 0xFF02  # noqa: PLR2004 - RFC 4291 §2.7

    @property
    def is_global_unicast(self) -> bool:
        """Any other address, including private ones, except the broadcast address."""
        address = self.unmap()
        is_broadcast = address.is_4 and address.value == 0xFFFFFFFF  # noqa: PLR2004
        return not (
            is_broadcast
            or address.is_unspecified
            or address.is_loopback
            or address.is_multicast
            or address.is_link_local_unicast
        )

    def starts_with(self, head: int, length: int) -> bool:
        """Whether the first *length* bits are *head*."""
        return self.value >> self.bits - length == head

    def unmap(self) -> "Addr":
        """The IPv4 address of an IPv4-mapped one; any other address as it is."""
        return Addr(self.value & 0xFFFFFFFF, IPV4_BITS) if self.is_4in6 else self


class Prefix(Struct, frozen=True):
    """An address, including the bits after the prefix, and the length of the prefix."""

    addr: Addr
    length: int

    def __str__(self) -> str:
        return f"{self.addr}/{self.length}"

    def contains(self, addr: Addr) -> bool:
        """Whether the address starts with the prefix; one with a zone never does."""
        shift = self.addr.bits - self.length
        is_comparable = addr.bits == self.addr.bits and not addr.zone
        return is_comparable and addr.value >> shift == self.addr.value >> shift

    def masked(self) -> "Prefix":
        """The prefix with the bits after it cleared."""
        shift = self.addr.bits - self.length
        return replace(self, addr=replace(self.addr, value=self.addr.value >> shift << shift))


def parse_addr(text: str) -> Addr:
    """netip.ParseAddr; raises ``AddressError``.

    >>> str(parse_addr("2001:DB8:0::1")), str(parse_addr("::ffff:10.0.0.1"))
    ('2001:db8::1', '::ffff:10.0.0.1')
    """
    match next((char for char in text if char in ".:%"), ""):
        case ":":
            return _IPv6Parser(text).parse()
        case ".":
            return Addr(_parse_ipv4(text, text), IPV4_BITS)
        case "%":
            raise AddressError(_error_text(text, "missing IPv6 address"))
        case _:
            raise AddressError(_error_text(text, "unable to parse IP"))


def parse_prefix(text: str) -> Prefix:
    """netip.ParsePrefix; raises ``PrefixError``."""
    try:
        return _parse_prefix(text)
    except (AddressError, PrefixError) as error:
        raise PrefixError(f"netip.ParsePrefix({quote(text)}): {error}") from error


def _parse_prefix(text: str) -> Prefix:
    head, slash, digits = text.rpartition("/")
    if not slash:
        raise PrefixError("no '/'")
    addr = parse_addr(head)
    if addr.zone:
        raise PrefixError("IPv6 zones cannot be present in a prefix")
    length = _parse_length(digits)
    if length > addr.bits:
        raise PrefixError("prefix length out of range")
    return Prefix(addr, length)


def _parse_length(digits: str) -> int:
    try:
        if _LENGTH.fullmatch(digits):  # strconv.Atoi accepts a sign and leading zeros
            return parse_int(digits)
    except NumError:
        pass
    raise PrefixError(f"bad bits after slash: {quote(digits)}")


def _error_text(text: str, reason: str, rest: str = "") -> str:
    position = f" (at {quote(rest)})" if rest else ""
    return f"ParseAddr({quote(text)}): {reason}{position}"


def _parse_ipv4(text: str, whole: str) -> int:
    """The value of a dotted address, which is the end of *whole*."""
    dots = digits = octet = value = 0
    for index, char in enumerate(text):
        if char == ".":
            if not digits or index == len(text) - 1:
                reason = "IPv4 field must have at least one digit"
                raise AddressError(_error_text(whole, reason, text[index:]))
            if dots == _DOTS:
                raise AddressError(_error_text(whole, "IPv4 address too long"))
            value = value << 8 | octet
            dots, digits, octet = dots + 1, 0, 0
            continue
        if char not in "0123456789":
            raise AddressError(_error_text(whole, "unexpected character", text[index:]))
        if digits == 1 and octet == 0:
            raise AddressError(_error_text(whole, "IPv4 field has octet with leading zero"))
        digits, octet = digits + 1, octet * 10 + int(char)
        if octet > _LARGEST_OCTET:
            raise AddressError(_error_text(whole, "IPv4 field has value >255"))
    if dots < _DOTS:
        raise AddressError(_error_text(whole, "IPv4 address too short"))
    return value << 8 | octet


class _IPv6Parser:
    """A parser that reads an IPv6 address group by group."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._rest, percent, self._zone = text.partition("%")
        if percent and not self._zone:
            self._fail("zone must be a non-empty string")
        self._bare = self._rest
        self._count = 0  # of the groups so far
        self._has_ellipsis = False

    def parse(self) -> Addr:
        """Return the address; raises ``AddressError`` for the first error."""
        if self._rest.startswith("::"):
            self._has_ellipsis = True
            self._rest = self._rest[2:]
        if self._rest or not self._has_ellipsis:
            while self._count < _GROUPS and self._parse_group():
                pass
        if self._rest:
            self._fail("trailing garbage after address", at_rest=True)
        if self._count < _GROUPS and not self._has_ellipsis:
            self._fail("address string too short")
        if self._count == _GROUPS and self._has_ellipsis:
            self._fail("the :: must expand to at least one field of zeros")
        return Addr(int(IPv6Address(self._bare)), IPV6_BITS, self._zone)

    def _parse_group(self) -> bool:
        """Read a group and its colon. Return whether the address continues."""
        size = len(self._rest) - len(self._rest.lstrip(hexdigits))
        if size > _GROUP_DIGITS:
            self._fail("each group must have 4 or less digits", at_rest=True)
        if size == 0:
            reason = "each colon-separated field must have at least one digit"
            self._fail(reason, at_rest=True)
        if self._rest[size : size + 1] == ".":
            self._parse_dotted_quad()
            return False
        self._count += 1
        self._rest = self._rest[size:]
        return bool(self._rest) and self._parse_colon()

    def _parse_dotted_quad(self) -> None:
        if not self._has_ellipsis and self._count != _GROUPS - 2:
            reason = "embedded IPv4 address must replace the final 2 fields of the address"
            self._fail(reason, at_rest=True)
        if self._count > _GROUPS - 2:
            reason = "too many hex fields to fit an embedded IPv4 at the end of the address"
            self._fail(reason, at_rest=True)
        _parse_ipv4(self._rest, self._text)
        self._count += 2
        self._rest = ""

    def _parse_colon(self) -> bool:
        if self._rest[0] != ":":
            self._fail("unexpected character, want colon", at_rest=True)
        if self._rest == ":":
            self._fail("colon must be followed by more characters", at_rest=True)
        self._rest = self._rest[1:]
        if self._rest[0] == ":":
            if self._has_ellipsis:
                self._fail("multiple :: in address", at_rest=True)
            self._has_ellipsis = True
            self._rest = self._rest[1:]
        return bool(self._rest)

    def _fail(self, reason: str, *, at_rest: bool = False) -> None:
        raise AddressError(_error_text(self._text, reason, self._rest if at_rest else ""))
