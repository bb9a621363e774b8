"""The variables of Istio in the path of a webhook's URL.

They are for the proxies. Which cluster calls is what its token or certificate proves.
"""

from collections.abc import Iterable, Iterator

from podgraft.cli.failure import CommandError

CLUSTER, NETWORK = "cluster", "net"

# The options that set what --env must not set.
_OPTIONS = {
    CLUSTER: "--istio-cluster-id",
    NETWORK: "--istio-network",
    "ISTIO_META_CLUSTER_ID": "--istio-cluster-id",
    "ISTIO_META_NETWORK": "--istio-network",
}


def variables(
    cluster_id: str | None, network: str | None, env: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """Return the pairs of the path: the proxies' cluster id, network, and environment."""
    if cluster_id:
        yield CLUSTER, cluster_id
    if network:
        yield NETWORK, network
    for text in env:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise CommandError("--env: a value has no name before it; write NAME=VALUE")
        option = _OPTIONS.get(name) or _OPTIONS.get(name.upper())
        if option:
            raise CommandError(f"--env: {name} is a variable of Istio; use {option}")
        yield name, value
