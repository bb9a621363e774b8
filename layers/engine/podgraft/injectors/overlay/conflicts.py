"""Overlays that set one value differently.

Two overlays conflict on an object where their order matters: laid on in one order they leave
another value somewhere than in the other. Elements of merged lists are told apart by their merge
keys, so two sidecars beside each other are no conflict, whichever comes first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from podgraft import jsonvalue, kube
from podgraft.admission import AdmissionRequest
from podgraft.go.reflect import Field, GoType
from podgraft.injectors.errors import InjectionError
from podgraft.jsonvalue import JSON, Object
from podgraft.matching import constraints

from . import paths
from .overlay import Overlay, OverlaySet, merge_partial

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


# Objects as plain as they can be, to try overlays on.
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
    """Two overlays, the kind and path they disagree about, and what each sets, as JSON."""

    first: str
    second: str
    kind: str
    path: str
    values: tuple[str, str]


def find_conflicts(
    overlays: OverlaySet, samples: Sequence[Object] = SAMPLES
) -> tuple[Conflict, ...]:
    """The conflicts on these objects, each pair and path once, for the first kind that has it."""
    found: dict[tuple[str, str, str], Conflict] = {}
    for sample in samples:
        applying = _render_applicable(overlays, sample)
        partials = [partial for _, partial in applying]
        for one, other in paths.find_candidate_pairs(partials, kube.object_type(sample)):
            for conflict in compare_orders(applying[one], applying[other], sample):
                key = (conflict.first, conflict.second, conflict.path)
                found.setdefault(key, conflict)
    return tuple(found.values())


def _render_applicable(overlays: OverlaySet, sample: Object) -> list[tuple[str, Object]]:
    """Name and partial object of every overlay that is for the sample and can be rendered."""
    request = constraints.make_create_request(sample, _NAMESPACE)
    return [
        (overlay.name, partial)
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
        if overlay.applies(request, overlays.namespaces):
            return overlay.render(sample, request.namespace)
    except InjectionError:  # a sample need not be what the overlay was written for
        return None
    return None


def compare_orders(
    one: tuple[str, Object], other: tuple[str, Object], sample: Object
) -> Iterator[Conflict]:
    """Where the order of two partial objects matters to the sample."""
    (first, mine), (second, its) = one, other
    type_ = kube.object_type(sample)
    try:
        last_its = dict(
            _leaf_values(merge_partial(merge_partial(sample, mine, first), its, second), type_, "")
        )
        last_mine = dict(
            _leaf_values(merge_partial(merge_partial(sample, its, second), mine, first), type_, "")
        )
    except InjectionError:
        return
    for path in sorted(last_its.keys() | last_mine.keys()):
        values = last_mine.get(path), last_its.get(path)
        if not jsonvalue.equal(*values):
            yield Conflict(
                first=first,
                second=second,
                kind=str(sample.get("kind")),
                path=path,
                values=(jsonvalue.dump(values[0]), jsonvalue.dump(values[1])),
            )


def _leaf_values(value: JSON, type_: GoType | None, path: str) -> Iterator[tuple[str, JSON]]:
    """Every value that is set as one, with its path; list elements by their merge keys."""
    if isinstance(value, dict):
        fields = paths.json_fields(type_)
        for key, each in value.items():
            field = fields.get(key)
            if isinstance(each, list) and field is not None and "merge" in field.patch_strategy:
                yield from _element_values(each, field, f"{path}.{key}")
            else:
                yield from _leaf_values(each, paths.child_type(field, type_), f"{path}.{key}")
    else:
        yield path.removeprefix("."), value


def _element_values(elements: list[JSON], field: Field, path: str) -> Iterator[tuple[str, JSON]]:
    """The elements of a merged list; scalars are a set: only which there are counts."""
    for element in elements:
        key = element.get(field.merge_key) if isinstance(element, dict) else element
        place = f"{path}[{key if isinstance(key, str | int) else jsonvalue.dump(key)}]"
        yield from _leaf_values(element, field.type.elem, place)
