"""Containers and volumes without the injected ones, and probes as the application wrote them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from podgraft.jsonvalue import JSON, Object, object_at, string_at

from .pod_builder import merge_keys

_PROBES = ("readinessProbe", "livenessProbe", "startupProbe")
_HANDLERS = ("preStop", "postStart")
_KINDS = ("httpGet", "tcpSocket", "grpc")


def restore_list(
    listed: Sequence[Object], injected: tuple[str, ...], kept: Sequence[Object]
) -> list[Object]:
    """The list without one element of each injected name.

    What the user wrote under such a name takes its place, or the end where the place is lost. Of
    several elements of a name the last is the injected one: releases that do not merge append.
    """
    last = {string_at(each, "name"): index for index, each in enumerate(listed)}
    gone = {last[name] for name in injected if name in last}
    own = {string_at(each, "name"): each for each in kept}
    left: list[Object] = []
    for index, each in enumerate(listed):
        found = own.pop(string_at(each, "name"), None) if index in gone else each
        if found is not None:
            left.append(found)
    return [*left, *own.values()]


def restore_probes(container: Object, probers: Mapping[str, JSON]) -> Object:
    """The container asked by the kubelet itself again."""
    own: Object = {
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
        own["lifecycle"] = merge_keys(lifecycle, handlers)
    return merge_keys(container, own) if own else container


def _restore_probe(probe: Object, probers: Mapping[str, JSON]) -> Object:
    """The probe with the action that was redirected, in its place."""
    prober = object_at(probers, string_at(object_at(probe, "httpGet"), "path"))
    action = {kind: prober[kind] for kind in _KINDS if kind in prober}
    if not action:
        return probe
    direct: Object = {}
    for key, value in probe.items():
        direct |= action if key == "httpGet" else {key: value}
    return direct
