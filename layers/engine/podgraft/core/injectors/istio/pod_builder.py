"""A mutable copy of a pod, and functions that read pods."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from operator import is_

from msgspec import Struct

from podgraft.base.jsonvalue import JSON, Object, list_at, object_at, objects_at, strings_at

from .releases import Profile

PROXY = "istio-proxy"
INIT = "istio-init"
VALIDATION = "istio-validation"
CORE_DUMP = "enable-core-dump"

CONTAINERS = "containers"
INIT_CONTAINERS = "initContainers"


class PodBuilder(Struct):
    """A copy of a pod down to its containers.

    Annotations, labels, and the keys of containers can change in place. Values inside a container
    are shared with the original pod: replace them, never change them. ``originals`` are the
    containers of the pod, by the identity of their copies.
    """

    pod: Object
    annotations: dict[str, JSON]
    labels: dict[str, JSON]
    containers: list[Object]
    init_containers: list[Object]
    originals: dict[int, Object]

    @classmethod
    def from_pod(cls, pod: Object) -> PodBuilder:
        """Return a builder that starts with a copy of ``pod``."""
        originals = containers(pod), containers(pod, INIT_CONTAINERS)
        copies, init_copies = ([each.copy() for each in kind] for kind in originals)
        ids = map(id, chain(copies, init_copies))
        return cls(
            pod=pod,
            annotations=dict(object_at(pod, "metadata", "annotations")),
            labels=dict(object_at(pod, "metadata", "labels")),
            containers=copies,
            init_containers=init_copies,
            originals=dict(zip(ids, chain(*originals), strict=True)),
        )

    def sidecar(self, profile: Profile) -> Object | None:
        """The proxy container; since 1.19, it can be an init container."""
        others = self.init_containers if profile.native_sidecars else []
        return find_by_name(self.containers, PROXY) or find_by_name(others, PROXY)

    def build(self) -> Object:
        """Return the changed pod."""
        metadata = dict(object_at(self.pod, "metadata"))
        _set_non_empty(metadata, "annotations", self.annotations)
        _set_non_empty(metadata, "labels", self.labels)
        spec = dict(object_at(self.pod, "spec"))
        spec[CONTAINERS] = self._share(self.containers)  # Go prints the list even if it is empty
        spec[INIT_CONTAINERS] = self._share(self.init_containers)
        if not self.init_containers:
            del spec[INIT_CONTAINERS]
        return {**self.pod, "metadata": metadata, "spec": spec}

    def _share(self, copies: list[Object]) -> list[JSON]:
        """The containers, with the original in place of each copy that did not change.

        So the following steps need not compare and check them again.
        """
        return [
            original if _is_same(copy, original := self.originals.get(id(copy), copy)) else copy
            for copy in copies
        ]


def _is_same(copy: Object, original: Object) -> bool:
    """Whether a copy has the keys and the values of its original."""
    return copy.keys() == original.keys() and all(map(is_, copy.values(), original.values()))


def containers(pod: Mapping[str, JSON], kind: str = CONTAINERS) -> list[Object]:
    """The pod's containers (or init containers)."""
    spec = pod.get("spec")  # every step reads them: a call of objects_at is measurable
    elements = spec.get(kind) if isinstance(spec, dict) else None
    if not isinstance(elements, list):
        return []
    return [element for element in elements if isinstance(element, dict)]


def container_args(container: Object) -> list[str]:
    """The arguments of a container that are strings."""
    return [each for each in list_at(container, "args") if isinstance(each, str)]


def find_by_name(objects: list[Object], name: str) -> Object | None:
    """Return the first object with the name, or None."""
    for candidate in objects:
        if candidate.get("name") == name:
            return candidate
    return None


def find_sidecar(profile: Profile, pod: Mapping[str, JSON]) -> Object | None:
    """Return the proxy container of the pod, or None."""
    others = containers(pod, INIT_CONTAINERS) if profile.native_sidecars else []
    return find_by_name([*containers(pod), *others], PROXY)


def pod_annotations(pod: Mapping[str, JSON]) -> dict[str, str]:
    """The pod's annotations."""
    return strings_at(pod, "metadata", "annotations")


def pod_labels(pod: Mapping[str, JSON]) -> dict[str, str]:
    """The pod's labels."""
    return strings_at(pod, "metadata", "labels")


def find_env(container: Object, name: str) -> Object | None:
    """Return the environment variable of the container with the name, or None."""
    return find_by_name(objects_at(container, "env"), name)


def append_env(container: Object, name: str, value: str) -> None:
    """Append an environment variable to a container of a ``PodBuilder``."""
    container["env"] = [*objects_at(container, "env"), {"name": name, "value": value}]


def _set_non_empty(parent: Object, key: str, value: JSON) -> None:
    """Set ``key``, unless the value is empty and the key is missing."""
    if value or key in parent:
        parent[key] = value
