"""The JSON Patch that Istio before 1.9 made: operation by operation, in its order.

Source: pkg/kube/inject/webhook.go of 1.8 (createPatch) and 1.0. Operations are made for the pod as
it came; paths count on those before them having been applied.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from podgraft.injectors.istio.status import LEGACY, InjectionStatus
from podgraft.jsonvalue import Object, object_at, objects_at, string_at
from podgraft.lazy_dataclass import dataclass
from podgraft.patch import Add, Operation, Remove, Replace, pointer

_TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"  # noqa: S105 - where tokens are


@dataclass(frozen=True, slots=True)
class Addition:
    """Elements for one of the pod's lists; ``first`` are the names that go to its front."""

    key: str
    elements: tuple[Object, ...]
    front_names: frozenset[str] = frozenset()


def removal_operations(spec: Object, before: InjectionStatus | None) -> Iterator[Operation]:
    """Take out what an earlier injection added, last index first."""
    gone = before if before and any(_status_lists(before).values()) else LEGACY
    for key, names in _status_lists(gone).items():
        entries = objects_at(spec, key)
        for index in reversed(range(len(entries))):
            if entries[index].get("name") in names:
                yield Remove(op="remove", path=f"/spec/{key}/{index}")


def addition_operations(spec: Object, addition: Addition) -> Iterator[Operation]:
    """Add elements: to a list the pod did not have, its first element makes it."""
    exists = bool(objects_at(spec, addition.key))
    for element in addition.elements:
        path = f"/spec/{addition.key}"
        if not exists:
            exists = True
            yield Add(op="add", path=path, value=[element])
        elif element.get("name") in addition.front_names:
            yield Add(op="add", path=f"{path}/0", value=element)
        else:
            yield Add(op="add", path=f"{path}/-", value=element)


def mount_token(spec: Object, proxy: Object) -> None:
    """Give the proxy the service account's token, as an app container mounts it."""
    mounts = [
        mount
        for container in objects_at(spec, "containers")
        for mount in objects_at(container, "volumeMounts")
        if mount.get("mountPath") == _TOKEN_PATH
    ]
    if mounts:
        proxy["volumeMounts"] = [*objects_at(proxy, "volumeMounts"), mounts[-1]]


def missing_entries(present: Mapping[str, str], entries: Mapping[str, str]) -> Mapping[str, str]:
    """The entries that are absent or empty."""
    return {name: value for name, value in entries.items() if not present.get(name)}


def entry_operations(metadata: Object, key: str, entries: Mapping[str, str]) -> Iterator[Operation]:
    """Set labels or annotations, sorted by name; without any yet, the first makes the map."""
    present = object_at(metadata, key)
    exists = bool(metadata.get(key) is not None)
    for name in sorted(entries):
        path = f"/metadata/{key}/{pointer.escape(name)}"
        if not exists:
            exists = True
            yield Add(op="add", path=f"/metadata/{key}", value={name: entries[name]})
        elif string_at(present, name):
            yield Replace(op="replace", path=path, value=entries[name])
        else:
            yield Add(op="add", path=path, value=entries[name])


def _status_lists(status: InjectionStatus) -> Mapping[str, tuple[str, ...]]:
    return {
        "initContainers": status.init_containers,
        "containers": status.containers,
        "volumes": status.volumes,
        "imagePullSecrets": status.image_pull_secrets,
    }
