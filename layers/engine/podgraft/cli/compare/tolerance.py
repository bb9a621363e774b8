"""Changes of others to injected containers, which are no differences.

Admission plugins run after the webhooks again: ServiceAccount mounts the token, LimitRanger sets
missing resources, and AlwaysPullImages replaces the pull policy.
Source: k8s.io/kubernetes v1.37, plugin/pkg/admission.

Webhooks that are called later change all containers of a pod, such as those for cloud identities
and secrets.
"""

import re
from collections.abc import Iterator

from podgraft.base.jsonvalue import JSON, Object, object_at, string_at
from podgraft.kube.pod_defaults import find_pull_policy

_TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"  # noqa: S105 — a path
_TOKEN_VOLUME = "kube-api-access-"  # noqa: S105 — a prefix of names
_LIMIT_ANNOTATION = "kubernetes.io/limit-ranger"
_LIMIT_ENTRY = re.compile(r"([a-z0-9./, -]+?) (request|limit) for (?:init )?container (\S+)")
_LISTS = ("initContainers", "containers")


def tolerate_admission(live: Object, expected: Object) -> Object:
    """Return *live* without what admission plugins add; both are normalized."""
    spec = dict(object_at(live, "spec"))
    limits = _find_limits(live)
    always = _is_always_pulled(live, expected)
    for key in _LISTS:
        expected_containers = object_at(expected, "spec", key)
        spec_containers = object_at(spec, key)
        if spec_containers:
            spec[key] = {
                name: _tolerate_container(
                    object_at(spec_containers, name),
                    object_at(expected_containers, name),
                    limits.get(name, frozenset()),
                    always=always,
                )
                for name in spec_containers
            }
    _tolerate_token_volume(spec, object_at(expected, "spec"))
    annotations = {
        name: value
        for name, value in object_at(live, "metadata", "annotations").items()
        if name != _LIMIT_ANNOTATION or name in object_at(expected, "metadata", "annotations")
    }
    expected_limits = object_at(expected, "metadata", "annotations").get(_LIMIT_ANNOTATION)
    if expected_limits is not None and _LIMIT_ANNOTATION in annotations:
        annotations[_LIMIT_ANNOTATION] = expected_limits  # the second run rewrites it
    metadata: Object = {**object_at(live, "metadata"), "annotations": annotations}
    return {**live, "metadata": metadata, "spec": spec}


def _tolerate_container(
    live: Object, expected: Object, limits: frozenset[tuple[str, str]], *, always: bool
) -> Object:
    if not expected:
        return live
    tolerated = dict(live)
    mounts, expected_mounts = object_at(live, "volumeMounts"), object_at(expected, "volumeMounts")
    token = object_at(mounts, _TOKEN_PATH)
    if _TOKEN_PATH not in expected_mounts and string_at(token, "name").startswith(_TOKEN_VOLUME):
        _set_or_remove(
            tolerated, "volumeMounts", {k: v for k, v in mounts.items() if k != _TOKEN_PATH}
        )
    if limits:
        _set_or_remove(
            tolerated,
            "resources",
            _without_limits(object_at(live, "resources"), object_at(expected, "resources"), limits),
        )
    if always:
        tolerated["imagePullPolicy"] = expected.get("imagePullPolicy")
    return tolerated


def _without_limits(live: Object, expected: Object, limits: frozenset[tuple[str, str]]) -> Object:
    """Remove the resources that LimitRanger reports, if the expected container has none."""
    remaining: dict[str, JSON] = dict(live)
    for kind in ("limits", "requests"):
        quantities = {
            name: value
            for name, value in object_at(live, kind).items()
            if name in object_at(expected, kind) or (name, kind) not in limits
        }
        _set_or_remove(remaining, kind, quantities)
    return remaining


def _find_limits(live: Object) -> dict[str, frozenset[tuple[str, str]]]:
    """Return resource and kind by container, as LimitRanger lists them."""
    text = string_at(object_at(live, "metadata", "annotations"), _LIMIT_ANNOTATION)
    limits: dict[str, frozenset[tuple[str, str]]] = {}
    for container, entry in _parse_limits(text):
        limits[container] = limits.get(container, frozenset()) | {entry}
    return limits


def _parse_limits(text: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """Parse ``LimitRanger plugin set: cpu, memory request for container app; …``."""
    for part in text.removeprefix("LimitRanger plugin set: ").split("; "):
        match = _LIMIT_ENTRY.fullmatch(part)
        if match:
            # The API server derives a missing request from the limit.
            kinds = ("limits", "requests") if match[2] == "limit" else ("requests",)
            for resource in match[1].split(", "):
                yield from ((match[3], (resource, kind)) for kind in kinds)


def _is_always_pulled(live: Object, expected: Object) -> bool:
    """Whether AlwaysPullImages is on: a container that is not injected shows it too."""
    containers = [
        object_at(live, "spec", key, name)
        for key in _LISTS
        for name in object_at(live, "spec", key)
    ]
    return (
        all(container.get("imagePullPolicy") == "Always" for container in containers)
        and any(find_pull_policy(string_at(each, "image")) != "Always" for each in containers)
        and bool(expected)
    )


def _tolerate_token_volume(spec: dict[str, JSON], expected: Object) -> None:
    """Remove the volume of the token if only injected containers mount it."""
    volumes = object_at(spec, "volumes")
    remaining = {
        name: value
        for name, value in volumes.items()
        if not name.startswith(_TOKEN_VOLUME) or name in object_at(expected, "volumes")
    }
    _set_or_remove(spec, "volumes", remaining)


def _set_or_remove(parent: dict[str, JSON], key: str, value: Object) -> None:
    """Set a field; an empty value removes it."""
    if value:
        parent[key] = value
    else:
        parent.pop(key, None)


def tolerate_other_webhooks(live: Object, expected: Object, injected: frozenset[str]) -> Object:
    """Return *live* without these additions to the *injected* containers; both are normalized.

    An additional variable is such an addition if every other container has the same one, and an
    additional mount if its volume is not injected.
    """
    spec = dict(object_at(live, "spec"))
    shared = _find_shared_variables(spec, injected)
    for key in _LISTS:
        containers = dict(object_at(spec, key))
        for name in containers.keys() & injected:
            reference = object_at(expected, "spec", key, name)
            if reference:
                container = object_at(containers, name)
                containers[name] = _tolerate(container, reference, shared, injected)
        if containers:
            spec[key] = containers
    return {**live, "spec": spec}


def _find_shared_variables(spec: Object, injected: frozenset[str]) -> Object:
    """Return the variables that all containers have that are not injected."""
    environments = [
        object_at(spec, "containers", name, "env")
        for name in object_at(spec, "containers")
        if name not in injected
    ]
    first, others = (environments or [{}])[0], environments[1:]
    return {
        name: value
        for name, value in first.items()
        if all(name in each and each[name] == value for each in others)
    }


def _tolerate(live: Object, expected: Object, shared: Object, injected: frozenset[str]) -> Object:
    tolerated = dict(live)
    extras = {
        "env": frozenset(_find_variables(live, expected, shared)),
        "volumeMounts": frozenset(_find_mounts(live, expected, injected)),
    }
    for key, names in extras.items():
        remaining: dict[str, JSON] = {
            name: value for name, value in object_at(live, key).items() if name not in names
        }
        _set_or_remove(tolerated, key, remaining)
    return tolerated


def _find_variables(live: Object, expected: Object, shared: Object) -> Iterator[str]:
    for name, value in object_at(live, "env").items():
        if name not in object_at(expected, "env") and name in shared and shared[name] == value:
            yield name


def _find_mounts(live: Object, expected: Object, injected: frozenset[str]) -> Iterator[str]:
    for path in object_at(live, "volumeMounts"):
        volume = string_at(object_at(live, "volumeMounts", path), "name")
        if path not in object_at(expected, "volumeMounts") and volume not in injected:
            yield path
