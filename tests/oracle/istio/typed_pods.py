"""Pods and merge patches from Kubernetes' own types: any field, also one newer than a release."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from typing import Any

from podgraft.base.jsonvalue import JSON, Object, objects_at
from podgraft.core.injectors.istio import releases
from podgraft.golang.reflect import Field, GoType, Kind
from podgraft.kube import encode
from podgraft.kube.types import types

TEMPLATES = 12
# That of Kubernetes' newest pods. The agent would read newer fields of probes.
_TYPES = types(36)
DEPTH = 5
# Before, a merge adds a part of a patch with its directives (docs/conformance.md).
_DIRECTIVES_REMOVED = 28
# Few words, so that keys of lists meet in the pod, its templates, and themselves.
_WORDS = ("a", "b", "app", "istio-proxy", "istio-init", "workload-socket", "", "A")
_TEXTS: Mapping[str, tuple[str, ...]] = {
    "image": ("auto", "own/proxy:1", "example.com/app:1"),
    "ip": ("10.0.0.1", "10.0.0.2"),
    "mountPath": ("/a", "/var/run/secrets/istio", "/b"),
    "devicePath": ("/dev/a", "/dev/b"),
    "topologyKey": ("zone", "host"),
    "restartPolicy": ("Always", "OnFailure", "Never"),
    "protocol": ("TCP", "UDP"),
    "scheme": ("HTTP", "HTTPS", ""),
    "path": ("/healthz", "", "h"),
    "hostIP": ("127.0.0.1",),
}
_NAMED: Mapping[str, tuple[JSON, ...]] = {
    "resource.Quantity": ("1", "0.5", "500m", "1Gi", "1024Ki", "0"),
    "v1.Time": ("2024-01-02T03:04:05Z",),
    "intstr.IntOrString": (80, "http", 0, "", "8080"),
}
_NUMBERS = (80, 8080, 53, 1, 0, 15020, 1337)
_LABELS: JSON = {"matchLabels": {"a": "b"}}


def add_fields(random_: random.Random, pod: Object) -> Object:
    """The pod with random fields of Kubernetes' types, as kube-apiserver prints it."""
    fields: Any = _make(random_, _TYPES["PodSpec"], "spec", DEPTH, random_.choice((4, 12)))
    spec: Any = pod["spec"]
    spec |= {key: value for key, value in fields.items() if key not in ("containers", "volumes")}
    spec["volumes"] = [*spec.get("volumes", ()), *fields.get("volumes", ())]
    for field in _fields(_TYPES["PodSpec"]):  # kube-apiserver refuses one name twice
        if field.merge_key == "name" and field.json in spec:
            spec[field.json] = [*{each.get("name"): each for each in spec[field.json]}.values()]
    spec.pop("hostNetwork", None)
    for container in (*objects_at(spec, "containers"), *objects_at(spec, "initContainers")):
        if random_.random() < 0.4:
            more: Any = _make(random_, _TYPES["Container"], "containers", DEPTH - 1, 6)
            container |= {key: value for key, value in more.items() if key not in ("name", "image")}
    printed: Any = encode(_TYPES["Pod"], pod)
    return printed


def make_templates(random_: random.Random, release: str) -> dict[str, str]:
    """Templates without actions: merge patches of random fields, and the directives of a merge."""
    is_directed = releases.parse_release(release).kubernetes >= _DIRECTIVES_REMOVED
    patches = [_make_patch(random_, is_directed) for _ in range(TEMPLATES)]
    return {f"t{number}": json.dumps(patch) for number, patch in enumerate(patches)}


def select_templates(random_: random.Random, pod: Object) -> Object:
    """The pod with an annotation that names templates, and with a label that injects it."""
    metadata: Any = pod["metadata"]
    names = [f"t{random_.randrange(TEMPLATES)}" for _ in range(random_.choice((0, 1, 1, 2)))]
    if random_.random() < 0.6 or not names:
        names.insert(random_.choice((0, len(names))), "sidecar")
    annotations: dict[str, JSON] = metadata.setdefault("annotations", {})
    annotations["inject.istio.io/templates"] = ",".join(names)
    metadata["labels"] = {**metadata.get("labels", {}), "sidecar.istio.io/inject": "true"}
    return pod


def _make_patch(random_: random.Random, is_directed: bool) -> Object:
    """A partial pod; its lists have elements, and different keys, as every usable template."""
    spec: Any = _make(random_, _TYPES["PodSpec"], "spec", DEPTH, random_.choice((3, 8)))
    _make_keys_unique(spec, _TYPES["PodSpec"])
    if is_directed:
        _direct(random_, spec, _TYPES["PodSpec"])
    return {"spec": spec}


def _make_keys_unique(value: Any, of: GoType) -> None:
    for field in _fields(of):
        below, elem = value.get(field.json), _strip(field.type)
        if isinstance(below, dict) and elem.kind is Kind.STRUCT:
            _make_keys_unique(below, elem)
        elif below == []:
            del value[field.json]
        elif elem.kind is Kind.SLICE and _strip(elem.elem).kind is Kind.STRUCT and below:
            items: list[Any] = value[field.json]
            if field.merge_key:
                keyed = {item.get(field.merge_key): item for item in items}
                items = value[field.json] = [item for key, item in keyed.items() if key]
            for item in items:
                _make_keys_unique(item, _strip(elem.elem))
            if not items:
                del value[field.json]


def _direct(random_: random.Random, value: Any, of: GoType) -> None:
    """Add directives of a merge to an object, and nulls, here and below."""
    for field in _fields(of):
        below = value.get(field.json)
        elem = _strip(field.type)
        if isinstance(below, dict) and elem.kind is Kind.STRUCT:
            _direct(random_, below, elem)
        elif isinstance(below, list) and elem.kind is Kind.SLICE:
            _direct_list(random_, value, field, value[field.json], _strip(elem.elem))
        if field.omitempty and random_.random() < 0.01:
            value[field.json] = None
    chance = random_.random()
    if chance < 0.02:
        value["$patch"] = random_.choice(("replace", "delete"))
    elif chance < 0.03 and value:
        value["$retainKeys"] = sorted(random_.sample(sorted(value), 1))


def _direct_list(
    random_: random.Random, value: Any, field: Field, below: list[Any], elem: GoType
) -> None:
    for item in below:
        if isinstance(item, dict) and elem.kind is Kind.STRUCT:
            _direct(random_, item, elem)
    if not field.merge_key:
        return
    chance = random_.random()
    if chance < 0.06:
        below.append({"$patch": "replace"})
    elif chance < 0.12:
        is_number = field.merge_key == "containerPort"
        key: Any = random_.choice(_NUMBERS if is_number else _TEXTS.get(field.merge_key, _WORDS))
        below.append({field.merge_key: key, "$patch": random_.choice(("delete", "replace"))})
    elif chance < 0.16 and field.merge_key == "name":
        keys = [item["name"] for item in below if "name" in item]
        value[f"$setElementOrder/{field.json}"] = [{field.merge_key: key} for key in keys]


def _make(random_: random.Random, of: GoType, name: str, depth: int, often: int) -> JSON:
    """A value of a type; a struct has about *often* of its fields."""
    of = _strip(of)
    if of.name in _NAMED:
        return random_.choice(_NAMED[of.name])
    if of.name == "v1.LabelSelector":
        return _LABELS
    make = _MAKERS.get(of.kind)
    if make is not None:
        return make(random_)
    match of.kind:
        case Kind.STRING:
            return random_.choice(_TEXTS.get(name, _WORDS))
        case Kind.SLICE if of.elem is not None and of.elem.kind is not Kind.UINT8:
            elem = of.elem
            number = random_.choice((0, 1, 1, 2, 3)) if depth > 0 else 0
            return [_make(random_, elem, name, depth - 1, often) for _ in range(number)]
        case Kind.MAP if of.elem is not None:
            elem = of.elem
            keys = ("cpu", "memory") if elem.name == "resource.Quantity" else ("a", "b")
            return {
                key: _make(random_, elem, name, depth - 1, often)
                for key in keys[: random_.randrange(3)]
            }
        case Kind.STRUCT:
            return _make_struct(random_, of, depth, often)
        case _:
            return ""


def _make_struct(random_: random.Random, of: GoType, depth: int, often: int) -> Object:
    made: Object = {}
    fields = _fields(of)
    for field in fields:
        is_needed = field.json == "name" or not (field.omitempty or field.omitzero)
        if is_needed or (depth > 0 and random_.random() < often / len(fields)):
            made[field.json] = _make(random_, field.type, field.json, depth - 1, 2)
    return made


def _fields(of: GoType) -> list[Field]:
    """The fields of a struct, and of those that it embeds."""
    fields: list[Field] = []
    for field in of.fields:
        fields += [field] if field.json else _fields(_strip(field.type))
    return fields


def _strip(of: GoType | None) -> GoType:
    assert of is not None
    while of.kind is Kind.POINTER:
        assert of.elem is not None
        of = of.elem
    return of


_MAKERS: Mapping[Kind, Callable[[random.Random], JSON]] = {
    Kind.BOOL: lambda random_: random_.random() < 0.5,
    Kind.INT32: lambda random_: random_.choice(_NUMBERS),
    Kind.INT64: lambda random_: random_.choice(_NUMBERS),
}
