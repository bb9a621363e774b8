"""The defaults of the API server for containers and volumes, which Istio 1.0 applied.

Source: k8s.io/kubernetes, pkg/apis/core/v1/defaults.go of 1.10.
"""

from collections.abc import Callable

from podgraft.base.jsonvalue import JSON, Object, object_at, objects_at, string_at
from podgraft.core.injectors.istio.pod_builder import merge_keys

_MODE = 0o644  # 420
_TOKEN_SECONDS = 3600

_CONTAINER: Object = {
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
}
_PROBE: Object = {
    "timeoutSeconds": 1,
    "periodSeconds": 10,
    "successThreshold": 1,
    "failureThreshold": 3,
}
_PROBES = ("livenessProbe", "readinessProbe")
_HANDLERS = ("postStart", "preStop")
_WITH_MODE = ("secret", "configMap", "downwardAPI", "projected")


def default_container(container: Object) -> Object:
    """Return the container with its defaults."""
    filled = merge_keys(
        _CONTAINER | container, {"imagePullPolicy": _default_pull_policy(container)}
    )
    filled = _map_list(filled, "ports", lambda port: {"protocol": "TCP"} | port)
    filled = _map_list(filled, "env", _default_env)
    filled = _default_requests(filled)
    for name in _PROBES:
        if name in filled:
            filled[name] = _default_action(_PROBE | object_at(filled, name))
    if "lifecycle" in filled:
        lifecycle = object_at(filled, "lifecycle")
        handlers: Object = {
            k: _default_action(object_at(lifecycle, k)) for k in _HANDLERS if k in lifecycle
        }
        filled["lifecycle"] = merge_keys(lifecycle, handlers)
    return filled


def default_volume(volume: Object) -> Object:
    """Return the volume with its defaults."""
    filled = dict(volume)
    for source in _WITH_MODE:
        if source in filled:
            filled[source] = _default_volume_source(
                {"defaultMode": _MODE} | object_at(filled, source)
            )
    return filled


def _default_pull_policy(container: Object) -> JSON:
    """Return Always for the tag latest or without a tag, else IfNotPresent."""
    image = string_at(container, "image")
    name, _, digest = image.partition("@")
    tag = name.rpartition("/")[2].partition(":")[2]
    latest = not digest and tag in ("", "latest")
    return container.get("imagePullPolicy") or ("Always" if latest else "IfNotPresent")


def _default_env(entry: Object) -> Object:
    return _default_field_ref(entry, "valueFrom") if "valueFrom" in entry else entry


def _default_field_ref(parent: Object, key: str) -> Object:
    """Add the API version to the field reference under *key*."""
    source = object_at(parent, key)
    if "fieldRef" not in source:
        return parent
    reference: Object = {"apiVersion": "v1"} | object_at(source, "fieldRef")
    return merge_keys(parent, {key: merge_keys(source, {"fieldRef": reference})})


def _default_requests(filled: Object) -> Object:
    """Copy missing requests from the limits."""
    resources = object_at(filled, "resources")
    limits = object_at(resources, "limits")
    if not limits:
        return filled
    requests = limits | object_at(resources, "requests")
    ordered: Object = {key: requests[key] for key in sorted(requests)}
    return merge_keys(filled, {"resources": merge_keys(resources, {"requests": ordered})})


def _default_action(action: Object) -> Object:
    if "httpGet" not in action:
        return action
    default: Object = {"path": "/", "scheme": "HTTP"}
    return merge_keys(action, {"httpGet": default | object_at(action, "httpGet")})


def _default_volume_source(source: Object) -> Object:
    """Return the source of a volume with the defaults of its projections."""
    source = _map_list(source, "items", _default_items)
    return _map_list(source, "sources", _default_projection)


def _default_items(item: Object) -> Object:
    if "fieldRef" not in item:
        return item
    reference: Object = {"apiVersion": "v1"} | object_at(item, "fieldRef")
    return merge_keys(item, {"fieldRef": reference})


def _default_projection(projection: Object) -> Object:
    filled = dict(projection)
    if "downwardAPI" in filled:
        filled["downwardAPI"] = _map_list(object_at(filled, "downwardAPI"), "items", _default_items)
    if "serviceAccountToken" in filled:
        default: Object = {"expirationSeconds": _TOKEN_SECONDS}
        filled["serviceAccountToken"] = default | object_at(filled, "serviceAccountToken")
    return filled


def _map_list(parent: Object, key: str, fill: Callable[[Object], Object]) -> Object:
    """Apply *fill* to every object of the list under *key*."""
    if key not in parent:
        return parent
    return merge_keys(parent, {key: [fill(each) for each in objects_at(parent, key)]})
