"""``url("https://example.com/a?b=c")``: URLs as Go's net/url reads a request URI.

(Kubernetes library/urls.go: url.ParseRequestURI, so an absolute URL or an absolute path.)
"""

from dataclasses import dataclass
from operator import attrgetter
from typing import ClassVar

from podgraft.golang import url
from podgraft.kube.cel.cost import traversal_cost
from podgraft.kube.cel.errors import EvaluationError
from podgraft.kube.cel.overloads import function, member


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


def find_url_errors(text: str) -> list[str]:
    """Why Go does not accept the text as the URI of a request; empty if it does."""
    try:
        url.check_request_uri(text)
    except url.URLError as error:
        return [str(error)]
    return []


def _is_url(text: str) -> bool:
    return not find_url_errors(text)


def _query(value: URL) -> dict[str, list[str]]:
    return url.parse_query(value.parts.query)


_U = URL.CEL_NAME

URLS = (
    function("url", f"string -> {_U}", _url, traversal_cost),
    function("isURL", "string -> bool", _is_url),
    member("getScheme", f"{_U} -> string", attrgetter("parts.scheme")),
    member("getHost", f"{_U} -> string", attrgetter("parts.host")),
    member("getHostname", f"{_U} -> string", attrgetter("parts.hostname")),
    member("getPort", f"{_U} -> string", attrgetter("parts.port")),
    member("getEscapedPath", f"{_U} -> string", attrgetter("parts.escaped_path")),
    member("getQuery", f"{_U} -> map(string,list(string))", _query),
)
