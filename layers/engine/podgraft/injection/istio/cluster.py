"""Which cluster and network the proxy is in, by values, URL and label."""

from __future__ import annotations

from collections.abc import Mapping

from podgraft.jsonvalue import Object, objects_at

from .draft import Draft
from .releases import Profile
from .settings import Values

CLUSTER_ID = "ISTIO_META_CLUSTER_ID"
NETWORK = "ISTIO_META_NETWORK"
NETWORK_LABEL = "topology.istio.io/network"


def environment(
    values: Values, given: Mapping[str, str], labels: Mapping[str, str]
) -> dict[str, str]:
    """``given`` (the URL's variables) with the cluster and network that hold.

    The URL's value beats the configured one, the pod's label beats both, even when empty: but an
    empty result takes nothing away.
    """
    cluster = given.get(CLUSTER_ID) or values.cluster_name
    network = labels.get(NETWORK_LABEL, given.get(NETWORK) or values.network)
    found = {CLUSTER_ID: cluster, NETWORK: network}
    return dict(given) | {name: value for name, value in found.items() if value}


def set_environment(profile: Profile, draft: Draft, environment: Mapping[str, str]) -> None:
    """Give the sidecar these variables, behind all others and in place of its own.

    One that has them all keeps its order: what other webhooks and we ourselves put behind them
    since would make a second injection a change.
    """
    sidecar = draft.sidecar(profile)
    if sidecar is None or not environment:
        return
    names = sorted(environment)
    wanted: list[Object] = [{"name": name, "value": environment[name]} for name in names]
    own = objects_at(sidecar, "env")
    if any(each not in own for each in wanted):
        kept = [each for each in own if each.get("name") not in environment]
        sidecar["env"] = [*kept, *wanted]


def set_label(draft: Draft, environment: Mapping[str, str]) -> None:
    """Label the pod with its network, if it is known."""
    if NETWORK in environment:
        draft.labels[NETWORK_LABEL] = environment[NETWORK]
