"""What a rendered template is: a partial pod, laid over whole ones by strategic merge.

Istio decodes the pod after each merge, which drops unknown fields, makes quantities canonical and
refuses wrong types. Here that happens to the partial pod instead, once, so that the pods under it
stay raw JSON and keep what we do not know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TypeAlias

from podgraft import kube, yaml
from podgraft.go.reflect import Field, GoType, Kind
from podgraft.jsonvalue import JSON, Object
from podgraft.lazy_dataclass import dataclass
from podgraft.patch import strategic
from podgraft.yaml import IncrementalLoader

from .pod_overlay_nulls import NullTree, drop_nulls, find_nulls


class OverlayError(ValueError):
    """The text is no partial pod; the message says why."""


@dataclass(frozen=True, slots=True)
class PodOverlay:
    """A partial pod, and the pod that it makes of an empty one. Nobody may change either."""

    type: GoType
    patch: Object
    standalone: Object
    nulls: NullTree

    def apply(self, pod: Object) -> Object:
        """``pod`` with the patch laid over it; raises ``OverlayError``."""
        if not pod:
            return self.standalone
        merged = _merge(self.type, pod, self.patch)
        return drop_nulls(self.nulls, merged) if self.nulls else merged


def decode_overlay(pod_type: GoType, raw: JSON) -> PodOverlay:
    """The overlay that a parsed text says; raises ``OverlayError``."""
    if raw is None:
        raw = {}
    if not isinstance(raw, dict):
        raise OverlayError("the template renders to something that is not a map of a pod's fields")
    patch = _normalize(pod_type, raw)
    nulls = find_nulls(patch)
    return PodOverlay(pod_type, patch, drop_nulls(nulls, _merge(pod_type, {}, patch)), nulls)


def parse(text: str, similar: IncrementalLoader | None = None) -> JSON:
    """The rendered text as JSON: of duplicate keys the last wins; raises ``OverlayError``."""
    try:
        return similar.load(text) if similar else yaml.load(text, strict=False)
    except yaml.NotYAMLError as error:
        raise OverlayError(f"the template renders to invalid YAML: {error}") from error


def _merge(pod_type: GoType, pod: Object, patch: Object) -> Object:
    try:
        merged = strategic.merge(pod, patch, pod_type)
    except strategic.MergeError as error:
        raise OverlayError(str(error)) from error
    assert isinstance(merged, dict)  # noqa: S101 - a map merged with a map is a map
    return merged


def _normalize(pod_type: GoType, raw: Object) -> Object:
    """``raw`` as Go would print it again, but with nulls and directives, which merging needs."""
    try:
        typed = _normalizer(pod_type)(raw)
    except _TypeMismatchError as error:
        raise OverlayError(f"{error.path.removeprefix('.')}: {error}") from error
    assert isinstance(typed, dict)  # noqa: S101 - so a struct is typed
    return typed


class _TypeMismatchError(Exception):
    """A value is not of its field's type; ``path`` leads to it."""

    path = ""

    def with_prefix(self, step: str) -> _TypeMismatchError:
        """The same, seen from one level above."""
        self.path = step + self.path
        return self


_Normalizer: TypeAlias = Callable[[JSON], JSON]


@cache
def _normalizer(type_: GoType) -> _Normalizer:
    """How values of a type are typed, made once for each."""
    target = type_.elem if type_.kind is Kind.POINTER and type_.elem else type_
    match target.kind, target.elem:
        case Kind.STRUCT, _ if target.fields and target not in kube.SELF_MARSHALING:
            return _struct_normalizer(type_, target)
        case Kind.MAP, GoType() as elem:
            return _map_normalizer(type_, elem)
        case Kind.SLICE, GoType() as elem:
            return _list_normalizer(type_, elem)
        case _:
            return _leaf_normalizer(type_)


def _struct_normalizer(type_: GoType, target: GoType) -> _Normalizer:
    leaf = _leaf_normalizer(type_)
    known: dict[str, tuple[str, type | None, _Normalizer]] = {}

    def normalize(value: JSON) -> JSON:
        if not isinstance(value, dict):
            return leaf(value)
        if not known:  # types may reach themselves: not before there is a value
            known.update(_field_steps(target))
        result: Object = {}
        for key, each in value.items():
            step = known.get(key) or (None if key.startswith("$") else known.get(key.lower()))
            if step is None:
                if key.startswith("$"):
                    result[key] = each
                continue
            name, plain, type_member = step
            try:
                result[name] = each if each.__class__ is plain else type_member(each)
            except _TypeMismatchError as error:
                raise error.with_prefix(f".{name}") from error
        return result

    return normalize


def _field_steps(target: GoType) -> dict[str, tuple[str, type | None, _Normalizer]]:
    """By its key, each field's name, the class that needs no look, and the way to type others."""
    return {
        key: (field.json, _PLAIN.get(field.type.kind), _normalizer(field.type))
        for key, field in _fields(target).items()
    }


# What a field of these kinds holds as it stands.
_PLAIN = {Kind.STRING: str, Kind.BOOL: bool}
# Integers that all of these kinds hold as they stand.
_INTEGER_KINDS = (Kind.INT, Kind.INT32, Kind.INT64)
_INTEGERS = range(-(2**31), 2**31)


def _map_normalizer(type_: GoType, elem: GoType) -> _Normalizer:
    leaf = _leaf_normalizer(type_)
    plain, normalize_element = _PLAIN.get(elem.kind), _normalizer(elem)

    def normalize(value: JSON) -> JSON:
        if not isinstance(value, dict):
            return leaf(value)
        result: Object = {}
        for key, each in value.items():
            try:
                result[key] = each if each.__class__ is plain else normalize_element(each)
            except _TypeMismatchError as error:
                raise error.with_prefix(f".{key}") from error
        return result

    return normalize


def _list_normalizer(type_: GoType, elem: GoType) -> _Normalizer:
    leaf = _leaf_normalizer(type_)
    plain, normalize_element = _PLAIN.get(elem.kind), _normalizer(elem)

    def normalize(value: JSON) -> JSON:
        if not isinstance(value, list):
            return leaf(value)
        result: list[JSON] = []
        for index, each in enumerate(value):
            try:
                result.append(each if each.__class__ is plain else normalize_element(each))
            except _TypeMismatchError as error:
                raise error.with_prefix(f"[{index}]") from error
        return result

    return normalize


def _leaf_normalizer(type_: GoType) -> _Normalizer:
    target = type_.elem if type_.kind is Kind.POINTER and type_.elem else type_
    is_custom = type_ in kube.SELF_MARSHALING or target in kube.SELF_MARSHALING
    plain = None if is_custom else _PLAIN.get(target.kind)
    integers = _INTEGERS if not is_custom and target.kind in _INTEGER_KINDS else range(0)

    def normalize(value: JSON) -> JSON:
        class_ = value.__class__
        if value is None or class_ is plain or (class_ is int and value in integers):
            return value
        try:
            return kube.decode(type_, value)
        except kube.DecodeError as error:
            raise _TypeMismatchError(str(error)) from error

    return normalize


@cache
def _fields(type_: GoType) -> Mapping[str, Field]:
    """The fields by JSON name and, behind those, by lower-cased name: encoding/json's order."""
    flat: dict[str, Field] = {}
    for field in type_.fields:
        flat.update(_fields(field.type) if field.inline else {field.json: field})
    return {name.lower(): field for name, field in flat.items()} | flat
