"""The annotation ``k8s.v1.cni.cncf.io/networks``: adding a network to those of the pod."""

from __future__ import annotations

import json

from podgraft.injectors.istio.releases import Profile
from podgraft.jsonvalue import JSON


def append_network(profile: Profile, existing: str, network: str) -> str:
    """``existing`` with ``network`` (``name`` or ``namespace/name``), once.

    Multus reads a comma list or a JSON list of objects. JSON keeps its formatting: the new object
    is put before the last bracket, which makes an empty list invalid, as in Istio.
    """
    if not existing:
        return network
    if "]" in existing:
        return _append_json_network(profile, existing, network)
    listed = [each.strip() for each in existing.split(",")]
    if profile.multus_duplicates and network in listed:
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
    """Name and namespace of each network; ``None`` where the text is no list of objects."""
    try:
        networks: JSON = json.loads(text)
    except ValueError:
        return None
    if not isinstance(networks, list):
        return None
    found = [each for each in networks if isinstance(each, dict)]
    if len(found) != len(networks):
        return None
    return [(each.get("name", ""), each.get("namespace", "")) for each in found]
