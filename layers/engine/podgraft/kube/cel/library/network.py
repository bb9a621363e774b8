"""``ip("10.0.0.1")``, ``cidr("10.0.0.0/8")``, and ``url("https://example.com/a?b=c")``.

Sources: Kubernetes library/ip.go, cidr.go, urls.go; Go's netip and url.ParseRequestURI, so a URL
is absolute, or an absolute path.
"""

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import ClassVar

from podgraft.golang import netip, url
from podgraft.golang.strconv.quote import quote
from podgraft.golang.utf8 import to_runes
from podgraft.kube.cel.cost import contain_cidr_cost, contain_ip_cost, copy_cost, traversal_cost
from podgraft.kube.cel.errors import EvaluationError
from podgraft.kube.cel.overloads import function, make_test, member, reads_text


@dataclass(frozen=True, slots=True)
class IP:
    """An address of either family."""

    CEL_NAME: ClassVar = "net.IP"

    address: netip.Addr

    @property
    def cel_size(self) -> int:
        """The bytes of the address."""
        return 4 if self.address.is_4 else 16

    def __str__(self) -> str:
        return str(self.address)


@dataclass(frozen=True, slots=True)
class CIDR:
    """An address and the length of its prefix, including the bits after the prefix."""

    CEL_NAME: ClassVar = "net.CIDR"

    prefix: netip.Prefix

    @property
    def cel_size(self) -> int:
        """The bytes of the prefix."""
        return -(-self.prefix.length // 8)

    def __str__(self) -> str:
        return str(self.prefix)


def _address(text: str) -> netip.Addr:
    try:
        address = netip.parse_addr(text)
    except netip.AddressError as error:
        raise EvaluationError(
            f"IP Address {quote(text)} parse error during conversion from string: {error}"
        ) from error
    if address.zone:
        raise EvaluationError(f"IP address {quote(text)} with zone value is not allowed")
    if address.is_4in6:
        raise EvaluationError(f"IPv4-mapped IPv6 address {quote(text)} is not allowed")
    return address


def _cidr(text: str) -> CIDR:
    place = "network address parse error during conversion from string"
    try:
        prefix = netip.parse_prefix(text)
    except netip.PrefixError as error:
        raise EvaluationError(f"{place}: {place}: {error}") from error
    if prefix.addr.is_4in6:
        raise EvaluationError(f"{place}: IPv4-mapped IPv6 address {quote(text)} is not allowed")
    return CIDR(prefix)


def _contains_cidr(outer: CIDR, inner: CIDR) -> bool:
    first, second = outer.prefix, inner.prefix
    return first.length <= second.length and first.contains(second.addr)


_I, _C = IP.CEL_NAME, CIDR.CEL_NAME

NETWORK = (
    function("ip", f"string -> {_I}", lambda text: IP(_address(text)), traversal_cost),
    function("isIP", "string -> bool", make_test(_address), traversal_cost),
    function(
        "ip.isCanonical",
        "string -> bool",
        lambda text: str(_address(text)) == text,
        copy_cost,
    ),
    function("string", f"{_I} -> string", str),
    member("family", f"{_I} -> int", lambda ip: 4 if ip.address.is_4 else 6),
    member("isUnspecified", f"{_I} -> bool", attrgetter("address.is_unspecified")),
    member("isLoopback", f"{_I} -> bool", attrgetter("address.is_loopback")),
    member("isLinkLocalMulticast", f"{_I} -> bool", attrgetter("address.is_link_local_multicast")),
    member("isLinkLocalUnicast", f"{_I} -> bool", attrgetter("address.is_link_local_unicast")),
    member("isGlobalUnicast", f"{_I} -> bool", attrgetter("address.is_global_unicast")),
    function("cidr", f"string -> {_C}", _cidr, traversal_cost),
    function("isCIDR", "string -> bool", make_test(_cidr), traversal_cost),
    function("string", f"{_C} -> string", str),
    member(
        "containsIP",
        f"{_C} string -> bool",
        lambda cidr, text: cidr.prefix.contains(_address(text)),
        contain_ip_cost,
    ),
    member(
        "containsIP",
        f"{_C} {_I} -> bool",
        lambda cidr, ip: cidr.prefix.contains(ip.address),
        contain_ip_cost,
    ),
    member(
        "containsCIDR",
        f"{_C} string -> bool",
        lambda outer, text: _contains_cidr(outer, _cidr(text)),
        contain_cidr_cost,
    ),
    member("containsCIDR", f"{_C} {_C} -> bool", _contains_cidr, contain_cidr_cost),
    member("ip", f"{_C} -> {_I}", lambda cidr: IP(cidr.prefix.addr)),
    member("prefixLength", f"{_C} -> int", attrgetter("prefix.length")),
    member("masked", f"{_C} -> {_C}", lambda cidr: CIDR(cidr.prefix.masked())),
)


@dataclass(frozen=True, slots=True)
class URL:
    """A URL; two are equal if their texts are."""

    CEL_NAME: ClassVar = "kubernetes.URL"

    parts: url.URL

    def __str__(self) -> str:
        return str(self.parts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, URL) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))


def _url(text: str) -> URL:
    try:
        url.check_request_uri(text)
        return URL(url.parse(text))
    except url.URLError as error:
        raise EvaluationError(f"URL parse error during conversion from string: {error}") from error


def _part_function(name: str) -> Callable[[URL], str]:
    """A part as text: what ``%ff`` decodes to is no UTF-8, which podgraft could not encode."""
    read = attrgetter(f"parts.{name}")
    return lambda value: to_runes(read(value))


def _get_query(value: URL) -> dict[str, list[str]]:
    query = url.parse_query(value.parts.query)
    return {to_runes(key): [*map(to_runes, values)] for key, values in query.items()}


def find_url_errors(text: str) -> list[str]:
    """Why Go does not accept the text as the URI of a request; empty if it does."""
    try:
        url.check_request_uri(text)
    except url.URLError as error:
        return [str(error)]
    return []


_U = URL.CEL_NAME

URLS = (
    function("url", f"string -> {_U}", _url, traversal_cost),
    reads_text(function("isURL", "string -> bool", lambda text: not find_url_errors(text))),
    member("getScheme", f"{_U} -> string", _part_function("scheme")),
    member("getHost", f"{_U} -> string", _part_function("host")),
    member("getHostname", f"{_U} -> string", _part_function("hostname")),
    member("getPort", f"{_U} -> string", _part_function("port")),
    member("getEscapedPath", f"{_U} -> string", _part_function("escaped_path")),
    member("getQuery", f"{_U} -> map(string,list(string))", _get_query),
)
