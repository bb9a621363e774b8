"""Pod overlays: the partial pods that templates render, and their strategic merge over pods.

Merge order: the templates of a pod are merged one after another, in the order of the annotation or
of the defaults. Each rendered template is a strategic merge patch of the pod so far. A later
template takes precedence over an earlier one, and every template over the pod.

Hazard: Istio decodes the complete pod after each merge. This drops unknown fields, makes quantities
canonical, and rejects wrong types. podgraft normalizes only the partial pod, once, before the
merge. The pods stay raw JSON and keep fields that Istio's Kubernetes types do not have. For this to
have the same result, normalization must preserve exactly what a merge needs and Go would lose:
nulls, which delete a member, and directives (``$patch``).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from podgraft import kube
from podgraft.base.jsonvalue import JSON, Object
from podgraft.golang.reflect import GoType, Kind
from podgraft.golang.reflect.fields import fields_by_any_key
from podgraft.kube import yaml
from podgraft.kube.patch import strategic
from podgraft.kube.yaml import IncrementalLoader, LoadedText

from .merge_keys import fill_merge_keys
from .pod_fields import find_by_name
from .pod_overlay_nulls import NullTree, drop_nulls, find_nulls

# An empty pod as Go prints it. Only its list of containers is null: no directive can order it.
_EMPTY_POD: Object = {"metadata": {}, "spec": {"containers": None}, "status": {}}


class OverlayError(ValueError):
    """The text is not a partial pod; the message states the reason."""


class PodOverlay(Struct, frozen=True):
    """A partial pod, and its merge over an empty pod. Callers must not change either.

    ``standalone`` is ``None`` if the partial pod only merges over the pod of another template.
    """

    type: GoType
    patch: Object
    standalone: Object | None
    nulls: NullTree

    def apply(self, pod: Object) -> Object:
        """Merge the patch over ``pod``; raises ``OverlayError``."""
        if not pod and self.standalone is not None:
            return self.standalone
        merged = _merge(self.type, pod or _EMPTY_POD, self.patch)
        return drop_nulls(self.nulls, merged) if self.nulls else merged


def decode_overlay(pod_type: GoType, raw: JSON) -> PodOverlay:
    """Convert a parsed text to an overlay; raises ``OverlayError``."""
    if raw is None:
        raw = {}
    if not isinstance(raw, dict):
        raise OverlayError("the template must render a mapping of pod fields")
    patch = _normalize(pod_type, raw)
    overlay = PodOverlay(pod_type, patch, None, find_nulls(patch))
    try:
        return replace(overlay, standalone=overlay.apply({}))
    except OverlayError:  # ``apply`` raises it again if the template is the first of a pod
        return overlay


def parse(text: str) -> JSON:
    """Parse the rendered text; the last of duplicate keys applies. Raises ``OverlayError``."""
    try:
        return yaml.load(text, strict=False)
    except yaml.NotYAMLError as error:
        raise _make_syntax_error(error) from error


def parse_similar(text: str, loader: IncrementalLoader) -> LoadedText:
    """``parse``, with the changes from a previous text of the loader."""
    try:
        return loader.load_changes(text)
    except yaml.NotYAMLError as error:
        raise _make_syntax_error(error) from error


def _make_syntax_error(error: yaml.NotYAMLError) -> OverlayError:
    return OverlayError(f"the template renders to invalid YAML: {error}")


def _merge(pod_type: GoType, pod: Object, patch: Object) -> Object:
    """Merge as Istio does: over the pod as Go prints it."""
    spec = pod.get("spec") or {}
    if isinstance(spec, dict) and "containers" not in spec:
        pod = {**pod, "spec": {**spec, "containers": None}}
    return _drop_empty(merge_pod(pod_type, pod, patch))


def merge_pod(pod_type: GoType, pod: Object, patch: Object) -> Object:
    """Merge a patch over a pod that has all merge keys that Go prints; raises ``OverlayError``."""
    try:
        merged = _merge_or_fill(pod_type, pod, patch)
    except strategic.MergeError as error:
        raise OverlayError(str(error)) from error
    assert isinstance(merged, dict)  # noqa: S101 - a map merged with a map is a map
    return merged


def _merge_or_fill(pod_type: GoType, pod: Object, patch: Object) -> JSON:
    try:
        return strategic.merge(pod, patch, pod_type)
    except strategic.MergeError:
        return strategic.merge(fill_merge_keys(pod_type, pod), patch, pod_type)


def _drop_empty(merged: Object) -> Object:
    """Drop the members of the empty pod that a merge leaves as they are."""
    spec = merged.get("spec")
    if isinstance(spec, dict) and spec.get("containers", spec) is None:
        spec = {key: value for key, value in spec.items() if key != "containers"}
        merged = {**merged, "spec": spec}
    empty = [key for key in _EMPTY_POD if merged.get(key) == {}]
    return {key: value for key, value in merged.items() if key not in empty} if empty else merged


def _normalize(pod_type: GoType, raw: Object) -> Object:
    """Return ``raw`` as Go would print it, but with the nulls and directives for the merge."""
    try:
        typed = _normalizer(pod_type)(raw)
    except _TypeMismatchError as error:
        raise OverlayError(f"{error.path.removeprefix('.')}: {error}") from error
    assert isinstance(typed, dict)  # noqa: S101 - a struct normalizes to a map
    return typed


class _TypeMismatchError(Exception):
    """A value has another type than its field; ``path`` is the path of the value."""

    path = ""

    def with_prefix(self, step: str) -> _TypeMismatchError:
        """Add a step at the start of the path."""
        self.path = step + self.path
        return self


_Normalizer: TypeAlias = Callable[[JSON], JSON]


@cache
def _normalizer(type_: GoType) -> _Normalizer:
    """Return the normalizer of a type; each is created once."""
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
    steps: dict[str, tuple[str, type | None, _Normalizer]] = {}

    def normalize(value: JSON) -> JSON:
        if not isinstance(value, dict):
            return leaf(value)
        if not steps:  # types can be recursive: resolve fields on first use
            steps.update(_field_steps(target))
        result: Object = {}
        for key, member in value.items():
            step = find_by_name(steps, key)
            if step is None:
                if key.startswith("$"):
                    result[key] = member
                continue
            name, unchanged_class, normalize_member = step
            try:
                result[name] = (
                    member if member.__class__ is unchanged_class else normalize_member(member)
                )
            except _TypeMismatchError as error:
                raise error.with_prefix(f".{name}") from error
        return result

    return normalize


def _field_steps(target: GoType) -> dict[str, tuple[str, type | None, _Normalizer]]:
    """Return, by key: the name of the field, the class to leave unchanged, and the normalizer."""
    return {
        key: (field.json, _UNCHANGED_CLASSES.get(field.type.kind), _normalizer(field.type))
        for key, field in fields_by_any_key(target).items()
    }


# Values of these classes stay unchanged in fields of these kinds.
_UNCHANGED_CLASSES = {Kind.STRING: str, Kind.BOOL: bool}
# Integers that all of these kinds hold as they stand.
_INTEGER_KINDS = (Kind.INT, Kind.INT32, Kind.INT64)
_INTEGERS = range(-(2**31), 2**31)


def _map_normalizer(type_: GoType, elem: GoType) -> _Normalizer:
    leaf = _leaf_normalizer(type_)
    plain, normalize_element = _UNCHANGED_CLASSES.get(elem.kind), _normalizer(elem)

    def normalize(value: JSON) -> JSON:
        if not isinstance(value, dict):
            return leaf(value)
        result: Object = {}
        for key, element in value.items():
            try:
                result[key] = element if element.__class__ is plain else normalize_element(element)
            except _TypeMismatchError as error:
                raise error.with_prefix(f".{key}") from error
        return result

    return normalize


def _list_normalizer(type_: GoType, elem: GoType) -> _Normalizer:
    leaf = _leaf_normalizer(type_)
    plain, normalize_element = _UNCHANGED_CLASSES.get(elem.kind), _normalizer(elem)

    def normalize(value: JSON) -> JSON:
        if not isinstance(value, list):
            return leaf(value)
        result: list[JSON] = []
        for index, element in enumerate(value):
            try:
                result.append(element if element.__class__ is plain else normalize_element(element))
            except _TypeMismatchError as error:
                raise error.with_prefix(f"[{index}]") from error
        return result

    return normalize


def _leaf_normalizer(type_: GoType) -> _Normalizer:
    target = type_.elem if type_.kind is Kind.POINTER and type_.elem else type_
    is_custom = type_ in kube.SELF_MARSHALING or target in kube.SELF_MARSHALING
    plain = None if is_custom else _UNCHANGED_CLASSES.get(target.kind)
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
