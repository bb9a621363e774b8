"""URLs as Go's net/url (1.26) parses and formats them."""

import re
from dataclasses import dataclass, replace

from podgraft.golang.strconv.quote import quote

from .netip import AddressError, parse_addr
from .utf8 import decode, encode

_UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"
# The bytes that need no escape in each part of a URL.
_PATH = frozenset(_UNRESERVED + b"$&+,/:;=@")
_HOST = frozenset(_UNRESERVED + b"!$&'()*+,;=:[]<>\"")
_USERINFO = frozenset(_UNRESERVED + b"$&+,;=")
_FRAGMENT = frozenset(_UNRESERVED + b"$&+,/:;=?@!()*")

# What an escaping can leave as it stands (validEncoded).
_UNESCAPED = frozenset(b"!$&'()*+,;=:@[]%")
# More parameters make url.ParseQuery fail.
_MAX_PARAMETERS = 10_000

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
    raw_path: str = ""  # as the text has it, a hint for ``escaped_path``
    raw_fragment: str = ""
    force_query: bool = False  # a question mark without a query
    omit_host: bool = False  # a scheme and a path without ``//``

    @property
    def hostname(self) -> str:
        """The host without the port and without brackets."""
        host = self._split_host()[0]
        return host[1:-1] if len(host) > 1 and host[0] == "[" and host[-1] == "]" else host

    @property
    def port(self) -> str:
        """The digits after the colon of the host."""
        return self._split_host()[1]

    def _split_host(self) -> tuple[str, str]:
        name, colon, port = self.host.rpartition(":")
        return (name, port) if colon and _PORT.fullmatch(":" + port) else (self.host, "")

    @property
    def escaped_path(self) -> str:
        """The path as the text has it if that is a valid escaping, else escaped by default."""
        if self.raw_path and _is_escaping(self.raw_path, self.path, _PATH):
            return self.raw_path
        return "*" if self.path == "*" else _escape(self.path, _PATH)

    @property
    def escaped_fragment(self) -> str:
        """As ``escaped_path``."""
        if self.raw_fragment and _is_escaping(self.raw_fragment, self.fragment, _FRAGMENT):
            return self.raw_fragment
        return _escape(self.fragment, _FRAGMENT)

    def __str__(self) -> str:
        text = f"{self.scheme}:" if self.scheme else ""
        text += self.opaque or self._authority_and_path(first=not text)
        text += f"?{self.query}" if self.query or self.force_query else ""
        return text + (f"#{self.escaped_fragment}" if self.fragment else "")

    def _authority_and_path(self, *, first: bool) -> str:
        path = self.escaped_path
        text = self._authority()
        if self.host and path and path[0] != "/":
            text += "/"
        if first and not text and ":" in path.partition("/")[0]:
            text = "./"  # otherwise, the colon would end a scheme
        return text + path

    def _authority(self) -> str:
        if not (self.scheme or self.host or self.userinfo is not None):
            return ""
        if not (self.host or self.userinfo is not None) and (self.omit_host or not self.path):
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
        url = _parse_parts(bare)
    except URLError as error:
        raise URLError(f"parse {quote(bare)}: {error}") from error
    try:
        decoded = _unescape(fragment)
    except URLError as error:
        raise URLError(f"parse {quote(text)}: {error}") from error
    is_default = _escape(decoded, _FRAGMENT) == fragment
    return replace(url, fragment=decoded, raw_fragment="" if is_default else fragment)


def check_request_uri(text: str) -> None:
    """Raise ``URLError`` unless url.ParseRequestURI accepts the text: a URL or a path."""
    try:
        _parse_parts(text, is_request=True)
    except URLError as error:
        raise URLError(f"parse {quote(text)}: {error}") from error


def _parse_parts(text: str, *, is_request: bool = False) -> URL:
    """Parse all parts except the fragment."""
    if _CONTROL.search(text):
        raise URLError("net/url: invalid control character in URL")
    if not text and is_request:
        raise URLError("empty url")
    if text == "*":
        return URL(path="*")
    scheme, rest = _split_scheme(text)
    force_query = rest.endswith("?") and rest.count("?") == 1
    rest, _, query = rest.partition("?")
    url = URL(scheme=scheme, query=query, force_query=force_query)
    if not rest.startswith("/"):
        if scheme:
            return replace(url, opaque=rest)
        if is_request:
            raise URLError("invalid URI for request")
        if ":" in rest.partition("/")[0]:
            raise URLError("first path segment in URL cannot contain colon")
    may_have_host = scheme or (not is_request and not rest.startswith("///"))
    if may_have_host and rest.startswith("//"):
        authority, slash, rest = rest[2:].partition("/")
        rest = slash + rest
        userinfo, host = _parse_authority(scheme, authority)
        url = replace(url, userinfo=userinfo, host=host)
    elif scheme:
        url = replace(url, omit_host=True)
    path = _unescape(rest)
    return replace(url, path=path, raw_path="" if _escape(path, _PATH) == rest else rest)


def _split_scheme(text: str) -> tuple[str, str]:
    """Split into the scheme in lower case, and the text after its colon."""
    match = _SCHEME.match(text)
    if match is None:
        return "", text
    if match[1] is None:
        raise URLError("missing protocol scheme")
    return match[1].lower(), text[match.end() :]


def _parse_authority(scheme: str, text: str) -> tuple[str | None, str]:
    """The user information with its escapes, and the host."""
    userinfo, separator, host_text = text.rpartition("@")
    host = _parse_host(scheme, host_text)
    if not separator:
        return None, host
    if not _VALID_USERINFO.fullmatch(userinfo):
        raise URLError("net/url: invalid userinfo")
    parts = userinfo.partition(":")
    name, password = (_escape(_unescape(part), _USERINFO) for part in (parts[0], parts[2]))
    return name + parts[1] + password, host


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
    unescaped = _unescape_host(address) + _unescape_host(zoned + zone, in_zone=True)
    try:
        address = parse_addr(unescaped)
    except AddressError as error:
        raise URLError(f"invalid host: {error}") from error
    if address.is_4:
        raise URLError("invalid IP-literal")
    return f"[{unescaped}]{port}"


def _check_port(text: str) -> None:
    if not _PORT.fullmatch(text):
        raise URLError(f"invalid port {quote(text)} after host")


def _unescape(text: str) -> str:
    if "%" not in text:
        return text
    data = encode(text)
    for match in _ESCAPE.finditer(data):
        if match[1] is None:
            raise _escape_error(data, match)
    return _decode_utf8(data)


def parse_query(query: str) -> dict[str, list[str]]:
    """The values by key, as URL.Query: pairs that do not decode are dropped."""
    values: dict[str, list[str]] = {}
    pairs = query.split("&")
    for pair in pairs if len(pairs) <= _MAX_PARAMETERS else ():
        if not pair or ";" in pair:
            continue
        key, _, value = pair.partition("=")
        try:
            decoded = _unescape_query(key), _unescape_query(value)
        except URLError:
            continue
        values.setdefault(decoded[0], []).append(decoded[1])
    return values


def _unescape_query(text: str) -> str:
    return _unescape(text.replace("+", " "))


def _is_escaping(raw: str, decoded: str, plain: frozenset[int]) -> bool:
    """Whether *raw* is a valid escaping of the decoded text."""
    allowed = plain | _UNESCAPED
    return all(byte in allowed for byte in encode(raw)) and _unescape(raw) == decoded


def _unescape_host(text: str, *, in_zone: bool = False) -> str:
    """Decode the escapes of a host, which can escape only ``%`` and bytes outside ASCII.

    A zone can escape host characters, ``%``, and a space.
    """
    data = encode(text)
    for match in _ESCAPE_OR_ASCII.finditer(data):
        if match[0][:1] != b"%":
            if match[0][0] not in _HOST:
                raise URLError(f"invalid character {quote(decode(match[0]))} in host name")
            continue
        byte = -1 if match[1] is None else int(match[1], 16)
        if not (byte in _ZONE if in_zone else byte >= _ASCII_END or byte == ord("%")):
            raise _escape_error(data, match)
    return _decode_utf8(data)


_ZONE = _HOST | frozenset(b" %")
_ASCII_END = 0x80


def _escape_error(data: bytes, match: re.Match[bytes]) -> URLError:
    escape = decode(data[match.start() : match.start() + 3])
    return URLError(f"invalid URL escape {quote(escape)}")


def _decode_utf8(data: bytes) -> str:
    return decode(_ESCAPE.sub(lambda match: bytes.fromhex(match[1].decode()), data))


def _escape(text: str, plain: frozenset[int]) -> str:
    return "".join(chr(byte) if byte in plain else f"%{byte:02X}" for byte in encode(text))
