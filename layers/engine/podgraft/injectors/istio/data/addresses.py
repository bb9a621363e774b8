"""IP addresses and prefixes as Go's net and net/netip read them."""

from __future__ import annotations

from podgraft.lazy_re import lazy_compile

_BITS = lazy_compile(r"0|[1-9][0-9]{0,2}")
_BITS_OF_NET = lazy_compile(r"[0-9]+")  # net.ParseCIDR lets leading zeros pass


class PrefixError(ValueError):
    """The text is no ``address/bits``; the message is Go's."""


def split_host_port(text: str) -> tuple[str, str, str | None]:
    """net.SplitHostPort: the host, the port, and the problem if there is one.

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
            missing = end + 1 == len(text) or text[end + 1] != ":"
            return "", "", f"{'missing port' if missing else 'too many colons'} in address"
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
    """Raise ``PrefixError`` unless the text is a prefix; host bits may be set.

    ``netip`` is the parser of Istio 1.16 and later, which refuses leading zeros in the bits.
    """
    address, slash, bits = text.rpartition("/")
    width = _address_bits(address) if slash else None
    pattern = _BITS if netip else _BITS_OF_NET
    if width is None or not pattern.fullmatch(bits) or int(bits) > width:
        raise PrefixError(
            _prefix_error_text(text, slash, width) if netip else f"invalid CIDR address: {text}"
        )


def _prefix_error_text(text: str, slash: str, width: int | None) -> str:
    """net/netip's words."""
    if not slash:
        return f"netip.ParsePrefix(\"{text}\"): no '/'"
    if width is None:
        return f'netip.ParsePrefix("{text}"): unable to parse IP'
    return f'netip.ParsePrefix("{text}"): prefix length out of range'


def _address_bits(address: str) -> int | None:
    """The bits of the address's family."""
    import ipaddress  # costs more than the rest of a cold start's path, and most pods need none

    if "%" in address:
        return None
    try:
        return ipaddress.ip_address(address).max_prefixlen
    except ValueError:
        return None
