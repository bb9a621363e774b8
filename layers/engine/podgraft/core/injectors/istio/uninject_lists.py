"""Restoration of containers, volumes, and probes."""

from collections.abc import Mapping, Sequence

from podgraft.base.jsonvalue import JSON, Object, object_at, string_at

from .pod_builder import merge_keys

_PROBES = ("readinessProbe", "livenessProbe", "startupProbe")
_HANDLERS = ("preStop", "postStart")
_KINDS = ("httpGet", "tcpSocket", "grpc")


def restore_list(
    elements: Sequence[Object], injected: tuple[str, ...], user_versions: Sequence[Object]
) -> list[Object]:
    """Remove one element of each injected name from the list.

    The user's version of an element replaces it, or is appended if the element is missing. If
    several elements have the name, the last one is the injected one: old releases append.
    """
    last_indexes = {string_at(element, "name"): index for index, element in enumerate(elements)}
    injected_indexes = {last_indexes[name] for name in injected if name in last_indexes}
    versions_by_name = {string_at(element, "name"): element for element in user_versions}
    remaining: list[Object] = []
    for index, element in enumerate(elements):
        restored = (
            versions_by_name.pop(string_at(element, "name"), None)
            if index in injected_indexes
            else element
        )
        if restored is not None:
            remaining.append(restored)
    return [*remaining, *versions_by_name.values()]


def restore_probes(container: Object, probers: Mapping[str, JSON]) -> Object:
    """Restore the original probes of a container."""
    restored: Object = {
        key: _restore_probe(object_at(container, key), probers)
        for key in _PROBES
        if key in container
    }
    if "lifecycle" in container:
        lifecycle = object_at(container, "lifecycle")
        handlers: Object = {
            key: _restore_probe(object_at(lifecycle, key), probers)
            for key in _HANDLERS
            if key in lifecycle
        }
        restored["lifecycle"] = merge_keys(lifecycle, handlers)
    return merge_keys(container, restored) if restored else container


def _restore_probe(probe: Object, probers: Mapping[str, JSON]) -> Object:
    """Restore the original action of a probe, in the same position."""
    prober = object_at(probers, string_at(object_at(probe, "httpGet"), "path"))
    action = {kind: prober[kind] for kind in _KINDS if kind in prober}
    if not action:
        return probe
    restored: Object = {}
    for key, value in probe.items():
        restored |= action if key == "httpGet" else {key: value}
    return restored
