"""How the control plane of an EKS cluster leaves its network, for a call that fails there only."""

import re
from collections.abc import Mapping

from podgraft.base.jsonvalue import Object, names_at, object_at, objects_at
from podgraft.cli.failure import CommandError
from podgraft.cli.live.kubectl import find_server
from podgraft.cli.stacks import aws_errors, make_client

_SERVER = re.compile(r"https://[^/]+\.([a-z0-9-]+)\.eks\.amazonaws\.com(\.cn)?(:443)?/?")
_OPTION = "--cluster-name"
_DEFAULT = "AWS_MANAGED"
_HINTS: Mapping[str, str] = {
    _DEFAULT: "EKS reaches public endpoints only",
    "CUSTOMER_ROUTED": "your subnets need a route and DNS to the endpoint",
    "CUSTOMER_ISOLATED": "nothing leaves the cluster; use podgraft serve in it",
}


def describe_egress(config: Object) -> str:
    """Return the egress mode of the cluster of a kubeconfig, and what it means.

    Empty for other clusters, and without the right eks:DescribeCluster.
    """
    match, name = _SERVER.fullmatch(find_server(config)), _find_name(config)
    if match is None or not name:
        return ""
    try:
        with aws_errors(f"EKS cluster {name}"):
            client = make_client("eks", match[1])
            cluster = client.describe_cluster(name=name)["cluster"]
    except CommandError:
        return ""
    if cluster.get("endpoint") != find_server(config).removesuffix("/").removesuffix(":443"):
        return ""  # another account has a cluster of this name
    mode = str(cluster.get("resourcesVpcConfig", {}).get("controlPlaneEgressMode", _DEFAULT))
    return f"egress mode {mode}: {_HINTS.get(mode, 'see the guide of EKS')}"


def _find_name(config: Object) -> str:
    """Return the name that aws eks get-token gets, or that of the ARN of the cluster."""
    for each in objects_at(config, "users"):
        words = object_at(each, "user", "exec").get("args")
        if isinstance(words, list) and _OPTION in words[:-1]:
            return str(words[words.index(_OPTION) + 1])
    names = names_at(config, "clusters")
    return "".join(names[:1]).partition(":cluster/")[2]
