"""The mesh configuration: the defaults of each release, and the merge of the operator's text."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from podgraft.base.jsonvalue import JSON, Object
from podgraft.core.injectors.istio.pod_builder import merge_keys
from podgraft.core.injectors.istio.releases import Profile
from podgraft.golang.time import SECOND, parse_duration
from podgraft.kube import yaml

from . import protojson, proxyconfig
from .protojson import MESH_CONFIG, PROXY_CONFIG, FieldError, Message, Schema

_MESH_1_0: Object = {
    "proxyListenPort": 15001,
    "connectTimeout": "1s",
    "ingressClass": "istio",
    "ingressControllerMode": "STRICT",
    "enableTracing": True,
    "accessLogFile": "/dev/stdout",
    "defaultConfig": {
        "configPath": "/etc/istio/proxy",
        "binaryPath": "/usr/local/bin/envoy",
        "serviceCluster": "istio-proxy",
        "drainDuration": "2s",
        "parentShutdownDuration": "3s",
        "discoveryAddress": "istio-pilot:15007",
        "discoveryRefreshDelay": "1s",
        "connectTimeout": "1s",
        "proxyAdminPort": 15000,
    },
}

_PILOT: Object = {
    "proxyListenPort": 15001,
    "connectTimeout": "1s",
    "ingressService": "istio-ingressgateway",
    "enableTracing": True,
    "accessLogFile": "/dev/stdout",
    "rootNamespace": "istio-system",
    "outboundTrafficPolicy": {"mode": "ALLOW_ANY"},
    "defaultServiceExportTo": ["*"],
    "defaultVirtualServiceExportTo": ["*"],
    "defaultDestinationRuleExportTo": ["*"],
}

_PILOT_PROXY: Object = {
    "configPath": "/etc/istio/proxy",
    "binaryPath": "/usr/local/bin/envoy",
    "serviceCluster": "istio-proxy",
    "drainDuration": "45s",
    "parentShutdownDuration": "60s",
    "discoveryAddress": "istio-pilot:15010",
    "connectTimeout": "1s",
    "proxyAdminPort": 15000,
    "statNameLength": 189,
}

_PROXY: Object = {
    "configPath": "./etc/istio/proxy",
    "binaryPath": "/usr/local/bin/envoy",
    "serviceCluster": "istio-proxy",
    "drainDuration": "45s",
    "terminationDrainDuration": "5s",
    "proxyAdminPort": 15000,
    "controlPlaneAuthPolicy": "MUTUAL_TLS",
    "discoveryAddress": "istiod.istio-system.svc:15012",
    "statNameLength": 189,
    "statusPort": 15020,
}

_MESH: Object = {
    "enableTracing": True,
    "ingressService": "istio-ingressgateway",
    "ingressControllerMode": "STRICT",
    "ingressClass": "istio",
    "trustDomain": "cluster.local",
    "enableAutoMtls": True,
    "outboundTrafficPolicy": {"mode": "ALLOW_ANY"},
    "localityLbSetting": {"enabled": True},
    "rootNamespace": "istio-system",
    "proxyListenPort": 15001,
    "connectTimeout": "10s",
    "protocolDetectionTimeout": "0s",
    "defaultServiceExportTo": ["*"],
    "defaultVirtualServiceExportTo": ["*"],
    "defaultDestinationRuleExportTo": ["*"],
}

_PROVIDERS: list[JSON] = [
    {"name": "prometheus", "prometheus": {}},
    {"name": "stackdriver", "stackdriver": {}},
    {"name": "envoy", "envoyFileAccessLog": {"path": "/dev/stdout"}},
]


_MAX_PORT = 65535
_MIN_TIMEOUT = SECOND // 1000


@cache
def defaults(profile: Profile) -> Message:
    """Return DefaultMeshConfig of the release; callers must not change it."""
    schema = protojson.schema(profile)
    if profile.istiod_defaults:
        raw = _mesh_defaults(profile)
    else:
        raw = _pilot_defaults(profile) if profile.workload_data else _MESH_1_0
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


def with_proxy(mesh: Message, proxy: Message) -> Message:
    """Return the mesh with another ``defaultConfig``."""
    return merge_keys(mesh, {"defaultConfig": proxy})


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
        merged["defaultProviders"] = _message_fields(base, "defaultProviders") | _message_fields(
            layer, "defaultProviders"
        )
    if "extensionProviders" in layer:
        merged["extensionProviders"] = _merge_by_name(
            base.get("extensionProviders"), layer["extensionProviders"]
        )
    if "trustDomainAliases" in layer:
        merged["trustDomainAliases"] = _merge_strings(
            base.get("trustDomainAliases"), layer["trustDomainAliases"]
        )
    return protojson.normalize(schema, MESH_CONFIG, merged)


def validate_mesh_config(profile: Profile, config: Message) -> Iterator[tuple[str, str, str]]:
    """Yield path, problem, and remedy of each invalid field, except in ``defaultConfig``."""
    port = config.get("proxyListenPort")
    if not isinstance(port, int) or not 1 <= port <= _MAX_PORT:
        yield "/proxyListenPort", f"invalid port {port or 0}", f"use 1 to {_MAX_PORT}"
    timeout = config.get("connectTimeout")
    if not isinstance(timeout, str) or parse_duration(timeout) < _MIN_TIMEOUT:
        yield (
            "/connectTimeout",
            f"got {timeout}" if timeout else "is missing",
            "use 1ms or more, such as 10s",
        )
    for index, provider in enumerate(_as_list(config.get("extensionProviders"))):
        path = f"/extensionProviders/{index}"
        if not isinstance(provider, dict) or not provider.get("name"):
            yield path, "the extension provider has no name", "set a name"
        elif len(provider) < 2:  # noqa: PLR2004 - its name, and its kind
            problem = f'extension provider "{provider["name"]}" has no kind'
            yield path, problem, "add the key of a kind of provider, such as zipkin"
    if profile.checks_inbound_retries:
        yield from _validate_retries(_message_fields(config, "defaultInboundHttpRetryPolicy"))


def _validate_retries(policy: Object) -> Iterator[tuple[str, str, str]]:
    path = "/defaultInboundHttpRetryPolicy"
    attempts, timeout = policy.get("attempts"), policy.get("perTryTimeout")
    if isinstance(attempts, int) and attempts < 0:
        yield f"{path}/attempts", f"got {attempts}", "use 0 or more"
    if isinstance(timeout, str) and parse_duration(timeout) < _MIN_TIMEOUT:
        yield f"{path}/perTryTimeout", f"got {timeout}", "use 1ms or more, such as 2s"


def _mesh_defaults(profile: Profile) -> Object:
    mesh = merge_keys(
        _MESH,
        {
            "dnsRefreshRate": "60s" if profile.merge_and_inbound_port_set else "5s",
            "defaultConfig": _proxy_defaults(profile),
        },
    )
    if profile.extension_providers:
        mesh |= {"defaultProviders": {}, "extensionProviders": _PROVIDERS}
    if profile.inbound_mode:
        mesh["inboundTrafficPolicy"] = {"mode": "PASSTHROUGH"}
    if profile.sds_path_by_default:
        mesh |= {"sdsUdsPath": "unix:./etc/istio/proxy/SDS", "protocolDetectionTimeout": "5s"}
    if profile.merge_and_inbound_port_set:
        mesh |= {"proxyInboundListenPort": 15006, "enablePrometheusMerge": True}
    return mesh


def _proxy_defaults(profile: Profile) -> Object:
    proxy: Object = dict(_PROXY)
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
    proxy: Object = dict(_PILOT_PROXY)
    if profile.remote_services_set:
        proxy |= {"envoyMetricsService": {}, "envoyAccessLogService": {}}
    changes: Object = {"defaultConfig": proxy}
    if profile.protocol_detection_timeout:
        changes["protocolDetectionTimeout"] = "0.100s"
    return merge_keys(_PILOT, changes)


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
    proxy = raw.get("defaultConfig", raw.get("default_config"))
    layer = protojson.decode_message(schema, PROXY_CONFIG, proxy)
    return proxyconfig.merge_layer(schema, proxy_of(base), layer)


def _message_fields(mesh: Message, name: str) -> Object:
    fields = mesh.get(name)
    return fields if isinstance(fields, dict) else {}


def _merge_by_name(old: JSON, new: JSON) -> list[JSON]:
    """Merge providers by name; a replaced provider keeps its position, new ones follow."""
    by_name: dict[JSON, JSON] = {}
    for provider in _as_list(old) + _as_list(new):
        by_name[provider.get("name") if isinstance(provider, dict) else None] = provider
    return list(by_name.values())


def _merge_strings(old: JSON, new: JSON) -> list[JSON]:
    texts = {element for element in _as_list(old) + _as_list(new) if isinstance(element, str)}
    return [*sorted(texts)]


def _as_list(value: JSON) -> list[JSON]:
    return value if isinstance(value, list) else []
