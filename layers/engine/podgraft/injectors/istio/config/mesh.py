"""The mesh configuration: built-in defaults of each release, and the operator's text over them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from podgraft import yaml
from podgraft.injectors.istio.pod_builder import merge_keys
from podgraft.injectors.istio.releases import Profile
from podgraft.jsonvalue import JSON, Object

from . import durations, protojson, proxyconfig
from .protojson import MESH_CONFIG, PROXY_CONFIG, FieldError, Message, Schema

_OLDEST: Object = {
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


_HIGHEST_PORT = 65535
_SHORTEST_TIMEOUT = durations.SECOND // 1000


@cache
def defaults(profile: Profile) -> Message:
    """DefaultMeshConfig of the release; nobody may change it."""
    schema = protojson.schema(profile)
    if profile.istiod_defaults:
        raw = _mesh_defaults(profile)
    else:
        raw = _pilot_defaults(profile) if profile.workload_data else _OLDEST
    return protojson.normalize(
        schema, MESH_CONFIG, protojson.decode_message(schema, MESH_CONFIG, raw)
    )


def proxy_defaults(profile: Profile) -> Message:
    """The built-in ProxyConfig of the release."""
    return proxy_of(defaults(profile))


def proxy_of(mesh: Message) -> Message:
    """The mesh's ``defaultConfig``."""
    found = mesh.get("defaultConfig")
    return found if isinstance(found, dict) else {}


def with_proxy(mesh: Message, proxy: Message) -> Message:
    """The mesh with another ``defaultConfig``."""
    return merge_keys(mesh, {"defaultConfig": proxy})


def apply_mesh_config(schema: Schema, base: Message, text: str, found: list[FieldError]) -> Message:
    """``base`` under the YAML ``text`` (mesh.ApplyMeshConfig).

    What is wrong is added to ``found``; the top-level fields that hold it stay as in ``base``.

    A top-level field replaces the one below it whole, but for ``defaultConfig``, whose fields
    replace one by one, and the three lists of names that are united.
    """
    raw = _parse_mapping(text, found)
    layer = protojson.decode_valid_fields(schema, MESH_CONFIG, raw, found)
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
    """What istiod refuses of a mesh, ``defaultConfig`` apart: path, problem, remedy."""
    port = config.get("proxyListenPort")
    if not isinstance(port, int) or not 1 <= port <= _HIGHEST_PORT:
        yield "/proxyListenPort", f"{port or 0} is no port", f"use 1 to {_HIGHEST_PORT}"
    timeout = config.get("connectTimeout")
    if not isinstance(timeout, str) or durations.parse(timeout) < _SHORTEST_TIMEOUT:
        yield "/connectTimeout", f"got {timeout or 'nothing'}", "use 1ms or more, such as 10s"
    for index, provider in enumerate(_as_list(config.get("extensionProviders"))):
        path = f"/extensionProviders/{index}"
        if not isinstance(provider, dict) or not provider.get("name"):
            yield path, "an extension provider has no name", "give it one"
        elif len(provider) < 2:  # noqa: PLR2004 - its name, and what it is
            problem = f'extension provider "{provider["name"]}" says not what it is'
            yield path, problem, "give it the key of a kind of provider, such as zipkin"
    if profile.checks_inbound_retries:
        yield from _validate_retries(_message_fields(config, "defaultInboundHttpRetryPolicy"))


def _validate_retries(policy: Object) -> Iterator[tuple[str, str, str]]:
    path = "/defaultInboundHttpRetryPolicy"
    attempts, timeout = policy.get("attempts"), policy.get("perTryTimeout")
    if isinstance(attempts, int) and attempts < 0:
        yield f"{path}/attempts", f"got {attempts}", "use 0 or more"
    if isinstance(timeout, str) and durations.parse(timeout) < _SHORTEST_TIMEOUT:
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


def _parse_mapping(text: str, found: list[FieldError]) -> Object:
    try:
        raw = yaml.load(text, strict=False)
    except yaml.NotYAMLError as error:
        found.append(FieldError("", str(error)))
        return {}
    if isinstance(raw, dict):
        return raw
    if raw is not None:
        found.append(FieldError("", "the mesh configuration is not a map of its fields"))
    return {}


def _merge_proxy(schema: Schema, base: Message, raw: Object) -> Message:
    """The merged ``defaultConfig``; read again, because here zeros count as given."""
    given = raw.get("defaultConfig", raw.get("default_config"))
    layer = protojson.decode_message(schema, PROXY_CONFIG, given)
    return proxyconfig.merge_layer(schema, proxy_of(base), layer)


def _message_fields(mesh: Message, name: str) -> Object:
    found = mesh.get(name)
    return found if isinstance(found, dict) else {}


def _merge_by_name(old: JSON, new: JSON) -> list[JSON]:
    """Providers of a known name in their old places, the others after them."""
    united: dict[JSON, JSON] = {}
    for each in _as_list(old) + _as_list(new):
        united[each.get("name") if isinstance(each, dict) else None] = each
    return list(united.values())


def _merge_strings(old: JSON, new: JSON) -> list[JSON]:
    texts = {each for each in _as_list(old) + _as_list(new) if isinstance(each, str)}
    return [*sorted(texts)]


def _as_list(value: JSON) -> list[JSON]:
    return value if isinstance(value, list) else []
