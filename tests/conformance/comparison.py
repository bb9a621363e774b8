"""Comparing what we give with what Istio gave, as the corpus asks: as data, zero values alike.

Pods and pod templates are compared as Go prints them (``kube.encode``), where absent, null and
zero are the same if the Kubernetes types say so, and only then. Around them all zeros are.
"""

from __future__ import annotations

from collections.abc import Iterator

from podgraft import kube
from podgraft.base.jsonvalue import JSON, Object, equal, object_at, objects_at, string_at
from podgraft.kube import workload, yaml

STATUS = "sidecar.istio.io/status"
_META = "ISTIO_METAJSON_"
CHANGES_WHEN_REINJECTED = "ISTIO_METAJSON_ANNOTATIONS"


def compare_streams(got: str, expected: str) -> str | None:
    """The first difference between two YAML streams, document by document."""
    ours, theirs = ([*map(_document, yaml.load_all(text))] for text in (got, expected))
    if len(ours) != len(theirs):
        return f"{len(ours)} documents instead of {len(theirs)}"
    found = (
        f"document {number}: {difference}"
        for number, (one, other) in enumerate(zip(ours, theirs, strict=True))
        for difference in differences(one, other)
    )
    return next(found, None)


def compare_pods(
    got: Object, expected: Object, *, reinjected: bool = False, ignore_template_fields: bool = False
) -> str | None:
    """The first difference between two pods of the webhook.

    ``blurred`` leaves out what the test of Istio 1.0 did: its goldens are of another template.
    """
    ours, theirs = (_pod(each, reinjected=reinjected) for each in (got, expected))
    if ignore_template_fields:
        _remove_ignored_values(ours)
        _remove_ignored_values(theirs)
    return next(differences(ours, theirs), None)


def compare_patches(got: JSON, expected: JSON) -> str | None:
    """The first difference between two complete patches, operation by operation."""
    return next(differences(got, expected), None)


def differences(got: JSON, expected: JSON, path: str = "") -> Iterator[str]:
    """Where two values differ, and how."""
    match got, expected:
        case dict(), dict():
            for key in sorted(got.keys() | expected.keys()):
                yield from differences(got.get(key), expected.get(key), f"{path}/{key}")
        case list(), list() if len(got) == len(expected):
            for index, (one, other) in enumerate(zip(got, expected, strict=True)):
                yield from differences(one, other, f"{path}/{index}")
        case _:
            if not equal(got, expected):
                yield f"{path}: got {got!r}, expected {expected!r}"


def _document(document: JSON) -> JSON:
    """A document as its pod, printed by Go, and what is around that."""
    if not isinstance(document, dict):
        return document
    if "items" in document:
        items = [*map(_document, objects_at(document, "items"))]
        return {"around": _remove_zeros(document | {"items": None}), "items": items}
    place = workload.find_pod_template_path(document, workload.ALL_KINDS)
    if place is None:
        return _remove_zeros(document)
    hollow = workload.with_pod(document, place, {"metadata": {}, "spec": {}})
    pod = kube.encode(kube.POD, workload.pod_of(document, place))
    return {"around": _remove_zeros(hollow), "pod": pod}


def _remove_zeros(value: JSON) -> JSON:
    match value:
        case dict():
            kept = {key: _remove_zeros(each) for key, each in value.items()}
            return {key: each for key, each in kept.items() if each}
        case list():
            return [_remove_zeros(each) for each in value]
        case _:
            return value


def _remove_ignored_values(pod: Object) -> None:
    spec = object_at(pod, "spec")
    for container in objects_at(spec, "containers") + objects_at(spec, "initContainers"):
        env = objects_at(container, "env")
        container["env"] = [each for each in env if not string_at(each, "name").startswith(_META)]
        if container["name"] in ("istio-init", "istio-proxy"):
            for key in ("image", "terminationMessagePath", "terminationMessagePolicy"):
                container.pop(key, None)
        if container["name"] == "istio-init":
            object_at(container, "securityContext").pop("privileged", None)
    for volume in objects_at(spec, "volumes"):
        if volume["name"] == "istio-certs":
            object_at(volume, "secret").pop("defaultMode", None)


def _pod(pod: Object, *, reinjected: bool) -> Object:
    """The pod as Go prints it, without what Istio's own test leaves out."""
    encoded = kube.encode(kube.POD, pod)
    assert isinstance(encoded, dict)
    object_at(object_at(encoded, "metadata"), "annotations").pop(STATUS, None)
    for container in objects_at(object_at(encoded, "spec"), "containers"):
        container["env"] = [*_env(container, reinjected=reinjected)]
    return encoded


def _env(container: Object, *, reinjected: bool) -> Iterator[JSON]:
    for entry in objects_at(container, "env"):
        if reinjected and entry["name"] == CHANGES_WHEN_REINJECTED:
            continue
        object_at(object_at(entry, "valueFrom"), "fieldRef").pop("apiVersion", None)
        yield entry
