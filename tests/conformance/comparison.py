"""Comparing what we give with what Istio gave, as the corpus asks: as data, zero values alike.

Pods and pod templates are compared as Go prints them again (``kube.decode``), which leaves no
difference between absent, null and zero where the Kubernetes types omit that. Around them, null,
empty maps and empty lists count as absent.
"""

from __future__ import annotations

from collections.abc import Iterator

from podgraft import kube, kubeyaml
from podgraft.jsonvalue import JSON, Object, equal

STATUS = "sidecar.istio.io/status"
CHANGES_WHEN_REINJECTED = "ISTIO_METAJSON_ANNOTATIONS"


def of_streams(got: str, expected: str) -> str | None:
    """The first difference between two YAML streams, document by document."""
    ours, theirs = _documents(got), _documents(expected)
    if len(ours) != len(theirs):
        return f"{len(ours)} documents instead of {len(theirs)}"
    for number, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        found = next(differences(one, other), None)
        if found is not None:
            return f"document {number}: {found}"
    return None


def of_pods(got: JSON, expected: JSON, *, reinjected: bool = False) -> str | None:
    """The first difference between two pods of the webhook."""
    ours, theirs = _pod(got, reinjected=reinjected), _pod(expected, reinjected=reinjected)
    return next(differences(ours, theirs), None)


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


def _documents(text: str) -> list[JSON]:
    return [_normal(document) for document in kubeyaml.load_all(text)]


def _normal(value: JSON) -> JSON:
    match value:
        case dict():
            kept = {key: _normal(each) for key, each in value.items()}
            if isinstance(spec := kept.get("spec"), dict) and "containers" in spec:
                kept |= _decoded(kept)
            return {key: each for key, each in kept.items() if each not in (None, {}, [], "")}
        case list():
            return [_normal(each) for each in value]
        case _:
            return value


def _decoded(template: Object) -> Object:
    parts: Object = {key: template[key] for key in ("metadata", "spec") if key in template}
    decoded = kube.decode(kube.POD_TEMPLATE, parts)
    assert isinstance(decoded, dict)
    return decoded


def _pod(pod: JSON, *, reinjected: bool) -> JSON:
    decoded: JSON = kube.decode(kube.POD, pod)
    assert isinstance(decoded, dict)
    normal = _normal(decoded)
    assert isinstance(normal, dict)
    metadata, spec = normal.get("metadata"), normal.get("spec")
    if isinstance(metadata, dict) and isinstance(metadata.get("annotations"), dict):
        metadata["annotations"].pop(STATUS, None)
    for container in spec.get("containers", ()) if isinstance(spec, dict) else ():
        container["env"] = [*_env(container, reinjected=reinjected)]
    return _normal(normal)


def _env(container: Object, *, reinjected: bool) -> Iterator[JSON]:
    for entry in container.get("env", ()):
        if reinjected and entry["name"] == CHANGES_WHEN_REINJECTED:
            continue
        entry.get("valueFrom", {}).get("fieldRef", {}).pop("apiVersion", None)
        yield entry
