"""The URL that kube-apiserver will call: the rules of ``clientConfig.url``, and our own routes.

The rules are the API server's (apiserver/pkg/util/webhook/validation.go, ValidateWebhookURL), those
of its client (the path arrives decoded and cleaned) and those of TLS.
"""

import re
from collections.abc import Iterable
from urllib.parse import SplitResult, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from podgraft.base.jsonvalue import Object
from podgraft.cli.certs import names
from podgraft.cli.certs.endpoint import HTTPS_PORT
from podgraft.cli.client_config import is_private_api, redact_url, split_stage
from podgraft.cli.failure import CommandError, convert_errors
from podgraft.core.identifiers import DEFAULT_INJECTOR, IdentifierError, check_injector, is_injector
from podgraft.service import paths
from podgraft.service.paths import Target

_INJECT = "inject"  # belongs to every registration

# What RFC 3986 reserves nothing of and Go's client sends unescaped (url.URL.EscapedPath).
_SEGMENT = re.compile(r"[A-Za-z0-9._~$&+,:;=@-]+")
_DOTS = {".", ".."}
_BLANK, _DELETE = 0x20, 0x7F
_PORTS = "use a port from 1 to 65535"


class ServiceReference(Struct, frozen=True):
    """A Service of the cluster that kube-apiserver calls."""

    namespace: str
    name: str


class Endpoint(Struct, frozen=True, kw_only=True):
    """Where one cluster calls one injector."""

    host: str  # as in the URL: an IPv6 address in brackets
    port: int | None = None
    injector: str = DEFAULT_INJECTOR
    tail: str = ""  # after the route: the variables that Istio's injector reads
    token: str | None = None  # of the path
    stage: str = ""  # of a private API of API Gateway, with its slash
    service: ServiceReference | None = None  # instead of a URL; host is its name in the certificate

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables in the tail."""
        return tuple(self.tail.split("/")[::2]) if self.tail else ()

    @property
    def authority(self) -> str:
        """Host and, where the URL has one, port."""
        return self.host if self.port is None else f"{self.host}:{self.port}"

    def path(self, route: str) -> str:
        """The path of one of the routes."""
        own = paths.format_path(Target(route, self.injector, self.tail), self.token)
        return f"{self.stage}{own}"

    def url(self, route: str) -> str:
        """The URL of one of the routes."""
        return f"https://{self.authority}{self.path(route)}"

    def client_config(self, route: str) -> Object:
        """The ``clientConfig`` of one of the routes, without the CAs."""
        if self.service is None:
            return {"url": self.url(route)}
        return {
            "service": {
                "name": self.service.name,
                "namespace": self.service.namespace,
                "path": self.path(route),
                "port": HTTPS_PORT if self.port is None else self.port,
            }
        }


def parse_endpoint(url: str, *, allow_loopback: bool = False) -> Endpoint:
    """Read an endpoint's URL: its root, or already with a route (``/inject/cluster/prod``).

    The path can contain the route ``/inject``, which belongs to every registration. The other
    routes need rules, so options select them.

    Raises ``CommandError`` for everything that kube-apiserver would reject or never reach.
    """
    _check_characters(url)
    redacted_url = redact_url(url)
    with convert_errors(ValueError, place=redacted_url):
        parts = urlsplit(url)
    port = _port(redacted_url, parts)
    _check_parts(redacted_url, parts)
    host = _check_host(redacted_url, parts, allow_loopback=allow_loopback)
    stage, path = split_stage(host, parts.path.removesuffix("/"))
    segments = path.split("/")[1:]
    for segment in (*stage.split("/")[1:], *segments):
        check_segment(redacted_url, segment)
    if is_private_api(host) and stage.removeprefix("/") in {"", "k", *paths.ROUTES}:
        raise CommandError(
            f"{redacted_url}: the path of a private API begins with its stage; use the output "
            "PrivateEndpoint of the stack"
        )
    return with_path(redacted_url, Endpoint(host=host, port=port, stage=stage), segments)


def with_injector(endpoint: Endpoint, injector: str | None) -> Endpoint:
    """Put the injector into the path; the default one needs no place there."""
    if injector is None or injector in (DEFAULT_INJECTOR, endpoint.injector):
        return endpoint
    with convert_errors(IdentifierError):
        check_injector(injector)
    if endpoint.injector != DEFAULT_INJECTOR:
        raise CommandError(f"the URL names the injector {endpoint.injector}, not {injector}")
    return replace(endpoint, injector=injector)


def with_token(endpoint: Endpoint, token: str | None) -> Endpoint:
    """Put the token first into the path, where the webhook looks for it."""
    if token is None:
        return endpoint
    if endpoint.token is not None:
        raise CommandError("the URL already contains a token (/k/…); give the token once")
    if not re.fullmatch(r"[A-Za-z0-9_-]+", token):
        raise CommandError("the token file must contain one token, as podgraft tokens prints it")
    return replace(endpoint, token=token)


def with_variables(endpoint: Endpoint, variables: Iterable[tuple[str, str]]) -> Endpoint:
    """Add the variables of the proxies (``cluster``, ``net``, environment) after the route."""
    for key, value in variables:
        if key in endpoint.variables:
            raise CommandError(f"the URL already contains {key}; say it once")
        pair = (key, value.replace("/", "--slash--"))
        for segment in pair:
            check_segment(key, segment)
        tail = "/".join((endpoint.tail, *pair) if endpoint.tail else pair)
        endpoint = replace(endpoint, tail=tail)
    return endpoint


def service_namespace(endpoint: Endpoint) -> tuple[str, ...]:
    """The namespace of an endpoint that is a Service: ``podgraft.NAMESPACE.svc[.cluster.local]``.

    The webhook cannot inject its own pods while it does not run.
    """
    labels = endpoint.host.split(".")
    return (labels[1],) if labels[2:3] == ["svc"] else ()


def _check_characters(url: str) -> None:
    """Refuse what ``urlsplit`` removes without a word: line breaks, tabs, and blanks around."""
    if any(ord(character) <= _BLANK or ord(character) == _DELETE for character in url):
        raise CommandError("--url: contains a blank, a tab, or a line break; remove it")


def _port(url: str, parts: SplitResult) -> int | None:
    try:
        port = parts.port
    except ValueError as error:
        raise CommandError(f"{url}: invalid port; {_PORTS}") from error
    if port == 0:
        raise CommandError(f"{url}: got port 0; {_PORTS}")
    return port


def _check_parts(url: str, parts: SplitResult) -> None:
    if parts.scheme != "https":
        problem = f"got {parts.scheme}" if parts.scheme else "there is no scheme"
        raise CommandError(
            f"{url}: {problem}; use https://, the only scheme that kube-apiserver calls"
        )
    if parts.username is not None or parts.password is not None:
        raise CommandError(
            f"{url}: no user information (user:password@) is allowed; use a token (--token-file) "
            "or a client certificate"
        )
    if parts.query or "?" in url.partition("#")[0]:
        raise CommandError(
            f"{url}: no query (?…) is allowed: kube-apiserver adds its own; write it as path, "
            "--cluster and --env do"
        )
    if parts.fragment or url.endswith("#"):
        raise CommandError(f"{url}: no fragment (#…) is allowed; leave it out")


def _check_host(url: str, parts: SplitResult, *, allow_loopback: bool) -> str:
    host = parts.hostname
    if not host:
        raise CommandError(f"{url}: there is no host; write https://host[:port]")
    try:
        alt_names = names.parse_names([host])
    except CommandError as error:
        raise CommandError(f"{url}: host {error}") from error
    if "*" in host:
        raise CommandError(f"{url}: a URL names one host; only certificates have wildcards")
    if _is_loopback(host) and not allow_loopback:
        raise CommandError(
            f"{url}: {host} is the machine of kube-apiserver itself; use an address that it "
            "reaches, or --allow-loopback for a test"
        )
    return f"[{host}]" if alt_names.addresses and ":" in host else host


def _is_loopback(host: str) -> bool:
    address = names.parse_address(host)
    return address.is_loopback if address else host == "localhost" or host.endswith(".localhost")


def check_segment(location: str, segment: str) -> None:
    """Raise ``CommandError`` for a segment that kube-apiserver would change."""
    if not segment or segment in _DOTS:
        raise CommandError(
            f"{location}: kube-apiserver cleans the path before it calls: leave out empty segments "
            "(//), . and .."
        )
    if "%" in segment:
        raise CommandError(
            f"{location}: kube-apiserver decodes the path before it calls: write --slash-- for a "
            "slash, and nothing with %"
        )
    if not _SEGMENT.fullmatch(segment):
        raise CommandError(
            f"{location}: a path holds letters, digits and . _ ~ $ & + , : ; = @ - only"
        )


def with_path(
    location: str, endpoint: Endpoint, segments: list[str], option: str = "--url"
) -> Endpoint:
    """*endpoint* with a path, which can contain the route ``/inject``."""
    token, rest = paths.split_token("/".join(("", *segments)))
    target = paths.parse(rest) or paths.parse(f"{rest}/{_INJECT}")
    if target is not None and target.route != _INJECT:
        raise CommandError(
            f"{location}: got the route /{target.route}; leave it out of {option}, and name its "
            f"resources with --{target.route} [GROUP/]VERSION/RESOURCE"
        )
    if target is None or not is_injector(target.injector):
        # Not quoted: without /k/ before it, the segment can be a token.
        raise CommandError(
            f"{option}: the path names an injector that cannot exist; write /INJECTOR, and a token "
            "as /k/TOKEN before it"
        )
    return replace(endpoint, injector=target.injector, tail=target.tail, token=token)
