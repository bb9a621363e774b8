"""OpenShift: the user and group ids that a namespace assigns to its pods.

Source: pkg/kube/inject/openshift.go.
"""

import re
from collections.abc import Iterator, Mapping

from podgraft.base.jsonvalue import JSON, Object, object_at, without_keys
from podgraft.core.injectors.istio.pod_builder import (
    CONTAINERS,
    INIT,
    INIT_CONTAINERS,
    PROXY,
    VALIDATION,
    containers,
    pod_annotations,
)
from podgraft.core.injectors.istio.releases import Profile

DEFAULT_ID = 1337
PLATFORM = "openshift"

_UID_RANGE = "openshift.io/sa.scc.uid-range"
_GROUPS = "openshift.io/sa.scc.supplemental-groups"
_BLOCK = re.compile(r"[^\S\n]*0*([0-9]{1,10})([/-])[^\S\n]*0*([0-9]{1,10})(?![0-9])")
_LIMIT = 1 << 32


def proxy_ids(namespace: Mapping[str, JSON] | None) -> tuple[int, int]:
    """Return the user and group id of the proxy: the last of the namespace's blocks, else 1337."""
    annotations = pod_annotations(namespace or {})
    uids = annotations.get(_UID_RANGE, "")
    uid = _last_id(uids)
    gid, *others = map(_last_id, annotations.get(_GROUPS, uids).split(","))
    return (
        DEFAULT_ID if uid is None else uid,
        DEFAULT_ID if gid is None or None in others else gid,
    )


def clear_proxy_ids(profile: Profile, pod: Object) -> Object:
    """Remove the ids of the sidecar if they are the application's.

    OpenShift sets one id in all containers; the sidecar needs its own. Istio 1.23 to 1.26 do not
    compare the id of a sidecar among the init containers: it is the application's if that is 0 or
    missing.
    """
    ids = [*_user_ids(profile, pod)]
    for key in (CONTAINERS, INIT_CONTAINERS):
        for container in containers(pod, key):
            context = object_at(container, "securityContext")
            if container.get("name") == PROXY:
                user_id = (context.get("runAsUser") or 0) if key in _compared_lists(profile) else 0
                if not context or user_id != (ids[-1] if ids else 0):
                    return pod
                return _clear_container_ids(pod, key, container, context)
    return pod


def _last_id(block: str) -> int | None:
    """Return the last id of ``START/SIZE`` or ``START-END``, as Go's Sscanf reads 32 bits."""
    match = _BLOCK.match(block)
    if match is None or (match[2] == "-" and "/" in block):
        return None
    start, size_or_end = int(match[1]), int(match[3])
    if max(start, size_or_end) >= _LIMIT:
        return None
    return size_or_end if match[2] == "-" else (start + size_or_end - 1) % _LIMIT


def _compared_lists(profile: Profile) -> tuple[str, ...]:
    has_init_containers = profile.openshift_sees_init_containers
    return (CONTAINERS, INIT_CONTAINERS) if has_init_containers else (CONTAINERS,)


def _user_ids(profile: Profile, pod: Object) -> Iterator[JSON]:
    """Yield the user ids that application containers set, in order."""
    for key in _compared_lists(profile):
        for container in containers(pod, key):
            context = object_at(container, "securityContext")
            is_injected = container.get("name") in (PROXY, VALIDATION, INIT)
            if not is_injected and context.get("runAsUser") is not None:
                yield context["runAsUser"]


def _clear_container_ids(pod: Object, key: str, container: Object, context: Object) -> Object:
    remaining = without_keys(context, "runAsUser", "runAsGroup")
    cleared: Object = {**container, "securityContext": remaining}
    container_list: list[JSON] = [
        cleared if element is container else element for element in containers(pod, key)
    ]
    return {**pod, "spec": {**object_at(pod, "spec"), key: container_list}}
