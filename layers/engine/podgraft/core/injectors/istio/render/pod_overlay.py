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

from msgspec import Struct
from msgspec.structs import replace

from podgraft import kube
from podgraft.base.jsonvalue import JSON, Object
from podgraft.golang.reflect import GoType
from podgraft.kube import yaml
from podgraft.kube.patch import strategic
from podgraft.kube.yaml import IncrementalLoader, LoadedText

from .merge_keys import fill_merge_keys
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
        merged = _merge(self.type, pod, self.patch)
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
    return parse_similar(text, IncrementalLoader()).value


def parse_similar(text: str, loader: IncrementalLoader) -> LoadedText:
    """``parse``, with the changes from a previous text of the loader."""
    try:
        return loader.load(text)
    except yaml.NotYAMLError as error:
        raise OverlayError(f"the template renders to invalid YAML: {error}") from error


def _merge(pod_type: GoType, pod: Object, patch: Object) -> Object:
    """Merge as Istio does: over the pod as Go prints it."""
    printed: Object = pod or _EMPTY_POD
    spec = printed.get("spec") or {}
    if isinstance(spec, dict) and "containers" not in spec:
        printed = {**printed, "spec": {**spec, "containers": None}}
    return _drop_empty(merge_pod(pod_type, printed, patch), pod)


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


def _drop_empty(merged: Object, pod: Object) -> Object:
    """Drop the members of the empty pod that a merge leaves as they are, but not those of *pod*."""
    spec = merged.get("spec")
    if isinstance(spec, dict) and spec.get("containers", spec) is None:
        spec = {key: value for key, value in spec.items() if key != "containers"}
        merged = {**merged, "spec": spec}
    empty = [key for key in _EMPTY_POD if merged.get(key) == {} and key not in pod]
    return {key: value for key, value in merged.items() if key not in empty} if empty else merged


def _normalize(pod_type: GoType, raw: Object) -> Object:
    """Return ``raw`` as Go would print it, but with the nulls and directives for the merge."""
    try:
        typed = kube.decode_patch(pod_type, raw)
    except kube.DecodeError as error:
        first = error.errors[0]
        steps = (f"[{step}]" if step.isdigit() else f".{step}" for step in first.pointer)
        path = "".join(steps).removeprefix(".")
        raise OverlayError(f"{path}: {replace(first, struct='')}") from error
    assert isinstance(typed, dict)  # noqa: S101 - a struct decodes to a map
    return typed
