"""Cluster ids of Istio in URL paths and policies, compared with the mesh of a bundle.

A credential identifies the calling cluster. The cluster id of Istio is a property of the proxies:
``global.multiCluster.clusterName`` sets it, and the variable ``cluster`` of the URL path replaces
it. istiod rejects proxies of an unknown cluster. Only ``podgraft check``, ``podgraft push``,
``inject``, ``explain``, and ``register.py`` use this module.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from podgraft.base.diagnostics import Diagnostic
from podgraft.core.injectors.istio import CLUSTER_ID
from podgraft.core.policy import Policy
from podgraft.kube.patch import pointer

from .compiler import Bundle

# The default of istiod's variable CLUSTER_ID.
DEFAULT_CLUSTER_ID = "Kubernetes"

_CLUSTER_NAME_KEY = "global.multiCluster.clusterName"


@dataclass(frozen=True, slots=True)
class UrlPath:
    """The part of a registered URL's path after ``/inject/``, and the location of the URL."""

    tail: str
    file: str
    path: str = ""

    def warning(self, problem: str, remedy: str) -> Diagnostic:
        """Return a warning about the path; the URL can contain a token and is not quoted."""
        found = Diagnostic(problem, remedy, document=self.file, pointer=self.path)
        return found.as_warning()


def find_path_warnings(bundle: Bundle, url: UrlPath) -> Iterator[Diagnostic]:
    """Return a warning for each variable in a path that the injector ignores or misapplies."""
    injector = bundle.istio
    if injector is None:
        if url.tail:
            problem = "the path sets variables, but the bundle has no Istio configuration"
            yield url.warning(problem, "remove everything after the route from the path")
        return
    for name in sorted(injector.find_unread_variables(url.tail)):
        yield url.warning(
            f"the path sets {name}, but Istio {injector.profile.release} does not read this form",
            "remove it from the path",
        )
    own_id = injector.config.values.cluster_name
    expected = own_id or DEFAULT_CLUSTER_ID
    cluster_id = injector.parse_environment(url.tail).get(CLUSTER_ID) or expected
    if cluster_id != expected:
        yield url.warning(
            f'the path sets the cluster id of proxies to "{cluster_id}", but '
            f"{_CLUSTER_NAME_KEY} is {_quote_id(own_id)}, and istiod rejects proxies "
            "of an unknown cluster",
            f'remove "cluster" from the path, or set {_CLUSTER_NAME_KEY} to "{cluster_id}"',
        )


def find_policy_warnings(bundle: Bundle, policy: Policy, file: str) -> Iterator[Diagnostic]:
    """Return a warning for each calling cluster that shares the bundle of another cluster id.

    Without a cluster id in the bundle, each mesh has its own, and there is nothing to compare.
    """
    cluster_id = bundle.istio.config.values.cluster_name if bundle.istio else ""
    for name, override in policy.clusters.items():
        if cluster_id and name != cluster_id and override.bundle == policy.bundle:
            yield Diagnostic(
                f'names the calling cluster "{name}", but {_CLUSTER_NAME_KEY} is '
                f'"{cluster_id}": its proxies get the cluster id "{cluster_id}"',
                f"if the mesh of {name} has another cluster id, register {name} with "
                "--istio-cluster-id, or set a separate bundle for it",
                document=file,
                pointer=f"/clusters/{pointer.escape(name)}",
            ).as_warning()


def _quote_id(cluster_id: str) -> str:
    return f'"{cluster_id}"' if cluster_id else f'not set, which means "{DEFAULT_CLUSTER_ID}"'
