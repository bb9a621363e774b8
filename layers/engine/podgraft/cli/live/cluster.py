"""The objects of a cluster that the commands read."""

from collections.abc import Iterator
from contextlib import suppress

from msgspec import Struct

from podgraft.base.jsonvalue import Object, object_at, objects_at, string_at

from .api_errors import NotFoundError
from .kubectl import ApiReader, read_items
from .resources import POD, TYPES_BY_KIND, ResourceType

_FINISHED = frozenset({"Succeeded", "Failed"})
_ADMISSION = "/apis/admissionregistration.k8s.io/v1"


class PodSelection(Struct, frozen=True, kw_only=True):
    """Which pods to read; ``namespace`` is None if no option names one."""

    namespace: str | None = None
    all_namespaces: bool = False
    selector: str | None = None


class LiveCluster(Struct, frozen=True):
    """Typed reads of one cluster. Each method but ``try_pod`` sends GET requests."""

    reader: ApiReader

    def read_object(self, resource: ResourceType, namespace: str, name: str) -> Object:
        """Return one object; raises ``ApiError``."""
        return self.reader.get(f"{resource.list_path(namespace)}/{name}")

    def _find(self, path: str) -> Object | None:
        """Return one object, or None if it, or its API, does not exist."""
        with suppress(NotFoundError):
            return self.reader.get(path)
        return None

    def list_objects(
        self, resource: ResourceType, namespace: str | None, selector: str | None = None
    ) -> Iterator[Object]:
        """Yield the objects of a namespace, or of all namespaces with None."""
        query = {"labelSelector": selector} if selector else {}
        return read_items(self.reader, resource.list_path(namespace), **query)

    def resolve_namespace(self, selection: PodSelection) -> str | None:
        """Return the selected namespace, or that of the context; None is all namespaces."""
        if selection.all_namespaces:
            return None
        return selection.namespace or self.reader.find_namespace()

    def list_pods(self, selection: PodSelection) -> Iterator[Object]:
        """Yield the selected pods that have not finished; without a namespace, those of all."""
        for pod in self.list_objects(POD, selection.namespace, selection.selector):
            if object_at(pod, "status").get("phase") not in _FINISHED:
                yield pod

    def read_namespace(self, name: str) -> Object:
        """Return a Namespace."""
        return self.reader.get(f"/api/v1/namespaces/{name}")

    def read_namespaces(self) -> dict[str, Object]:
        """Return all Namespaces by name."""
        items = read_items(self.reader, "/api/v1/namespaces")
        return {string_at(item, "metadata", "name"): item for item in items}

    def read_webhook_configurations(self) -> list[Object]:
        """Return the mutating and the validating webhook configurations."""
        kinds = ("mutatingwebhookconfigurations", "validatingwebhookconfigurations")
        return [item for kind in kinds for item in read_items(self.reader, f"{_ADMISSION}/{kind}")]

    def find_config_map(self, namespace: str, name: str) -> Object | None:
        """Return a ConfigMap, or None if it does not exist."""
        return self._find(f"/api/v1/namespaces/{namespace}/configmaps/{name}")

    def has_service(self, namespace: str, name: str) -> bool:
        """Whether a Service exists."""
        return self._find(f"/api/v1/namespaces/{namespace}/services/{name}") is not None

    def list_sidecar_checks(self) -> Iterator[Object]:
        """Yield the ValidatingAdmissionPolicies, and their bindings."""
        for kind in ("validatingadmissionpolicies", "validatingadmissionpolicybindings"):
            yield from read_items(self.reader, f"{_ADMISSION}/{kind}")

    def try_pod(self, namespace: str, pod: Object) -> Object:
        """Return the pod that kube-apiserver would store; it is a dry run. Raises ``ApiError``."""
        return self.reader.create_dry_run(f"/api/v1/namespaces/{namespace}/pods", pod)

    def read_node_versions(self) -> Iterator[str]:
        """Yield the version of each kubelet."""
        for node in read_items(self.reader, "/api/v1/nodes"):
            yield string_at(node, "status", "nodeInfo", "kubeletVersion")

    def read_proxy_configs(self) -> list[Object]:
        """Return all ProxyConfigs; none if the cluster does not have the kind."""
        with suppress(NotFoundError):
            return [*read_items(self.reader, "/apis/networking.istio.io/v1beta1/proxyconfigs")]
        return []

    def find_controller(self, value: Object) -> Object | None:
        """Return the object that controls another one, or None without a readable one."""
        metadata = object_at(value, "metadata")
        for owner in objects_at(metadata, "ownerReferences"):
            resource = TYPES_BY_KIND.get((string_at(owner, "apiVersion"), string_at(owner, "kind")))
            if owner.get("controller") is not True or resource is None:
                continue
            namespace, name = string_at(metadata, "namespace"), string_at(owner, "name")
            controller = self._find(f"{resource.list_path(namespace)}/{name}")
            uid = string_at(controller or {}, "metadata", "uid")
            return controller if uid == owner.get("uid") else None
        return None
