"""Hosts, ports, and prefixes as Go's package net parses them."""

from .netip import Addr, AddressError, Prefix, parse_addr

_LENGTH_DIGITS = len("128")


class CIDRError(ValueError):
    """The text is not a prefix; the message is net's."""


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
    """Whether net.ParseIP accepts the text: an address without a zone.

    >>> is_ip("10.0.0.1"), is_ip("::ffff:1.2.3.4"), is_ip("010.0.0.1"), is_ip("fe80::1%eth0")
    (True, True, False, False)
    """
    return _parse_ip(text) is not None


def parse_cidr(text: str) -> Prefix:
    """net.ParseCIDR, which accepts leading zeros in the length; raises ``CIDRError``."""
    address, slash, length = text.rpartition("/") if text.count("/") == 1 else ("", "", "")
    addr = _parse_ip(address) if slash else None
    bare = length.lstrip("0")
    is_number = length.isascii() and length.isdigit() and len(bare) <= _LENGTH_DIGITS
    if addr is None or not is_number or int(bare or 0) > addr.bits:
        raise CIDRError(f"invalid CIDR address: {text}")
    return Prefix(addr, int(bare or 0))


def _parse_ip(text: str) -> Addr | None:
    try:
        addr = parse_addr(text)
    except AddressError:
        return None
    return None if addr.zone else addr
