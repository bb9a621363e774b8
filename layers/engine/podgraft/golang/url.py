"""URLs as Go's net/url (1.26) parses and formats them."""

import re
from dataclasses import dataclass

from podgraft.golang.strconv.quote import quote

from .netip import AddressError, check_ipv6_literal
from .utf8 import decode, encode

_UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"
# The bytes that need no escape in each part of a URL.
_PATH = frozenset(_UNRESERVED + b"$&+,/:;=@")
_HOST = frozenset(_UNRESERVED + b"!$&'()*+,;=:[]<>\"")
_USERINFO = frozenset(_UNRESERVED + b"$&+,;=")
_FRAGMENT = frozenset(_UNRESERVED + b"$&+,/:;=?@!()*")

_ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})?")
_ESCAPE_OR_ASCII = re.compile(rb"%([0-9A-Fa-f]{2})?|[\x00-\x7f]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*)?:")
_VALID_USERINFO = re.compile(r"[A-Za-z0-9\-._:~!$&'()*+,;=%@]*")
_PORT = re.compile(r"(?::[0-9]*)?")


class URLError(ValueError):
    """The text is not a URL; the message is net/url's."""


@dataclass(frozen=True, slots=True)
class URL:
    """The parts of a URL, decoded except ``opaque``, ``query``, and ``userinfo``."""

    scheme: str = ""
    opaque: str = ""
    userinfo: str | None = None
    host: str = ""
    path: str = ""
    query: str = ""
    fragment: str = ""

    @property
    def hostname(self) -> str:
        """The host without the port and without brackets."""
        name, colon, port = self.host.rpartition(":")
        host = name if colon and _PORT.fullmatch(":" + port) else self.host
        return host[1:-1] if len(host) > 1 and host[0] == "[" and host[-1] == "]" else host

    def __str__(self) -> str:
        text = f"{self.scheme}:" if self.scheme else ""
        text += self.opaque or self._authority_and_path(first=not text)
        text += f"?{self.query}" if self.query else ""
        return text + (f"#{_escape(self.fragment, _FRAGMENT)}" if self.fragment else "")

    def _authority_and_path(self, *, first: bool) -> str:
        """The authority and the path."""
        path = "*" if self.path == "*" else _escape(self.path, _PATH)
        text = self._authority()
        if self.host and path and path[0] != "/":
            text += "/"
        if first and not text and ":" in path.partition("/")[0]:
            text = "./"  # otherwise, the colon would end a scheme
        return text + path

    def _authority(self) -> str:
        if not (self.scheme or self.host or self.userinfo is not None):
            return ""
        if not (self.host or self.path or self.userinfo is not None):
            return ""
        userinfo = "" if self.userinfo is None else f"{self.userinfo}@"
        return f"//{userinfo}{_escape(self.host, _HOST)}"


def parse(text: str) -> URL:
    """url.Parse; raises ``URLError``.

    >>> parse("https://user@example.com:80/a%20b?q=1#top").path
    '/a b'
    """
    bare, _, fragment = text.partition("#")
    try:
        parts = _parse_parts(bare)
    except URLError as error:
        raise URLError(f"parse {quote(bare)}: {error}") from error
    try:
        return URL(**parts, fragment=_unescape(fragment))
    except URLError as error:
        raise URLError(f"parse {quote(text)}: {error}") from error


def _parse_parts(text: str) -> dict[str, str]:
    """Parse all parts except the fragment."""
    if _CONTROL.search(text):
        raise URLError("net/url: invalid control character in URL")
    scheme, rest = _split_scheme(text)
    rest, _, query = rest.partition("?")
    parts = {"scheme": scheme, "query": query}
    if not rest.startswith("/"):
        if scheme:
            return parts | {"opaque": rest}
        if ":" in rest.partition("/")[0]:
            raise URLError("first path segment in URL cannot contain colon")
    if rest.startswith("//") and (scheme or not rest.startswith("///")):
        authority, slash, rest = rest[2:].partition("/")
        rest = slash + rest
        parts |= _parse_authority(scheme, authority)
    return parts | {"path": _unescape(rest)}


def _split_scheme(text: str) -> tuple[str, str]:
    """Split into the scheme in lower case, and the text after its colon."""
    match = _SCHEME.match(text)
    if match is None:
        return "", text
    if match[1] is None:
        raise URLError("missing protocol scheme")
    return match[1].lower(), text[match.end() :]


def _parse_authority(scheme: str, text: str) -> dict[str, str]:
    userinfo, separator, host = text.rpartition("@")
    parts = {"host": _parse_host(scheme, host)}
    if not separator:
        return parts
    if not _VALID_USERINFO.fullmatch(userinfo):
        raise URLError("net/url: invalid userinfo")
    name, colon, password = userinfo.partition(":")
    return parts | {
        "userinfo": _escape(_unescape(name), _USERINFO)
        + colon
        + _escape(_unescape(password), _USERINFO)
    }


def _parse_host(scheme: str, text: str) -> str:
    bracket = text.rfind("[")
    if bracket > 0:
        raise URLError("invalid IP-literal")
    if bracket == 0:
        return _parse_bracketed_host(text)
    # Database URLs list several hosts with ports, so only http is strict about colons.
    colon = text.find(":") if scheme in ("http", "https") else text.rfind(":")
    if colon >= 0:
        _check_port(text[colon:])
    return _unescape_host(text)


def _parse_bracketed_host(text: str) -> str:
    """Parse an IPv6 address in brackets; the zone after ``%25`` can contain any escape."""
    inner, closed, port = text[1:].rpartition("]")
    if not closed:
        raise URLError("missing ']' in host")
    _check_port(port)
    address, zoned, zone = inner.partition("%25")
    unescaped = _unescape_host(address) + _unescape_zone(zoned + zone)
    try:
        check_ipv6_literal(unescaped)
    except AddressError as error:
        raise URLError(str(error)) from error
    return f"[{unescaped}]{port}"


def _check_port(text: str) -> None:
    if not _PORT.fullmatch(text):
        raise URLError(f"invalid port {quote(text)} after host")


def _unescape(text: str) -> str:
    """Decode the escapes."""
    data = encode(text)
    for match in _ESCAPE.finditer(data):
        if match[1] is None:
            raise _escape_error(data, match)
    return _decode_utf8(data)


def _unescape_host(text: str) -> str:
    """Decode the escapes of a host, which can escape only ``%`` and bytes outside ASCII."""
    data = encode(text)
    for match in _ESCAPE_OR_ASCII.finditer(data):
        if match[0][:1] != b"%":
            _check_host_byte(match[0])
        elif match[1] is None or (match[1] < b"8" and match[1] != b"25"):
            raise _escape_error(data, match)
    return _decode_utf8(data)


def _unescape_zone(text: str) -> str:
    """Decode the escapes of a zone, which can escape only host characters, ``%``, and a space."""
    data = encode(text)
    for match in _ESCAPE_OR_ASCII.finditer(data):
        if match[0][:1] != b"%":
            _check_host_byte(match[0])
        elif match[1] is None or int(match[1], 16) not in _ZONE:
            raise _escape_error(data, match)
    return _decode_utf8(data)


_ZONE = _HOST | frozenset(b" %")


def _check_host_byte(byte: bytes) -> None:
    if byte[0] not in _HOST:
        raise URLError(f"invalid character {quote(decode(byte))} in host name")


def _escape_error(data: bytes, match: re.Match[bytes]) -> URLError:
    escape = decode(data[match.start() : match.start() + 3])
    return URLError(f"invalid URL escape {quote(escape)}")


def _decode_utf8(data: bytes) -> str:
    return decode(_ESCAPE.sub(lambda match: bytes.fromhex(match[1].decode()), data))


def _escape(text: str, plain: frozenset[int]) -> str:
    return "".join(chr(byte) if byte in plain else f"%{byte:02X}" for byte in encode(text))
