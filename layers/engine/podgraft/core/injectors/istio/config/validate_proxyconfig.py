"""Validation of a ProxyConfig (pkg/config/validation, ValidateMeshConfigProxyConfig)."""

from collections.abc import Iterator

from podgraft.base.jsonvalue import JSON, Object, object_at
from podgraft.core.injectors.istio.releases import Profile
from podgraft.golang.net import is_ip, split_host_port
from podgraft.golang.strconv.atoi import NumError, parse_int
from podgraft.golang.time import SECOND, format_duration, parse_duration

from .protojson import Message
from .validate_meshconfig import MAX_NAME_LENGTH, is_dns_name

_HOUR = 3600 * SECOND
MAX_PORT = 65535
_MIN_WINDOW = 65535  # RFC 9113 §6.9.2: the initial window, Envoy's minimum

# Fields of connectionSettings that must be positive, or must not be negative.
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


def validate_proxy_config(profile: Profile, config: Message) -> list[str]:
    """Return all problems of a merged ProxyConfig, with istiod's error text."""
    problems = [
        *_validate_required(profile, config),
        *_validate_addresses(config),
        *_validate_tracing(profile, object_at(config, "tracing")),
        *_validate_ports(profile, config),
        *_validate_private_key(config),
    ]
    if profile.checks_connection_settings:
        problems += _validate_connections(object_at(config, "connectionSettings"))
    return problems


def validate_address(address: str) -> str | None:
    """Return the problem of a ``host:port``, or None for a valid one.

    >>> validate_address("zipkin:9411"), validate_address("[::1]:80"), validate_address("zipkin")
    (None, None, 'unable to split "zipkin": address zipkin: missing port in address')
    >>> validate_address("zipkin:9999999999999999999").partition("number: ")[2]
    'strconv.Atoi: parsing "9999999999999999999": value out of range'
    """
    host, port, problem = split_host_port(address)
    if problem is not None:
        reason = f"address {address}: {problem}" if address else problem
        return f'unable to split "{address}": {reason}'
    try:
        number = parse_int(port, function="Atoi")
    except NumError as error:
        return f"port ({port}) is not a number: {error}"
    if not 1 <= number <= MAX_PORT:
        return _port_problem(number)
    if is_ip(host) or _is_fqdn(host):
        return None
    return f'"{host}" is not a valid hostname or an IP address'


def _port_problem(port: int) -> str:
    return f"port number {port} must be in the range 1..{MAX_PORT}"


def _validate_required(profile: Profile, config: Message) -> Iterator[str]:
    if not config.get("configPath"):
        yield "config path must be set"
    if not config.get("binaryPath"):
        yield "binary path must be set"
    if "tracingServiceName" not in config and not config.get("serviceCluster"):
        yield "service cluster must be specified"
    drain = _parse_duration(config.get("drainDuration"))
    yield from _validate_time("drain", drain)
    if profile.drain_times_limited and drain % SECOND == 0 and drain > _HOUR:
        yield f"drain time {format_duration(drain)} must be <{format_duration(_HOUR)}"
    if profile.parent_shutdown_checked:
        yield from _validate_shutdown(drain, _parse_duration(config.get("parentShutdownDuration")))


def _validate_shutdown(drain: int, shutdown: int) -> Iterator[str]:
    """Check parentShutdownDuration, which must be longer than the drain time."""
    yield from _validate_time("parent shutdown", shutdown)
    if shutdown <= drain:
        yield (
            f"parent shutdown time {format_duration(shutdown)} must be greater than "
            f"drain time {format_duration(drain)}"
        )
    if shutdown > _HOUR:
        limit = format_duration(_HOUR)
        yield f"parent shutdown time {format_duration(shutdown)} must be <{limit}"


def _validate_time(name: str, nanoseconds: int) -> Iterator[str]:
    if nanoseconds < SECOND // 1000:
        yield f"invalid {name} duration: duration must be greater than 1ms"
    elif nanoseconds % (SECOND // 1000):
        yield f"invalid {name} duration: only durations to ms precision are supported"
    elif nanoseconds % SECOND:
        yield f"{name} time only supports durations to seconds precision"


def _parse_duration(value: JSON) -> int:
    """Parse a duration to nanoseconds; a missing duration is 0."""
    return parse_duration(value) if isinstance(value, str) else 0


def _validate_addresses(config: Message) -> Iterator[str]:
    if not config.get("discoveryAddress"):
        yield "discovery address must be set to the proxy discovery service"
    else:
        yield from _find_address_problem("invalid discovery address:", config["discoveryAddress"])
    services = (
        ("statsd udp", config.get("statsdUdpAddress")),
        ("envoy metrics service", config.get("envoyMetricsServiceAddress")),
        ("envoy metrics service", object_at(config, "envoyMetricsService").get("address")),
        ("envoy access log service", object_at(config, "envoyAccessLogService").get("address")),
    )
    for name, address in services:
        if address:
            yield from _find_address_problem(f'invalid {name} address "{address}":', address)


def _find_address_problem(prefix: str, address: JSON) -> Iterator[str]:
    problem = validate_address(address if isinstance(address, str) else "")
    if problem:
        yield f"{prefix} {problem}"


def _validate_ports(profile: Profile, config: Message) -> Iterator[str]:
    """Check the ports and the policy of the control plane, in Istio's order."""
    yield from _validate_port("proxy admin", config.get("proxyAdminPort"))
    policy = config.get("controlPlaneAuthPolicy", "NONE")
    if policy not in ("NONE", "MUTUAL_TLS"):
        yield f'invalid authentication policy: unrecognized control plane auth policy "{policy}"'
    if profile.status_port_checked:
        yield from _validate_port("status", config.get("statusPort"))


def _validate_port(name: str, port: JSON) -> Iterator[str]:
    number = port if isinstance(port, int) else 0
    if not 1 <= number <= MAX_PORT:
        yield f"invalid {name} port: {_port_problem(number)}"


def _validate_private_key(config: Message) -> Iterator[str]:
    """Check privateKeyProvider, in the releases with this field."""
    if config.get("privateKeyProvider") is None:
        return
    provider = object_at(config, "privateKeyProvider")
    kinds = [kind for kind in ("cryptomb", "qat") if kind in provider]
    prefix = "invalid private key provider configuration:"
    if not kinds:
        yield f"{prefix} private key provider configuration is required"
        yield f"{prefix} unknown private key provider"
    for kind in kinds:
        delay = object_at(provider, kind).get("pollDelay")
        if delay is None:
            yield f"{prefix} pollDelay is required"
        elif not _parse_duration(delay):
            yield f"{prefix} pollDelay must be non zero"


def _validate_tracing(profile: Profile, tracing: Object) -> Iterator[str]:
    for tracer in ("lightstep", "zipkin", "datadog"):
        if tracer in tracing:
            for problem in _validate_tracer(profile, tracer, object_at(tracing, tracer)):
                yield f"invalid {tracer} config: {problem}"
    if "tlsSettings" in tracing:
        for problem in _find_tls_problems(profile, object_at(tracing, "tlsSettings")):
            yield f"invalid tracing TLS config: {problem}"
    if profile.nil_tags_refused:
        for name, tag in object_at(tracing, "customTags").items():
            if tag is None:
                yield f"invalid tracing custom tags: encountered nil value for custom tag: {name}"


def _validate_tracer(profile: Profile, name: str, tracer: Object) -> Iterator[str]:
    address = tracer.get("address")
    text = address if isinstance(address, str) else ""
    if name == "lightstep":
        if not text:
            yield "address is required"
        yield from _find_address_problem("invalid lightstep address:", text)
        if not tracer.get("accessToken"):
            yield "access token is required"
        return
    if name == "datadog" or profile.zipkin_host_ip:
        text = text.replace("$(HOST_IP)", "127.0.0.1", 1)
    problem = validate_address(text)
    if problem:
        yield problem


def _validate_connections(settings: Object) -> Iterator[str]:
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
            case int() if name in _WINDOWS and value < _MIN_WINDOW:
                yield f"invalid connection settings: {name} must be at least {_MIN_WINDOW}"
            case _:
                continue


def _is_fqdn(host: str) -> bool:
    ends_with_number = host.rpartition(".")[2].isdigit()
    return len(host) <= MAX_NAME_LENGTH and not ends_with_number and is_dns_name(host)


_CONFIG_MAP = "configmap://"
_FILES = ("clientCertificate", "caCertificates", "privateKey", "caCrl")


def _find_tls_problems(profile: Profile, settings: Object) -> Iterator[str]:
    mode, name = settings.get("mode", "DISABLE"), settings.get("credentialName") or ""
    if profile.config_map_credentials and isinstance(name, str) and name.startswith(_CONFIG_MAP):
        yield _config_map_problem(name)
    if settings.get("insecureSkipVerify") is True:
        yield from _check_insecure_settings(mode, settings)
    if mode in ("SIMPLE", "MUTUAL") and name:
        if any(settings.get(key) for key in _FILES):
            yield (
                "cannot specify client certificates or CA certificate or CA CRL "
                "If credentialName is set"
            )
        return
    if mode == "MUTUAL":
        if not settings.get("clientCertificate"):
            yield "client certificate required for mutual tls"
        if not settings.get("privateKey"):
            yield "private key required for mutual tls"


def _check_insecure_settings(mode: JSON, settings: Object) -> Iterator[str]:
    authorities = settings.get("caCertificates") or settings.get("subjectAltNames")
    if mode == "SIMPLE" and (authorities or settings.get("credentialName")):
        yield (
            "cannot specify CaCertificates or CredentialName or SubjectAltNames "
            "when InsecureSkipVerify is set true"
        )
    if mode == "MUTUAL" and authorities:
        yield "cannot specify CaCertificates or SubjectAltNames when InsecureSkipVerify is set true"


def _config_map_problem(name: str) -> str:
    """Describe an invalid name; no ConfigMap is valid, because a proxy config has no namespace."""
    parts = name.removeprefix(_CONFIG_MAP).split("/")
    missing = ""
    if len(parts) == 1:
        missing = "namespace and name"
    elif not parts[0]:
        missing = "namespace"
    elif not parts[1]:
        missing = "name"
    if missing:
        problem = f'invalid resource name "{name}". Expected {missing}'
    else:
        problem = 'namespace must match the configuration namespace ""'
    return f"invalid configmap:// credentialName: {problem}"
