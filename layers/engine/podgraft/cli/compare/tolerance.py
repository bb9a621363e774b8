"""Changes of others to injected containers, which are no differences.

Admission plugins run after the webhooks again: ServiceAccount mounts the token, LimitRanger sets
missing resources, and AlwaysPullImages replaces the pull policy.
Source: k8s.io/kubernetes v1.37, plugin/pkg/admission.

Webhooks that are called later change all containers of a pod, such as those for cloud identities
and secrets.
"""

import re
from collections.abc import Callable, Iterable, Iterator

from podgraft.base.jsonvalue import JSON, Object, object_at, string_at, without_keys
from podgraft.kube.pod_defaults import find_pull_policy

_TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"  # noqa: S105 — a path
_TOKEN_VOLUME = "kube-api-access-"  # noqa: S105 — a prefix of names
_LIMIT_ANNOTATION = "kubernetes.io/limit-ranger"
_LIMIT_ENTRY = re.compile(r"([a-z0-9./, -]+?) (request|limit) for (?:init )?container (\S+)")
_LISTS = ("initContainers", "containers")


def tolerate_admission(live: Object, expected: Object) -> Object:
    """Return *live* without what admission plugins add; both are normalized."""
    limits, always = {*_find_limits(live)}, _is_always_pulled(live)

    def change(name: str, container: Object, reference: Object) -> Object:
        tolerated = dict(container)
        token = string_at(container, "volumeMounts", _TOKEN_PATH, "name")
        if token.startswith(_TOKEN_VOLUME):
            known = object_at(reference, "volumeMounts").keys()
            _drop(tolerated, "volumeMounts", {_TOKEN_PATH} - known)
        resources = dict(object_at(container, "resources"))
        for kind in ("limits", "requests"):
            # Those that LimitRanger reports, if the expected container has none.
            known = object_at(reference, "resources", kind).keys()
            reported = {resource for *own, resource in limits if own == [name, kind]}
            _drop(resources, kind, reported - known)
        tolerated["resources"] = resources
        _drop(tolerated, "resources", ())
        if always:
            tolerated["imagePullPolicy"] = reference.get("imagePullPolicy")
        return tolerated

    spec = _change_containers(live, expected, change)
    # Only injected containers mount the volume of the token.
    others = object_at(spec, "volumes").keys() - object_at(expected, "spec", "volumes").keys()
    _drop(spec, "volumes", {name for name in others if name.startswith(_TOKEN_VOLUME)})
    expected_annotations = object_at(expected, "metadata", "annotations")
    annotations = dict(object_at(live, "metadata", "annotations"))
    limit = annotations.pop(_LIMIT_ANNOTATION, None)
    if limit is not None and _LIMIT_ANNOTATION in expected_annotations:
        # The second run rewrites it.
        annotations[_LIMIT_ANNOTATION] = expected_annotations[_LIMIT_ANNOTATION]
    metadata: Object = {**object_at(live, "metadata"), "annotations": annotations}
    return {**live, "metadata": metadata, "spec": spec}


def _change_containers(
    live: Object, expected: Object, change: Callable[[str, Object, Object], Object]
) -> dict[str, JSON]:
    """Return the spec of *live*, with its containers that *expected* also has changed."""
    spec = dict(object_at(live, "spec"))
    for key in _LISTS:
        containers, references = object_at(spec, key), object_at(expected, "spec", key)
        if containers:
            changed: Object = {
                name: change(name, object_at(containers, name), object_at(references, name))
                for name in containers
                if object_at(references, name)
            }
            spec[key] = {**containers, **changed}
    return spec


def _drop(parent: dict[str, JSON], key: str, names: Iterable[str]) -> None:
    """Remove members of a map; an empty map is removed, too."""
    if remaining := without_keys(object_at(parent, key), *names):
        parent[key] = remaining
    else:
        parent.pop(key, None)


def _find_limits(live: Object) -> Iterator[tuple[str, str, str]]:
    """Yield container, kind, and resource of ``LimitRanger plugin set: cpu request for …; …``."""
    text = string_at(live, "metadata", "annotations", _LIMIT_ANNOTATION)
    for part in text.removeprefix("LimitRanger plugin set: ").split("; "):
        match = _LIMIT_ENTRY.fullmatch(part)
        if match:
            # The API server derives a missing request from the limit.
            kinds = ("limits", "requests") if match[2] == "limit" else ("requests",)
            yield from ((match[3], kind, each) for each in match[1].split(", ") for kind in kinds)


def _is_always_pulled(live: Object) -> bool:
    """Whether AlwaysPullImages is on: a container that is not injected shows it too."""
    containers = [
        object_at(live, "spec", key, name)
        for key in _LISTS
        for name in object_at(live, "spec", key)
    ]
    return all(each.get("imagePullPolicy") == "Always" for each in containers) and any(
        find_pull_policy(string_at(each, "image")) != "Always" for each in containers
    )


def tolerate_other_webhooks(live: Object, expected: Object, injected: frozenset[str]) -> Object:
    """Return *live* without these additions to the *injected* containers; both are normalized.

    An additional variable is such an addition if every other container has the same one, and an
    additional mount if its volume is not injected.
    """
    shared = _find_shared_variables(object_at(live, "spec"), injected)

    def change(name: str, container: Object, reference: Object) -> Object:
        if name not in injected:
            return container
        tolerated = dict(container)
        variables, known = object_at(container, "env"), object_at(reference, "env")
        same = {
            name
            for name in shared.keys() & variables.keys() - known.keys()
            if shared[name] == variables[name]
        }
        _drop(tolerated, "env", same)
        mounts = object_at(container, "volumeMounts")
        others = mounts.keys() - object_at(reference, "volumeMounts").keys()
        volumes = {path: string_at(mounts, path, "name") for path in others}
        _drop(tolerated, "volumeMounts", {path for path in others if volumes[path] not in injected})
        return tolerated

    return {**live, "spec": _change_containers(live, expected, change)}


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
