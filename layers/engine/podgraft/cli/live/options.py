"""The options of commands that read a cluster: those of kubectl, with the same meaning."""

from pathlib import Path

import click
from msgspec import Struct

from podgraft.cli.shared_options import PATH, gather_options

from .cluster import LiveCluster, PodSelection
from .kubectl import KubectlReader

_DEFAULT_TIMEOUT = 30

CONTEXT_OPTIONS = (
    click.option("--context", help="Context of the kubeconfig."),
    click.option(
        "--kubeconfig",
        type=PATH,
        help="Kubeconfig file; default: KUBECONFIG, or ~/.kube/config.",
    ),
    click.option(
        "--request-timeout",
        type=click.IntRange(min=1),
        default=_DEFAULT_TIMEOUT,
        metavar="SECONDS",
        help="Time for one request to the API server.",
    ),
    click.option(
        "-i",
        "--istio-namespace",
        default="istio-system",
        help="Namespace of istiod, in the cluster.",
    ),
)


class ClusterAccess(Struct, frozen=True, kw_only=True):
    """The cluster to read, and the namespace of Istio in it."""

    context: str | None = None
    kubeconfig: Path | None = None
    request_timeout: int = _DEFAULT_TIMEOUT
    istio_namespace: str = "istio-system"

    def open_cluster(self) -> LiveCluster:
        """Return the cluster; nothing is read yet."""
        from .in_cluster import InClusterReader, is_in_cluster

        if self.context is None and self.kubeconfig is None and is_in_cluster():
            return LiveCluster(InClusterReader(timeout_seconds=self.request_timeout))
        return LiveCluster(
            KubectlReader(
                context=self.context,
                kubeconfig=self.kubeconfig,
                timeout_seconds=self.request_timeout,
            )
        )


access_options = gather_options(ClusterAccess, *CONTEXT_OPTIONS, name="access")


def select_pods(namespace: str | None, all_namespaces: bool, selector: str | None) -> PodSelection:
    """Return the selection; raises ``UsageError`` for options that exclude each other."""
    if namespace is not None and all_namespaces:
        raise click.UsageError("-n and -A exclude each other; use one of them")
    return PodSelection(namespace=namespace, all_namespaces=all_namespaces, selector=selector)


selection_options = gather_options(
    select_pods,
    click.option("-n", "--namespace", help="Namespace."),
    click.option("-A", "--all-namespaces", is_flag=True, help="All namespaces, the default."),
    click.option("-l", "--selector", help="Label selector of pods, such as app=web,tier!=cache."),
    name="selection",
)
