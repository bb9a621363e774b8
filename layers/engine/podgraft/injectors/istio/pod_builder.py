"""A pod that is being changed, and reading pods that are not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from podgraft.jsonvalue import JSON, Object, object_at, objects_at, strings_at
from podgraft.lazy_dataclass import dataclass

from .releases import Profile

PROXY = "istio-proxy"
INIT = "istio-init"
VALIDATION = "istio-validation"
CORE_DUMP = "enable-core-dump"

CONTAINERS = "containers"
INIT_CONTAINERS = "initContainers"


@dataclass(slots=True)
class PodBuilder:
    """A pod of its own down to its containers: those levels may be changed, what lies in a
    container is shared with others and is only ever replaced.
    """

    pod: Object
    annotations: dict[str, JSON]
    labels: dict[str, JSON]
    containers: list[Object]
    init_containers: list[Object]

    @classmethod
    def from_pod(cls, pod: Object) -> PodBuilder:
        """A draft that starts as ``pod``."""
        metadata = object_at(pod, "metadata")
        return cls(
            pod=pod,
            annotations=dict(object_at(metadata, "annotations")),
            labels=dict(object_at(metadata, "labels")),
            containers=[dict(each) for each in containers(pod)],
            init_containers=[dict(each) for each in containers(pod, INIT_CONTAINERS)],
        )

    def sidecar(self, profile: Profile) -> Object | None:
        """The proxy's container: from 1.19 on it may be an init container."""
        found = find_by_name(self.containers, PROXY)
        if found is None and profile.native_sidecars:
            found = find_by_name(self.init_containers, PROXY)
        return found

    def all_containers(self) -> Iterator[Object]:
        """Init containers, then containers."""
        yield from self.init_containers
        yield from self.containers

    def build(self) -> Object:
        """The pod as it has become."""
        metadata = dict(object_at(self.pod, "metadata"))
        _set_non_empty(metadata, "annotations", self.annotations)
        _set_non_empty(metadata, "labels", self.labels)
        spec = dict(object_at(self.pod, "spec"))
        spec[CONTAINERS] = [*self.containers]  # Go prints the list even if it is empty
        _set_non_empty(spec, INIT_CONTAINERS, [*self.init_containers])
        return merge_keys(self.pod, {"metadata": metadata, "spec": spec})


def merge_keys(parent: Object, changes: Object) -> Object:
    """A copy of ``parent`` with ``changes`` in place."""
    return parent | changes


def containers(pod: Mapping[str, JSON], kind: str = CONTAINERS) -> list[Object]:
    """The pod's containers (or init containers)."""
    return objects_at(pod, "spec", kind)


def find_by_name(listed: list[Object], name: str) -> Object | None:
    """The first of that name."""
    for each in listed:
        if each.get("name") == name:
            return each
    return None


def find_sidecar(profile: Profile, pod: Mapping[str, JSON]) -> Object | None:
    """The pod's proxy container, if it has one."""
    found = find_by_name(containers(pod), PROXY)
    if found is None and profile.native_sidecars:
        found = find_by_name(containers(pod, INIT_CONTAINERS), PROXY)
    return found


def pod_annotations(pod: Mapping[str, JSON]) -> dict[str, str]:
    """The pod's annotations."""
    return strings_at(pod, "metadata", "annotations")


def pod_labels(pod: Mapping[str, JSON]) -> dict[str, str]:
    """The pod's labels."""
    return strings_at(pod, "metadata", "labels")


def find_env(container: Object, name: str) -> Object | None:
    """The container's environment variable of that name."""
    return find_by_name(objects_at(container, "env"), name)


def append_env(container: Object, name: str, value: str) -> None:
    """Add an environment variable at the end of a container of a draft."""
    container["env"] = [*objects_at(container, "env"), {"name": name, "value": value}]


def _set_non_empty(parent: Object, key: str, value: JSON) -> None:
    """Set ``key``, but do not make an empty value where there was none."""
    if value or key in parent:
        parent[key] = value
