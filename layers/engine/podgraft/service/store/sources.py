"""The addresses from which a cluster can call: CIDR ranges, and VPC endpoints and VPCs.

A CIDR range is for public fronts, whose requests have a public source address. ``vpce-…`` and
``vpc-…`` are for the private front, which proves the endpoint and the VPC of each request. Private
addresses repeat across VPCs, so a range never admits a request of the private front.
"""

import re
from collections.abc import Iterable

from podgraft.golang.netip import AddressError, Prefix, PrefixError, parse_addr, parse_prefix

_ENDPOINT = re.compile(r"vpce?-[0-9a-f]{8,17}")

REMEDY = "use a range such as 198.51.100.0/24, or vpce-… or vpc-… for a private front"


def is_source(text: str) -> bool:
    """Whether a text is a CIDR range, a VPC endpoint, or a VPC."""
    return bool(_ENDPOINT.fullmatch(text)) or _parse_range(text) is not None


def admits(sources: Iterable[str], address: str, endpoints: Iterable[str]) -> bool:
    """Whether a request is from one of the sources.

    *endpoints* are the endpoint and the VPC of the request; empty for a public front.
    """
    proven = {each for each in endpoints if each}
    if proven:
        return not proven.isdisjoint(sources)
    return any(_contains(each, address) for each in sources)


def _contains(source: str, address: str) -> bool:
    prefix = _parse_range(source)
    try:
        return prefix is not None and prefix.contains(parse_addr(address).unmap())
    except AddressError:
        return False


def _parse_range(text: str) -> Prefix | None:
    """Return the range; None if the text is no range, or has bits after its prefix."""
    try:
        prefix = parse_prefix(text)
    except PrefixError:
        return None
    return prefix if prefix.masked() == prefix else None
