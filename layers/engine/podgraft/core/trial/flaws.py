"""Flaws of a mutated object: missing values, images that no node can pull, broken sidecars."""

import re
from collections.abc import Iterator

from msgspec import Struct

from podgraft.base.jsonvalue import JSON, Object, dump, object_at, objects_at, string_at
from podgraft.kube.native_sidecars import find_native_sidecars
from podgraft.kube.patch import pointer
from podgraft.kube.workload import ALL_KINDS

# The texts that Go prints for a missing value.
MISSING = ("<no value>", "<nil>")

_CONTAINERS = ("initContainers", "containers", "ephemeralContainers")

# github.com/distribution/reference, Regexp: an optional host, path, tag and digest.
_LABEL = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
_HOST = rf"(?:{_LABEL}(?:\.{_LABEL})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?"
_COMPONENT = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_REFERENCE = re.compile(
    rf"(?:{_HOST}/)?{_COMPONENT}(?:/{_COMPONENT})*"
    r"(?::[0-9A-Za-z_][0-9A-Za-z_.-]{0,127})?"
    r"(?:@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?"
)


class Flaw(Struct, frozen=True, kw_only=True):
    """An invalid value in a mutated object; ``image`` is set for an invalid image."""

    path: str
    problem: str
    remedy: str
    image: str | None = None


def find_flaws(before: Object, after: Object) -> Iterator[Flaw]:
    """Find the flaws in ``after`` that ``before`` does not have."""
    text = dump(after)  # it has the markers without escapes
    if any(marker in text for marker in MISSING):  # most objects need no search with paths
        yield from _find_missing_values(before, after)
    yield from _find_invalid_images(before, after)
    yield from _find_broken_sidecars(before, after)


def is_image_reference(image: str) -> bool:
    """Whether the text is a valid image reference for a container runtime.

    >>> [is_image_reference(image) for image in ("docker.io/istio/proxyv2:1.30.3", "/proxyv2")]
    [True, False]
    """
    return _REFERENCE.fullmatch(image) is not None


def _find_missing_values(before: Object, after: Object) -> Iterator[Flaw]:
    texts_before = frozenset(text for _, text in _find_strings(before))
    for path, text in _find_strings(after):
        marker = next((marker for marker in MISSING if marker in text), None)
        if marker and text not in texts_before:
            yield Flaw(
                path=path,
                problem=f"renders {marker} at {path}: a value that the template reads is missing",
                remedy="add the value, or set a default in the template",
            )


def _find_invalid_images(before: Object, after: Object) -> Iterator[Flaw]:
    (_, spec_before), (spec_path, spec) = _find_pod_spec(before), _find_pod_spec(after)
    containers_before = {
        _container_key(container) for _, container in _locate_containers(spec_before)
    }
    for path, container in _locate_containers(spec):
        if _container_key(container) in containers_before:
            continue
        image = container.get("image")
        text = image if isinstance(image, str) else ""
        name = container.get("name")
        other = _find_other_list(spec, path, container)
        if not text and other:
            yield Flaw(
                path=spec_path + path,
                problem=f"adds container {name} without an image, because the container is in "
                f"{other}",
                remedy=f"write its fields under {other} for this mode of native sidecars",
            )
        elif not is_image_reference(text) and not any(marker in text for marker in MISSING):
            yield Flaw(
                path=f"{spec_path}{path}/image",
                problem=f'sets the invalid image "{text}" for container {name}',
                remedy="write it as registry/name:tag",
                image=text,
            )


def _find_other_list(spec: Object, path: str, container: Object) -> str:
    """The list that has another container of this name with an image; an empty string if none."""
    for kind in _CONTAINERS:
        if path.startswith(f"/{kind}/"):
            continue
        if any(
            each.get("name") == container.get("name") and each.get("image")
            for each in objects_at(spec, kind)
        ):
            return kind
    return ""


def _find_broken_sidecars(before: Object, after: Object) -> Iterator[Flaw]:
    """Find native sidecars of ``before`` that became init containers, which never end."""
    spec_path, spec = _find_pod_spec(after)
    names = find_native_sidecars(_find_pod_spec(before)[1])
    for index, container in enumerate(objects_at(spec, "initContainers")):
        name = container.get("name")
        if name in names and container.get("restartPolicy") != "Always":
            yield Flaw(
                path=f"{spec_path}/initContainers/{index}/restartPolicy",
                problem=f"removes restartPolicy: Always of the native sidecar {name}, so the "
                "pod never starts",
                remedy="write the key only with a value",
            )


def _container_key(container: Object) -> tuple[JSON, JSON]:
    name, image = container.get("name"), container.get("image")
    return str(name), image if isinstance(image, str) else None


def _find_pod_spec(value: Object) -> tuple[str, Object]:
    """Find the pod spec in a pod or in the template of a workload, with its path."""
    path = ALL_KINDS.get(string_at(value, "kind"), ALL_KINDS["Deployment"]).spec
    return f"/{'/'.join(path)}", object_at(value, *path)


def _locate_containers(spec: Object) -> Iterator[tuple[str, Object]]:
    for kind in _CONTAINERS:
        for index, container in enumerate(objects_at(spec, kind)):
            yield f"/{kind}/{index}", container


def _find_strings(value: JSON) -> Iterator[tuple[str, str]]:
    """Find all strings in a value, including keys, each with its JSON Pointer."""
    for path, part in pointer.walk(value):
        if isinstance(part, str):
            yield path, part
        elif isinstance(part, dict):
            yield from ((f"{path}/{pointer.escape(key)}", key) for key in part)
