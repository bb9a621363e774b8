"""Whether a ProxyConfig is one that istiod accepts (pkg/config/validation, ValidateMeshConfig…)."""

from __future__ import annotations

from collections.abc import Iterator

from podgraft.jsonvalue import JSON, Object
from podgraft.patterns import lazy

from . import durations
from .addresses import is_ip
from .durations import SECOND
from .messages import Message
from .releases import Profile

_LABEL = lazy(r"[a-zA-Z0-9](?:[-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?")
_FQDN_LENGTH = 255  # RFC 1035 §2.3.4
_LEAST_WINDOW = 65535  # RFC 9113 §6.9.2: the initial window, below which Envoy does not go

# Fields of connectionSettings whose number must be above zero, or at least zero.
_POSITIVE = (
    "httpMaxConcurrentStreams",
    "listenerConnectionLimit",
    "globalDownstreamConnectionLimit",
)
_NOT_NEGATIVE = (
    "listenerPerConnectionBufferLimitBytes",
    "clusterPerConnectionBufferLimitBytes",
)
_WINDOWS = ("http2InitialStreamWindowSize", "http2InitialConnectionWindowSize")


def problems(profile: Profile, config: Message) -> list[str]:
    """Everything that makes a (merged) ProxyConfig invalid, in istiod's words."""
    found = [*_required(config), *_addresses(config), *_tracing(_object(config.get("tracing")))]
    if profile.checks_connection_settings:
        found += _connections(_object(config.get("connectionSettings")))
    return found


def address_problem(address: str) -> str | None:
    """What is wrong with a ``host:port``, if anything is.

    >>> address_problem("zipkin:9411"), address_problem("[::1]:80"), address_problem("zipkin")
    (None, None, 'unable to split "zipkin"; write host:port')
    """
    host, colon, port = address.rpartition(":")
    if not colon or ("[" not in host and ":" in host):
        return f'unable to split "{address}"; write host:port'
    if not (port.isascii() and port.isdigit()) or not 1 <= int(port) <= 65535:  # noqa: PLR2004 - a port
        return f"port ({port}) is no number from 1 to 65535"
    if is_ip(host.removeprefix("[").removesuffix("]")) or _is_fqdn(host):
        return None
    return f'"{host}" is not a valid hostname or an IP address'


def _required(config: Message) -> Iterator[str]:
    if not config.get("configPath"):
        yield "config path must be set"
    if not config.get("binaryPath"):
        yield "binary path must be set"
    if "tracingServiceName" not in config and not config.get("serviceCluster"):
        yield "service cluster must be specified"
    drain = config.get("drainDuration")
    if not isinstance(drain, str):
        yield "invalid drain duration: duration is missing"
    elif (length := durations.parse(drain)) <= 0 or length % SECOND:
        yield "invalid drain duration: it must be positive and of whole seconds"


def _addresses(config: Message) -> Iterator[str]:
    yield from _address("invalid discovery address", config.get("discoveryAddress") or "")
    for name, words in (
        ("statsdUdpAddress", "invalid statsd udp address"),
        ("envoyMetricsServiceAddress", "invalid envoy metrics service address"),
    ):
        if config.get(name):
            yield from _address(words, config[name])
    for name, words in (
        ("envoyMetricsService", "invalid envoy metrics service address"),
        ("envoyAccessLogService", "invalid envoy access log service address"),
    ):
        service = _object(config.get(name))
        if service.get("address"):
            yield from _address(words, service["address"])
            yield from _tls(_object(service.get("tlsSettings")))


def _address(words: str, address: JSON) -> Iterator[str]:
    problem = address_problem(address if isinstance(address, str) else "")
    if problem:
        yield f"{words}: {problem}"


def _tracing(tracing: Object) -> Iterator[str]:
    for tracer in ("zipkin", "lightstep", "datadog"):
        if tracer in tracing:
            yield from _tracer(tracer, _object(tracing[tracer]))
    yield from _tls(_object(tracing.get("tlsSettings")))
    for name, tag in _object(tracing.get("customTags")).items():
        yield from _custom_tag(name, _object(tag))


def _tracer(name: str, tracer: Object) -> Iterator[str]:
    address = tracer.get("address")
    text = address if isinstance(address, str) else ""
    if name != "lightstep":
        text = text.replace("$(HOST_IP)", "127.0.0.1", 1)
    yield from _address(f"invalid {name} address", text)
    if name == "lightstep" and not tracer.get("accessToken"):
        yield "invalid lightstep config: access token is required"


def _custom_tag(name: str, tag: Object) -> Iterator[str]:
    for kind, part in (("literal", "value"), ("environment", "name"), ("header", "name")):
        if kind in tag and not _object(tag[kind]).get(part):
            yield f'invalid tracing custom tag "{name}": {kind} {part} cannot be empty'
    if not tag:
        yield f'invalid tracing custom tag "{name}": it needs a literal, environment or header'


def _tls(settings: Object) -> Iterator[str]:
    mode, named = settings.get("mode"), bool(settings.get("credentialName"))
    files = [name for name in ("clientCertificate", "privateKey") if settings.get(name)]
    if mode == "MUTUAL" and not named and len(files) < 2:  # noqa: PLR2004 - certificate and key
        yield "invalid TLS settings: mutual TLS needs clientCertificate and privateKey"
    if mode == "ISTIO_MUTUAL" and (files or settings.get("caCertificates")):
        yield "invalid TLS settings: ISTIO_MUTUAL takes no certificates of its own"
    if named and (files or settings.get("caCertificates")):
        yield "invalid TLS settings: credentialName excludes files"


def _connections(settings: Object) -> Iterator[str]:
    for name, value in settings.items():
        match value:
            case bool():
                continue
            case str() if value.startswith("-"):
                yield f"invalid connection settings: {name} must not be negative"
            case int() if name in _POSITIVE and value <= 0:
                yield f"invalid connection settings: {name} must be positive"
            case int() if name in _NOT_NEGATIVE and value < 0:
                yield f"invalid connection settings: {name} must not be negative"
            case int() if name in _WINDOWS and value < _LEAST_WINDOW:
                yield f"invalid connection settings: {name} must be at least {_LEAST_WINDOW}"
            case _:
                continue


def _is_fqdn(host: str) -> bool:
    labels = host.removesuffix(".").split(".")
    return (
        len(host) <= _FQDN_LENGTH
        and all(map(_LABEL.fullmatch, labels))
        and not labels[-1].isdigit()
    )


def _object(value: JSON) -> Object:
    return value if isinstance(value, dict) else {}
