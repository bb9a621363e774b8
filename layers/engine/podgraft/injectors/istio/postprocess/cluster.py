"""Which cluster and network the proxy is in, by values, URL and label."""

from __future__ import annotations

from collections.abc import Mapping

from podgraft.injectors.istio.config.config_map import Values
from podgraft.injectors.istio.pod_builder import PodBuilder
from podgraft.injectors.istio.releases import Profile
from podgraft.jsonvalue import objects_at

CLUSTER_ID = "ISTIO_META_CLUSTER_ID"
NETWORK = "ISTIO_META_NETWORK"
NETWORK_LABEL = "topology.istio.io/network"


def cluster_environment(
    values: Values, url_variables: Mapping[str, str], labels: Mapping[str, str]
) -> dict[str, str]:
    """``given`` (the URL's variables) with the cluster and network that hold.

    The URL's value beats the configured one, the pod's label beats both, even when empty: but an
    empty result takes nothing away.
    """
    cluster = url_variables.get(CLUSTER_ID) or values.cluster_name
    network = labels.get(NETWORK_LABEL, url_variables.get(NETWORK) or values.network)
    found = {CLUSTER_ID: cluster, NETWORK: network}
    return dict(url_variables) | {name: value for name, value in found.items() if value}


def set_environment(profile: Profile, draft: PodBuilder, environment: Mapping[str, str]) -> None:
    """Set the variables at the end of the sidecar's environment, sorted by name.

    As in Istio (updateClusterEnvs), variables of these names move to the end even if the sidecar
    has them with the same values.
    """
    sidecar = draft.sidecar(profile)
    if sidecar is None or not environment:
        return
    others = [each for each in objects_at(sidecar, "env") if each.get("name") not in environment]
    names = sorted(environment)
    sidecar["env"] = [*others, *({"name": name, "value": environment[name]} for name in names)]


def set_label(draft: PodBuilder, environment: Mapping[str, str]) -> None:
    """Label the pod with its network, if it is known."""
    if NETWORK in environment:
        draft.labels[NETWORK_LABEL] = environment[NETWORK]
