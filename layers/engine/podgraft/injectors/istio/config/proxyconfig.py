"""ProxyConfig: how the layers are laid over each other, and how the result is printed.

Layers, lowest first: built-in defaults, the mesh's ``defaultConfig``, ProxyConfig resources, and
the pod's annotation ``proxy.istio.io/config``. Sources: pkg/config/mesh/mesh.go,
pilot/pkg/model/proxy_config.go, pkg/kube/inject/template.go (cleanProxyConfig).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from podgraft import yaml
from podgraft.injectors.istio import gojson
from podgraft.jsonvalue import JSON, Object, equal, object_at

from . import protojson
from .protojson import (
    PROXY_CONFIG,
    PROXY_CONFIG_RESOURCE,
    FieldError,
    Message,
    MessageError,
    Schema,
)

ANNOTATION = "proxy.istio.io/config"

_EXCLUSIVE = ({"serviceCluster", "tracingServiceName"},)
_PROXY_HEADERS = "v1alpha1.ProxyConfig_ProxyHeaders"
_FALLBACK_HEADERS = (
    "forwardedClientCert",
    "requestId",
    "attemptCount",
    "server",
    "envoyDebugHeaders",
)
# What protoToJSON leaves out where it equals the built-in default.
_OMITTED_DEFAULTS = (
    "configPath",
    "binaryPath",
    "controlPlaneAuthPolicy",
    "serviceCluster",
    "drainDuration",
    "parentShutdownDuration",
    "terminationDrainDuration",
    "discoveryAddress",
    "envoyMetricsService",
    "envoyAccessLogService",
    "tracing",
    "proxyAdminPort",
    "statNameLength",
    "statusPort",
    "concurrency",
)


def parse_layer(schema: Schema, text: str) -> Message:
    """A layer from YAML, explicit zeros kept; raises ``MessageError``."""
    try:
        raw = yaml.load(text, strict=False)
    except yaml.NotYAMLError as error:
        raise MessageError(FieldError("", str(error))) from error
    return protojson.decode_message(schema, PROXY_CONFIG, {} if raw is None else raw)


def merge_layer(schema: Schema, base: Message, layer: Message) -> Message:
    """``base`` under ``layer``: what the layer names replaces, but maps of metadata unite."""
    if not layer:
        return base
    merged = base | layer
    for exclusive in _EXCLUSIVE:
        if exclusive & layer.keys():
            for name in exclusive - layer.keys():
                merged.pop(name, None)
    if "proxyMetadata" in layer and schema.profile.metadata_united:
        merged["proxyMetadata"] = _merge_metadata(base, layer)
    if "proxyHeaders" in layer and "proxyHeaders" in base and schema.profile.headers_fall_back:
        headers = _merge_headers(object_at(base, "proxyHeaders"), object_at(layer, "proxyHeaders"))
        merged["proxyHeaders"] = protojson.normalize(schema, _PROXY_HEADERS, headers)
    return protojson.normalize(schema, PROXY_CONFIG, merged)


def merge_layers(schema: Schema, base: Message, layer: Message) -> Message:
    """``base`` under ``layer``, as the webhook merges the layers of a pod's configuration.

    *layer* is without zeros.
    """
    if not layer:
        return base
    if schema.profile.layers_as_messages:
        from . import protomerge  # Istio 1.13 to 1.17

        return protomerge.merge_proxies(schema, base, layer)
    return merge_layer(schema, base, layer)


def without_zeros(schema: Schema, layer: Message) -> Message:
    """The layer as it looks after a trip through protobuf: a zero cannot override anything."""
    return protojson.normalize(schema, PROXY_CONFIG, layer)


def layer_from_resource(schema: Schema, resource: Object) -> Message:
    """What a ProxyConfig resource contributes: concurrency, environment variables, and image."""
    spec = protojson.decode_message(schema, PROXY_CONFIG_RESOURCE, resource.get("spec") or {})
    names = ("concurrency", "image") if schema.profile.image_replaced else ("concurrency",)
    layer = {name: spec[name] for name in names if name in spec}
    if "environmentVariables" in spec:
        layer["proxyMetadata"] = spec["environmentVariables"]
    return protojson.normalize(schema, PROXY_CONFIG, layer)


def select_resources(
    resources: Iterable[Object], namespace: str, root: str, labels: Mapping[str, str]
) -> tuple[Object | None, Object | None, Object | None]:
    """The resources that count for a pod: of the mesh, of its namespace, of the workload.

    The first of ``resources`` wins at each level.
    """
    mesh = own = workload = None
    for resource in resources:
        metadata, wanted = _resource_selector(resource)
        if not wanted:
            mesh = mesh or (resource if metadata == root else None)
            own = own or (resource if metadata == namespace else None)
        elif metadata == namespace and wanted.items() <= dict(labels).items():
            workload = workload or resource
    return mesh, own, workload


def remove_defaults(defaults: Message, config: Message) -> Message:
    """``config`` without the fields that equal the built-in defaults."""
    return {
        name: value
        for name, value in config.items()
        if name not in _OMITTED_DEFAULTS or name not in defaults or not equal(value, defaults[name])
    }


def to_json(defaults: Message, config: Message) -> str:
    r"""The text of a ProxyConfig that ``protoToJSON`` gives.

    >>> to_json({"statusPort": 15020}, {"statusPort": 15020, "proxyMetadata": {"A": "<b>"}})
    '{"proxyMetadata":{"A":"\\u003cb\\u003e"}}'
    """
    return gojson.encode(remove_defaults(defaults, config))


def _merge_metadata(base: Message, layer: Message) -> Message:
    united = object_at(base, "proxyMetadata") | object_at(layer, "proxyMetadata")
    return {key: united[key] for key in sorted(united)}


def _merge_headers(base: Message, layer: Message) -> Message:
    fallen_back = {name: base[name] for name in _FALLBACK_HEADERS if name in base}
    return fallen_back | layer


def _resource_selector(resource: Object) -> tuple[JSON, Mapping[str, JSON]]:
    """The namespace and the labels that the resource's selector asks for."""
    selector = object_at(object_at(resource, "spec"), "selector")
    namespace = object_at(resource, "metadata").get("namespace")
    return namespace, object_at(selector, "matchLabels")
