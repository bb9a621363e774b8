"""URLs as Go's net/url (1.26) reads and writes them."""

import re
from dataclasses import dataclass

from podgraft.go.strconv.quote import quote

from .netip import AddressError, check_ipv6_literal
from .utf8 import decode, encode

_UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"
# The bytes that stand in a part of a URL as they are.
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
    """The text is no URL; the message is net/url's."""


@dataclass(frozen=True, slots=True)
class URL:
    """The parts of a URL, all decoded but ``opaque``, ``query`` and ``userinfo``."""

    scheme: str = ""
    opaque: str = ""
    userinfo: str | None = None
    host: str = ""
    path: str = ""
    query: str = ""
    fragment: str = ""

    @property
    def hostname(self) -> str:
        """The host without its port, and without brackets."""
        name, colon, port = self.host.rpartition(":")
        host = name if colon and _PORT.fullmatch(":" + port) else self.host
        return host[1:-1] if len(host) > 1 and host[0] == "[" and host[-1] == "]" else host

    def __str__(self) -> str:
        text = f"{self.scheme}:" if self.scheme else ""
        text += self.opaque or self._authority_and_path(first=not text)
        text += f"?{self.query}" if self.query else ""
        return text + (f"#{_escape(self.fragment, _FRAGMENT)}" if self.fragment else "")

    def _authority_and_path(self, *, first: bool) -> str:
        """Authority and path."""
        path = "*" if self.path == "*" else _escape(self.path, _PATH)
        text = self._authority()
        if self.host and path and path[0] != "/":
            text += "/"
        if first and not text and ":" in path.partition("/")[0]:
            text = "./"  # or the colon would end a scheme
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
    """All but the fragment."""
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
    """The scheme in lower case, and what follows its colon."""
    found = _SCHEME.match(text)
    if found is None:
        return "", text
    if found[1] is None:
        raise URLError("missing protocol scheme")
    return found[1].lower(), text[found.end() :]


def _parse_authority(scheme: str, text: str) -> dict[str, str]:
    userinfo, at, host = text.rpartition("@")
    parts = {"host": _parse_host(scheme, host)}
    if not at:
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
    # Databases list several hosts with ports, so only http is strict about colons.
    colon = text.find(":") if scheme in ("http", "https") else text.rfind(":")
    if colon >= 0:
        _check_port(text[colon:])
    return _unescape_host(text)


def _parse_bracketed_host(text: str) -> str:
    """An IPv6 address in brackets; the zone after ``%25`` may hold any escapes."""
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
    """The text with escapes decoded."""
    data = encode(text)
    for found in _ESCAPE.finditer(data):
        if found[1] is None:
            raise _escape_error(data, found)
    return _decode_utf8(data)


def _unescape_host(text: str) -> str:
    """As ``_unescaped``, where only bytes beyond ASCII and ``%`` may be escaped."""
    data = encode(text)
    for found in _ESCAPE_OR_ASCII.finditer(data):
        if found[0][:1] != b"%":
            _check_host_byte(found[0])
        elif found[1] is None or (found[1] < b"8" and found[1] != b"25"):
            raise _escape_error(data, found)
    return _decode_utf8(data)


def _unescape_zone(text: str) -> str:
    """As ``_unescaped``, where only what might stand unescaped, ``%`` and blank may be escaped."""
    data = encode(text)
    for found in _ESCAPE_OR_ASCII.finditer(data):
        if found[0][:1] != b"%":
            _check_host_byte(found[0])
        elif found[1] is None or int(found[1], 16) not in _ZONE:
            raise _escape_error(data, found)
    return _decode_utf8(data)


_ZONE = _HOST | frozenset(b" %")


def _check_host_byte(byte: bytes) -> None:
    if byte[0] not in _HOST:
        raise URLError(f"invalid character {quote(decode(byte))} in host name")


def _escape_error(data: bytes, found: re.Match[bytes]) -> URLError:
    shown = decode(data[found.start() : found.start() + 3])
    return URLError(f"invalid URL escape {quote(shown)}")


def _decode_utf8(data: bytes) -> str:
    return decode(_ESCAPE.sub(lambda found: bytes.fromhex(found[1].decode()), data))


def _escape(text: str, plain: frozenset[int]) -> str:
    return "".join(chr(byte) if byte in plain else f"%{byte:02X}" for byte in encode(text))
