"""OpenShift: a namespace says which user and group ids its pods may run with.

Source: pkg/kube/inject/openshift.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from podgraft.injectors.istio.pod_builder import (
    CONTAINERS,
    INIT,
    INIT_CONTAINERS,
    PROXY,
    VALIDATION,
    containers,
    merge_keys,
    pod_annotations,
)
from podgraft.injectors.istio.releases import Profile
from podgraft.jsonvalue import JSON, Object, object_at
from podgraft.lazy_re import lazy_compile

DEFAULT_ID = 1337
PLATFORM = "openshift"

_UID_RANGE = "openshift.io/sa.scc.uid-range"
_GROUPS = "openshift.io/sa.scc.supplemental-groups"
_BLOCK = lazy_compile(r"([0-9]{1,10})([/-])([0-9]{1,10})")
_LIMIT = 1 << 32


def proxy_ids(namespace: Mapping[str, JSON] | None) -> tuple[int, int]:
    """User and group id for the proxy: the last of the namespace's blocks, else 1337."""
    annotations = pod_annotations(namespace or {})
    uids = annotations.get(_UID_RANGE, "")
    groups = annotations.get(_GROUPS, uids)
    uid, gid = _last_id(uids), _last_id(groups.split(",")[0])
    return uid or DEFAULT_ID, gid or DEFAULT_ID


def clear_proxy_ids(profile: Profile, pod: Object) -> Object:
    """The pod with its sidecar's ids cleared, if those are the application's.

    OpenShift writes one id into all containers; the sidecar must keep its own.
    """
    ids = [*_user_ids(profile, pod)]
    for key in _container_lists(profile):
        for container in containers(pod, key):
            context = object_at(container, "securityContext")
            if container.get("name") == PROXY and context:
                if _user_id(context) != (ids[-1] if ids else 0):
                    return pod
                return _clear_container_ids(pod, key, container, context)
    return pod


def _last_id(block: str) -> int | None:
    """The last id of ``START/SIZE`` or ``START-END``."""
    found = _BLOCK.fullmatch(block)
    if found is None:
        return None
    start, last = int(found[1]), int(found[3])
    end = start + last - 1 if found[2] == "/" else last
    return end if max(start, last, end) < _LIMIT else None


def _container_lists(profile: Profile) -> tuple[str, ...]:
    both = profile.openshift_sees_init_containers
    return (CONTAINERS, INIT_CONTAINERS) if both else (CONTAINERS,)


def _user_ids(profile: Profile, pod: Object) -> Iterator[JSON]:
    """The ids that application containers set, in order."""
    for key in _container_lists(profile):
        for container in containers(pod, key):
            context = object_at(container, "securityContext")
            injected = container.get("name") in (PROXY, VALIDATION, INIT)
            if not injected and context.get("runAsUser") is not None:
                yield context["runAsUser"]


def _user_id(context: Object) -> JSON:
    found = context.get("runAsUser")
    return 0 if found is None else found


def _clear_container_ids(pod: Object, key: str, container: Object, context: Object) -> Object:
    cleared: Object = {k: v for k, v in context.items() if k not in ("runAsUser", "runAsGroup")}
    freed = merge_keys(container, {"securityContext": cleared})
    listed: list[JSON] = [freed if each is container else each for each in containers(pod, key)]
    return merge_keys(pod, {"spec": merge_keys(object_at(pod, "spec"), {key: listed})})
