"""Additions of other webhooks to injected containers, which are no differences.

Webhooks that are called later change all containers of a pod, such as those for cloud identities
and secrets.
"""

from collections.abc import Iterator

from podgraft.base.jsonvalue import JSON, Object, object_at, string_at

from .admission import set_or_remove

_LISTS = ("initContainers", "containers")


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
        set_or_remove(tolerated, key, remaining)
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
