"""What the API server fills into containers and volumes, as Istio 1.0 did before it compared.

Source: k8s.io/kubernetes, pkg/apis/core/v1/defaults.go of 1.10.
"""

from __future__ import annotations

from collections.abc import Callable

from podgraft.jsonvalue import JSON, Object, object_at, objects_at, text_at

from .draft import changed

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


def container(given: Object) -> Object:
    """The container with its defaults."""
    filled = changed(_CONTAINER | given, {"imagePullPolicy": _pull_policy(given)})
    filled = _each(filled, "ports", lambda port: {"protocol": "TCP"} | port)
    filled = _each(filled, "env", _env)
    filled = _requests(filled)
    for name in _PROBES:
        if name in filled:
            filled[name] = _action(_PROBE | object_at(filled, name))
    if "lifecycle" in filled:
        lifecycle = object_at(filled, "lifecycle")
        handlers: Object = {
            k: _action(object_at(lifecycle, k)) for k in _HANDLERS if k in lifecycle
        }
        filled["lifecycle"] = changed(lifecycle, handlers)
    return filled


def volume(given: Object) -> Object:
    """The volume with its defaults."""
    filled = dict(given)
    for source in _WITH_MODE:
        if source in filled:
            filled[source] = _source({"defaultMode": _MODE} | object_at(filled, source))
    return filled


def _pull_policy(given: Object) -> JSON:
    """Always for the tag latest and for no tag, else IfNotPresent."""
    image = text_at(given, "image")
    name, _, digest = image.partition("@")
    tag = name.rpartition("/")[2].partition(":")[2]
    latest = not digest and tag in ("", "latest")
    return given.get("imagePullPolicy") or ("Always" if latest else "IfNotPresent")


def _env(entry: Object) -> Object:
    return _referring(entry, "valueFrom") if "valueFrom" in entry else entry


def _referring(parent: Object, key: str) -> Object:
    """``parent`` with the API version in the field reference under ``key``."""
    holder = object_at(parent, key)
    if "fieldRef" not in holder:
        return parent
    reference: Object = {"apiVersion": "v1"} | object_at(holder, "fieldRef")
    return changed(parent, {key: changed(holder, {"fieldRef": reference})})


def _requests(filled: Object) -> Object:
    """Requests are the limits where they are not said."""
    resources = object_at(filled, "resources")
    limits = object_at(resources, "limits")
    if not limits:
        return filled
    requests = limits | object_at(resources, "requests")
    ordered: Object = {key: requests[key] for key in sorted(requests)}
    return changed(filled, {"resources": changed(resources, {"requests": ordered})})


def _action(holder: Object) -> Object:
    if "httpGet" not in holder:
        return holder
    default: Object = {"path": "/", "scheme": "HTTP"}
    return changed(holder, {"httpGet": default | object_at(holder, "httpGet")})


def _source(source: Object) -> Object:
    """A volume's source, with the defaults of what it is projected from."""
    source = _each(source, "items", _items)
    return _each(source, "sources", _projection)


def _items(item: Object) -> Object:
    if "fieldRef" not in item:
        return item
    reference: Object = {"apiVersion": "v1"} | object_at(item, "fieldRef")
    return changed(item, {"fieldRef": reference})


def _projection(projection: Object) -> Object:
    filled = dict(projection)
    if "downwardAPI" in filled:
        filled["downwardAPI"] = _each(object_at(filled, "downwardAPI"), "items", _items)
    if "serviceAccountToken" in filled:
        default: Object = {"expirationSeconds": _TOKEN_SECONDS}
        filled["serviceAccountToken"] = default | object_at(filled, "serviceAccountToken")
    return filled


def _each(parent: Object, key: str, fill: Callable[[Object], Object]) -> Object:
    """``parent`` with ``fill`` applied to every object of the list under ``key``."""
    if key not in parent:
        return parent
    return changed(parent, {key: [fill(each) for each in objects_at(parent, key)]})
