"""The cluster and network of the proxy, from the values, the URL, and the pod's label."""

from collections.abc import Mapping

from podgraft.base.jsonvalue import objects_at
from podgraft.core.injectors.istio.config.config_map import Values
from podgraft.core.injectors.istio.pod_builder import PodBuilder
from podgraft.core.injectors.istio.releases import Profile

CLUSTER_ID = "ISTIO_META_CLUSTER_ID"
NETWORK = "ISTIO_META_NETWORK"
NETWORK_LABEL = "topology.istio.io/network"


def cluster_environment(
    values: Values, url_variables: Mapping[str, str], labels: Mapping[str, str]
) -> dict[str, str]:
    """Return the URL's variables with the effective cluster and network.

    The URL takes precedence over the values, and the pod's label over both, even if it is empty. An
    empty result does not remove a variable of the URL.
    """
    cluster = url_variables.get(CLUSTER_ID) or values.cluster_name
    network = labels.get(NETWORK_LABEL, url_variables.get(NETWORK) or values.network)
    effective = {CLUSTER_ID: cluster, NETWORK: network}
    return dict(url_variables) | {name: value for name, value in effective.items() if value}


def set_environment(profile: Profile, builder: PodBuilder, environment: Mapping[str, str]) -> None:
    """Set the variables at the end of the sidecar's environment, sorted by name.

    As in Istio (updateClusterEnvs), variables of these names move to the end even if the sidecar
    has them with the same values.
    """
    sidecar = builder.sidecar(profile)
    if sidecar is None or not environment:
        return
    other_variables = [
        variable
        for variable in objects_at(sidecar, "env")
        if variable.get("name") not in environment
    ]
    names = sorted(environment)
    sidecar["env"] = [
        *other_variables,
        *({"name": name, "value": environment[name]} for name in names),
    ]


def set_label(builder: PodBuilder, environment: Mapping[str, str]) -> None:
    """Set the network label of the pod, if the environment has a network."""
    if NETWORK in environment:
        builder.labels[NETWORK_LABEL] = environment[NETWORK]
