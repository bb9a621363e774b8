"""Helpers that make the pods of these tests."""

from __future__ import annotations

from collections.abc import Iterator

from podgraft.base.jsonvalue import JSON, Object
from podgraft.core.injectors.istio.pod_builder import PodBuilder
from podgraft.kube.workload_owner import WorkloadRef, workload_of_manifest

# The workload of a template that kube-inject injects.
OWNER: WorkloadRef = workload_of_manifest({"kind": "Pod", "metadata": {"name": "app"}})


def pod(
    *containers: Object,
    init: tuple[Object, ...] = (),
    annotations: dict[str, JSON] | None = None,
    labels: dict[str, JSON] | None = None,
) -> Object:
    """A pod of these containers."""
    metadata: Object = {"name": "app", "namespace": "ns"}
    if annotations is not None:
        metadata["annotations"] = annotations
    if labels is not None:
        metadata["labels"] = labels
    spec: Object = {"containers": [*containers]}
    if init:
        spec["initContainers"] = [*init]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def container(name: str, **fields: JSON) -> Object:
    """A container of that name."""
    return {"name": name, **fields}


def env(container_: Object) -> dict[str, JSON]:
    """The plain environment of a container, in its order."""
    listed = container_.get("env")
    entries = listed if isinstance(listed, list) else []
    return {str(each["name"]): each.get("value") for each in entries if isinstance(each, dict)}


def proxy_of(draft: PodBuilder) -> Object:
    """The draft's istio-proxy."""
    return next(
        each
        for each in (*draft.init_containers, *draft.containers)
        if each["name"] == "istio-proxy"
    )


def find_nulls(value: JSON, path: str = "") -> Iterator[str]:
    """The paths of the nulls in a value."""
    match value:
        case None:
            yield path
        case dict():
            for key, each in value.items():
                yield from find_nulls(each, f"{path}/{key}")
        case list():
            for index, each in enumerate(value):
                yield from find_nulls(each, f"{path}/{index}")
        case _:
            pass
