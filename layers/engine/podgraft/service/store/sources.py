"""The addresses from which a cluster can call: CIDR ranges, and VPC endpoints and VPCs.

A CIDR range is for public fronts, whose requests have a public source address. ``vpce-…`` and
``vpc-…`` are for the private front, which proves the endpoint and the VPC of each request. Private
addresses repeat across VPCs, so a range never admits a request of the private front.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

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
    import ipaddress  # only a cluster with sources needs it

    network = _parse_range(source)
    if network is None:
        return False
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    mapped = getattr(parsed, "ipv4_mapped", None)
    return (mapped or parsed) in network


@lru_cache(maxsize=1024)
def _parse_range(text: str):  # noqa: ANN202  ipaddress is imported when it is needed
    import ipaddress

    try:
        return ipaddress.ip_network(text) if "/" in text else None
    except ValueError:
        return None
