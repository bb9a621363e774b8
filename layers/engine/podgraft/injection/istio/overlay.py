"""What a rendered template is: a partial pod, laid over whole ones by strategic merge.

Istio decodes the pod after each merge, which drops unknown fields, makes quantities canonical and
refuses wrong types. Here that happens to the partial pod instead, once, so that the pods under it
stay raw JSON and keep what we do not know.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from podgraft import kube, kubeyaml
from podgraft.govalue import Field, GoType, Kind
from podgraft.jsonvalue import JSON, Object
from podgraft.patch import strategic
from podgraft.records import dataclass


class OverlayError(ValueError):
    """The text is no partial pod; the message says why."""


@dataclass(frozen=True, slots=True)
class Overlay:
    """A partial pod, and the pod that it makes of an empty one. Nobody may change either."""

    type: GoType
    patch: Object
    alone: Object

    def over(self, pod: Object) -> Object:
        """``pod`` with the patch laid over it; raises ``OverlayError``."""
        return _merge(self.type, pod, self.patch) if pod else self.alone


def read(pod_type: GoType, raw: JSON) -> Overlay:
    """The overlay that a parsed text says; raises ``OverlayError``."""
    if raw is None:
        raw = {}
    if not isinstance(raw, dict):
        raise OverlayError("the template renders to something that is not a map of a pod's fields")
    patch = _typed_struct(pod_type, raw, "")
    return Overlay(pod_type, patch, _merge(pod_type, {}, patch))


def parse(text: str) -> JSON:
    """The rendered text as JSON: of duplicate keys the last wins; raises ``OverlayError``."""
    try:
        return kubeyaml.load(text, strict=False)
    except kubeyaml.NotYAMLError as error:
        raise OverlayError(f"the template renders to invalid YAML: {error}") from error


def _merge(pod_type: GoType, pod: Object, patch: Object) -> Object:
    try:
        merged = strategic.merge(pod, patch, pod_type)
    except strategic.MergeError as error:
        raise OverlayError(str(error)) from error
    assert isinstance(merged, dict)  # noqa: S101 - a map merged with a map is a map
    return merged


def _typed(type_: GoType, value: JSON, path: str) -> JSON:
    """``value`` as Go would print it again, but with nulls and directives, which merging needs."""
    target = type_.elem if type_.kind is Kind.POINTER and type_.elem else type_
    match target.kind, value:
        case _, None:
            return None
        case Kind.STRUCT, dict() if target.fields:
            return _typed_struct(target, value, path)
        case Kind.MAP, dict() if target.elem:
            elem = target.elem
            return {key: _typed(elem, each, f"{path}.{key}") for key, each in value.items()}
        case Kind.SLICE, list() if target.elem:
            elem = target.elem
            return [_typed(elem, each, f"{path}[{index}]") for index, each in enumerate(value)]
        case _:
            return _leaf(type_, value, path)


def _typed_struct(type_: GoType, value: Object, path: str) -> Object:
    known = _fields(type_)
    typed: Object = {}
    for key, each in value.items():
        if key.startswith("$"):
            typed[key] = each
        elif field := known.get(key) or known.get(key.lower()):
            typed[field.json] = _typed(field.type, each, f"{path}.{field.json}")
    return typed


def _leaf(type_: GoType, value: JSON, path: str) -> JSON:
    try:
        return kube.decode(type_, value)
    except kube.DecodeError as error:
        raise OverlayError(f"{path.removeprefix('.')}: {error}") from error


@cache
def _fields(type_: GoType) -> Mapping[str, Field]:
    """The fields by JSON name and, behind those, by lower-cased name: encoding/json's order."""
    flat: dict[str, Field] = {}
    for field in type_.fields:
        flat.update(_fields(field.type) if field.inline else {field.json: field})
    return {name.lower(): field for name, field in flat.items()} | flat
