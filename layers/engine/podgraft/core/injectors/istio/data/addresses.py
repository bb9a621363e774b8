"""IP addresses and prefixes, as Go's net and net/netip parse them."""

from __future__ import annotations

import re

_BITS = re.compile(r"0|[1-9][0-9]{0,2}")
_BITS_OF_NET = re.compile(r"[0-9]+")  # net.ParseCIDR accepts leading zeros


class PrefixError(ValueError):
    """The text is not ``address/bits``; the message is Go's."""


def split_host_port(text: str) -> tuple[str, str, str | None]:
    """Split an address as net.SplitHostPort does; return host, port, and problem or None.

    >>> split_host_port("[::1]:80"), split_host_port("::1:80")[2]
    (('::1', '80', None), 'too many colons in address')
    """
    host, colon, port = text.rpartition(":")
    if not colon:
        return "", "", "missing port in address"
    if text.startswith("["):
        end = text.find("]")
        if end < 0:
            return "", "", "missing ']' in address"
        if end + 1 != len(host):
            is_missing = end + 1 == len(text) or text[end + 1] != ":"
            return "", "", f"{'missing port' if is_missing else 'too many colons'} in address"
        inside, after = text[1:end], text[end + 1 :]
        if "[" in inside:
            return "", "", "unexpected '[' in address"
        return (inside, port, None) if "]" not in after else ("", "", "unexpected ']' in address")
    if ":" in host:
        return "", "", "too many colons in address"
    for bracket in "[]":
        if bracket in text:
            return "", "", f"unexpected '{bracket}' in address"
    return host, port, None


def is_ip(text: str) -> bool:
    """Whether the text is an IPv4 or IPv6 address without a zone.

    >>> is_ip("10.0.0.1"), is_ip("::ffff:1.2.3.4"), is_ip("010.0.0.1"), is_ip("fe80::1%eth0")
    (True, True, False, False)
    """
    return _address_bits(text) is not None


def check_prefix(text: str, *, netip: bool) -> None:
    """Raise ``PrefixError`` unless the text is a prefix; host bits can be set.

    ``netip`` is the parser of Istio 1.16 and later, which rejects leading zeros in the bits.
    """
    address, slash, bits = text.rpartition("/")
    width = _address_bits(address) if slash else None
    pattern = _BITS if netip else _BITS_OF_NET
    if width is None or not pattern.fullmatch(bits) or int(bits) > width:
        raise PrefixError(
            _prefix_error_text(text, slash, width) if netip else f"invalid CIDR address: {text}"
        )


def _prefix_error_text(text: str, slash: str, width: int | None) -> str:
    """The error text of net/netip."""
    if not slash:
        return f"netip.ParsePrefix(\"{text}\"): no '/'"
    if width is None:
        return f'netip.ParsePrefix("{text}"): unable to parse IP'
    return f'netip.ParsePrefix("{text}"): prefix length out of range'


def _address_bits(address: str) -> int | None:
    """The number of bits of the address's family, or None for an invalid address."""
    import ipaddress  # slow to import, and most pods do not need it

    if "%" in address:
        return None
    try:
        return ipaddress.ip_address(address).max_prefixlen
    except ValueError:
        return None
