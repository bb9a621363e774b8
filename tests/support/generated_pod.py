"""A pod with every field of the type table, each with a value of its type."""

from __future__ import annotations

from podgraft import kube
from podgraft.base.jsonvalue import JSON, Object
from podgraft.golang.reflect import GoType, Kind

# Values that are not derived from their type. With hostNetwork, no pod is injected.
_BY_TYPE: dict[str, JSON] = {
    "resource.Quantity": "1",
    "v1.Time": "2026-08-26T00:00:00Z",
    "v1.ResourceList": {"cpu": "1", "memory": "1Mi"},
    "v1.ResourceName": "cpu",
    "intstr.IntOrString": 8080,
    "v1.FieldsV1": {"f:metadata": {}},
    "v1.ContainerRestartPolicy": "Always",
}
_BY_FIELD: dict[str, JSON] = {"apiVersion": "v1", "kind": "Pod", "hostNetwork": False}


def make_pod() -> Object:
    """A pod of the newest Kubernetes release in the table, with all of its fields."""
    pod = _make_value(kube.POD, "")
    assert isinstance(pod, dict)
    metadata = pod["metadata"]
    assert isinstance(metadata, dict)
    return {**pod, "metadata": {**metadata, "namespace": "shop"}}


def _make_value(go_type: GoType, name: str) -> JSON:
    if name in _BY_FIELD:
        return _BY_FIELD[name]
    if go_type.name in _BY_TYPE:
        return _BY_TYPE[go_type.name]
    match go_type.kind:
        case Kind.POINTER:
            return _make_value(_elem(go_type), name)
        case Kind.SLICE:
            return [_make_value(_elem(go_type), name)]
        case Kind.MAP:
            return {f"{name.lower()}-key": _make_value(_elem(go_type), name)}
        case Kind.STRUCT:
            return _make_struct(go_type)
        case Kind.BOOL:
            return True
        case Kind.STRING:
            return f"{name.lower()}-value"
        case _:
            return 7


def _make_struct(go_type: GoType) -> Object:
    value: Object = {}
    for field in go_type.fields:
        if field.embedded:
            embedded = _make_value(field.type, field.json)
            assert isinstance(embedded, dict)
            value |= embedded if not field.json else {field.json: embedded}
        elif field.json and field.json != "-":
            value[field.json] = _make_value(field.type, field.json)
    return value


def _elem(go_type: GoType) -> GoType:
    assert go_type.elem is not None
    return go_type.elem
