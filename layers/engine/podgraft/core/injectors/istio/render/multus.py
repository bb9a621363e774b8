"""The annotation ``k8s.v1.cni.cncf.io/networks``, which lists the networks of a pod."""

import json

from podgraft.base.jsonvalue import JSON
from podgraft.core.injectors.istio.releases import Profile
from podgraft.golang import strings


def append_network(profile: Profile, existing: str, network: str) -> str:
    """Append ``network`` (``name`` or ``namespace/name``) to ``existing``, unless it is listed.

    Multus reads a list with commas, or a JSON list of objects. JSON text is not formatted again:
    the new object is inserted before the last bracket. As in Istio, this makes an empty list
    invalid.
    """
    if not existing:
        return network
    if "]" in existing:
        return _append_json_network(profile, existing, network)
    networks = [*map(strings.trim_space, existing.split(","))]
    if profile.multus_duplicates and network in networks:
        return existing
    return f"{existing}, {network}"


def _append_json_network(profile: Profile, existing: str, network: str) -> str:
    namespace, name = _split_network(profile, network)
    if profile.multus_duplicates:
        networks = _parse_networks(existing)
        if networks is None or (name, namespace) in networks:
            return existing
    element = {"name": name} | ({"namespace": namespace} if namespace else {})
    before, _, after = existing.rpartition("]")
    return f"{before}, {json.dumps(element)}]{after}"


def _split_network(profile: Profile, network: str) -> tuple[str, str]:
    if profile.multus_namespaces and "/" in network:
        namespace, _, name = network.partition("/")
        return namespace, name
    return "", network


def _parse_networks(text: str) -> list[tuple[JSON, JSON]] | None:
    """Return the name and namespace of each network; None for other text."""
    try:
        networks: JSON = json.loads(text)
    except ValueError:
        return None
    if not isinstance(networks, list):
        return None
    objects = [network for network in networks if isinstance(network, dict)]
    if len(objects) != len(networks):
        return None
    return [(network.get("name", ""), network.get("namespace", "")) for network in objects]
