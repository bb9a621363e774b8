"""The pod that a file would become: itself, or what a workload's controller would create."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from podgraft import kube
from podgraft.admission import AdmissionRequest, GroupVersionKind, GroupVersionResource
from podgraft.cli import documents
from podgraft.cli.failure import CommandError
from podgraft.jsonvalue import JSON, Object
from podgraft.kube import workload

# What Kubernetes appends to the name of a Deployment to name its ReplicaSet.
_HASH = "0123456789"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A pod about to be created, and what it is called in words."""

    name: str
    namespace: str
    pod: Object

    @property
    def request(self) -> AdmissionRequest:
        """The request that kube-apiserver would make of it."""
        raw: Object = {
            "kind": {"group": "", "version": "v1", "kind": "Pod"},
            "resource": {"group": "", "version": "v1", "resource": "pods"},
            "operation": "CREATE",
            "namespace": self.namespace,
            "object": self.pod,
        }
        return AdmissionRequest(
            api_version="admission.k8s.io/v1",
            uid="explain",
            kind=GroupVersionKind("", "v1", "Pod"),
            resource=GroupVersionResource("", "v1", "pods"),
            namespace=self.namespace,
            object=self.pod,
            raw=raw,
        )


def subjects(path: Path, namespace: str | None) -> Iterator[Subject]:
    """Every pod that the objects in a file amount to; *namespace* is for those that name none."""
    found = False
    for document in documents.objects(path):
        place = workload.place_of(document, workload.EVERY)
        if place is None:
            continue
        found = True
        yield _subject(document, place, namespace or "default")
    if not found:
        raise CommandError(f"{path}: holds no pod and no workload")


def _subject(document: Object, place: workload.Place, namespace: str) -> Subject:
    try:
        own = workload.pod_of(document, place)
    except kube.WorkloadError as error:
        raise CommandError(f"{documents.name(document)}: {error}") from error
    metadata = _mapping(document.get("metadata"))
    namespace = str(metadata.get("namespace") or namespace)
    pod: Object = _created(document, own) if document.get("kind") != "Pod" else document
    placed: Object = {**_mapping(pod.get("metadata")), "namespace": namespace}
    pod = {**pod, "metadata": placed}
    return Subject(name=f"{documents.name(document)} in {namespace}", namespace=namespace, pod=pod)


def _created(document: Object, own: Object) -> Object:
    """What the workload's controller would send: a generated name, and itself as the owner."""
    metadata = _mapping(own["metadata"])
    name = str(_mapping(document.get("metadata")).get("name", ""))
    kind, api_version = str(document.get("kind")), str(document.get("apiVersion"))
    labels = _mapping(metadata.get("labels"))
    if kind == "Deployment":
        kind, name = "ReplicaSet", f"{name}-{_HASH}"
        labels = {**labels, "pod-template-hash": _HASH}
    owner: Object = {"apiVersion": api_version, "kind": kind, "name": name, "controller": True}
    made: Object = {
        **metadata,
        "generateName": f"{name}-",
        "labels": labels,
        "ownerReferences": [owner],
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": made, "spec": own["spec"]}


def _mapping(value: JSON) -> Object:
    return value if isinstance(value, dict) else {}
