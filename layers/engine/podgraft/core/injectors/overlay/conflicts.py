"""Overlays that set one value differently.

Two overlays conflict on an object if their order matters: a value of the result differs between
the two orders. Elements of merged lists are identified by their merge keys. For this reason, two
sidecars do not conflict, whichever comes first in the list.

Hazard: the comparison must follow the same rules as the merge. It uses the merge keys and patch
strategies of the Go types, because with other rules it would report the order of containers as a
conflict, or miss one in a list that is replaced.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from podgraft import kube
from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON, Object
from podgraft.core.injectors.errors import InjectionError
from podgraft.golang.reflect import Field, GoType
from podgraft.kube.admission import AdmissionRequest
from podgraft.kube.matching import constraints

from . import paths
from .overlay import Overlay
from .overlay_set import OverlaySet

_NAMESPACE = "default"
_METADATA: Object = {"name": "sample", "namespace": _NAMESPACE, "labels": {}, "annotations": {}}
_POD_SPEC: Object = {"containers": [{"name": "app", "image": "example.com/app:1"}]}
_TEMPLATED: Object = {
    "selector": {"matchLabels": {"app": "sample"}},
    "template": {"metadata": {"labels": {"app": "sample"}}, "spec": _POD_SPEC},
}
_CRON: Object = {"schedule": "@daily", "jobTemplate": {"spec": _TEMPLATED}}


def _sample(api_version: str, kind: str, spec: Object) -> Object:
    return {"apiVersion": api_version, "kind": kind, "metadata": _METADATA, "spec": spec}


# Minimal objects to try overlays on.
SAMPLES: tuple[Object, ...] = (
    _sample("v1", "Pod", _POD_SPEC),
    *(
        _sample("apps/v1", kind, _TEMPLATED)
        for kind in ("DaemonSet", "Deployment", "ReplicaSet", "StatefulSet")
    ),
    _sample("batch/v1", "Job", _TEMPLATED),
    _sample("batch/v1", "CronJob", _CRON),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two overlays, the kind and path of the conflict, and the value of each, as JSON."""

    first: str
    second: str
    kind: str
    path: str
    values: tuple[str, str]


def find_conflicts(
    overlays: OverlaySet, samples: Sequence[Object] = SAMPLES
) -> tuple[Conflict, ...]:
    """Find the conflicts on the samples; each pair and path once, for the first kind."""
    conflicts: dict[tuple[str, str, str], Conflict] = {}
    for sample in samples:
        rendered = _render_applicable(overlays, sample)
        partials = [(partial, overlay.if_absent) for overlay, partial in rendered]
        for left, right in paths.find_candidate_pairs(partials, kube.object_type(sample)):
            for conflict in compare_orders(rendered[left], rendered[right], sample):
                key = (conflict.first, conflict.second, conflict.path)
                conflicts.setdefault(key, conflict)
    return tuple(conflicts.values())


def _render_applicable(overlays: OverlaySet, sample: Object) -> list[tuple[Overlay, Object]]:
    """Render the partial objects of all overlays that match the sample."""
    request = constraints.make_create_request(sample, _NAMESPACE)
    return [
        (overlay, partial)
        for overlay in overlays.overlays
        if (partial := _render_partial(overlay, overlays, sample, request)) is not None
    ]


def _render_partial(
    overlay: Overlay,
    overlays: OverlaySet,
    sample: Object,
    request: AdmissionRequest,
) -> Object | None:
    try:
        if overlay.mismatch(request, overlays.namespaces) is None:
            return overlay.render(sample, request.namespace, overlays.namespaces)
    except InjectionError:  # the overlay can require fields that the sample lacks
        return None
    return None


def compare_orders(
    left: tuple[Overlay, Object], right: tuple[Overlay, Object], sample: Object
) -> Iterator[Conflict]:
    """Yield each path of the sample at which the order of two partial objects matters."""
    (first, first_partial), (second, second_partial) = left, right
    type_ = kube.object_type(sample)
    try:
        second_last = second.merge(first.merge(sample, first_partial), second_partial)
        first_last = first.merge(second.merge(sample, second_partial), first_partial)
    except InjectionError:
        return
    before, after = (dict(_leaf_values(each, type_, "")) for each in (first_last, second_last))
    for path in sorted(after.keys() | before.keys()):
        values = before.get(path), after.get(path)
        if not jsonvalue.equal(*values):
            yield Conflict(
                first=first.name,
                second=second.name,
                kind=str(sample.get("kind")),
                path=path,
                values=(jsonvalue.dump(values[0]), jsonvalue.dump(values[1])),
            )


def _leaf_values(value: JSON, type_: GoType | None, path: str) -> Iterator[tuple[str, JSON]]:
    """Find all values that a merge sets as a unit, with their paths."""
    if isinstance(value, dict):
        fields = paths.json_fields(type_)
        for key, member in value.items():
            field = fields.get(key)
            if isinstance(member, list) and field is not None and "merge" in field.patch_strategy:
                yield from _element_values(member, field, f"{path}.{key}")
            else:
                yield from _leaf_values(member, paths.child_type(field, type_), f"{path}.{key}")
    else:
        yield path.removeprefix("."), value


def _element_values(elements: list[JSON], field: Field, path: str) -> Iterator[tuple[str, JSON]]:
    """Find the values in a merged list; scalars are compared as a set."""
    for element in elements:
        key = element.get(field.merge_key) if isinstance(element, dict) else element
        element_path = f"{path}[{key if isinstance(key, str | int) else jsonvalue.dump(key)}]"
        yield from _leaf_values(element, field.type.elem, element_path)
