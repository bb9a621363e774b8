"""The mesh configuration: the defaults of each release, and the merge of the operator's text."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from podgraft.base.jsonvalue import JSON, Object, list_at, object_at
from podgraft.base.tables import read_table
from podgraft.core.injectors.istio.releases import Profile
from podgraft.golang.time import SECOND, parse_duration
from podgraft.kube import yaml

from . import protojson, proxyconfig
from .protojson import MESH_CONFIG, PROXY_CONFIG, FieldError, Message, Schema

# Those of 1.0, of Pilot up to 1.5 with its proxies, and of istiod with its proxies and providers.
_DEFAULTS: Mapping[str, Any] = read_table(__file__, "mesh_defaults.json")

_MAX_PORT = 65535
_MIN_TIMEOUT = SECOND // 1000


@cache
def defaults(profile: Profile) -> Message:
    """Return DefaultMeshConfig of the release; callers must not change it."""
    schema = protojson.schema(profile)
    if profile.istiod_defaults:
        raw = _mesh_defaults(profile)
    else:
        raw = _pilot_defaults(profile) if profile.workload_data else _DEFAULTS["mesh_1_0"]
    return protojson.normalize(
        schema, MESH_CONFIG, protojson.decode_message(schema, MESH_CONFIG, raw)
    )


def proxy_defaults(profile: Profile) -> Message:
    """Return the default ProxyConfig of the release."""
    return proxy_of(defaults(profile))


def proxy_of(mesh: Message) -> Message:
    """Return ``defaultConfig`` of the mesh."""
    proxy = mesh.get("defaultConfig")
    return proxy if isinstance(proxy, dict) else {}


def status_port(mesh: Message) -> int:
    """Return the port of the agent; 0 without one."""
    port = proxy_of(mesh).get("statusPort")
    return port if isinstance(port, int) else 0


def with_proxy(mesh: Message, proxy: Message) -> Message:
    """Return the mesh with another ``defaultConfig``."""
    return {**mesh, "defaultConfig": proxy}


def apply_mesh_config(
    schema: Schema, base: Message, text: str, errors: list[FieldError]
) -> Message:
    """Merge the YAML ``text`` over ``base`` (mesh.ApplyMeshConfig).

    Errors are added to ``errors``; top-level fields with an error keep the value of ``base``.

    A top-level field replaces the field of ``base``, with two exceptions. The fields of
    ``defaultConfig`` replace one by one, and ``defaultProviders``, ``extensionProviders``, and
    ``trustDomainAliases`` are merged.
    """
    raw = _parse_mapping(text, errors)
    layer = protojson.decode_valid_fields(schema, MESH_CONFIG, raw, errors)
    merged = base | layer
    if "defaultConfig" in layer:
        merged["defaultConfig"] = _merge_proxy(schema, base, raw)
    if "defaultProviders" in layer:
        merged["defaultProviders"] = object_at(base, "defaultProviders") | object_at(
            layer, "defaultProviders"
        )
    if "extensionProviders" in layer:
        merged["extensionProviders"] = _merge_by_name(
            list_at(base, "extensionProviders"), list_at(layer, "extensionProviders")
        )
    if "trustDomainAliases" in layer:
        merged["trustDomainAliases"] = _merge_strings(
            list_at(base, "trustDomainAliases"), list_at(layer, "trustDomainAliases")
        )
    return protojson.normalize(schema, MESH_CONFIG, merged)


def validate_mesh_config(profile: Profile, config: Message) -> Iterator[tuple[str, str, str]]:
    """Yield path, problem, and remedy of each invalid field, except in ``defaultConfig``."""
    port = config.get("proxyListenPort")
    if not isinstance(port, int) or not 1 <= port <= _MAX_PORT:
        yield "/proxyListenPort", f"invalid port {port or 0}", f"use 1 to {_MAX_PORT}"
    timeout = config.get("connectTimeout")
    longest = "30s" if profile.connect_timeout_short else "1h"
    nanoseconds = parse_duration(timeout) if isinstance(timeout, str) else 0
    if not _MIN_TIMEOUT <= nanoseconds <= parse_duration(longest) or nanoseconds % _MIN_TIMEOUT:
        problem = f"got {timeout}" if timeout else "is missing"
        yield "/connectTimeout", problem, f"use whole milliseconds up to {longest}, such as 10s"
    if profile.checks_inbound_retries:
        yield from _validate_retries(object_at(config, "defaultInboundHttpRetryPolicy"))


def _validate_retries(policy: Object) -> Iterator[tuple[str, str, str]]:
    path = "/defaultInboundHttpRetryPolicy"
    attempts, timeout = policy.get("attempts"), policy.get("perTryTimeout")
    if isinstance(attempts, int) and attempts < 0:
        yield f"{path}/attempts", f"got {attempts}", "use 0 or more"
    if isinstance(timeout, str) and parse_duration(timeout) < _MIN_TIMEOUT:
        yield f"{path}/perTryTimeout", f"got {timeout}", "use 1ms or more, such as 2s"


def _mesh_defaults(profile: Profile) -> Object:
    mesh: Object = {
        **_DEFAULTS["istiod"],
        "dnsRefreshRate": "60s" if profile.slow_dns_refresh else "5s",
        "defaultConfig": _proxy_defaults(profile),
    }
    if profile.extension_providers:
        mesh |= {"defaultProviders": {}, "extensionProviders": _DEFAULTS["istiod_providers"]}
    if profile.inbound_mode:
        mesh["inboundTrafficPolicy"] = {"mode": "PASSTHROUGH"}
    if profile.sds_path_by_default:
        mesh |= {"sdsUdsPath": "unix:./etc/istio/proxy/SDS", "protocolDetectionTimeout": "5s"}
    if profile.merge_and_inbound_port_set:
        mesh |= {"proxyInboundListenPort": 15006, "enablePrometheusMerge": True}
    return mesh


def _proxy_defaults(profile: Profile) -> Object:
    proxy: Object = dict(_DEFAULTS["istiod_proxy"])
    if not profile.mutual_tls_by_default:
        proxy |= {"controlPlaneAuthPolicy": "NONE"}
    if profile.parent_shutdown:
        proxy["parentShutdownDuration"] = "60s"
    if profile.concurrency_two:
        proxy["concurrency"] = 2
    if profile.zipkin_by_default:
        proxy["tracing"] = {"zipkin": {"address": "zipkin.istio-system:9411"}}
    if profile.remote_services_set:
        proxy |= {"envoyMetricsService": {}, "envoyAccessLogService": {}}
    return proxy


def _pilot_defaults(profile: Profile) -> Object:
    """The defaults of 1.1 to 1.5."""
    proxy: Object = dict(_DEFAULTS["pilot_proxy"])
    if profile.remote_services_set:
        proxy |= {"envoyMetricsService": {}, "envoyAccessLogService": {}}
    changes: Object = {"defaultConfig": proxy}
    if profile.protocol_detection_timeout:
        changes["protocolDetectionTimeout"] = "0.100s"
    return _DEFAULTS["pilot"] | changes


def _parse_mapping(text: str, errors: list[FieldError]) -> Object:
    try:
        raw = yaml.load(text, strict=False)
    except yaml.NotYAMLError as error:
        errors.append(FieldError("", str(error)))
        return {}
    if isinstance(raw, dict):
        return raw
    if raw is not None:
        errors.append(FieldError("", "the mesh configuration must be a mapping"))
    return {}


def _merge_proxy(schema: Schema, base: Message, raw: Object) -> Message:
    """Merge ``defaultConfig``; it is decoded again, because explicit zeros replace values here."""
    # Istiod extracts it by this name alone.
    layer = protojson.decode_message(schema, PROXY_CONFIG, raw.get("defaultConfig", {}))
    return proxyconfig.merge_layer(schema, proxy_of(base), layer)


def _merge_by_name(old: list[JSON], new: list[JSON]) -> list[JSON]:
    """Merge providers by name; a replaced provider keeps its position, new ones follow."""
    by_name: dict[JSON, JSON] = {}
    for provider in [*old, *new]:
        by_name[provider.get("name") if isinstance(provider, dict) else None] = provider
    return list(by_name.values())


def _merge_strings(old: list[JSON], new: list[JSON]) -> list[JSON]:
    texts = {element for element in [*old, *new] if isinstance(element, str)}
    return [*sorted(texts)]
