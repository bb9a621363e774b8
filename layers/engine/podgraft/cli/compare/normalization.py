"""A pod in one form: the defaults of the API server, canonical quantities, and lists by name.

``kube.defaults`` has the defaults. ``tests/e2e/live`` compares the result with a real
kube-apiserver.
"""

from collections.abc import Sequence

from podgraft.base.jsonvalue import JSON, NotJSONError, Object, load, object_at, objects_at
from podgraft.kube import DecodeError, defaults

_CONTAINER_LISTS = ("initContainers", "containers")
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
    metadata, spec = object_at(pod, "metadata"), dict(object_at(_complete(pod), "spec"))
    for key in _CONTAINER_LISTS:
        spec[key] = [_parse_variables(each) for each in objects_at(spec, key)]
    spec["volumes"] = [_keep_source(each) for each in objects_at(spec, "volumes")]
    annotations = object_at(metadata, "annotations")
    return {
        "metadata": {
            "labels": object_at(metadata, "labels"),
            "annotations": {key: _parse_json(value) for key, value in annotations.items()},
        },
        "spec": _index_lists(_prune(spec)),
    }


def _complete(pod: Object) -> Object:
    """Return the pod as kube-apiserver stores it; one that does not decode is unchanged."""
    try:
        return defaults.complete({**pod, "apiVersion": "v1", "kind": "Pod"})
    except DecodeError:
        return pod


def _parse_variables(container: Object) -> Object:
    """Replace the JSON that Istio writes in variables by its value: its keys have no order."""
    return {**container, "env": [_parse_variable(each) for each in objects_at(container, "env")]}


def _parse_variable(entry: Object) -> Object:
    value = _parse_json(entry.get("value"))
    return entry | {"value": _fill_probers(value) if entry.get("name") == _PROBERS else value}


def _fill_probers(value: JSON) -> JSON:
    """Fill in the probes that Istio recorded: kube-inject records them without defaults."""
    if not isinstance(value, dict):
        return value
    default: Object = {"timeoutSeconds": 1}
    return {
        path: _fill_action(default | prober) if isinstance(prober, dict) else prober
        for path, prober in value.items()
    }


def _fill_action(action: Object) -> Object:
    if isinstance(action.get("httpGet"), dict):
        request = object_at(action, "httpGet")
        default: Object = {"path": "/", "scheme": "HTTP"}
        filled = default | {key: value for key, value in request.items() if value != ""}
        return {**action, "httpGet": filled}
    return action


def _keep_source(volume: Object) -> Object:
    """An empty source, such as emptyDir: {}, has a meaning that pruning must not remove."""
    return {key: value if value != {} else "{}" for key, value in volume.items()}


def _parse_json(value: JSON) -> JSON:
    """Return the value of a JSON object or list in a text; other text as it is."""
    if not isinstance(value, str) or value[:1] not in {"{", "["}:
        return value
    try:
        return load(value)
    except NotJSONError:
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
        others: Object = {field: each for field, each in element.items() if field != key}
        indexed[label] = _index_lists(others)
    return indexed
