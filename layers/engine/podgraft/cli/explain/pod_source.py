"""The objects that a document becomes: itself, and the pod that its controller would create."""

from msgspec import Struct
from msgspec.structs import replace

from podgraft import kube
from podgraft.base.jsonvalue import Object, object_at, string_at
from podgraft.cli import documents
from podgraft.cli.failure import convert_errors
from podgraft.cli.request_fields import RequestFields
from podgraft.kube import workload
from podgraft.kube.admission import AdmissionRequest
from podgraft.kube.matching import constraints

from . import controllers

# Kinds of objects outside namespaces: their requests name none.
_CLUSTER_SCOPED = frozenset(
    """
    APIService ClusterRole ClusterRoleBinding CSIDriver CSINode CustomResourceDefinition
    IngressClass MutatingWebhookConfiguration Node PersistentVolume PriorityClass RuntimeClass
    StorageClass ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding
    ValidatingWebhookConfiguration
    """.split()  # noqa: SIM905 - a list of strings would be a page long
)


class ExplainedPod(Struct, frozen=True, kw_only=True):
    """An object of a request; ``pod_path`` is the path of its pod or pod template, if it has one.

    ``fields`` are those of the request that the object does not set, such as its operation.
    """

    namespace: str
    object: Object
    pod_path: workload.PodTemplatePath | None
    fields: RequestFields = RequestFields()

    @property
    def name(self) -> str:
        """The object in words."""
        name = documents.object_name(self.object)
        return f"{name} in {self.namespace}" if self.namespace else name

    @property
    def is_pod(self) -> bool:
        """Whether the object itself is a pod."""
        return self.pod_path is not None and not self.pod_path.template

    @property
    def request(self) -> AdmissionRequest:
        """The request that kube-apiserver sends for the object; it creates it, if not set."""
        return self.fields.apply_to(constraints.make_create_request(self.object, self.namespace))

    def with_object(self, value: Object) -> "ExplainedPod":
        """Return a copy with the object after a webhook changed it."""
        return replace(self, object=value)

    def make_pod(self) -> "ExplainedPod":
        """The pod that the workload's controller would create; raises ``CommandError``."""
        assert self.pod_path is not None  # noqa: S101 - only workloads have a pod
        with convert_errors(kube.WorkloadError, place=documents.object_name(self.object)):
            template = workload.template_of(self.object, self.pod_path)
        pod = _in_namespace(controllers.make_pod(self.object, template), self.namespace)
        pod_path = workload.find_pod_template_path(pod, workload.ALL_KINDS)
        return ExplainedPod(namespace=self.namespace, object=pod, pod_path=pod_path)


def to_explained_pod(document: Object, namespace: str) -> ExplainedPod:
    """The object with its namespace; *namespace* is for an object that names none."""
    pod_path = workload.find_pod_template_path(document, workload.ALL_KINDS)
    metadata = object_at(document, "metadata")
    if document.get("kind") == "Namespace":
        return ExplainedPod(namespace=string_at(metadata, "name"), object=document, pod_path=None)
    if document.get("kind") in _CLUSTER_SCOPED:
        return ExplainedPod(namespace="", object=document, pod_path=None)
    namespace = str(metadata.get("namespace") or namespace)
    namespaced = _in_namespace(document, namespace)
    return ExplainedPod(namespace=namespace, object=namespaced, pod_path=pod_path)


def _in_namespace(value: Object, namespace: str) -> Object:
    """The object as kube-apiserver completes it before it calls webhooks."""
    return {**value, "metadata": {**object_at(value, "metadata"), "namespace": namespace}}
