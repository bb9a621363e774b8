"""``url("https://example.com/a?b=c")``: URLs as Go's net/url reads a request URI.

(Kubernetes library/urls.go: url.ParseRequestURI, so an absolute URL or an absolute path.)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from operator import attrgetter
from typing import ClassVar

from podgraft.kube.cel.cost import traversal_cost
from podgraft.kube.cel.errors import EvaluationError
from podgraft.kube.cel.overloads import function, member

_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):(.*)", re.ASCII | re.DOTALL)
_ESCAPE = re.compile(r"%([0-9a-fA-F]{2})?")
_PORT = re.compile(r":[0-9]*", re.ASCII)
# What net/url lets stand unescaped in a host, and in a path (shouldEscape).
_HOST_REFUSED = re.compile(r"[\x00-\x20\x7f\\^`{|}]")
_PATH_UNESCAPED = frozenset(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~$&+,/:;=@"
)
_PATH_ALLOWED = _PATH_UNESCAPED | frozenset(b"!'()*[]%")


@dataclass(frozen=True, slots=True)
class URL:
    """The parts of a URL, with the original query."""

    CEL_NAME: ClassVar = "kubernetes.URL"

    scheme: str
    host: str
    path: str
    query: str
    text: str

    def __str__(self) -> str:
        return self.text


def _parse(text: str) -> URL:
    """Raises ``EvaluationError`` with the problem."""
    if not text:
        raise EvaluationError("empty url")
    if any(ord(char) < 0x20 or ord(char) == 0x7F for char in text):  # noqa: PLR2004 - controls
        raise EvaluationError("net/url: invalid control character in URL")
    scheme, rest = _scheme(text)
    rest, question_mark, query = rest.partition("?")
    if not rest.startswith("/"):
        if not scheme:
            raise EvaluationError("invalid URI for request")
        return URL(scheme, "", "", query, text)  # opaque, such as mailto:
    host, path = _authority(rest)
    escaped = _escape_path(path)
    prefix = f"{scheme}:" if scheme else ""
    authority = f"//{host}" if rest.startswith("//") and (host or scheme) else ""
    return URL(scheme, host, escaped, query, f"{prefix}{authority}{escaped}{question_mark}{query}")


def _scheme(text: str) -> tuple[str, str]:
    match = _SCHEME.fullmatch(text)
    if match:
        return match[1].lower(), match[2]
    if text.startswith(":"):
        raise EvaluationError("missing protocol scheme")
    return "", text


def _authority(rest: str) -> tuple[str, str]:
    """Host with port, and path; user information is cut off the host."""
    if not rest.startswith("//"):
        return "", rest
    host, slash, path = rest[2:].partition("/")
    host = host.rpartition("@")[2]
    _check_host(host)
    return host, slash + path


def _check_host(host: str) -> None:
    name, port = host, ""
    if host.startswith("["):
        name, bracket, port = host.partition("]")
        if not bracket:
            raise EvaluationError("missing ']' in host")
    elif ":" in host:
        name, colon, rest = host.partition(":")
        port = colon + rest
    if port and not _PORT.fullmatch(port):
        raise EvaluationError(f'invalid port "{port}" after host')
    refused = _HOST_REFUSED.search(name)
    if refused:
        raise EvaluationError(f'invalid character "{refused[0]}" in host name')


def _escape_path(path: str) -> str:
    """The path as written where that is a valid escaping, else escaped as Go does."""
    for match in _ESCAPE.finditer(path):
        if match[1] is None:
            raise EvaluationError(f'invalid URL escape "{path[match.start() : match.start() + 3]}"')
    encoded = path.encode()
    if all(byte in _PATH_ALLOWED for byte in encoded):
        return path
    plain = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), path).encode("latin-1", "ignore")
    data = plain if "%" in path else encoded
    return "".join(chr(byte) if byte in _PATH_UNESCAPED else f"%{byte:02X}" for byte in data)


def _url(text: str) -> URL:
    try:
        return _parse(text)
    except EvaluationError as error:
        raise EvaluationError(
            f'URL parse error during conversion from string: parse "{text}": {error}'
        ) from error


def is_url(text: str) -> bool:
    """Whether Go takes the text for the URI of a request."""
    try:
        _parse(text)
    except EvaluationError:
        return False
    return True


def _hostname(url: URL) -> str:
    if url.host.startswith("["):
        return url.host.partition("]")[0][1:]
    return url.host.partition(":")[0]


def _port(url: URL) -> str:
    return url.host.rpartition("]")[2].partition(":")[2]


def _query(url: URL) -> dict[str, list[str]]:
    """Values by key; pairs that do not decode are dropped, as url.Values does."""
    values: dict[str, list[str]] = {}
    for pair in filter(None, url.query.split("&")):
        key, _, value = pair.partition("=")
        if ";" in pair or not (_is_decodable(key) and _is_decodable(value)):
            continue
        values.setdefault(_percent_decode(key), []).append(_percent_decode(value))
    return values


def _is_decodable(text: str) -> bool:
    return all(match[1] for match in _ESCAPE.finditer(text))


def _percent_decode(text: str) -> str:
    spaced = text.replace("+", " ").encode()
    return re.sub(rb"%([0-9a-fA-F]{2})", lambda m: bytes([int(m[1], 16)]), spaced).decode(
        errors="replace"
    )


_U = URL.CEL_NAME

URLS = (
    function("url", f"string -> {_U}", _url, traversal_cost),
    function("isURL", "string -> bool", is_url, traversal_cost),
    member("getScheme", f"{_U} -> string", attrgetter("scheme")),
    member("getHost", f"{_U} -> string", attrgetter("host")),
    member("getHostname", f"{_U} -> string", _hostname),
    member("getPort", f"{_U} -> string", _port),
    member("getEscapedPath", f"{_U} -> string", attrgetter("path")),
    member("getQuery", f"{_U} -> map(string,list(string))", _query),
)
