"""The defaults that kube-apiserver sets in pods and workloads, for expressions that read them.

``complete`` returns an object as kube-apiserver sends it: each value has the canonical form of its
type, and fields without omitempty and defaults are present. Fields of newer releases remain.

Source: k8s.io/kubernetes 1.28 to 1.37, pkg/apis/{core,apps,batch}/v1, defaults.go and
zz_generated.defaults.go, with the feature gates that are on by default. Kinds without Go types have
typed metadata only.
"""

from collections.abc import Callable, Mapping

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON, Object, object_at, objects_at
from podgraft.golang.reflect import GoType, Kind, fields_by_key

from . import quantity
from .decode_errors import unmarshal_error
from .encoding import encode
from .errors import QuantityError
from .pod_defaults import convert_pod, fill_pod_resources, find_pull_policy
from .quantity_types import RESOURCE_LIST
from .types import NEWEST, OBJECT_META, object_type

_MODE = 0o644
_INT32_MAX = 2**31 - 1
# By struct: the value of a missing field.
_ABSENT: Mapping[str, Object] = {
    "v1.AzureDiskVolumeSource": {
        "cachingMode": "ReadWrite",
        "fsType": "ext4",
        "readOnly": False,
        "kind": "Shared",
    },
    "v1.ConfigMapVolumeSource": {"defaultMode": _MODE},
    "v1.DownwardAPIVolumeSource": {"defaultMode": _MODE},
    "v1.FileKeySelector": {"optional": False},
    "v1.GRPCAction": {"service": ""},
    "v1.HostPathVolumeSource": {"type": ""},
    "v1.PersistentVolumeClaimSpec": {"volumeMode": "Filesystem"},
    "v1.PodSpec": {"securityContext": {}, "terminationGracePeriodSeconds": 30},
    "v1.ProjectedVolumeSource": {"defaultMode": _MODE},
    "v1.SecretVolumeSource": {"defaultMode": _MODE},
    "v1.ServiceAccountTokenProjection": {"expirationSeconds": 3600},
}
# By struct: the value of a field that is missing, 0, or empty.
_EMPTY: Mapping[str, Object] = {
    "v1.Container": {
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
    },
    "v1.ContainerPort": {"protocol": "TCP"},
    "v1.HTTPGetAction": {"path": "/", "scheme": "HTTP"},
    "v1.ISCSIVolumeSource": {"iscsiInterface": "default"},
    "v1.ObjectFieldSelector": {"apiVersion": "v1"},
    "v1.PodSpec": {
        "dnsPolicy": "ClusterFirst",
        "restartPolicy": "Always",
        "schedulerName": "default-scheduler",
    },
    "v1.Probe": {
        "timeoutSeconds": 1,
        "periodSeconds": 10,
        "successThreshold": 1,
        "failureThreshold": 3,
    },
    "v1.RBDVolumeSource": {"pool": "rbd", "user": "admin", "keyring": "/etc/ceph/keyring"},
    "v1.ScaleIOVolumeSource": {"storageMode": "ThinProvisioned", "fsType": "xfs"},
}
_EPHEMERAL_CONTAINER = "v1.EphemeralContainer"
# The first minor that sets a default.
_REPLACEMENT_POLICY = 29
_IMAGE_VOLUMES = 35
_MAX_UNAVAILABLE = 37
_POD_RESOURCES = range(34, 37)
_CRON_JOB_PATTERNS = 34
_WITHOUT_CONVERSION = 37


def complete(value: Object, minor: int = NEWEST, *, between_mutations: bool = False) -> Object:
    """Return an object of a kind of Kubernetes as kube-apiserver 1.``minor`` sends it.

    Before 1.37, kube-apiserver sets some fields not between mutations, but only when it converts
    the object after them. Raises ``DecodeError``.
    """
    type_ = object_type(value, minor)
    if type_ is None:
        return _complete_untyped(value)
    encoded = encode(type_, value)
    assert isinstance(encoded, dict)  # noqa: S101 - a struct encodes to an object
    _restore_unknown(type_, value, encoded)
    if type_.name in _KINDS:
        _KINDS[type_.name](encoded, minor)
    _fill_fields(type_, encoded, minor)
    if minor >= _WITHOUT_CONVERSION or not between_mutations:
        convert_pod(type_.name, encoded)
    if not between_mutations:
        _type_claims(object_at(encoded, "spec"))
        _convert_rolling_update(object_at(encoded, "spec"))
    return encoded


def fill(type_: GoType, value: Object, minor: int) -> Object:
    """Return a container or a volume, in the form of its type, with the defaults of its structs."""
    filled = jsonvalue.copy(value)
    assert isinstance(filled, dict)  # noqa: S101 - a copy of an object
    _fill_requests(filled)
    _fill_fields(type_, filled, minor)
    return filled


def _type_claims(spec: Object) -> None:
    for claim in objects_at(spec, "volumeClaimTemplates"):
        claim.update(apiVersion="v1", kind="PersistentVolumeClaim")


def _convert_rolling_update(spec: Object) -> None:
    """Set the fields of a rollingUpdate that its type does not use: internally, they are 0."""
    unavailable = ("maxUnavailable", "maxSurge")
    keys = ("partition",) if "podManagementPolicy" in spec else unavailable
    for name in ("strategy", "updateStrategy"):
        rolling = object_at(spec, name).get("rollingUpdate")
        if isinstance(rolling, dict):
            _fill_absent(rolling, **dict.fromkeys(keys, 0))


def _complete_untyped(value: Object) -> Object:
    """An object of a kind without a Go type: its metadata is typed, and it has no nulls."""
    completed: Object = {
        key: _without_nulls(member) for key, member in value.items() if member is not None
    }
    metadata = {} if value.get("metadata") is None else value["metadata"]
    if isinstance(metadata, dict):
        encoded = encode(OBJECT_META, metadata)
        _restore_unknown(OBJECT_META, metadata, encoded)
        completed["metadata"] = encoded
    return completed


def _without_nulls(value: JSON) -> JSON:
    match value:
        case dict():
            return {key: _without_nulls(each) for key, each in value.items() if each is not None}
        case list():
            return [_without_nulls(each) for each in value]
        case _:
            return value


def _restore_unknown(type_: GoType, raw: JSON, encoded: JSON) -> None:
    """Add the fields that the type does not have to an encoded value."""
    match raw, encoded:
        case dict(), dict() if type_.kind is Kind.STRUCT:
            fields = fields_by_key(type_)
            for key, value in raw.items():
                field = fields.get(key)
                if field is None:
                    encoded.setdefault(key, value)
                elif key in encoded:
                    _restore_unknown(field.type, value, encoded[key])
        case dict(), dict() if type_.kind is Kind.MAP and type_.elem is not None:
            for key, value in raw.items():
                _restore_unknown(type_.elem, value, encoded.get(key))
        case list(), list() if type_.elem is not None:
            for before, after in zip(raw, encoded, strict=False):
                _restore_unknown(type_.elem, before, after)
        case _:
            if type_.kind is Kind.POINTER and type_.elem is not None:
                _restore_unknown(type_.elem, raw, encoded)


def _fill_fields(type_: GoType, value: JSON, minor: int) -> None:
    """Set the defaults of each struct in a value."""
    match type_.kind, value:
        case Kind.POINTER, _ if type_.elem is not None:
            _fill_fields(type_.elem, value, minor)
        case Kind.MAP, dict() if type_ is RESOURCE_LIST:
            for resource, amount in value.items():
                value[resource] = quantity.round_to_milli(str(amount))
        case Kind.SLICE, list() if type_.elem is not None and type_.elem.kind is not Kind.STRING:
            for element in value:
                _fill_fields(type_.elem, element, minor)
        case Kind.STRUCT, dict():
            _fill_struct(type_.name, value, minor)
            fields = fields_by_key(type_)
            for key, member in value.items():
                if isinstance(member, dict | list) and key in fields:
                    _fill_fields(fields[key].type, member, minor)
        case _:
            pass


def _fill_struct(name: str, struct: Object, minor: int) -> None:
    if name == _EPHEMERAL_CONTAINER:
        name = "v1.Container"
    for key, default in _ABSENT.get(name, {}).items():
        if struct.get(key) is None:
            struct[key] = {} if default == {} else default
    for key, default in _EMPTY.get(name, {}).items():
        if not struct.get(key):
            struct[key] = default
    if name in _STRUCTS:
        _STRUCTS[name](struct, minor)


def _fill_container(container: Object, _minor: int) -> None:
    if not container.get("imagePullPolicy"):
        container["imagePullPolicy"] = find_pull_policy(str(container.get("image", "")))


def _set_volume(volume: Object, minor: int) -> None:
    if all(value is None for key, value in volume.items() if key != "name"):
        volume["emptyDir"] = {}
    image = volume.get("image")
    if minor >= _IMAGE_VOLUMES and isinstance(image, dict) and not image.get("pullPolicy"):
        image["pullPolicy"] = find_pull_policy(str(image.get("reference", "")))


def _fill_claim(claim: Object, _minor: int) -> None:
    status = object_at(claim, "status")
    claim["status"] = {**status, "phase": status.get("phase") or "Pending"}


_STRUCTS: Mapping[str, Callable[[Object, int], None]] = {
    "v1.Container": _fill_container,
    "v1.Volume": _set_volume,
    "v1.PersistentVolumeClaim": _fill_claim,
}


def _fill_pod(pod: Object, minor: int) -> None:
    spec = object_at(pod, "spec")
    containers = [*objects_at(spec, "containers"), *objects_at(spec, "initContainers")]
    for container in containers:
        _fill_requests(container)
    if spec.get("enableServiceLinks") is None:
        spec["enableServiceLinks"] = True
    if spec.get("hostNetwork"):
        for port in (port for each in containers for port in objects_at(each, "ports")):
            number = port.get("hostPort") or port.get("containerPort")
            if number:
                port["hostPort"] = number
    if minor in _POD_RESOURCES:
        try:
            fill_pod_resources(spec)
        except QuantityError as error:
            raise unmarshal_error(error) from error


def _fill_requests(container: Object) -> None:
    resources = object_at(container, "resources")
    limits = object_at(resources, "limits")
    if limits:
        requests = {**limits, **object_at(resources, "requests")}
        resources["requests"] = {name: requests[name] for name in sorted(requests)}


def _fill_absent(spec: Object, **defaults: JSON) -> None:
    for key, default in defaults.items():
        if spec.get(key) is None:
            spec[key] = default


def _fill_deployment(deployment: Object, _minor: int) -> None:
    spec = object_at(deployment, "spec")
    _fill_absent(spec, replicas=1, revisionHistoryLimit=10, progressDeadlineSeconds=600)
    _fill_strategy(object_at(spec, "strategy"), maxUnavailable="25%", maxSurge="25%")


def _fill_strategy(strategy: Object, **defaults: JSON) -> None:
    if not strategy.get("type"):
        strategy["type"] = "RollingUpdate"
    if strategy["type"] == "RollingUpdate":
        _fill_absent(strategy, rollingUpdate={})
        _fill_absent(object_at(strategy, "rollingUpdate"), **defaults)


def _fill_daemon_set(daemon_set: Object, _minor: int) -> None:
    spec = object_at(daemon_set, "spec")
    _fill_absent(spec, revisionHistoryLimit=10)
    _fill_strategy(object_at(spec, "updateStrategy"), maxUnavailable=1, maxSurge=0)


def _fill_stateful_set(stateful_set: Object, minor: int) -> None:
    spec = object_at(stateful_set, "spec")
    if not spec.get("podManagementPolicy"):
        spec["podManagementPolicy"] = "OrderedReady"
    strategy = object_at(spec, "updateStrategy")
    if not strategy.get("type"):
        strategy["type"] = "RollingUpdate"
        _fill_absent(strategy, rollingUpdate={})
    if strategy["type"] == "RollingUpdate" and isinstance(strategy.get("rollingUpdate"), dict):
        _fill_absent(object_at(strategy, "rollingUpdate"), partition=0)
        if minor >= _MAX_UNAVAILABLE:
            _fill_absent(object_at(strategy, "rollingUpdate"), maxUnavailable=1)
    _fill_absent(spec, replicas=1, revisionHistoryLimit=10, persistentVolumeClaimRetentionPolicy={})
    retention = object_at(spec, "persistentVolumeClaimRetentionPolicy")
    for key in ("whenDeleted", "whenScaled"):
        retention[key] = retention.get(key) or "Retain"


def _fill_replicas(workload: Object, _minor: int) -> None:
    _fill_absent(object_at(workload, "spec"), replicas=1)


def _fill_replication_controller(controller: Object, _minor: int) -> None:
    spec = object_at(controller, "spec")
    _fill_absent(spec, replicas=1)
    labels = object_at(spec, "template", "metadata").get("labels")
    if labels:
        spec["selector"] = spec.get("selector") or labels
        metadata = object_at(controller, "metadata")
        metadata["labels"] = metadata.get("labels") or labels


def _fill_job(job: Object, minor: int) -> None:
    spec = object_at(job, "spec")
    if spec.get("completions") is None and spec.get("parallelism") is None:
        spec["completions"] = 1
    per_index = spec.get("backoffLimitPerIndex") is not None
    _fill_absent(
        spec,
        parallelism=1,
        backoffLimit=_INT32_MAX if per_index else 6,
        completionMode="NonIndexed",
        suspend=False,
    )
    labels = object_at(spec, "template", "metadata").get("labels")
    metadata = object_at(job, "metadata")
    if labels and not metadata.get("labels"):
        metadata["labels"] = labels
    _fill_patterns(spec)
    if minor >= _REPLACEMENT_POLICY:
        replacement = "TerminatingOrFailed" if spec.get("podFailurePolicy") is None else "Failed"
        _fill_absent(spec, podReplacementPolicy=replacement, manualSelector=False)


def _fill_patterns(spec: Object) -> None:
    for rule in objects_at(spec, "podFailurePolicy", "rules"):
        for pattern in objects_at(rule, "onPodConditions"):
            pattern["status"] = pattern.get("status") or "True"


def _fill_cron_job(cron_job: Object, minor: int) -> None:
    spec = object_at(cron_job, "spec")
    spec["concurrencyPolicy"] = spec.get("concurrencyPolicy") or "Allow"
    _fill_absent(spec, suspend=False, successfulJobsHistoryLimit=3, failedJobsHistoryLimit=1)
    if minor >= _CRON_JOB_PATTERNS:
        _fill_patterns(object_at(spec, "jobTemplate", "spec"))


def _fill_namespace(namespace: Object, _minor: int) -> None:
    metadata = object_at(namespace, "metadata")
    name = metadata.get("name")
    if name:
        metadata["labels"] = {**object_at(metadata, "labels"), "kubernetes.io/metadata.name": name}
    status = object_at(namespace, "status")
    namespace["status"] = {**status, "phase": status.get("phase") or "Active"}


_KINDS: Mapping[str, Callable[[Object, int], None]] = {
    "v1.CronJob": _fill_cron_job,
    "v1.DaemonSet": _fill_daemon_set,
    "v1.Deployment": _fill_deployment,
    "v1.Job": _fill_job,
    "v1.Namespace": _fill_namespace,
    "v1.Pod": _fill_pod,
    "v1.ReplicaSet": _fill_replicas,
    "v1.ReplicationController": _fill_replication_controller,
    "v1.StatefulSet": _fill_stateful_set,
}
