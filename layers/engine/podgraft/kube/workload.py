"""Where each kind of workload keeps its pod, and which kinds each Istio release knows.

``kube-inject`` reads and writes the pod in place; what it cannot find in the release's table it
copies unchanged (specification §2.4, §22.6, §23.2).
"""

from collections.abc import Mapping
from typing import TypeAlias

from podgraft.jsonvalue import JSON, Object
from podgraft.records import dataclass

from .errors import WorkloadError
from .faults import word

# apiVersion and kind
GroupKind: TypeAlias = tuple[str, str]
Path: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """The path to the pod template, and to the metadata that injection by hand marks.

    ``required`` templates are pointers in Go: their absence is an error, where that of others
    means an empty template.
    """

    template: Path
    metadata: Path
    required: bool = False

    @property
    def spec(self) -> Path:
        """The path to the pod's spec."""
        return (*self.template, "spec")


_TEMPLATE = ("spec", "template")
_JOB_TEMPLATE = ("spec", "jobTemplate")

_POD = Place((), ("metadata",))
_PLAIN = Place(_TEMPLATE, (*_TEMPLATE, "metadata"))
_REQUIRED = Place(_TEMPLATE, (*_TEMPLATE, "metadata"), required=True)
# Istio marks the job template here, not the pod template in it.
_CRON_JOB = Place((*_JOB_TEMPLATE, *_TEMPLATE), (*_JOB_TEMPLATE, "metadata"))
_POD_TEMPLATE = Place(("template",), ("template", "metadata"))

_ALWAYS: dict[GroupKind, Place] = {
    ("v1", "Pod"): _POD,
    ("v1", "ReplicationController"): _REQUIRED,
    ("batch/v1", "Job"): _PLAIN,
    ("v1", "DeploymentConfig"): _REQUIRED,
    ("apps.openshift.io/v1", "DeploymentConfig"): _REQUIRED,
}


def _all(api_version: str, *kinds: str) -> dict[GroupKind, Place]:
    return {(api_version, kind): _PLAIN for kind in kinds}


_APPS = _all("apps/v1", "Deployment", "DaemonSet", "ReplicaSet", "StatefulSet")

# Since Istio 1.11.
CURRENT: Mapping[GroupKind, Place] = _ALWAYS | _APPS | {("batch/v1", "CronJob"): _CRON_JOB}

# Istio 1.8 to 1.10.
UNTIL_1_10: Mapping[GroupKind, Place] = _ALWAYS | _APPS | {("batch/v2alpha1", "CronJob"): _CRON_JOB}

# Istio 1.0.
UNTIL_1_0: Mapping[GroupKind, Place] = (
    _ALWAYS
    | _all("extensions/v1beta1", "Deployment", "DaemonSet", "ReplicaSet")
    | _all("apps/v1beta1", "StatefulSet")
    | {("batch/v2alpha1", "CronJob"): _CRON_JOB}
)

# Every workload that has ever been, and Argo's: for those who ask what a cluster would make of it.
EVERY: Mapping[GroupKind, Place] = (
    UNTIL_1_0
    | CURRENT
    | _all("apps/v1beta1", "Deployment")
    | _all("apps/v1beta2", "Deployment", "DaemonSet", "ReplicaSet", "StatefulSet")
    | _all("argoproj.io/v1alpha1", "Rollout")
    | {("batch/v1beta1", "CronJob"): _CRON_JOB, ("v1", "PodTemplate"): _POD_TEMPLATE}
)


def place_of(document: Object, kinds: Mapping[GroupKind, Place] = CURRENT) -> Place | None:
    """Where the document keeps its pod; ``None`` where its kind is not among those."""
    api_version, kind = document.get("apiVersion"), document.get("kind")
    if not isinstance(api_version, str) or not isinstance(kind, str):
        return None
    return kinds.get((api_version, kind))


def pod_of(document: Object, place: Place) -> Object:
    """What injection by hand sees as the pod: metadata and spec, and nothing else of it."""
    if place.required and _at(document, place.template) is None:
        raise WorkloadError(f"{'.'.join(place.template)} is required value")
    return {
        "metadata": _at(document, place.metadata) or {},
        "spec": _at(document, place.spec) or {},
    }


def with_pod(document: Object, place: Place, pod: Object) -> Object:
    """The document with the pod's metadata and spec in its place; the rest is shared with it."""
    marked = _put(document, place.metadata, pod["metadata"])
    return _put(marked, place.spec, pod["spec"])


def _at(document: Object, path: Path) -> Object | None:
    """The object at the end of the path; ``None`` where a step is missing or null."""
    found = document
    for depth, step in enumerate(path, start=1):
        value = found.get(step)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise WorkloadError(f"{'.'.join(path[:depth])}: got {word(value)}; use a mapping")
        found = value
    return found


def _put(document: Object, path: Path, value: JSON) -> Object:
    """A copy of the document, of the objects on the path alone, with the value at its end."""
    step, *rest = path
    inner = value if not rest else _put(_at(document, (step,)) or {}, tuple(rest), value)
    return {**document, step: inner}
