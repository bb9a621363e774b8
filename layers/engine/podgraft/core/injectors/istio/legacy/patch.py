"""The JSON Patch of Istio before 1.9, with the same operations in the same order.

Source: pkg/kube/inject/webhook.go of 1.8 (createPatch) and 1.0. The operations derive from the
original pod. Their paths assume that all previous operations are applied.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping

from podgraft.base.jsonvalue import Object, object_at, objects_at, string_at
from podgraft.core.injectors.istio.status import LEGACY, InjectionStatus
from podgraft.kube.patch import Add, Operation, Remove, Replace, pointer

_TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"  # noqa: S105 - the path of tokens


def removal_operations(spec: Object, before: InjectionStatus | None) -> Iterator[Operation]:
    """Yield operations that remove an earlier injection, the last index first."""
    removed = before if before and any(before.lists.values()) else LEGACY
    for key, names in removed.lists.items():
        entries = objects_at(spec, key)
        for index in reversed(range(len(entries))):
            if entries[index].get("name") in names:
                yield Remove(op="remove", path=f"/spec/{key}/{index}")


def addition_operations(
    spec: Object, key: str, elements: Iterable[Object], front_names: Collection[str]
) -> Iterator[Operation]:
    """Yield operations that add elements to a list of the pod.

    The first one creates a missing list. Those with ``front_names`` are added to its front.
    """
    exists, path = bool(objects_at(spec, key)), f"/spec/{key}"
    for element in elements:
        if not exists:
            exists = True
            yield Add(op="add", path=path, value=[element])
        elif element.get("name") in front_names:
            yield Add(op="add", path=f"{path}/0", value=element)
        else:
            yield Add(op="add", path=f"{path}/-", value=element)


def mount_token(spec: Object, proxy: Object) -> None:
    """Mount the token of the service account in the proxy, as the application does."""
    mounts = [
        mount
        for container in objects_at(spec, "containers")
        for mount in objects_at(container, "volumeMounts")
        if mount.get("mountPath") == _TOKEN_PATH
    ]
    if mounts:
        proxy["volumeMounts"] = [*objects_at(proxy, "volumeMounts"), mounts[-1]]


def entry_operations(metadata: Object, key: str, entries: Mapping[str, str]) -> Iterator[Operation]:
    """Yield operations that set labels or annotations; the first one creates a missing map."""
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
