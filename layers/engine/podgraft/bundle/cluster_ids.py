"""Cluster ids of Istio in URL paths and policies, compared with the mesh of a bundle.

The calling cluster is what a credential proves. The cluster id of Istio is a property of the
proxies: ``global.multiCluster.clusterName`` sets it, and the variable ``cluster`` of the URL path
replaces it. istiod refuses proxies that name a cluster that it does not know. Only ``policy
check``, ``policy push``, ``inject``, ``explain``, and ``register.py`` use this module.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from podgraft.diagnostics import Diagnostic, Severity
from podgraft.injectors.istio import CLUSTER_ID
from podgraft.patch import pointer
from podgraft.policy import Policy

from .compiler import Bundle

# The cluster id that istiod gives its own cluster (its variable CLUSTER_ID).
STOCK = "Kubernetes"

_VALUE = "global.multiCluster.clusterName"


@dataclass(frozen=True, slots=True)
class UrlPath:
    """What follows ``/inject/`` in the path of a registered URL, and where the URL is written."""

    tail: str
    file: str
    path: str = ""

    def warning(self, problem: str, remedy: str) -> Diagnostic:
        """Return a warning about the path; the URL can contain a token and is not quoted."""
        return Diagnostic(
            document=self.file,
            pointer=self.path,
            problem=problem,
            remedy=remedy,
            severity=Severity.WARNING,
        )


def path_warnings(bundle: Bundle, url: UrlPath) -> Iterator[Diagnostic]:
    """Return what the injector of *bundle* makes of the variables in a path, if that is a risk."""
    injector = bundle.istio
    if injector is None:
        if url.tail:
            problem = "the path sets variables, but the bundle has no Istio configuration"
            yield url.warning(problem, "remove everything after the route from the path")
        return
    for name in sorted(injector.find_unread_variables(url.tail)):
        yield url.warning(
            f"the path sets {name}, but Istio {injector.profile.release} does not read it so",
            "remove it from the path",
        )
    expected = injector.cluster_id or STOCK
    cluster_id = injector.parse_environment(url.tail).get(CLUSTER_ID) or expected
    if cluster_id != expected:
        yield url.warning(
            f'the path sets the cluster id of proxies to "{cluster_id}", but {_VALUE} is '
            f"{_quote_id(injector.cluster_id)}, and istiod refuses proxies of an unknown cluster",
            f'remove "cluster" from the path, or set {_VALUE} to "{cluster_id}"',
        )


def policy_warnings(bundle: Bundle, policy: Policy, file: str) -> Iterator[Diagnostic]:
    """Return a warning for each calling cluster that shares the bundle of another cluster id.

    A bundle without a cluster id leaves every mesh its own, so that there is nothing to compare.
    """
    cluster_id = bundle.istio.cluster_id if bundle.istio else ""
    for name, override in policy.clusters.items():
        if cluster_id and name != cluster_id and override.bundle == policy.bundle:
            yield Diagnostic(
                document=file,
                pointer=f"/clusters/{pointer.escape(name)}",
                problem=f'names the calling cluster "{name}", but {_VALUE} is "{cluster_id}": its '
                f'proxies get the cluster id "{cluster_id}"',
                remedy=f"if the mesh of {name} has another cluster id, register {name} with "
                "--istio-cluster-id, or set a separate bundle for it",
                severity=Severity.WARNING,
            )


def _quote_id(cluster_id: str) -> str:
    return f'"{cluster_id}"' if cluster_id else f'not set, which means "{STOCK}"'
