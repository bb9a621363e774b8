"""The pod as the webhook received it, restored from a live pod.

A live pod contains more than the webhook received: the injected parts, the node, and the changes
of webhooks that were called later. So there are several candidates, and the best one counts:

- the live pod without its injection, as ``podgraft uninject`` removes it
- the same without the containers that a later webhook added, which the sidecar does not list
- the pod template of the controller
"""

from collections.abc import Callable, Iterator
from contextlib import suppress

from msgspec import Struct

from podgraft import kube
from podgraft.base.jsonvalue import JSON, Object, object_at, objects_at, string_at, without_keys
from podgraft.cli.live.api_errors import ForbiddenError
from podgraft.core.injectors.istio import recover, uninject
from podgraft.kube import workload, workload_owner

_METADATA = (
    "name",
    "generateName",
    "namespace",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
)
_APP_CONTAINERS = "ISTIO_META_APP_CONTAINERS"
# The labels that controllers add to the pods, and not to their template.
_CONTROLLER_LABELS = (
    "apps.kubernetes.io/pod-index",
    "batch.kubernetes.io/job-completion-index",
    "controller-revision-hash",
    "pod-template-generation",
    "statefulset.kubernetes.io/pod-name",
)

FindController = Callable[[Object], Object | None]


class OriginalPod(Struct, frozen=True):
    """A pod before injection, and the live pod to compare with.

    ``is_template`` is set if the pod is from a template: then, only what injection adds counts.
    """

    pod: Object
    live: Object
    is_template: bool = False


def restore_originals(
    live: Object, find_controller: FindController, *, template_first: bool
) -> Iterator[OriginalPod]:
    """Yield the candidates; ``template_first`` is for injections that pods do not record."""
    clean = make_request_pod(live)
    restored = remove_injection(clean)
    if not template_first:
        yield OriginalPod(restored, clean)
        yield from _without_later_containers(restored, clean)
    template = _find_template(live, find_controller)
    if template is not None:
        yield OriginalPod(_make_template_pod(clean, template), clean, is_template=True)
    if template_first:
        yield OriginalPod(restored, clean)


def make_request_pod(live: Object) -> Object:
    """Return the pod without the fields that the API server and the scheduler set."""
    source = object_at(live, "metadata")
    metadata = {key: source[key] for key in _METADATA if key in source}
    prefix = string_at(metadata, "generateName")
    if prefix and string_at(metadata, "name").startswith(prefix):
        del metadata["name"]  # the API server generates it after admission
    spec = without_keys(object_at(live, "spec"), "nodeName", "ephemeralContainers")
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def remove_injection(pod: Object) -> Object:
    """Return the pod without the injection of Istio's templates."""
    owner = workload_owner.workload_of_pod(object_at(pod, "metadata")).name
    return uninject.remove_injection(pod, owner)


def _without_later_containers(restored: Object, clean: Object) -> Iterator[OriginalPod]:
    """Yield the pods without the containers that the sidecar does not list, if there are some."""
    record = recover.recover_injection(clean)
    listed = record.sidecar_env(_APP_CONTAINERS) if record is not None else ""
    if not listed:
        return
    names = {*listed.split(",")}
    containers = objects_at(restored, "spec", "containers")
    later = {string_at(each, "name") for each in containers} - names
    if later:
        yield OriginalPod(_drop_containers(restored, later), _drop_containers(clean, later))


def _drop_containers(pod: Object, names: set[str]) -> Object:
    spec = object_at(pod, "spec")
    containers: list[JSON] = [
        container
        for container in objects_at(spec, "containers")
        if string_at(container, "name") not in names
    ]
    return {**pod, "spec": {**spec, "containers": containers}}


def _find_template(live: Object, find_controller: FindController) -> Object | None:
    """Return the pod template of the controller; None if it does not exist or is not readable."""
    with suppress(ForbiddenError, kube.WorkloadError):
        controller = find_controller(live)
        if controller and (path := workload.find_pod_template_path(controller, workload.ALL_KINDS)):
            return workload.template_of(controller, path)
    return None


def _make_template_pod(clean: Object, template: Object) -> Object:
    metadata, source = object_at(clean, "metadata"), object_at(template, "metadata")
    labels = object_at(source, "labels") | {
        key: value
        for key, value in object_at(metadata, "labels").items()
        if key in _CONTROLLER_LABELS
    }
    maps: Object = {"labels": labels, "annotations": object_at(source, "annotations")}
    filled = {key: value for key, value in maps.items() if value}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": without_keys(metadata, *maps) | filled,
        "spec": object_at(template, "spec"),
    }
