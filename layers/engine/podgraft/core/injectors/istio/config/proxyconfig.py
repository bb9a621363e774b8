"""ProxyConfig: the merge of its layers, and the JSON of the result.

Merge order, lowest layer first:

1. the built-in defaults of the release
2. ``defaultConfig`` of the mesh
3. ProxyConfig resources of the mesh, and of the namespace
4. the annotation ``proxy.istio.io/config`` of the pod
5. the ProxyConfig resource that selects the pod

Hazard: a layer replaces a field only if it sets the field, and releases differ in whether a zero
sets it. In kube-inject and in releases without ProxyConfig resources, layer 4 is merged as text
into the mesh, and an explicit zero replaces a value. Elsewhere layers are protobuf messages, in
which a zero is absent. ``decode_message`` therefore preserves zeros, and ``normalize`` removes them
from a layer that must not have them.

Sources: pkg/config/mesh/mesh.go, pilot/pkg/model/proxy_config.go, pkg/kube/inject/template.go
(cleanProxyConfig).
"""

from collections.abc import Iterable, Mapping

from podgraft.base.jsonvalue import JSON, Object, equal, object_at
from podgraft.core.injectors.istio.releases import Profile
from podgraft.golang.json import plain
from podgraft.kube import yaml

from . import protojson, protomerge
from .protojson import (
    PROXY_CONFIG,
    PROXY_CONFIG_RESOURCE,
    FieldError,
    Message,
    MessageError,
    Schema,
)

ANNOTATION, FIRST_ANNOTATION = "proxy.istio.io/config", "istio.io/proxyConfig"

_EXCLUSIVE = frozenset({"serviceCluster", "tracingServiceName"})
_PROXY_HEADERS = "v1alpha1.ProxyConfig_ProxyHeaders"
_FALLBACK_HEADERS = (
    "forwardedClientCert",
    "requestId",
    "attemptCount",
    "server",
    "envoyDebugHeaders",
)
# The fields that protoToJSON omits if they equal the built-in defaults.
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


def annotation_name(profile: Profile) -> str:
    """Return the name of the annotation that contains the proxy configuration of a pod."""
    return ANNOTATION if profile.proxy_annotation_renamed else FIRST_ANNOTATION


def parse_layer(schema: Schema, text: str) -> Message:
    """Parse a layer from YAML, with explicit zeros; raises ``MessageError``."""
    try:
        raw = yaml.load(text, strict=False)
    except yaml.NotYAMLError as error:
        raise MessageError(FieldError("", str(error))) from error
    return protojson.decode_message(schema, PROXY_CONFIG, {} if raw is None else raw)


def merge_layer(schema: Schema, base: Message, layer: Message) -> Message:
    """Merge ``layer`` over ``base``: fields replace, and maps of proxy metadata are merged."""
    if not layer:
        return base
    merged = base | layer
    if _EXCLUSIVE & layer.keys():
        for name in _EXCLUSIVE - layer.keys():
            merged.pop(name, None)
    if "proxyMetadata" in layer and schema.profile.merges_proxy_metadata:
        merged["proxyMetadata"] = _merge_metadata(base, layer)
    if "proxyHeaders" in layer and "proxyHeaders" in base and schema.profile.headers_fall_back:
        headers = _merge_headers(object_at(base, "proxyHeaders"), object_at(layer, "proxyHeaders"))
        merged["proxyHeaders"] = protojson.normalize(schema, _PROXY_HEADERS, headers)
    return protojson.normalize(schema, PROXY_CONFIG, merged)


def merge_layers(schema: Schema, base: Message, layer: Message) -> Message:
    """Merge ``layer`` over ``base`` as the webhook merges the layers of a pod.

    *layer* must not have zeros.
    """
    if not layer:
        return base
    if schema.profile.layers_as_messages:
        return protomerge.merge_proxies(schema, base, layer)
    return merge_layer(schema, base, layer)


def layer_from_resource(schema: Schema, resource: Object) -> Message:
    """Convert a ProxyConfig resource to a layer: concurrency, environment variables, and image."""
    spec = protojson.decode_message(schema, PROXY_CONFIG_RESOURCE, resource.get("spec") or {})
    names = ("concurrency", "image") if schema.profile.image_replaced else ("concurrency",)
    layer = {name: spec[name] for name in names if name in spec}
    if "environmentVariables" in spec:
        layer["proxyMetadata"] = spec["environmentVariables"]
    return protojson.normalize(schema, PROXY_CONFIG, layer)


def select_resources(
    resources: Iterable[Object], namespace: str, root: str, labels: Mapping[str, str]
) -> tuple[Object | None, Object | None, Object | None]:
    """Select the resources for a pod: of the mesh, of its namespace, and of the workload.

    The first matching resource applies at each level. A resource whose selector has no labels
    applies to no pod.
    """
    mesh = in_namespace = workload = None
    for resource in resources:
        resource_namespace = object_at(resource, "metadata").get("namespace")
        match_labels = find_match_labels(resource)
        if match_labels is None:
            mesh = mesh or (resource if resource_namespace == root else None)
            in_namespace = in_namespace or (resource if resource_namespace == namespace else None)
        elif not match_labels or resource_namespace != namespace:
            continue
        elif match_labels.items() <= labels.items():
            workload = workload or resource
    return mesh, in_namespace, workload


def find_match_labels(resource: Object) -> Mapping[str, JSON] | None:
    """Return the labels that the selector of a resource requires; ``None`` without a selector."""
    if object_at(resource, "spec").get("selector") is None:
        return None
    return object_at(resource, "spec", "selector", "matchLabels")


def remove_defaults(defaults: Message, config: Message) -> Message:
    """Return ``config`` without the fields that equal the built-in defaults."""
    return {
        name: value
        for name, value in config.items()
        if name not in _OMITTED_DEFAULTS or name not in defaults or _differ(value, defaults[name])
    }


def _differ(left: JSON, right: JSON) -> bool:
    """Whether two values differ; most values are the defaults themselves."""
    return left is not right and not equal(left, right)


def to_json(defaults: Message, config: Message) -> str:
    r"""Encode a ProxyConfig as the template function ``protoToJSON`` does.

    >>> to_json({"statusPort": 15020}, {"statusPort": 15020, "proxyMetadata": {"A": "<b>"}})
    '{"proxyMetadata":{"A":"\\u003cb\\u003e"}}'
    """
    return plain.encode(remove_defaults(defaults, config))


def _merge_metadata(base: Message, layer: Message) -> Message:
    merged = object_at(base, "proxyMetadata") | object_at(layer, "proxyMetadata")
    return {key: merged[key] for key in sorted(merged)}


def _merge_headers(base: Message, layer: Message) -> Message:
    fallback = {name: base[name] for name in _FALLBACK_HEADERS if name in base}
    return fallback | layer
