"""Mesh configurations from the messages of Istio's API: any field, with valid and odd values."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from podgraft.base.jsonvalue import JSON, Object
from podgraft.core.injectors.istio import releases
from podgraft.core.injectors.istio.config import protojson
from podgraft.core.injectors.istio.config.protojson import (
    DURATION,
    ENUMS,
    MESH_CONFIG,
    MESSAGES,
    PROXY_CONFIG,
    STRUCT,
    Field,
)

from .settings import Settings

DEPTH = 4
TEMPLATE = """\
metadata:
  annotations:
    config: {{ protoToJSON .ProxyConfig | quote }}
    hold: {{ .MeshConfig.GetDefaultConfig.GetHoldApplicationUntilProxyStarts.GetValue | quote }}
    domain: {{ .MeshConfig.TrustDomain | quote }}
spec:
  containers:
  - name: istio-proxy
    image: "{{ .ProxyConfig.DiscoveryAddress }}"
"""
_TEXTS: Mapping[str, Sequence[str]] = {
    "address": ("a:1", "a.b:15012", "1.2.3.4:80", "[::1]:80", "a", "", "$(HOST_IP):9411"),
    "trustDomain": ("example.org", "a_b", "td."),
    "mode": ("SIMPLE",),
    "host": ("a.b", "", "*.a"),
    "hosts": ("a.b", "*.c", "*", "bad_"),
    "network": ("10.0.0.0/8", "a"),
    "name": ("a", "b", "zipkin", "prometheus", ""),
    "from": ("a/b", "a", "*", "a/*"),
    "to": ("a/b", "a"),
    "region": ("a", "b"),
}
_WORDS = ("a", "b", "", "A b", "a.b.svc")
_NUMBERS: Sequence[JSON] = (0, 1, 5, 80, 15099, 70000, -1, "3", 2.0, "x")
_DURATIONS: Sequence[JSON] = ("5s", "0s", "1.5s", "0.0005s", "2h", "-1s", "5", 5, "24h", "1ms")
_SCALARS: Mapping[str, Sequence[JSON]] = {
    **dict.fromkeys(("int32", "int64", "uint32", "uint64"), _NUMBERS),
    **dict.fromkeys(("double", "float"), (0, 1.5, 100, "5", -1, "NaN")),
    "bool": (True, False, True, False, "true"),
    "bytes": ("YQ==", ""),
    DURATION: _DURATIONS,
    STRUCT: ({}, {"a": {"b": [1, True, None]}}),
}  # fmt: skip


def make_settings(random_: random.Random, base: Settings) -> Settings:
    """The settings with a random mesh, and with the template that prints its ProxyConfig alone."""
    schema = protojson.schema(releases.newest())
    often = random_.choice((1, 3, 8))
    mesh = _make_message(random_, schema, MESH_CONFIG, DEPTH, often)
    if random_.random() < 0.6:
        mesh["defaultConfig"] = _make_message(random_, schema, PROXY_CONFIG, DEPTH, often)
    config: Object = {
        "policy": "enabled",
        "defaultTemplates": ["mesh"],
        "templates": {"mesh": TEMPLATE},
    }
    documents: Object = {**base.documents, "mesh": json.dumps(mesh), "config": json.dumps(config)}
    return replace(base, documents=documents)


def make_pod(random_: random.Random) -> Object:
    """A pod with a random ProxyConfig in its annotation."""
    schema = protojson.schema(releases.newest())
    metadata: Object = {"name": "x", "namespace": random_.choice(("default", "team"))}
    if random_.random() < 0.8:
        proxy = _make_message(random_, schema, PROXY_CONFIG, DEPTH, random_.choice((1, 2, 4)))
        metadata["annotations"] = {"proxy.istio.io/config": json.dumps(proxy)}
    metadata["labels"] = random_.choice(({}, {"app": "web"}))
    spec: Object = {"containers": [{"name": "app", "image": "app:1", "resources": {}}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def _make_message(
    random_: random.Random, schema: protojson.Schema, name: str, depth: int, often: int
) -> Object:
    fields = schema.type(name).fields
    made: Object = {}
    for field in fields:
        if random_.random() < often / len(fields):
            key = field.json if random_.random() < 0.95 else field.name
            made[key] = _make_field(random_, schema, field, depth - 1)
    return made


def _make_field(random_: random.Random, schema: protojson.Schema, field: Field, depth: int) -> JSON:
    chance = random_.random()
    if chance < 0.02:
        return random_.choice((None, {}, [], "x", 1))
    make: Callable[[], JSON] = lambda: _make_value(random_, schema, field, depth)  # noqa: E731
    match field.shape:
        case "[]":
            return [make() for _ in range(random_.choice((0, 1, 1, 2)))]
        case "":
            return make()
        case _:
            return {key: make() for key in ("a", "B", "")[: random_.choice((0, 1, 1, 2, 3))]}


def _make_value(random_: random.Random, schema: protojson.Schema, field: Field, depth: int) -> JSON:
    kind = field.type
    wrapped = kind.removeprefix("wrapperspb.").removesuffix("Value").lower()
    if kind in ENUMS:
        members = protojson.enum(kind)
        choices: list[Any] = [*members.values(), *list(members)[:2], "BAD"]
        return random_.choice(choices)
    if kind in MESSAGES:
        return _make_message(random_, schema, kind, depth, 2 if depth > 0 else 0)
    if kind in _SCALARS or wrapped in _SCALARS:
        return random_.choice(_SCALARS.get(kind, _SCALARS.get(wrapped, ("",))))
    return random_.choice(_TEXTS.get(field.json, _WORDS))
