"""A cluster of objects in memory, for commands that read one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from podgraft.cli.live.api_errors import ApiError, NotFoundError
from podgraft.cli.live.cluster import LiveCluster
from podgraft.cli.live.kubectl import KubectlReader
from podgraft.cli.live.options import ClusterAccess

_LISTS = (
    "/api/v1/namespaces",
    "/api/v1/nodes",
    "/api/v1/pods",
    "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
    "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
    "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
    "/apis/networking.istio.io/v1beta1/proxyconfigs",
)


@dataclass(slots=True)
class FakeReader:
    """Returns objects by path: a list for a path with items, an error for a reason."""

    responses: Mapping[str, Any]
    requests: list[str] = field(default_factory=list[str])
    name: str = "the cluster of the test"

    def get(self, path: str, **query: str) -> Any:
        """Return the response of a path."""
        del query
        self.requests.append(path)
        missing: Any = [] if path in _LISTS else NotFoundError
        response: Any = self.responses.get(path, missing)
        if isinstance(response, ApiError):
            raise response
        if isinstance(response, type):
            raise cast("type[ApiError]", response)(f"GET {path}: {response.__name__}")
        if isinstance(response, list):
            return {"kind": "List", "apiVersion": "v1", "items": cast("list[Any]", response)}
        return response

    def create_dry_run(self, path: str, manifest: Any) -> Any:
        """Return the object, or what the responses have for ``POST`` and the path."""
        self.requests.append(f"POST {path}")
        response: Any = self.responses.get(f"POST {path}", manifest)
        if isinstance(response, ApiError):
            raise response
        return response

    def find_namespace(self) -> str:
        """Return the namespace of the context."""
        return "shop"

    def read_config(self) -> Any:
        """Return no kubeconfig."""
        return {}


def use_cluster(monkeypatch: pytest.MonkeyPatch, responses: Mapping[str, Any]) -> None:
    """Make the commands read these responses, by path."""

    def open_cluster(_: ClusterAccess) -> LiveCluster:
        return make_cluster(responses)

    monkeypatch.setattr(ClusterAccess, "open_cluster", open_cluster)


def use_contexts(patch: pytest.MonkeyPatch, contexts: Mapping[str, Any]) -> None:
    """Let the commands read the objects of each context."""

    def open_cluster(access: ClusterAccess) -> LiveCluster:
        return make_cluster(contexts[access.context or ""])

    patch.setattr(ClusterAccess, "open_cluster", open_cluster)

    def list_contexts(_: KubectlReader) -> list[str]:
        return [*contexts]

    patch.setattr(KubectlReader, "list_contexts", list_contexts)


def make_cluster(responses: Mapping[str, Any]) -> LiveCluster:
    """Return a cluster with these responses by path."""
    return LiveCluster(FakeReader(responses))
