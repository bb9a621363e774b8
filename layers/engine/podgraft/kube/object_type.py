"""The Go types of objects, by kind and API group."""

from collections.abc import Mapping

from podgraft.base.jsonvalue import Object
from podgraft.golang.reflect import GoType

from .types import NEWEST, types

# The supported kinds, with their API groups.
API_GROUPS: Mapping[str, str] = {
    "CronJob": "batch",
    "DaemonSet": "apps",
    "Deployment": "apps",
    "Job": "batch",
    "Namespace": "",
    "Pod": "",
    "ReplicaSet": "apps",
    "ReplicationController": "",
    "StatefulSet": "apps",
}


def object_type(value: Object, minor: int = NEWEST) -> GoType | None:
    """The Go type of an object in Kubernetes 1.``minor``, if the kind is supported."""
    kind, version = value.get("kind"), value.get("apiVersion")
    if not isinstance(kind, str) or not isinstance(version, str):
        return types(minor)["Pod"] if kind in {None, "Pod"} and "spec" in value else None
    group = version.rpartition("/")[0]
    return types(minor)[kind] if API_GROUPS.get(kind) == group else None
