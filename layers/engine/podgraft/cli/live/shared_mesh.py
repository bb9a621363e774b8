"""The mesh configuration of two ConfigMaps as one text: istiod's variable ``SHARED_MESH_CONFIG``.

istiod applies the shared ConfigMap to the defaults, then the ConfigMap of the revision to the
result (pilot/pkg/bootstrap/mesh.go, and mesh.ApplyMeshConfig in pkg/config/mesh). The merged text
applied to the defaults gives the same configuration.
"""

import re

from podgraft.base.jsonvalue import JSON, Object, object_at
from podgraft.core.injectors.istio.config import protojson
from podgraft.core.injectors.istio.releases import Profile
from podgraft.kube import yaml

# Fields of which a ConfigMap can set only one.
_EXCLUSIVE = frozenset({"serviceCluster", "tracingServiceName"})
_FALLBACK_HEADERS = frozenset(
    {"forwardedClientCert", "requestId", "attemptCount", "server", "envoyDebugHeaders"}
)
_AFTER_UNDERSCORE = re.compile(r"_([a-z0-9])")


def merge_mesh_texts(shared: str, own: str, profile: Profile) -> str:
    """Return the text of a revision over the shared text; raises ``NotYAMLError``.

    A field of the revision replaces the shared field, except those that Istio merges.
    """
    base, layer = _parse_fields(shared), _parse_fields(own)
    merged = base | layer
    if "defaultConfig" in layer:
        merged["defaultConfig"] = _merge_proxies(
            object_at(base, "defaultConfig"), object_at(layer, "defaultConfig"), profile
        )
    if "defaultProviders" in layer:
        merged["defaultProviders"] = _name_fields(object_at(base, "defaultProviders")) | (
            _name_fields(object_at(layer, "defaultProviders"))
        )
    for name in ("extensionProviders", "trustDomainAliases"):
        old, new = base.get(name), layer.get(name)
        if isinstance(old, list) and isinstance(new, list):
            merged[name] = [*old, *new]  # Istio merges equal names of one list too
    return yaml.dump(merged, sort_keys=False)


def _merge_proxies(base: Object, layer: Object, profile: Profile) -> Object:
    base, layer = _name_fields(base), _name_fields(layer)
    fields = protojson.schema(profile).type(protojson.PROXY_CONFIG).by_key
    dropped = _EXCLUSIVE if _EXCLUSIVE & layer.keys() & fields.keys() else frozenset[str]()
    merged: Object = {key: value for key, value in base.items() if key not in dropped} | layer
    if profile.merges_proxy_metadata and "proxyMetadata" in layer:
        merged["proxyMetadata"] = object_at(base, "proxyMetadata") | object_at(
            layer, "proxyMetadata"
        )
    if profile.headers_fall_back and "proxyHeaders" in layer:
        headers = _name_fields(object_at(base, "proxyHeaders"))
        fallback = {key: value for key, value in headers.items() if key in _FALLBACK_HEADERS}
        merged["proxyHeaders"] = fallback | _name_fields(object_at(layer, "proxyHeaders"))
    return merged


def _parse_fields(text: str) -> Object:
    """Return the fields that istiod reads: it extracts ``defaultConfig`` by this name alone."""
    value = yaml.load(text, strict=False)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise yaml.NotYAMLError("the mesh configuration is not a mapping", 1, 1)
    return _name_fields({key: field for key, field in value.items() if key != "default_config"})


def _name_fields(value: Object) -> Object:
    """Return the fields with their JSON names; Istio accepts ``ingress_class`` too."""
    fields: dict[str, JSON] = {}
    for key, field in value.items():
        fields[_AFTER_UNDERSCORE.sub(lambda match: match[1].upper(), key)] = field
    return fields
