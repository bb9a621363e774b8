"""A pod in one form: the defaults of the API server, canonical quantities, and lists by name.

Source: k8s.io/kubernetes v1.37, pkg/apis/core/v1/defaults.go. ``tests/e2e/live`` compares the
result with a real kube-apiserver.
"""

from collections.abc import Callable, Mapping, Sequence

from podgraft.base.jsonvalue import (
    JSON,
    NotJSONError,
    Object,
    load,
    object_at,
    objects_at,
    string_at,
)
from podgraft.kube import quantity

_CONTAINER_LISTS = ("initContainers", "containers")
_CONTAINER: Object = {
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
}
_POD: Object = {
    "restartPolicy": "Always",
    "dnsPolicy": "ClusterFirst",
    "terminationGracePeriodSeconds": 30,
    "schedulerName": "default-scheduler",
    "enableServiceLinks": True,
}
_PROBE: Object = {
    "timeoutSeconds": 1,
    "periodSeconds": 10,
    "successThreshold": 1,
    "failureThreshold": 3,
}
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_HANDLERS = ("postStart", "preStop")
_WITH_MODE = ("secret", "configMap", "downwardAPI", "projected")
_MODE = 0o644
_TOKEN_SECONDS = 3600
# The fields of pods with type int32 or bool and omitempty: the API server does not store a zero.
_ZERO_FIELDS = frozenset(
    {
        *("failureThreshold", "initialDelaySeconds", "periodSeconds", "successThreshold"),
        *("hostIPC", "hostNetwork", "hostPID", "hostPort", "readOnly"),
        *("stdin", "stdinOnce", "timeoutSeconds", "tty"),
    }
)
_PROBERS = "ISTIO_KUBE_APP_PROBERS"
# Lists whose elements have a unique name in this field; their order has no meaning.
_KEYS = {
    "containers": "name",
    "initContainers": "name",
    "volumes": "name",
    "env": "name",
    "volumeMounts": "mountPath",
    "volumeDevices": "devicePath",
    "imagePullSecrets": "name",
    "ports": "containerPort",
    "sysctls": "name",
}


def normalize_pod(pod: Object) -> Object:
    """Return metadata and spec of a pod, with defaults, and with lists as maps by name."""
    metadata, spec = object_at(pod, "metadata"), object_at(_drop_zeros(pod), "spec")
    filled: Object = _POD | spec
    for key in _CONTAINER_LISTS:
        if key in spec:
            filled[key] = [_fill_container(each) for each in objects_at(spec, key)]
    if "volumes" in spec:
        filled["volumes"] = [_fill_volume(each) for each in objects_at(spec, "volumes")]
    annotations = object_at(metadata, "annotations")
    return {
        "metadata": {
            "labels": object_at(metadata, "labels"),
            "annotations": {key: _parse_json(value) for key, value in annotations.items()},
        },
        "spec": _index_lists(_prune(filled)),
    }


def container_names(pod: Object, key: str) -> list[str]:
    """Return the names of the containers, in order."""
    return [string_at(each, "name") for each in objects_at(object_at(pod, "spec"), key)]


def _fill_container(container: Object) -> Object:
    filled = _CONTAINER | container
    filled["imagePullPolicy"] = container.get("imagePullPolicy") or _pull_policy(container)
    _fill_list(filled, "ports", lambda port: {"protocol": "TCP"} | port)
    _fill_list(filled, "env", _fill_variable)
    for key in _PROBES:
        if isinstance(filled.get(key), dict):
            filled[key] = _fill_action(_PROBE | object_at(filled, key))
    lifecycle = object_at(filled, "lifecycle")
    if lifecycle:
        filled["lifecycle"] = {
            key: _fill_action(value) if key in _HANDLERS and isinstance(value, dict) else value
            for key, value in lifecycle.items()
        }
    if isinstance(filled.get("resources"), dict):
        filled["resources"] = _fill_resources(object_at(filled, "resources"))
    return filled


def _pull_policy(container: Object) -> str:
    """Return Always for the tag latest or without a tag, else IfNotPresent."""
    name, _, digest = string_at(container, "image").partition("@")
    tag = name.rpartition("/")[2].partition(":")[2]
    return "Always" if not digest and tag in {"", "latest"} else "IfNotPresent"


def _fill_variable(entry: Object) -> Object:
    source = object_at(entry, "valueFrom")
    if "fieldRef" in source:
        return {**entry, "valueFrom": {"fieldRef": _fill_field(object_at(source, "fieldRef"))}}
    if "resourceFieldRef" in source:
        reference = _fill_resource_field(object_at(source, "resourceFieldRef"))
        return {**entry, "valueFrom": {"resourceFieldRef": reference}}
    if "value" in entry:  # Istio writes JSON; its keys have no order
        value = _parse_json(entry["value"])
        return entry | {"value": _fill_probers(value) if entry.get("name") == _PROBERS else value}
    return entry


def _fill_probers(value: JSON) -> JSON:
    """Fill in the probes that Istio recorded: kube-inject records them without defaults."""
    if not isinstance(value, dict):
        return value
    default: Object = {"timeoutSeconds": 1}
    return {
        path: _fill_action(default | prober) if isinstance(prober, dict) else prober
        for path, prober in value.items()
    }


def _fill_field(reference: Object) -> Object:
    return {"apiVersion": "v1"} | reference


def _fill_resource_field(reference: Object) -> Object:
    return reference | {"divisor": _canonical_quantity(reference.get("divisor") or "0")}


def _fill_action(action: Object) -> Object:
    if isinstance(action.get("httpGet"), dict):
        request = object_at(action, "httpGet")
        default: Object = {"path": "/", "scheme": "HTTP"}
        filled = default | {key: value for key, value in request.items() if value != ""}
        return {**action, "httpGet": filled}
    return action


def _fill_resources(resources: Object) -> Object:
    filled = dict(resources)
    limits, requests = object_at(resources, "limits"), object_at(resources, "requests")
    if limits:
        requests = limits | requests
    for key, quantities in (("limits", limits), ("requests", requests)):
        if quantities:
            filled[key] = {name: _canonical_quantity(each) for name, each in quantities.items()}
    return filled


def _canonical_quantity(value: JSON) -> JSON:
    try:
        return quantity.canonical(str(value))
    except ValueError:
        return value


def _fill_volume(volume: Object) -> Object:
    filled = dict(volume)
    if filled.keys() == {"name"}:
        filled["emptyDir"] = {}
    for key in _WITH_MODE:
        if isinstance(filled.get(key), dict):
            source: Object = {"defaultMode": _MODE} | object_at(filled, key)
            _fill_list(source, "items", _fill_item)
            _fill_list(source, "sources", _fill_projection)
            filled[key] = source
    # An empty source, such as emptyDir: {}, has a meaning that pruning must not remove.
    return {key: value if value != {} else "{}" for key, value in filled.items()}


def _fill_item(item: Object) -> Object:
    if "fieldRef" in item:
        return {**item, "fieldRef": _fill_field(object_at(item, "fieldRef"))}
    if "resourceFieldRef" in item:
        return {
            **item,
            "resourceFieldRef": _fill_resource_field(object_at(item, "resourceFieldRef")),
        }
    return item


def _fill_projection(projection: Object) -> Object:
    filled = dict(projection)
    for key in ("downwardAPI", "configMap", "secret"):
        if isinstance(filled.get(key), dict):
            source = dict(object_at(filled, key))
            _fill_list(source, "items", _fill_item)
            filled[key] = source
    if isinstance(filled.get("serviceAccountToken"), dict):
        default: Object = {"expirationSeconds": _TOKEN_SECONDS}
        filled["serviceAccountToken"] = default | object_at(filled, "serviceAccountToken")
    return filled


def _fill_list(parent: Object, key: str, fill: Callable[[Object], Object]) -> None:
    """Apply *fill* to every object of the list under *key*."""
    if isinstance(parent.get(key), list):
        parent[key] = [fill(each) for each in objects_at(parent, key)]


def _parse_json(value: JSON) -> JSON:
    """Return the value of a JSON object or list in a text; other text as it is."""
    if not isinstance(value, str) or value[:1] not in {"{", "["}:
        return value
    try:
        return load(value)
    except NotJSONError:
        return value


def _drop_zeros(value: JSON) -> Object:
    """Return the object without the zeros that Go omits."""
    dropped = _drop_zero_fields(value)
    return dropped if isinstance(dropped, dict) else {}


def _drop_zero_fields(value: JSON) -> JSON:
    match value:
        case dict():
            return {
                key: _drop_zero_fields(each)
                for key, each in value.items()
                if each not in (0, None) or key not in _ZERO_FIELDS
            }
        case list():
            return [_drop_zero_fields(each) for each in value]
        case _:
            return value


def _prune(value: JSON) -> JSON:
    """Remove what the API server does not store: null, and empty maps, lists, and texts."""
    match value:
        case dict():
            pruned = {key: _prune(each) for key, each in value.items()}
            return {key: each for key, each in pruned.items() if each not in (None, "", {}, [])}
        case list():
            return [_prune(each) for each in value]
        case _:
            return value


def _index_lists(value: JSON, key: str = "") -> JSON:
    """Replace the lists of ``_KEYS`` by maps; a duplicate name gets a number."""
    match value:
        case dict():
            return {name: _index_lists(each, name) for name, each in value.items()}
        case list() if key in _KEYS and all(isinstance(each, dict) for each in value):
            return _index_list([each for each in value if isinstance(each, dict)], _KEYS[key])
        case list():
            return [_index_lists(each) for each in value]
        case _:
            return value


def _index_list(elements: Sequence[Object], key: str) -> Object:
    indexed: dict[str, JSON] = {}
    counts: dict[str, int] = {}
    for element in elements:
        name = str(element.get(key) or "")
        counts[name] = counts.get(name, 0) + 1
        label = name if counts[name] == 1 else f"{name}#{counts[name]}"
        indexed[label] = _index_lists(_without(element, key))
    return indexed


def _without(element: Mapping[str, JSON], key: str) -> Object:
    return {name: value for name, value in element.items() if name != key}
